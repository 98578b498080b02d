r"""A Gaussian fitted to a posterior of two parameters, in either direction of the divergence.

$$ q(w) = \mathcal{N}(\mu, L L^\top), \qquad \log p(\mathcal{D}) = \operatorname{ELBO}(q)
   + \operatorname{KL}[q(w) \,\|\, p(w \mid \mathcal{D})] $$

Mean field: L is diagonal, so every weight is uncertain by itself. Full covariance: L is lower triangular.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.targets import Grid, Target
from bdlviz.types import Array

FAMILIES = {"mean_field": "mean field", "full": "full covariance"}
DIRECTIONS = {"reverse": "KL[q ‖ p]", "forward": "KL[p ‖ q]"}
REACH = 7.0  # of the lattices that take expectations over q, in its standard deviations: 2e-11 of it lies outside
COARSE, FINE, SHIFTED = (0.5, 0.0), (0.2, 0.5), (0.17, 0.0)  # spacing and offset: for steps, the bound, the divergence
FIRST_STEP = 0.02
GROW, SHRINK = 1.2, 0.5  # of the step size, after a step that helps and one that does not
SMALLEST_STEP = 1e-9
LARGEST_MOVE = 0.25  # of any number of q in one step: a larger move could leave the picture
BETAS, TINY = (0.9, 0.99), 1e-8  # of Adam


@dataclass(frozen=True, eq=False)
class History:
    """A fit step by step: ``mean`` (T, 2), ``factor`` (T, 2, 2); in nats ``elbo``, ``reverse``, ``forward`` (T,)."""

    mean: Array
    factor: Array
    elbo: Array
    reverse: Array  # KL[q || p]
    forward: Array  # KL[p || q]

    @property
    def covariance(self) -> Array:
        """(T, 2, 2)."""
        return self.factor @ np.swapaxes(self.factor, -1, -2)


def fit(
    target: Target,
    grid: Grid,
    mean: Array,
    std: float,
    *,
    family: str = "full",
    direction: str = "reverse",
    num_steps: int = 100,
) -> History:
    """Fit q from N(``mean``, ``std``^2 I) by gradient steps without any noise, and record every one of them.

    A step goes up the gradient of the objective by the mean, the lower triangle of L and the logarithm of its diagonal.
    Its size grows after a step that helps; a step that does not help is halved until it does.

    Raises:
        InvalidInput: an unknown family or direction.
    """
    if family not in FAMILIES or direction not in DIRECTIONS:
        raise InvalidInput(f"A fit is one of {', '.join(FAMILIES)}, in the direction {' or '.join(DIRECTIONS)}.")
    moments = grid.moments
    entropy = -float((grid.density * (grid.log_joint - grid.log_evidence)).sum() * grid.area)

    def objective(place: Array) -> tuple[float, Array]:
        m, factor = _unpack(place)
        if direction == "reverse":
            value, by_mean, by_factor = elbo_and_gradient(target, m, factor)
        else:
            value, by_mean, by_factor = _forward_and_gradient(m, factor, *moments)
        return value, _pack_gradient(by_mean, by_factor, factor, is_full=family == "full")

    places = _climb(objective, np.array([*mean, np.log(std), 0.0, np.log(std)]), num_steps)
    means, factors = map(np.array, zip(*map(_unpack, places), strict=True))
    return History(
        means,
        factors,
        np.array([elbo(target, m, factor) for m, factor in zip(means, factors, strict=True)]),
        np.array([reverse_kl(target, grid.log_evidence, m, factor) for m, factor in zip(means, factors, strict=True)]),
        np.array([_cross_entropy(m, f, *moments) - entropy for m, f in zip(means, factors, strict=True)]),
    )


def elbo(target: Target, mean: Array, factor: Array) -> float:
    r"""The evidence lower bound of q in nats.

    A sum over a lattice that moves and stretches with q: exact to rounding for a smooth posterior, wherever q is.

    $$ \operatorname{ELBO}(q) = \mathbb{E}_q[\log p(\mathcal{D}, w)] + \log \det L + 1 + \log 2 \pi $$
    """
    nodes, weights = _lattice(*FINE)
    return float(weights @ target.log_joint(mean + nodes @ factor.T)) + _entropy(factor)


def elbo_and_gradient(target: Target, mean: Array, factor: Array) -> tuple[float, Array, Array]:
    r"""The bound with its gradient.

    Reparameterised by eps from N(0, I). Returns the bound, its gradient by the mean, (2,), and by L, (2, 2).

    $$ \nabla_\mu = \mathbb{E}_\epsilon[\nabla_w \log p(\mathcal{D}, w)], \qquad
       \nabla_L = \mathbb{E}_\epsilon[\nabla_w \log p(\mathcal{D}, w)\, \epsilon^\top] + L^{-\top} $$
    """
    nodes, weights = _lattice(*COARSE)
    points = mean + nodes @ factor.T
    gradient = weights[:, None] * target.gradient(points)
    bound = float(weights @ target.log_joint(points)) + _entropy(factor)
    return bound, gradient.sum(0), gradient.T @ nodes + np.linalg.inv(factor).T


def reverse_kl(target: Target, log_evidence: float, mean: Array, factor: Array) -> float:
    r"""What keeps q from the posterior, in nats.

    Summed over another lattice than the bound's, so that the two add up to the evidence only if both are right.

    $$ \operatorname{KL}[q \,\|\, p] = \int q(w) \log \frac{q(w)}{p(w \mid \mathcal{D})}\, dw $$
    """
    lattice, weights = _lattice(*SHIFTED)
    points = mean + lattice @ factor.T
    log_q = log_density(points, mean, factor)
    return float(weights @ (log_q - target.log_joint(points) + log_evidence))


def log_density(points: Array, mean: Array, factor: Array) -> Array:
    """Of q at points (..., 2)."""
    scaled = (points - mean) @ np.linalg.inv(factor).T
    return -np.square(scaled).sum(-1) / 2 - np.log(2 * np.pi) - np.log(np.abs(np.diag(factor))).sum()


def best_forward(mean: Array, covariance: Array, family: str) -> tuple[Array, Array]:
    r"""Mean and covariance of the q nearest in the forward direction: those of the posterior itself.

    $$ \operatorname*{argmin}_q \operatorname{KL}[p \,\|\, q]
       = \mathcal{N}\left(\mathbb{E}_p[w], \operatorname{Cov}_p[w]\right), \qquad
       \text{mean field: } \mathcal{N}(\mathbb{E}_p[w], \operatorname{diag} \operatorname{Var}_p[w]) $$
    """
    return mean, covariance if family == "full" else np.diag(np.diag(covariance))


def best_mean_field(covariance: Array) -> Array:
    r"""The mean-field q nearest to a Gaussian posterior in VI's direction is too narrow.

    Returns its variances, (2,).

    $$ \operatorname{Var}_q[w_i] = \frac{1}{\Lambda_{ii}} = (1 - \rho^2) \operatorname{Var}_p[w_i],
       \qquad \Lambda = \operatorname{Cov}_p[w]^{-1} $$

    Source: Bishop, "Pattern recognition and machine learning", section 10.1.2.
    """
    return 1 / np.diag(np.linalg.inv(covariance))


def fit_by_draws(
    target: Target,
    mean: Array,
    std: float,
    rng: np.random.Generator,
    *,
    is_full: bool,
    num_steps: int,
    num_draws: int = 10,
    learning_rate: float = 0.05,
) -> tuple[Array, Array]:
    """Fit q for many seeds at once as large models have to: by ``num_draws`` fresh draws a step, with Adam.

    The learning rate falls to zero along half a cosine, for noise would keep q from settling.

    Args:
        mean: where q starts, (R, 2), for R seeds.

    Returns:
        Means (T + 1, R, 2) and factors (T + 1, R, 2, 2); a step costs ``num_draws`` evaluations of the gradient.
    """
    seeds = len(mean)
    place = np.concatenate([mean, np.tile([np.log(std), 0.0, np.log(std)], (seeds, 1))], axis=1)
    first, second, places = np.zeros_like(place), np.zeros_like(place), [place]
    for step in range(1, num_steps + 1):
        m, factor = _unpack(place)
        noise = rng.standard_normal((seeds, num_draws, 2))
        gradient = target.gradient(m[:, None] + noise @ np.swapaxes(factor, -1, -2)) / num_draws
        by_factor = np.swapaxes(gradient, -1, -2) @ noise + np.swapaxes(np.linalg.inv(factor), -1, -2)
        uphill = _pack_gradient(gradient.sum(1), by_factor, factor, is_full=is_full)
        first = BETAS[0] * first + (1 - BETAS[0]) * uphill
        second = BETAS[1] * second + (1 - BETAS[1]) * uphill**2
        rate = learning_rate * (1 + np.cos(np.pi * (step - 1) / num_steps)) / 2
        scaled = np.sqrt(second / (1 - BETAS[1] ** step)) + TINY
        place = place + rate * first / (1 - BETAS[0] ** step) / scaled
        places.append(place)
    return _unpack(np.array(places))


def _climb(objective: Callable[[Array], tuple[float, Array]], place: Array, num_steps: int) -> list[Array]:
    places, step_size = [place], FIRST_STEP
    value, gradient = objective(place)
    for _ in range(num_steps):
        while step_size > SMALLEST_STEP:
            attempt = place + gradient * min(step_size, LARGEST_MOVE / (np.abs(gradient).max() + TINY))
            new_value, new_gradient = objective(attempt)
            if new_value >= value:
                place, value, gradient = attempt, new_value, new_gradient
                step_size *= GROW
                break
            step_size *= SHRINK
        step_size = max(step_size, 2 * SMALLEST_STEP)
        places.append(place)
    return places


def _unpack(place: Array) -> tuple[Array, Array]:
    """Mean (..., 2) and L (..., 2, 2) of five numbers: the mean, then L_11 as a logarithm, L_21, and L_22 as one."""
    factor = np.zeros((*place.shape[:-1], 2, 2))
    factor[..., 0, 0], factor[..., 1, 0], factor[..., 1, 1] = (
        np.exp(place[..., 2]),
        place[..., 3],
        np.exp(place[..., 4]),
    )
    return place[..., :2], factor


def _pack_gradient(by_mean: Array, by_factor: Array, factor: Array, *, is_full: bool) -> Array:
    """The gradient by the five numbers that `_unpack` takes."""
    diagonal = [by_factor[..., i, i] * factor[..., i, i] for i in range(2)]
    lower = by_factor[..., 1, 0] * float(is_full)
    return np.concatenate([by_mean, np.stack([diagonal[0], lower, diagonal[1]], axis=-1)], axis=-1)


def _forward_and_gradient(m: Array, factor: Array, mean: Array, covariance: Array) -> tuple[float, Array, Array]:
    """E_p[log q] and its gradient: what is left of -KL[p || q] when the posterior's entropy is taken away."""
    inverse = np.linalg.inv(factor)
    precision, gap = inverse.T @ inverse, mean - m
    second_moment = covariance + np.outer(gap, gap)
    return (
        -_cross_entropy(m, factor, mean, covariance),
        precision @ gap,
        precision @ second_moment @ inverse.T - inverse.T,
    )


def _cross_entropy(m: Array, factor: Array, mean: Array, covariance: Array) -> float:
    inverse, gap = np.linalg.inv(factor), mean - m
    second_moment = inverse @ (covariance + np.outer(gap, gap)) @ inverse.T
    return float(np.trace(second_moment) / 2 + np.log(2 * np.pi) + np.log(np.diag(factor)).sum())


def _entropy(factor: Array) -> float:
    return float(np.log(np.abs(np.diag(factor))).sum() + 1 + np.log(2 * np.pi))


@cache
def _lattice(spacing: float, offset: float) -> tuple[Array, Array]:
    """Points (M, 2) within `REACH` and weights (M,) that take expectations over N(0, I): the trapezoidal rule."""
    line = spacing * (np.arange(-np.ceil(REACH / spacing), np.ceil(REACH / spacing) + 1) + offset)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    points = points[np.square(points).sum(1) <= REACH**2]
    weights = np.exp(-np.square(points).sum(1) / 2)
    return points, weights / weights.sum()
