r"""Bayesian compression with horseshoe scales: half-Cauchy priors for every unit and for every layer.

$$ w_{ij} = z_i \tilde w_{ij}, \quad z_i = \sqrt{s_a s_b\, a_i b_i}, \qquad
   s_a \sim \Gamma(\tfrac12, \tau_0^2),\; a_i \sim \Gamma(\tfrac12, 1),\;
   s_b, b_i \sim \Gamma^{-1}(\tfrac12, 1),\; \tilde w_{ij} \sim \mathcal{N}(0, 1) $$

Louizos, Ullrich & Welling, "Bayesian compression for deep learning", NeurIPS 2017 (arXiv 1705.08665), section 4.2. The
square root of a gamma variable times an inverse gamma variable is half-Cauchy. Every q is log-normal, so the scales are
log-normal, too. Biases have no noise here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.methods import group_scales
from bdlviz.methods.common import KL_WARM_UP, KL_WEIGHT
from bdlviz.methods.group_scales import LOG_STD, Moments
from bdlviz.methods.sparse_variational_dropout import START_LOG_STD
from bdlviz.models import divergences
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec

if TYPE_CHECKING:
    from torch import Tensor

    from bdlviz.training.method import Method, Setup

# Names of the means of the logarithms of s_a, s_b (1, 1), a and b (1, in); the number of the layer follows.
LAYER_GAMMA, LAYER_INVERSE, UNIT_GAMMA, UNIT_INVERSE = FACTORS = (
    *("layer_gamma", "layer_inverse"),
    *("unit_gamma", "unit_inverse"),
)
GLOBAL_SCALE = Hyperparameter(
    name="global_scale",
    label="Scale of the layers' prior τ₀",
    symbol=r"\tau_0",
    values=(1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0),
    default=1e-5,
    minimum=1e-8,
    maximum=10.0,
    help="A small value expects that a layer needs few units. The paper uses 0.00001.",
    is_axis=False,
)


def build(setup: Setup) -> Method:
    r"""The negative evidence lower bound per data point, minimised by gradient descent; scales start at 1.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, z_i, \tilde w_i) + \frac{\beta}{N} \Big[
       \sum_{\text{layers}} \operatorname{KL}(s_a) + \operatorname{KL}(s_b)
       + \sum_{\text{units}} \operatorname{KL}(a_i) + \operatorname{KL}(b_i)
       + \sum_{\text{weights}} \operatorname{KL}(\tilde w_{ij}) \Big] $$
    """
    from bdlviz.training.gaussian_weights import TENSORS, exp
    from bdlviz.training.group_weights import Scales, group_weights

    prior_scale = setup.options["global_scale"]

    def start(units: int) -> dict[str, Array]:
        """Initial values: s_a at the scale of its prior, and s_b such that their product is 1."""
        layer = np.full((1, 1), 2 * np.log(prior_scale), np.float32)
        unit = np.zeros((1, units), np.float32)
        means = {LAYER_GAMMA: layer, LAYER_INVERSE: -layer, UNIT_GAMMA: unit, UNIT_INVERSE: unit}
        log_std = {LOG_STD + n: np.full_like(array, setup.options["start_log_std"]) for n, array in means.items()}
        return means | log_std

    def draw(params: Mapping[str, Tensor], layer: int, noise: Tensor) -> Tensor:
        log_std = (params[f"{LOG_STD}{name}{layer}"] for name in FACTORS)
        mean, *others = (params[f"{name}{layer}"] for name in FACTORS)
        variance, *more = (exp(2 * each) for each in log_std)
        mean, variance = sum(others, start=mean), sum(more, start=variance)
        return exp((mean + variance.sqrt() * noise) / 2)

    def penalty(params: Mapping[str, Tensor], layer: int) -> Tensor:
        pairs = {name: (params[f"{name}{layer}"], params[f"{LOG_STD}{name}{layer}"]) for name in FACTORS}
        of_layer = divergences.gamma_log_normal(*pairs[LAYER_GAMMA], prior_scale, TENSORS)
        of_layer = of_layer + divergences.inverse_gamma_log_normal(*pairs[LAYER_INVERSE], TENSORS)
        of_units = divergences.gamma_log_normal(*pairs[UNIT_GAMMA], 1.0, TENSORS)
        of_units = of_units + divergences.inverse_gamma_log_normal(*pairs[UNIT_INVERSE], TENSORS)
        return of_layer.sum((-1, -2)) + of_units.sum((-1, -2))

    return group_weights(setup, Scales(start, draw, penalty))


def log_scale(params: Mapping[str, Array], layer: int) -> Moments:
    r"""Mean and variance of log z for the input units of a layer, (in,) each.

    $$ \log z_i \sim \mathcal{N}\left(\tfrac12 \sum_k \mu_k,\; \tfrac14 \sum_k \sigma_k^2\right), \qquad
       k \in \{s_a, s_b, a_i, b_i\} $$
    """
    mean = sum(params[f"{name}{layer}"][0] for name in FACTORS)
    variance = sum(np.exp(2 * params[f"{LOG_STD}{name}{layer}"][0]) for name in FACTORS)
    return Moments(np.asarray(mean) / 2, np.asarray(variance) / 4)


def log_alphas(params: Mapping[str, Array]) -> dict[str, Array]:
    """Log alpha of every unit; see `bdlviz.methods.group_scales.log_alphas`.

    The paper instead removes units by the mode of their scale, with a threshold for every layer that is chosen by eye.
    """
    return group_scales.log_alphas(params, moments)


def moments(params: Mapping[str, Array], layer: int) -> Moments:
    r"""Mean and variance of the scales of the input units of a layer, (in,) each.

    $$ \mathbb{E}[z] = e^{\mu_z + \sigma_z^2 / 2}, \qquad
       \operatorname{Var}[z] = \mathbb{E}[z]^2 \left(e^{\sigma_z^2} - 1\right) $$
    """
    log = log_scale(params, layer)
    mean = np.exp(log.mean + log.variance / 2)
    return Moments(mean, mean**2 * np.expm1(log.variance))


PRUNER = group_scales.UnitPruner(log_alphas, moments, threshold=0.0)


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """One set of scales and weights per draw, without the pruned units: each draw is one function."""

    def relative(layer: int, noise: Array) -> Array:
        variance = log_scale(params, layer).variance
        return np.exp(noise * np.sqrt(variance) - variance / 2)

    mean = PRUNER.pruned(params, PRUNER.threshold)
    if hyperparameters.get("dropout_rate") == 0:  # the prediction with the mean weights
        return Draws(mean, num_samples=1)
    return group_scales.draws(params, mean, moments, relative, rng, num_samples)


SPEC = MethodSpec(
    name="group_horseshoe",
    title="Group horseshoe",
    idea="Every unit and every layer has a half-Cauchy scale; units whose scale falls to 0 are removed.",
    reference="Louizos, Ullrich & Welling 2017",
    hyperparameters=(KL_WEIGHT, KL_WARM_UP, START_LOG_STD, GLOBAL_SCALE),
    build=build,
    sample=sample,
    order=110,
    noise_on="weights",
    in_menus=False,
)
