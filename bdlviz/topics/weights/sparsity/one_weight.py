r"""One weight of a network between its data and its prior: when is it worth keeping?

Seen from one weight, near its best value w*, the loss of the data is a parabola. With q(w) = N(theta, alpha theta^2)
and theta at its best for the noise, only log alpha is left to choose, and all that matters is how much the data care:

$$ c = w_*^2 \sum_i \frac{\partial^2}{\partial w^2} \bigl(-\log p(y_i \mid x_i, w)\bigr) $$

Setting the weight to 0 costs c / 2 nats. Below c = 1, half a nat, both divergences send log alpha to infinity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bdlviz.types import Array

Divergence = Callable[[Any], Any]  # of log alpha, in nats: see `bdlviz.models.divergences`
LARGEST = 12.0  # log alpha up to which a minimum is looked for; one beyond it is as good as none
STEP = 1e-4


def misfit(log_alpha: Any, strength: float) -> Any:
    r"""What noise costs the data, in nats; theta is at its best for this noise, w* / (1 + alpha).

    Derived: the parabola's expectation is c / 2 ((1 - theta)^2 + alpha theta^2), with w* as the unit.

    $$ \min_\theta \mathbb{E}_q\left[\tfrac{c}{2} \left(\tfrac{w}{w_*} - 1\right)^2\right]
       = \frac{c}{2} \cdot \frac{\alpha}{1 + \alpha} $$
    """
    return 0.5 * strength * share_lost(log_alpha)


def share_lost(log_alpha: Any) -> Any:
    """How much of w* is given up for the noise, alpha / (1 + alpha): theta is the rest."""
    return 1 / (1 + np.exp(-np.asarray(log_alpha, float)))


def objective(log_alpha: Any, strength: float, divergence: Divergence) -> Any:
    r"""What the weight contributes to the negative evidence lower bound, in nats.

    $$ F(\alpha) = \frac{c}{2} \cdot \frac{\alpha}{1 + \alpha} + \operatorname{KL}(\log \alpha) $$
    """
    return misfit(log_alpha, strength) + divergence(log_alpha)


def strength_at(log_alpha: Any, divergence: Divergence) -> Array:
    r"""How much the data have to care for this log alpha to be the best, of the shape of log alpha.

    Derived: where the slope of the objective is 0. It falls with log alpha, so that there is one minimum. With ARD it
    is 1 + 1 / alpha, which is never below 1.

    $$ c = -2\, \frac{(1 + \alpha)^2}{\alpha} \cdot \frac{\partial \operatorname{KL}}{\partial \log \alpha} $$
    """
    at = np.asarray(log_alpha, float)
    slope = (divergence(at + STEP) - divergence(at - STEP)) / (2 * STEP)
    lost = share_lost(at)
    return -2 * slope / (lost * (1 - lost))


def best_log_alpha(strength: float, divergence: Divergence) -> float:
    r"""Where the objective of a weight is smallest; infinite where every further noise is a gain.

    Derived: `strength_at` read backwards. With ARD it is

    $$ \log \alpha = -\log(c - 1), \qquad \text{and} \; \infty \; \text{for} \; c \le 1 $$
    """
    if strength <= 1:
        return float("inf")
    low, high = -40.0, LARGEST
    if strength <= float(strength_at(high, divergence)):
        return float("inf")
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if float(strength_at(middle, divergence)) > strength else (low, middle)
    return (low + high) / 2
