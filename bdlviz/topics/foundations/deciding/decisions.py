"""Decisions from a predictive distribution: whether to treat a person, and the expected cost of that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from bdlviz.errors import InvalidInput
from bdlviz.observed import observed_values
from bdlviz.types import Array, Predictive


@dataclass(frozen=True)
class Costs:
    """Costs, in any unit, of treating a person (ill or not) and of leaving an ill person untreated."""

    treat: float
    miss: float

    def __post_init__(self) -> None:
        if not (self.treat >= 0 and self.miss > 0 and np.isfinite([self.treat, self.miss]).all()):
            raise InvalidInput("Costs must be finite: of treating at least 0, of missing somebody above 0.")

    @property
    def threshold(self) -> float:
        r"""The probability of need above which treating costs less than not treating.

        $$ c_{\text{treat}} < p \, c_{\text{miss}} \iff p > \frac{c_{\text{treat}}}{c_{\text{miss}}} $$
        """
        return self.treat / self.miss


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a rule does with N people: masks (N,) of who is ill and of who is treated."""

    is_ill: Array
    is_treated: Array

    @property
    def missed(self) -> Array:
        """Mask (N,) of the ill people who are not treated."""
        return self.is_ill & ~self.is_treated

    @property
    def in_vain(self) -> Array:
        """Mask (N,) of the healthy people who are treated."""
        return self.is_treated & ~self.is_ill

    def cost(self, costs: Costs) -> float:
        """What all of them cost."""
        return costs.treat * float(self.is_treated.sum()) + costs.miss * float(self.missed.sum())


def plug_in_probability(predictive: Predictive, limit: float) -> Array:
    """Probability of y above ``limit`` when the predictive mean is taken for the truth: 0 or 1, (N,)."""
    return (predictive.mean[:, 0] > limit).astype(float)


def epistemic_probability(predictive: Predictive, limit: float) -> Array:
    r"""The share of function draws above ``limit``, (N,); the noise is ignored.

    $$ \frac1S \sum_s \mathbb{1}[f_s(x) > t] $$
    """
    return (predictive.draws[:, :, 0] > limit).mean(0)


def full_probability(predictive: Predictive, limit: float) -> Array:
    r"""Probability that a new y of the first output is above ``limit``, (N,). Every draw has its own noise.

    $$ P(y > t \mid x) = \frac1S \sum_s \Phi\!\left(\frac{f_s(x) - t}{\sigma_s(x)}\right) $$

    Raises:
        InvalidInput: the task is classification, or a user-defined likelihood has no ``cdf``.
    """
    return 1 - predictive.cdf(np.full(predictive.mean.shape, limit))[:, 0]


def true_probability(mean: Array, noise_std: Array, limit: float) -> Array:
    r"""Probability that y is above ``limit`` under the true distribution with this mean (N,) and noise (N,), as (N,).

    $$ P(y > t \mid x) = \Phi\!\left(\frac{f(x) - t}{\sigma(x)}\right) $$
    """
    mean, noise_std = _paired(mean, noise_std)
    return ndtr((mean - limit) / noise_std)


def treats(probability: Array, costs: Costs) -> Array:
    """Mask (N,) of the people whose probability of need is above the threshold."""
    return probability > costs.threshold


def expected_cost(is_treated: Array, probability: Array, costs: Costs) -> Array:
    r"""Expected cost at every x, (N,), if these are the true probabilities of need.

    With 1 for the ill and 0 for the others it is what these people cost.

    $$ a \, c_{\text{treat}} + (1 - a) \, p \, c_{\text{miss}}, \qquad a \in \{0, 1\} $$
    """
    is_treated, probability = _paired(is_treated, probability)
    return np.where(is_treated > 0, costs.treat, probability * costs.miss)


def _paired(first: Array, second: Array) -> tuple[Array, Array]:
    """Two arrays (N,) from arrays (N,) or (N, 1), so that numpy does not broadcast people against each other."""
    count = len(np.atleast_1d(first))
    return observed_values(first, count)[:, 0], observed_values(second, count)[:, 0]
