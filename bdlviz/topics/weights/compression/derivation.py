"""A scale for every unit: what it does to the bound, and the divergences of two priors on it."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.derivation import Derivation, Sides, Step
from bdlviz.lectures.small_cases import first_loss, integral, log_normal, normal_nodes
from bdlviz.methods import group_normal_jeffreys
from bdlviz.models import divergences
from bdlviz.types import Array

SCALE, MEAN, STD = 0.4, 0.7, 0.3  # z, and q of a weight before it is scaled
LOG_MEAN, LOG_STD = -0.4, 0.3  # q of the logarithm of a scale
GLOBAL_SCALE = 0.1
WEIGHT = 0.6


def _log_gamma(value: Array, scale: float) -> Array:
    """Log density of a gamma variable of shape 1/2."""
    return -0.5 * np.log(np.pi * scale * value) - value / scale


def _log_inverse_gamma(value: Array) -> Array:
    """Log density of an inverse gamma variable of shape 1/2 and scale 1."""
    return _log_gamma(1 / value, 1.0) - 2 * np.log(value)


def _drawn_scale(noise: Array) -> tuple[Array, Array]:
    """Scales of a log-normal q from standard normal noise, and their log density."""
    log_scale = LOG_MEAN + LOG_STD * noise
    return np.exp(log_scale), log_normal(log_scale, LOG_MEAN, LOG_STD) - log_scale


def not_centred() -> Sides:
    """The divergence of a scaled weight from its prior given the scale, and of the weight before it is scaled."""
    centred = divergences.gaussian(SCALE * MEAN, SCALE * STD, 1 / SCALE)
    return Sides(float(centred), float(divergences.unit_gaussian(MEAN, np.log(STD))))


def chain_rule() -> Sides:
    """The divergence of scale and weight together by quadrature over both, and as a sum of two."""
    nodes, share = normal_nodes()
    scale, log_q = (each[:, None] for each in _drawn_scale(nodes))
    weight = scale * (MEAN + STD * nodes)
    log_ratio = log_normal(weight, scale * MEAN, scale * STD) - log_normal(weight, 0.0, scale)
    together = share @ (log_q + log_ratio - _log_inverse_gamma(scale)) @ share
    apart = divergences.inverse_gamma_log_normal(LOG_MEAN, np.log(LOG_STD))
    return Sides(float(together), float(apart + divergences.unit_gaussian(MEAN, np.log(STD))))


def log_uniform_marginal() -> Sides:
    """The prior of a weight with the scale integrated out, and its formula."""
    marginal = integral(lambda s: float(np.exp(log_normal(WEIGHT, 0.0, np.exp(s)))), -6, 30, [-2.0, 0.0, 4.0])
    return Sides(marginal, 1 / (2 * abs(WEIGHT)))


def loss() -> Sides:
    """The loss of the first step of training, and the same from its parts."""
    x, y, num_data = np.array([[0.5, -1.0], [0.3, 0.8]]), np.array([[0.4], [-0.7]]), 40
    log_std = -2.0
    options = {"start_log_std": log_std}
    found = first_loss(group_normal_jeffreys.build, x, y, num_data, options, draws_scales=True)
    of_scales, of_sums = found.noise
    mean, bias = found.params["weight0"], found.params["bias0"]
    scaled = x * (1 + np.exp(log_std) * of_scales)  # scales start at 1
    f = scaled @ mean + bias + np.sqrt(np.square(scaled) @ np.full_like(mean, np.exp(2 * log_std))) * of_sums
    units = len(mean) * divergences.sparse_variational(2 * log_std)
    weights = divergences.unit_gaussian(mean, log_std).sum()
    return Sides(found.loss, float(0.5 * np.square(y - f).mean() + (units + weights) / num_data))


def half_cauchy() -> Sides:
    """The density of a scale made of two factors, by integrating one out, and the half-Cauchy density."""
    scale = 0.8

    def integrand(log_a: float) -> float:
        a = np.array(np.exp(log_a))
        return float(2 * scale * np.exp(_log_gamma(a, 1.0) + _log_inverse_gamma(scale**2 / a)))

    return Sides(integral(integrand, -40, 8, [-10.0, -2.0, 2.0]), 2 / (np.pi * (1 + scale**2)))


def log_normal_factors() -> Sides:
    """The divergence of a log-normal factor from its gamma prior, by quadrature and in closed form."""
    nodes, share = normal_nodes()
    factor, log_q = _drawn_scale(nodes)
    by_nodes = share @ (log_q - _log_gamma(factor, GLOBAL_SCALE**2))
    return Sides(float(by_nodes), float(divergences.gamma_log_normal(LOG_MEAN, np.log(LOG_STD), GLOBAL_SCALE)))


COMPRESSION = Derivation(
    title="A scale for every unit",
    claim=r"With one scale $z$ per unit the bound has one KL term for a unit, which is removed with all its weights.",
    steps=(
        Step(
            "Share a scale",
            r"w_{ij} = z_i \tilde w_{ij}, \qquad p(\tilde w) = \mathcal{N}(0, 1), \qquad"
            r" q(\tilde w_{ij}) = \mathcal{N}(\theta_{ij}, \sigma_{ij}^2)",
            r"A choice of model: all weights that leave a unit are multiplied by its $z_i$. Where $z_i$ is 0, the unit "
            "is removed.",
            "The picture *Units before and after*: whole units are removed.",
        ),
        Step(
            "Centred or not",
            r"\operatorname{KL}[\mathcal{N}(z \theta, z^2 \sigma^2) \Vert \mathcal{N}(0, z^2)]"
            r" = \operatorname{KL}[\mathcal{N}(\theta, \sigma^2) \Vert \mathcal{N}(0, 1)]"
            r" = \tfrac12 (\sigma^2 + \theta^2 - \log \sigma^2 - 1)",
            r"A divergence does not change with the units of its variable: $w = z \tilde w$ given $z$. So $z$ and "
            r"$\tilde w$ are drawn apart, and the weights' part holds no $z$.",
            sides=not_centred,
        ),
        Step(
            "Scale and weights in one bound",
            r"\operatorname{KL}[q(z, w) \Vert p(z, w)] = \operatorname{KL}[q(z) \Vert p(z)]"
            r" + \sum_{\text{weights}} \operatorname{KL}[q(\tilde w) \Vert \mathcal{N}(0, 1)]",
            r"The chain rule of divergences, $\operatorname{KL}[q(z) \Vert p(z)] + \mathbb{E}_{q(z)} "
            r"\operatorname{KL}[q(w \mid z) \Vert p(w \mid z)]$; by the line above the second "
            "term does not depend on $z$.",
            sides=chain_rule,
        ),
        Step(
            "Normal-Jeffreys: a log-uniform weight",
            r"p(w) = \int_0^\infty \mathcal{N}(w \mid 0, z^2)\, \frac{dz}{z} = \frac{1}{2 |w|}",
            r"Substitute $t = |w| / z$: the remaining integral does not contain $w$. The same prior as that of "
            "variational dropout, shared by a unit.",
            "The posterior mean after one observation, with z cut at both ends so that the prior can be normalised.",
            ("Log-uniform",),
            log_uniform_marginal,
        ),
        Step(
            "What a minibatch minimises",
            r"\frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, z_i, \tilde w_i) + \frac{\beta}{N} \Big["
            r" \sum_{\text{units}} \operatorname{KL}(\log \alpha_i) + \sum_{\text{weights}}"
            r" \tfrac12 (\sigma_{ij}^2 + \theta_{ij}^2 - \log \sigma_{ij}^2 - 1) \Big]",
            r"With $q(z_i) = \mathcal{N}(\mu_i, \mu_i^2 \alpha_i)$ the scale's divergence is the one of sparse "
            "variational dropout. Given the scales, sums are drawn instead of weights.",
            r"The picture *Units before and after*, group normal-Jeffreys: units with a large log α are removed.",
            sides=loss,
        ),
        Step(
            "Horseshoe: a half-Cauchy scale in two factors",
            r"z = \sqrt{a\, b}, \quad a \sim \Gamma(\tfrac12, 1), \quad b \sim \Gamma^{-1}(\tfrac12, 1)"
            r" \quad\Rightarrow\quad p(z) = \frac{2}{\pi (1 + z^2)}",
            r"The root of a gamma times an inverse gamma variable of shape $\frac12$; integrate one of the two out. A "
            r"layer has a factor of its own, with the scale $\tau_0$.",
            "The curve that shrinks noise to nearly 0 and hardly changes large observations.",
            ("Horseshoe (half-Cauchy)",),
            half_cauchy,
        ),
        Step(
            "Log-normal factors have a closed form",
            r"\operatorname{KL}[\log\mathcal{N}(\mu, \sigma^2) \Vert \Gamma(\tfrac12, \tau_0^2)] = \log \tau_0"
            r" + \tau_0^{-2} e^{\mu + \sigma^2 / 2} - \tfrac12 (\mu + \log \sigma^2 + 1 + \log 2)",
            r"$\mathbb{E}_q[\log a] = \mu$ and $\mathbb{E}_q[a] = e^{\mu + \sigma^2 / 2}$ are all that the gamma "
            r"density asks for. The inverse gamma is the same with $-\mu$ and $\tau_0 = 1$; a product of log-normal "
            "factors is log-normal again.",
            sides=log_normal_factors,
        ),
    ),
    source="Louizos, Ullrich & Welling 2017",
    state={"look": "priors"},
)
