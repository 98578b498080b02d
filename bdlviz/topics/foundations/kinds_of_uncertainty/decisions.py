"""From a predictive distribution to an action with costs: treat or not, and what that costs in the long run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from bdlviz.errors import InvalidInput
from bdlviz.observed import observed_values
from bdlviz.types import Array, Predictive


@dataclass(frozen=True)
class Costs:
    """What treating costs, needed or not, and what it costs to miss somebody who needed it; any unit."""

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


def plug_in_probability(predictive: Predictive, limit: float) -> Array:
    """Probability of y above ``limit`` when the predictive mean is taken for the truth: 0 or 1, (N,)."""
    return (predictive.mean[:, 0] > limit).astype(float)


def epistemic_probability(predictive: Predictive, limit: float) -> Array:
    r"""The share of function draws above ``limit``, (N,): the noise is forgotten.

    $$ \frac1S \sum_s \mathbb{1}[f_s(x) > t] $$
    """
    return (predictive.draws[:, :, 0] > limit).mean(0)


def full_probability(predictive: Predictive, limit: float) -> Array:
    r"""Probability that a new y, of the first output, is above ``limit``, (N,): every draw with its own noise.

    $$ P(y > t \mid x) = \frac1S \sum_s \Phi\!\left(\frac{f_s(x) - t}{\sigma_s(x)}\right) $$

    Raises:
        InvalidInput: these are classes, or a likelihood of your own has no ``cdf``.
    """
    return 1 - predictive.cdf(np.full(predictive.mean.shape, limit))[:, 0]


def true_probability(mean: Array, noise_std: Array, limit: float) -> Array:
    r"""The same under the law that made the data: its curve (N,) and its noise (N,).

    $$ P(y > t \mid x) = \Phi\!\left(\frac{f(x) - t}{\sigma(x)}\right) $$
    """
    mean, noise_std = _paired(mean, noise_std)
    return ndtr((mean - limit) / noise_std)


def treats(probability: Array, costs: Costs) -> Array:
    """Whom to treat, (N,): those whose probability of need is above the threshold."""
    return probability > costs.threshold


def expected_cost(is_treated: Array, probability: Array, costs: Costs) -> Array:
    r"""Expected cost at every x under probabilities of need that are true, (N,).

    $$ a \, c_{\text{treat}} + (1 - a) \, p \, c_{\text{miss}}, \qquad a \in \{0, 1\} $$
    """
    is_treated, probability = _paired(is_treated, probability)
    return np.where(is_treated > 0, costs.treat, probability * costs.miss)


def simulated_cost(is_treated: Array, is_ill: Array, costs: Costs) -> tuple[float, float]:
    r"""Mean cost per person over people who were drawn from the truth, and its standard error.

    ``is_treated`` and ``is_ill`` are (N,) or (N, 1).

    $$ \bar c = \frac1N \sum_i c_i, \qquad
       \operatorname{se} = \frac{1}{\sqrt N} \sqrt{\frac{1}{N - 1} \sum_i (c_i - \bar c)^2} $$
    """
    is_treated, is_ill = _paired(is_treated, is_ill)
    paid = np.where(is_treated > 0, costs.treat, costs.miss * is_ill)
    if len(paid) < 2:
        raise InvalidInput("A standard error needs at least two people.")
    return float(paid.mean()), float(paid.std(ddof=1) / np.sqrt(len(paid)))


def _paired(first: Array, second: Array) -> tuple[Array, Array]:
    """Two numbers for each person, (N,) both, from (N,) or (N, 1): people are never mixed."""
    count = len(np.atleast_1d(first))
    return observed_values(first, count)[:, 0], observed_values(second, count)[:, 0]
