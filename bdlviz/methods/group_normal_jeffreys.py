r"""Bayesian compression with normal-Jeffreys scales: a unit whose scale is mostly noise is removed with its weights.

$$ w_{ij} = z_i \tilde w_{ij}, \qquad p(z) \propto \frac{1}{|z|}, \quad p(\tilde w) = \mathcal{N}(0, 1), \qquad
   q(z_i) = \mathcal{N}(\mu_i, \mu_i^2 \alpha_i), \quad q(\tilde w_{ij}) = \mathcal{N}(\theta_{ij}, \sigma_{ij}^2) $$

Louizos, Ullrich & Welling, "Bayesian compression for deep learning", NeurIPS 2017 (arXiv 1705.08665), section 4.1. All
weights that leave a unit of a layer's input share its scale z. Biases have no noise here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.methods import group_scales
from bdlviz.methods.common import KL_WARM_UP, KL_WEIGHT
from bdlviz.methods.group_scales import LOG_STD, Moments, layers_of
from bdlviz.methods.sparse_variational_dropout import START_LOG_STD
from bdlviz.models import divergences
from bdlviz.types import Array, Draws, MethodSpec

if TYPE_CHECKING:
    from torch import Tensor

    from bdlviz.training.method import Method, Setup

SCALE = "scale"  # name of the means of z, (1, in); the number of the layer follows


def build(setup: Setup) -> Method:
    r"""The negative evidence lower bound per data point, minimised by gradient descent; scales start at 1.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, z_i, \tilde w_i) + \frac{\beta}{N} \Big[
       \sum_{\text{units}} \operatorname{KL}(\log \alpha_i) + \sum_{\text{weights}}
       \tfrac12 (\sigma_{ij}^2 + \theta_{ij}^2 - \log \sigma_{ij}^2 - 1) \Big] $$
    """
    from bdlviz.training.gaussian_weights import SMALLEST_SQUARE, TENSORS, exp, log
    from bdlviz.training.group_weights import Scales, group_weights

    def start(units: int) -> dict[str, Array]:
        log_std = np.full((1, units), setup.options["start_log_std"], np.float32)
        return {SCALE: np.ones((1, units), np.float32), LOG_STD + SCALE: log_std}

    def draw(params: Mapping[str, Tensor], layer: int, noise: Tensor) -> Tensor:
        return params[f"{SCALE}{layer}"] + exp(params[f"{LOG_STD}{SCALE}{layer}"]) * noise

    def penalty(params: Mapping[str, Tensor], layer: int) -> Tensor:
        mean, log_std = params[f"{SCALE}{layer}"], params[f"{LOG_STD}{SCALE}{layer}"]
        log_alpha = 2 * log_std - log(mean.square() + SMALLEST_SQUARE)
        return divergences.sparse_variational(log_alpha, TENSORS).sum((-1, -2))

    return group_weights(setup, Scales(start, draw, penalty))


def log_alphas(params: Mapping[str, Array]) -> dict[str, Array]:
    r"""Log of the variance of every unit's scale over its squared mean, (in,), by the names of the outgoing weights.

    $$ \log \alpha_i = \log \sigma_{z_i}^2 - \log \mu_{z_i}^2 $$
    """
    with np.errstate(divide="ignore"):  # log alpha of a scale that is exactly 0 is infinite
        return {
            f"weight{layer}": (
                2 * params[f"{LOG_STD}{SCALE}{layer}"] - np.log(np.square(params[f"{SCALE}{layer}"]))
            )[0]
            for layer in layers_of(params)
        }  # fmt: skip


def moments(params: Mapping[str, Array], layer: int) -> Moments:
    """Mean and variance of the scales of the input units of a layer, (in,) each."""
    return Moments(params[f"{SCALE}{layer}"][0], np.exp(2 * params[f"{LOG_STD}{SCALE}{layer}"][0]))


PRUNER = group_scales.UnitPruner(log_alphas, moments, threshold=-2.0)


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """One set of scales and weights per draw, without the pruned units: each draw is one function."""

    def relative(layer: int, noise: Array) -> Array:
        scale = moments(params, layer)
        return 1 + noise * np.sqrt(scale.variance) / np.where(scale.mean == 0, 1, scale.mean)

    mean = PRUNER.pruned(params, PRUNER.threshold)
    if hyperparameters.get("dropout_rate") == 0:  # the prediction with the mean weights
        return Draws(mean, num_samples=1)
    return group_scales.draws(params, mean, moments, relative, rng, num_samples)


SPEC = MethodSpec(
    name="group_normal_jeffreys",
    title="Group normal-Jeffreys",
    idea="Every unit has a scale with its own noise. Units whose scale is mostly noise are removed.",
    reference="Louizos, Ullrich & Welling 2017",
    hyperparameters=(KL_WEIGHT, KL_WARM_UP, START_LOG_STD),
    build=build,
    sample=sample,
    order=100,
    noise_on="weights",
    in_menus=False,
)
