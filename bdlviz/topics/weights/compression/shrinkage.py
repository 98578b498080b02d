r"""Priors that shrink: their densities, and the posterior of a weight after one noisy observation.

Each is a Gaussian whose scale has a prior of its own. A weight is observed once, with noise of variance 1:

$$ w \sim \mathcal{N}(0, s^2 \lambda^2), \qquad \lambda \sim p(\lambda), \qquad y \sim \mathcal{N}(w, 1), \qquad
   \mathbb{E}[w \mid y, \lambda] = (1 - \kappa)\, y, \quad \kappa = \frac{1}{1 + s^2 \lambda^2} $$

The shrinkage factor kappa is near 1 where a weight is shrunk to nearly 0, near 0 where it is kept (Carvalho, Polson &
Scott 2010, "The horseshoe estimator for sparse signals"). ``scale`` is s, in units of the noise, everywhere.
"""

from __future__ import annotations

import numpy as np
from scipy.special import erf, exp1

from bdlviz.errors import InvalidInput
from bdlviz.types import Array

PRIORS = {
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "horseshoe": "Horseshoe (half-Cauchy)",
    "log_uniform": "Log-uniform",
    "spike_and_slab": "Spike and slab",
}
CUT = 1e3  # the log-uniform prior has lambda from 1/CUT to CUT: without ends it cannot be normalised
LARGE = 500.0  # from here on e^u E_1(u) is a short series, and e^u soon overflows
LOG_LAMBDA = np.linspace(-25.0, 25.0, 4001)  # for quadrature: the trapezoidal rule is exact to rounding there


def density(prior: str, w: Array, scale: float, slab: float = 0.5) -> Array:
    r"""p(w), of the shape of ``w``; of the spike and slab its slab alone, with its mass ``slab``.

    $$ p_{\text{Laplace}} = \frac{1}{2s} e^{-|w|/s}, \quad
       p_{\text{horseshoe}} = \frac{e^{u} E_1(u)}{s \sqrt{2 \pi^3}}, \; u = \frac{w^2}{2 s^2}, \quad
       p_{\text{log-uniform}} = \frac{\operatorname{erf}(c |w| / \sqrt2 s) - \operatorname{erf}(|w| / \sqrt2 s c)}
       {4 |w| \log c}, \; c = 10^3 $$
    """
    u = np.abs(np.asarray(w, float)) / scale
    match _checked(prior):
        case "gaussian":
            return np.exp(-(u**2) / 2) / (scale * np.sqrt(2 * np.pi))
        case "spike_and_slab":
            return slab * np.exp(-(u**2) / 2) / (scale * np.sqrt(2 * np.pi))
        case "laplace":
            return np.exp(-u) / (2 * scale)
        case "horseshoe":
            return _scaled_exp1(u**2 / 2) / (scale * np.sqrt(2 * np.pi**3))
    u = np.maximum(u, 1e-12)  # the limit at 0
    return (erf(CUT * u / np.sqrt(2)) - erf(u / (np.sqrt(2) * CUT))) / (4 * u * scale * np.log(CUT))


def exponential_variances(count: int) -> Array:
    r"""Variances (K,), in units of s^2, of Gaussians whose mean is nearly a Laplace density.

    They are quantiles of the exponential distribution that the variance has.

    $$ \frac{1}{2s} e^{-|w|/s} = \int_0^\infty \mathcal{N}(w \mid 0, v)\, \frac{1}{2 s^2} e^{-v / 2 s^2}\, dv, \qquad
       v_k = -2 s^2 \log\left(1 - \frac{k - 1/2}{K}\right) $$
    """
    return -2 * np.log1p(-(np.arange(count) + 0.5) / count)


def _scaled_exp1(u: Array) -> Array:
    """exp(u) E_1(u), infinite at 0."""
    small = np.minimum(u, LARGE)
    series = (1 - 1 / np.maximum(u, 1) + 2 / np.maximum(u, 1) ** 2) / np.maximum(u, 1)
    return np.where(u < LARGE, np.exp(small) * exp1(small), series)


