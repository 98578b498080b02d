r"""The whole posterior of two parameters on a grid, without sampling.

The grid is fitted to the posterior. It starts around a Gaussian approximation, grows where the posterior reaches its
edge, and shrinks elsewhere. So the same number of nodes resolves the prior and the posterior of twenty points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models import bayes_rule
from bdlviz.models.bayes_rule import Terms
from bdlviz.topics.foundations.bayes_rule.two_parameters import REACH, Family, most_likely
from bdlviz.types import Array, Predictive

Box = tuple[float, float, float, float]  # left, right, bottom, top

NODES = (162, 324, 648)  # of the grid, to a side: more where fewer do not resolve the posterior
RESOLVED = 0.05  # of the evidence from every third node; that from all of them is then right to many digits
SEARCH_NODES = 120
SETTLED = 0.05  # of the box's width: a smaller change is none
DEPTH = 18.0  # nats below the top at which the posterior is cut off: six standard deviations of a Gaussian
ENOUGH = 300  # nodes that a look must keep
MAX_LOOKS = 60
NEGLIGIBLE = 1e-7  # of the largest node's probability: below it a node does not count in a prediction


@dataclass(frozen=True, eq=False)
class GridPosterior:
    """A posterior over two parameters at the nodes of a grid, rows by the second parameter (G,), columns by the first.

    ``terms`` holds probabilities of nodes (G, G); ``lost`` is the share of the evidence outside the grid, and
    ``unresolved`` by what share the evidence changes when only every third node to a side is used.
    """

    family: Family
    first: Array
    second: Array
    box: Box
    noise_std: float
    terms: Terms
    lost: float
    unresolved: float

    @property
    def density(self) -> Array:
        """The posterior (G, G) as a share of its largest value."""
        return self.terms.posterior / self.terms.posterior.max()

    @property
    def mean(self) -> Array:
        r"""Posterior mean of both parameters, (2,).

        $$ \mathbb{E}[w \mid D] = \sum_w w\, p(w \mid D) $$
        """
        columns, rows = self.terms.posterior.sum(0), self.terms.posterior.sum(1)
        return np.array([columns @ self.first, rows @ self.second])

    @property
    def covariance(self) -> Array:
        r"""Posterior covariance, (2, 2).

        $$ \operatorname{Cov}[w \mid D] = \sum_w (w - \bar w)(w - \bar w)^\top p(w \mid D) $$
        """
        mean = self.mean
        a, b = self.first - mean[0], self.second - mean[1]
        columns, rows = self.terms.posterior.sum(0), self.terms.posterior.sum(1)
        across = float(b @ self.terms.posterior @ a)
        return np.array([[columns @ a**2, across], [across, rows @ b**2]])

    def outside(self, reach: float) -> float:
        """Share of the posterior where either parameter is farther from 0 than ``reach``."""
        inside = np.ix_(np.abs(self.second) <= reach, np.abs(self.first) <= reach)
        return max(0.0, 1.0 - float(self.terms.posterior[inside].sum()))

    def level(self, share: float) -> float:
        """The `density` whose contour holds this share of the posterior, where it is densest."""
        density = np.sort(self.density.ravel())[::-1]
        held = np.cumsum(density) / density.sum()
        return float(density[min(int(np.searchsorted(held, share)), density.size - 1)])

    def draw(self, num_draws: int, seed: int) -> Array:
        """Parameters drawn from the posterior, (S, 2): a node by its probability, then a place in its cell."""
        rng = np.random.default_rng(seed)
        nodes = rng.choice(self.terms.posterior.size, num_draws, p=self.terms.posterior.ravel())
        rows, columns = np.unravel_index(nodes, self.terms.posterior.shape)
        cell = np.array([self.first[1] - self.first[0], self.second[1] - self.second[0]])
        return np.column_stack([self.first[columns], self.second[rows]]) + cell * (rng.random((num_draws, 2)) - 0.5)

    def nodes(self) -> tuple[Array, Array]:
        """The parameters (M, 2) of all nodes that count, and their probabilities (M,)."""
        rows, columns = np.nonzero(self.terms.posterior > NEGLIGIBLE * self.terms.posterior.max())
        share = self.terms.posterior[rows, columns]
        return np.column_stack([self.first[columns], self.second[rows]]), share / share.sum()

    def moments(self, x: Array) -> tuple[Array, Array]:
        """Mean and standard deviation (P,) of f at x (P,) over all nodes, column by column: f is linear in the rows."""
        unit, rest = self.family.unit(self.first[:, None], x), self.family.rest(self.first[:, None], x)
        none, one, two = (self.second**power @ self.terms.posterior for power in range(3))
        mean = one @ unit + none @ rest
        rest = rest - mean
        variance = two @ unit**2 + 2 * one @ (unit * rest) + none @ rest**2
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def predict(self, x: Array, num_draws: int = 0, seed: int = 0) -> Predictive:
        """The posterior average at x (P,), exact but for the grid, with so many draws of functions beside it."""
        mean, std = self.moments(x)
        draws = self.family.at(self.draw(num_draws, seed), x)
        noise = np.full((len(x), 1), self.noise_std)
        return Predictive(x[:, None], draws[..., None], mean[:, None], std[:, None], noise, num_draws)

    def log_predictive(self, x: Array, y: Array) -> Array:
        """Logarithm of the density of new values y (P,) at x (P,) under the posterior average, (P,), in nats."""
        parameters, share = self.nodes()
        return bayes_rule.log_predictive(share, self.family.at(parameters, x), y, self.noise_std)


def grid_posterior(
    family: Family,
    x: Array,
    y: Array,
    *,
    noise_std: float,
    prior_std: float,
    reach: float = REACH,
    box: Box | None = None,
) -> GridPosterior:
    r"""The posterior of two parameters under Gaussian noise, from x and y (N,), where N may be 0.

    Args:
        family: the functions.
        noise_std: of y given f(x), in y's units.
        prior_std: of both parameters, independent Gaussians of mean 0; infinite: uniform up to ``reach``.
        reach: where a flat prior ends, on both sides of 0.
        box: nodes here, instead of where the posterior is; `GridPosterior.lost` says what that misses.

    $$ p(w \mid D) \propto \prod_i \mathcal{N}\bigl(y_i \mid f_w(x_i), \sigma^2\bigr)\;
       \mathcal{N}\bigl(w \mid 0, \sigma_w^2 I\bigr) $$

    Raises:
        InvalidInput: data that are no finite numbers, or a standard deviation that is not above 0.
    """
    _check(x, y, noise_std, prior_std)

    def joint(first: Array, second: Array) -> Array:
        return log_prior(first, second, prior_std, reach) + log_likelihood(family, first, second, x, y, noise_std)

    limit = reach if np.isinf(prior_std) else np.inf
    corners = box or _follow(joint, _start(family, x, y, noise_std, prior_std, limit), limit)
    lost = _lost(joint, corners, limit)

    def evaluate(num_nodes: int) -> GridPosterior:
        first, second = _middles(*corners[:2], num_nodes), _middles(*corners[2:], num_nodes)
        cell = float(np.log((first[1] - first[0]) * (second[1] - second[0])))
        prior = log_prior(first, second, prior_std, reach) + cell
        terms = bayes_rule.update(prior, log_likelihood(family, first, second, x, y, noise_std))
        unresolved = abs(9 * float(terms.posterior[1::3, 1::3].sum()) - 1)
        return GridPosterior(family, first, second, corners, noise_std, terms, lost, unresolved)

    fewest, *finer = NODES
    posterior = evaluate(fewest)
    while posterior.unresolved >= RESOLVED and finer:
        posterior = evaluate(finer.pop(0))
    return posterior


def log_prior(first: Array, second: Array, prior_std: float, reach: float = REACH) -> Array:
    r"""Logarithm of the prior's density on a grid of parameters (A,) and (B,), (B, A), in nats.

    $$ p(w) = \mathcal{N}(w_1 \mid 0, \sigma_w^2)\, \mathcal{N}(w_2 \mid 0, \sigma_w^2), \qquad
       \text{flat: } \frac{1}{(2r)^2} \text{ for } |w_1|, |w_2| \le r $$
    """
    if np.isinf(prior_std):
        return np.full((len(second), len(first)), -2 * np.log(2 * reach))
    return bayes_rule.log_normal(first**2 + second[:, None] ** 2, 2, prior_std)


def log_likelihood(family: Family, first: Array, second: Array, x: Array, y: Array, noise_std: float) -> Array:
    r"""Logarithm of the likelihood of x and y (N,) on a grid of parameters (A,) and (B,), (B, A), in nats.

    A function that is linear in its second parameter needs three sums over the data for each value of the first:

    $$ \sum_i (y_i - f_w(x_i))^2 = \sum_i r_i^2 - 2 w_2 \sum_i r_i u_i + w_2^2 \sum_i u_i^2, \qquad
       r_i = y_i - v(w_1, x_i) $$
    """
    unit, left = family.unit(first[:, None], x), y - family.rest(first[:, None], x)
    squares = (left**2).sum(1) - 2 * second[:, None] * (left * unit).sum(1) + second[:, None] ** 2 * (unit**2).sum(1)
    return bayes_rule.log_normal(np.maximum(squares, 0.0), len(x), noise_std)


def _check(x: Array, y: Array, noise_std: float, prior_std: float) -> None:
    if x.shape != y.shape or x.ndim != 1 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InvalidInput("Points are pairs of finite numbers: give as many x as y.")
    if not 0 < noise_std < np.inf:
        raise InvalidInput(f"The noise's standard deviation must be above 0, not {noise_std:g}.")
    if not prior_std > 0:
        raise InvalidInput(f"The prior's standard deviation must be above 0, not {prior_std:g}.")


def _middles(low: float, high: float, count: int) -> Array:
    """The middles of so many cells between two numbers."""
    return low + (high - low) * (np.arange(count) + 0.5) / count


def _follow(joint: Callable[[Array, Array], Array], box: Box, limit: float) -> Box:
    """The box of all nodes less than `DEPTH` below the top: grown where they touch its edge, shrunk elsewhere.

    While fewer nodes than `ENOUGH` are so high, the best ones count instead: a peak may lie between two nodes.
    """
    for _ in range(MAX_LOOKS):
        first, second = np.linspace(*box[:2], SEARCH_NODES), np.linspace(*box[2:], SEARCH_NODES)
        values = joint(first, second)
        floor = float(values.max()) - DEPTH
        best = float(np.partition(values.ravel(), -ENOUGH)[-ENOUGH])
        rows, columns = np.nonzero(values >= min(floor, best))
        is_sharp = best >= floor
        found = (*_side(first, columns, limit, is_sharp), *_side(second, rows, limit, is_sharp))
        was, box = np.array(box), found
        width = (was[1::2] - was[::2]).repeat(2)
        if (np.abs(np.array(found) - was) <= SETTLED * width).all():
            break
    return box


def _start(family: Family, x: Array, y: Array, noise_std: float, prior_std: float, limit: float) -> Box:
    """Where to look first: around the MAP estimate as far as a Gaussian there would reach, exact for a line.

    A network has a twin of it, and may reach farther: as far as its prior.
    """
    if np.isinf(prior_std):
        return -limit, limit, -limit, limit
    top = most_likely(family, x, y, ridge_weight=(noise_std / prior_std) ** 2)
    gradients = family.gradients(top, x)
    covariance = np.linalg.inv(gradients.T @ gradients / noise_std**2 + np.eye(2) / prior_std**2)
    reach = (2 * DEPTH) ** 0.5 * np.sqrt(np.diag(covariance))
    low, high = top - reach, top + reach
    if family.has_twin:
        farthest = np.maximum(np.maximum(-low, high), 6 * prior_std)
        low, high = -farthest, farthest
    return float(low[0]), float(high[0]), float(low[1]), float(high[1])


def _side(nodes: Array, kept: Array, limit: float, is_sharp: bool) -> tuple[float, float]:
    """The interval of the nodes kept and one more on either side; half as much again where the last one is kept.

    The box does not grow while the nodes do not resolve the posterior: a ridge between them seems to reach every edge.
    """
    cell, width = nodes[1] - nodes[0], nodes[-1] - nodes[0]
    low, high = int(kept.min()), int(kept.max())
    more = width / 2 if is_sharp else 0.0
    left = nodes[low] - (more if low == 0 else cell)
    right = nodes[high] + (more if high == len(nodes) - 1 else cell)
    return max(float(left), -limit), min(float(right), limit)


def _lost(joint: Callable[[Array, Array], Array], box: Box, limit: float) -> float:
    """Share of the evidence outside a box, from a coarser grid three times as wide."""
    left, right, bottom, top = box
    first = _middles(2 * left - right, 2 * right - left, NODES[0])
    second = _middles(2 * bottom - top, 2 * top - bottom, NODES[0])
    values = joint(first, second)
    values[np.abs(second) > limit] = -np.inf
    values[:, np.abs(first) > limit] = -np.inf
    mass = np.exp(values - values.max())
    inside = np.ix_((second >= bottom) & (second <= top), (first >= left) & (first <= right))
    return max(0.0, 1 - float(mass[inside].sum() / mass.sum()))
