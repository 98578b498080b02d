r"""Functions of two parameters: so few that maps show all of Bayes' rule. Here also single choices of them.

The whole posterior is computed in `bdlviz.topics.foundations.bayes_rule.grid_posterior`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.types import Array, Predictive

REACH = 10.0  # a network's parameters are looked for within this, on both sides of 0
MAX_STEPS = 100
NUM_STARTS = 200


# The functions --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Family:
    r"""Functions of x with two parameters, linear in the second one, as every network is in its last layer.

    $$ f_w(x) = w_2\, u(w_1, x) + v(w_1, x) $$
    """

    name: str
    title: str
    parameters: tuple[str, str]
    unit: Callable[[Any, Any], Array]  # (w1, x) -> u, broadcast
    rest: Callable[[Any, Any], Array]  # (w1, x) -> v
    gradient: Callable[[Any, Any, Any], Array]  # (w1, w2, x) -> the derivative of f by w1
    has_twin: bool = False  # do the parameters with both signs turned give the same function?

    def at(self, parameters: Array, x: Array) -> Array:
        """Functions of parameters (S, 2), or of one pair (2,), at x (P,): (S, P) or (P,)."""
        first, second = np.moveaxis(np.asarray(parameters, float)[..., None], -2, 0)
        return second * self.unit(first, x) + self.rest(first, x)

    def gradients(self, parameters: Array, x: Array) -> Array:
        """Derivatives of f by both parameters (2,) at x (N,), (N, 2)."""
        first, second = parameters
        return np.column_stack([self.gradient(first, second, x), self.unit(first, x)])


def line(parameters: Array, x: Array) -> Array:
    r"""A straight line with slope and intercept (2,) at x (P,).

    $$ f(x) = a x + b $$
    """
    return LINE.at(parameters, x)


def tiny_network(parameters: Array, x: Array) -> Array:
    r"""A network of one hidden unit without biases, weights (2,), at x (P,); with both signs turned it is the same.

    $$ f(x) = w_2 \tanh(w_1 x) = (-w_2) \tanh(-w_1 x) $$
    """
    return NETWORK.at(parameters, x)


def _one(first: Any, x: Any) -> Array:
    return np.ones(np.broadcast(first, x).shape)


def _activation(first: Any, x: Any) -> Array:
    return np.tanh(first * x)


LINE = Family("line", "A line", ("slope a", "intercept b"), _one, lambda a, x: a * x, lambda a, b, x: x * _one(a, x))
NETWORK = Family(
    "network",
    "A tiny network",
    ("weight w₁", "weight w₂"),
    _activation,
    lambda first, x: 0 * _one(first, x),
    lambda first, second, x: second * x * (1 - _activation(first, x) ** 2),
    has_twin=True,
)
FAMILIES = {family.name: family for family in (LINE, NETWORK)}


# Single choices -------------------------------------------------------------------------------------------------------


def most_likely(family: Family, x: Array, y: Array, *, ridge_weight: float) -> Array:
    r"""The MAP estimate (2,) from x and y (N,), by Gauss-Newton steps: a ridge regression each.

    The weight of the penalty is the noise's variance over the prior's; 0 is the estimate of maximum likelihood. For a
    line the first step is the last: ridge regression itself. Of several estimates as good it gives one; of a network's
    twins that with a first weight above 0, and none beyond `REACH`.

    $$ \hat w = \arg\min_w \sum_i (y_i - f_w(x_i))^2 + \frac{\sigma^2}{\sigma_w^2} \lVert w \rVert^2 $$
    """
    found = _best_of_many(family, x, y, ridge_weight) if family.has_twin else np.zeros(2)
    limit = REACH if family.has_twin else np.inf

    def cost(parameters: Array) -> float:
        return float(np.square(y - family.at(parameters, x)).sum() + ridge_weight * (parameters @ parameters))

    for _ in range(MAX_STEPS):
        design = np.vstack([family.gradients(found, x), np.sqrt(ridge_weight) * np.eye(2)])
        wanted = np.concatenate([y - family.at(found, x), -np.sqrt(ridge_weight) * found])
        step = np.linalg.lstsq(design, wanted, rcond=1e-10)[0]
        before = cost(found)
        while cost(found + step) > before and np.abs(step).max() > 1e-12:
            step /= 2
        found = np.clip(found + step, -limit, limit)
        if np.abs(step).max() <= 1e-12 * (1 + np.abs(found).max()):
            break
    if np.abs(found[0]) == limit:
        found[1] = _best_second(family, found[:1], x, y, ridge_weight)[0]
    return found


def _best_of_many(family: Family, x: Array, y: Array, ridge_weight: float) -> Array:
    """The best of many first parameters, each with the second one that is best for it, (2,)."""
    first = np.linspace(REACH / NUM_STARTS, REACH, NUM_STARTS)
    second = _best_second(family, first, x, y, ridge_weight)
    functions = family.at(np.column_stack([first, second]), x)
    costs = np.square(y - functions).sum(1) + ridge_weight * (first**2 + second**2)
    best = int(costs.argmin())
    return np.array([first[best], second[best]])


def _best_second(family: Family, first: Array, x: Array, y: Array, ridge_weight: float) -> Array:
    """The best second parameter for each first one (A,): ridge regression on one input."""
    unit, left = family.unit(first[:, None], x), y - family.rest(first[:, None], x)
    return (unit * left).sum(1) / np.maximum((unit**2).sum(1) + ridge_weight, np.finfo(float).tiny)


def num_determined(family: Family, parameters: Array, x: Array) -> int:
    """How many directions of the two parameters (2,) the data at x (N,) say anything of: 0, 1 or 2."""
    return int(np.linalg.matrix_rank(family.gradients(parameters, x), tol=1e-8)) if len(x) else 0


def plug_in(family: Family, parameters: Array, x: Array, noise_std: float) -> Predictive:
    """What one pair of parameters (2,) predicts at x (P,): a function and the noise, and no other uncertainty."""
    mean = family.at(parameters, x)[:, None]
    return Predictive(x[:, None], mean[None], mean, np.zeros_like(mean), np.full_like(mean, noise_std), 1)