def shrinkage_density(prior: str, kappa: Array, scale: float) -> Array:
    r"""p(kappa) at 0 < kappa < 1, of its shape; 0 where the prior has masses alone (see `shrinkage_masses`).

    For s = 1 the horseshoe's is Beta(1/2, 1/2): it stands on both ends, hence its name.

    $$ p_{\text{horseshoe}} = \frac{s}{\pi} \frac{\kappa^{-1/2} (1 - \kappa)^{-1/2}}{1 - \kappa + s^2 \kappa}, \quad
       p_{\text{Laplace}} = \frac{1}{2 s^2 \kappa^2} \exp\left(-\frac{1 - \kappa}{2 s^2 \kappa}\right), \quad
       p_{\text{log-uniform}} \propto \frac{1}{\kappa (1 - \kappa)} $$
    """
    kappa = np.asarray(kappa, float)
    match _checked(prior):
        case "horseshoe":
            return scale / np.pi / np.sqrt(kappa * (1 - kappa)) / (1 - kappa + scale**2 * kappa)
        case "laplace":
            return np.exp(-(1 - kappa) / (2 * scale**2 * kappa)) / (2 * scale**2 * kappa**2)
        case "log_uniform":
            lowest, highest = (1 / (1 + (scale * end) ** 2) for end in (CUT, 1 / CUT))
            inside = (kappa >= lowest) & (kappa <= highest)
            return np.where(inside, 1 / (4 * np.log(CUT) * kappa * (1 - kappa)), 0)
    return np.zeros_like(kappa)


def shrinkage_masses(prior: str, scale: float, slab: float = 0.5) -> list[tuple[float, float]]:
    """The values of kappa that have a probability of their own, with it."""
    kappa = 1 / (1 + scale**2)
    return {"gaussian": [(kappa, 1.0)], "spike_and_slab": [(kappa, slab), (1.0, 1 - slab)]}.get(_checked(prior), [])


def posterior_mean(prior: str, y: Array, scale: float, slab: float = 0.5) -> Array:
    r"""E[w | y] after one observation with noise of variance 1, of the shape of ``y``, by quadrature over log lambda.

    $$ \mathbb{E}[w \mid y] = y \left(1 - \mathbb{E}[\kappa \mid y]\right), \qquad
       p(\lambda \mid y) \propto p(\lambda)\, \mathcal{N}(y \mid 0, 1 + s^2 \lambda^2) $$
    """
    y = np.asarray(y, float)
    local, mass = _mixture(prior, slab)
    variance = 1 + (scale * local) ** 2
    log_weight = np.log(mass) - 0.5 * (np.log(variance) + y[..., None] ** 2 / variance)
    weight = np.exp(log_weight - log_weight.max(-1, keepdims=True))
    return y * (weight * (1 - 1 / variance)).sum(-1) / weight.sum(-1)


def prior_mass(prior: str, low: float, high: float, scale: float, slab: float = 0.5) -> float:
    """The prior probability that kappa lies between ``low`` and ``high``, by quadrature; both ends count."""
    local, mass = _mixture(prior, slab)
    kappa = 1 / (1 + (scale * local) ** 2)
    if shrinkage_masses(prior, scale, slab):
        return float(mass[(kappa >= low) & (kappa <= high)].sum() / mass.sum())
    below = np.cumsum(mass) - mass / 2  # of each lambda: half of its own cell
    return float(-np.diff(np.interp([low, high], kappa[::-1], below[::-1]))[0] / (below[-1] - below[0]))


def _mixture(prior: str, slab: float) -> tuple[Array, Array]:
    """Values of lambda and their masses, those that are not 0."""
    if _checked(prior) == "gaussian":
        return np.ones(1), np.ones(1)
    if prior == "spike_and_slab":
        return np.array([0.0, 1.0]), np.array([1 - slab, slab])
    local = np.exp(LOG_LAMBDA)
    with np.errstate(over="ignore"):
        mass = {
            "laplace": local**2 * np.exp(-(local**2) / 2),
            "horseshoe": local / (1 + local**2),
            "log_uniform": (np.abs(LOG_LAMBDA) <= np.log(CUT)).astype(float),
        }[prior]
    return local[mass > 0], mass[mass > 0]


def _checked(prior: str) -> str:
    if prior not in PRIORS:
        raise InvalidInput(f"Unknown prior {prior!r}: choose one of {', '.join(PRIORS)}.")
    return prior
