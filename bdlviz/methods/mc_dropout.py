r"""MC dropout: dropout is also used at test time; every set of masks z is one draw of W = M diag(z) from q(W).

$$ q(w) = p\,\delta(w) + (1 - p)\,\delta(w - m) $$

Gal & Ghahramani, "Dropout as a Bayesian approximation", ICML 2016 (arXiv 1506.02142, appendix 1506.02157).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods.common import DROPOUT_RATE, WEIGHT_DECAY
from bdlviz.predictive.functions import dropout_masks
from bdlviz.types import Array, Draws, MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup


def build(setup: Setup) -> Method:
    r"""Penalised likelihood with a new mask z for every data point and step.

    $$ \min_W \; \frac1N \sum_i -\log p(y_i \mid x_i, W, z_i) + \lambda \sum_{\text{layers}} \lVert W \rVert_F^2 $$
    """
    from bdlviz.training.penalised import penalised_likelihood

    if not setup.model.network.hidden:
        raise InvalidInput("MC dropout needs a hidden layer whose units are dropped, or an nn.Dropout in your module.")
    return penalised_likelihood(setup, setup.hyperparameters["dropout_rate"])


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """The same weights with one set of masks per draw, shared by all inputs: each draw is one function."""
    rate = hyperparameters["dropout_rate"]
    if rate == 0:
        return Draws(params, num_samples=1)
    return Draws(params, masks=dropout_masks(rng, network.hidden, rate, num_samples), num_samples=num_samples)


SPEC = MethodSpec(
    name="mc_dropout",
    title="MC dropout",
    idea="Dropout is also used for predictions: every set of dropped units gives one function.",
    reference="Gal & Ghahramani 2016",
    hyperparameters=(DROPOUT_RATE, WEIGHT_DECAY),
    build=build,
    sample=sample,
    order=20,
    noise_on="units",
    is_usual=True,
)
