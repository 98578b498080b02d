r"""Maximum a posteriori: a plain network with weight decay. It is one function, without epistemic uncertainty.

$$ \min_W \; \frac1N \sum_i -\log p(y_i \mid x_i, W) + \lambda \lVert W \rVert_F^2 $$

MacKay, "A practical Bayesian framework for backpropagation networks", Neural Computation 1992.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.methods.common import WEIGHT_DECAY
from bdlviz.types import Array, Draws, MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup


def build(setup: Setup) -> Method:
    """Penalised likelihood without masks."""
    from bdlviz.training.penalised import penalised_likelihood

    return penalised_likelihood(setup)


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """The only function, as one draw."""
    return Draws(params, num_samples=1)


SPEC = MethodSpec(
    name="map",
    title="Plain network (MAP)",
    idea="One network, trained with weight decay.",
    reference="MacKay 1992",
    hyperparameters=(WEIGHT_DECAY,),
    build=build,
    sample=sample,
    order=10,
    abbreviation="MAP",
    is_single_function=True,
    is_usual=True,
)
