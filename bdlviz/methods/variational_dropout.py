r"""Variational dropout: Gaussian dropout whose noise alpha is learned, one for each layer.

$$ q(w) = \mathcal{N}(w \mid \theta, \alpha \theta^2), \qquad \alpha \le 1, \qquad p(|w|) \propto \frac{1}{|w|} $$

Kingma, Salimans & Welling, "Variational dropout and the local reparameterization trick", NeurIPS 2015 (arXiv
1506.02557): their variant with independent noise on every weight. Alpha stays below 1, where their cubic holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.methods.common import KL_WEIGHT, beside
from bdlviz.methods.gaussian_dropout import noisy_draws
from bdlviz.models import divergences
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec

if TYPE_CHECKING:
    from torch import Tensor

    from bdlviz.training.method import Method, Setup

LOG_ALPHA = "log_alpha_"  # before the name of the weights to which this one number belongs
START_RATE = Hyperparameter(
    name="start_rate",
    label="Dropout rate at the start",
    symbol="p_0",
    values=(0.01, 0.05, 0.1, 0.2, 0.4),
    default=0.2,
    minimum=0.001,
    maximum=0.5,
    help="Every layer starts with the noise of this dropout rate: α = p / (1 − p).",
    is_axis=False,
)


def build(setup: Setup) -> Method:
    r"""The negative evidence lower bound per data point up to a constant; biases are certain.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, w_i)
       + \frac{\beta}{N} \sum_{\text{layers}} H_{\text{in}} H_{\text{out}} \operatorname{KL}(\alpha) $$
    """
    import torch

    from bdlviz.training.gaussian_weights import TENSORS, exp, gaussian_weights, total

    kl_weight = torch.from_numpy(setup.hyperparameters["kl_weight"].astype(np.float32))
    start = np.log(setup.options["start_rate"] / (1 - setup.options["start_rate"]))

    def init(rng: np.random.Generator) -> dict[str, Array]:
        weights = setup.model.network.init(rng)
        noise = {LOG_ALPHA + n: np.full((1, 1), start, np.float32) for n in weights if n.startswith("weight")}
        return weights | noise

    def bounded(params: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {name: value.clamp_max(0) for name, value in beside(params, LOG_ALPHA).items()}

    def spread(params: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {name: exp(value / 2) * params[name].abs() for name, value in bounded(params).items()}

    def penalty(params: Mapping[str, Tensor], std: Mapping[str, Tensor]) -> Tensor:
        counts = {name: params[name].shape[-2:].numel() for name in std}
        terms = {name: counts[name] * divergences.cubic(value, TENSORS) for name, value in bounded(params).items()}
        return kl_weight * total(terms)

    return gaussian_weights(setup, init, spread, penalty, setup.precision)


def alphas(params: Mapping[str, Array]) -> dict[str, Array]:
    """What each layer has learned: the variance of its noise, at most 1, by the names of the weights, (1, 1) each."""
    return {name: np.exp(np.minimum(value, 0)) for name, value in beside(params, LOG_ALPHA).items()}


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """One set of weights per draw, shared by all inputs."""
    weights = {name: array for name, array in params.items() if not name.startswith(LOG_ALPHA)}
    if hyperparameters.get("dropout_rate") == 0:  # the naive approximation
        return Draws(weights, num_samples=1)
    return noisy_draws(weights, alphas(params), rng, num_samples)


SPEC = MethodSpec(
    name="variational_dropout",
    title="Variational dropout",
    idea="Gaussian dropout that learns how much noise each layer bears.",
    reference="Kingma, Salimans & Welling 2015",
    hyperparameters=(KL_WEIGHT, START_RATE),
    build=build,
    sample=sample,
)
