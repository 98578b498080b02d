"""Scores of class probabilities: accuracy, likelihood, calibration, and how well uncertainty predicts errors.

Probabilities are (N, K), rows summing to 1 (logits, percentages and counts are refused); labels are class numbers, (N,)
or (N, 1). Everything is numpy, in float64; scikit-learn computes the area under the ROC curve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bdlviz.checks import array_of
from bdlviz.errors import InvalidInput
from bdlviz.observed import observed_labels
from bdlviz.scoring.probabilities import class_probabilities, log_of_labels
from bdlviz.types import Array

NUM_BINS = 15
NUM_RESAMPLES = 1000
LEVEL = 0.95  # of intervals


def accuracy(probabilities: Array, labels: Array) -> float:
    r"""Accuracy of the most probable class, 0 to 1.

    $$ \frac1N \sum_i \left[\operatorname{argmax}_c p_{ic} = y_i\right] $$

    Raises:
        InvalidInput: no rows, no probabilities, or labels that do not belong to them.
    """
    return float(is_correct(probabilities, labels).mean())


def is_correct(probabilities: Array, labels: Array) -> Array:
    """True where the most probable class is the right one, (N,)."""
    probabilities, labels = _checked(probabilities, labels)
    return probabilities.argmax(1) == labels


def negative_log_likelihood(probabilities: Array, labels: Array) -> float:
    r"""Mean negative logarithm of the probability of the right class, in nats per point; 0 is perfect.

    A probability that rounds to 0 counts as the smallest positive number of its precision.

    $$ -\frac1N \sum_i \log p_{i y_i} $$

    Raises:
        InvalidInput: as `accuracy`.
    """
    probabilities, labels = _checked(probabilities, labels)
    return float(-log_of_labels(probabilities, labels).mean())


def brier_score(probabilities: Array, labels: Array) -> float:
    r"""Mean squared distance of the probabilities from the one-hot labels, 0 (perfect) to 2 (Brier 1950).

    $$ \frac1N \sum_i \sum_c \left(p_{ic} - [y_i = c]\right)^2 $$

    Raises:
        InvalidInput: as `accuracy`.
    """
    probabilities, labels = _checked(probabilities, labels)
    truth = np.eye(probabilities.shape[1])[labels]  # in float64
    return float(np.square(probabilities - truth).sum(1).mean())


@dataclass(frozen=True, eq=False)
class Reliability:
    """Predictions in bins of equal width by their confidence, the largest class probability.

    ``edges`` (B + 1,) run from 0 to 1, and a bin holds its upper edge. ``confidence`` and ``accuracy`` (B,) are means
    over a bin, NaN if it is empty; ``count`` (B,) is the number of predictions in it.
    """

    edges: Array
    confidence: Array
    accuracy: Array
    count: Array

    @property
    def error(self) -> float:
        r"""Expected calibration error: the mean gap between confidence and accuracy, weighted by count, 0 to 1.

        $$ \mathrm{ECE} = \sum_b \frac{n_b}{N} \left|\operatorname{acc}(b) - \operatorname{conf}(b)\right| $$

        Naeini, Cooper & Hauskrecht 2015; Guo et al. 2017.
        """
        gaps = np.abs(np.nan_to_num(self.accuracy - self.confidence))
        return float((gaps * self.count).sum() / self.count.sum())


def reliability(probabilities: Array, labels: Array, num_bins: int = NUM_BINS) -> Reliability:
    r"""The reliability diagram: accuracy against confidence in bins (DeGroot & Fienberg 1983).

    $$ \operatorname{conf}(b) = \frac1{n_b} \sum_{i \in b} \max_c p_{ic}, \qquad
       \operatorname{acc}(b) = \frac1{n_b} \sum_{i \in b} \left[\operatorname{argmax}_c p_{ic} = y_i\right] $$

    Raises:
        InvalidInput: as `accuracy`, or fewer than one bin.
    """
    probabilities, labels = _checked(probabilities, labels)
    correct = probabilities.argmax(1) == labels
    return _binned(_confidence(probabilities), correct, num_bins)


def expected_calibration_error(probabilities: Array, labels: Array, num_bins: int = NUM_BINS) -> float:
    r"""The error of the `reliability` diagram, 0 to 1.

    With few points it is too large, because the accuracy of each bin is random (see `chance_calibration_error`).

    $$ \mathrm{ECE} = \sum_b \frac{n_b}{N} \left|\operatorname{acc}(b) - \operatorname{conf}(b)\right| $$
    """
    return reliability(probabilities, labels, num_bins).error


def chance_calibration_error(
    probabilities: Array, num_bins: int = NUM_BINS, *, num_draws: int = NUM_RESAMPLES, seed: int = 0
) -> Array:
    r"""Calibration errors (num_draws,) that a perfectly calibrated classifier with these confidences would show.

    Each prediction is right with a probability equal to its confidence (consistency resampling, Bröcker & Smith 2007).
    An error below most of these values is no evidence of miscalibration.

    $$ r_i \sim \operatorname{Bernoulli}\left(\max_c p_{ic}\right) $$

    Raises:
        InvalidInput: no rows, no probabilities, or fewer than one bin.
    """
    confidence = _confidence(class_probabilities(probabilities))
    rng = np.random.default_rng(seed)
    draws = (_binned(confidence, rng.random(len(confidence)) < confidence, num_bins) for _ in range(num_draws))
    return np.array([drawn.error for drawn in draws])


def _binned(confidence: Array, correct: Array, num_bins: int) -> Reliability:
    if num_bins < 1:
        raise InvalidInput(f"num_bins must be at least 1, not {num_bins}.")
    edges = np.linspace(0, 1, num_bins + 1)
    bins = np.searchsorted(edges[1:-1], confidence)
    count = np.bincount(bins, minlength=num_bins)
    with np.errstate(invalid="ignore"):  # the mean of an empty bin is NaN
        mean_confidence, mean_correct = (np.bincount(bins, v, num_bins) / count for v in (confidence, correct))
    return Reliability(edges, mean_confidence, mean_correct, count)


def auroc(inside: Array, outside: Array) -> float:
    r"""Area under the ROC curve of an uncertainty as a detector of out-of-distribution inputs, 0 to 1.

    The probability that a random input from outside the training distribution has the larger uncertainty; ties count
    half, 0.5 is guessing (Hanley & McNeil 1982).

    $$ P(u_{\text{out}} > u_{\text{in}}) + \tfrac12 P(u_{\text{out}} = u_{\text{in}}) $$

    Args:
        inside: (N,) uncertainties of inputs like those of training.
        outside: (M,) uncertainties of inputs of another kind.

    Raises:
        InvalidInput: one of them is empty, or holds values that are not finite.
    """
    inside, outside = _uncertainties(inside), _uncertainties(outside)
    if not len(inside) or not len(outside):
        raise InvalidInput("The area under the ROC curve needs inputs of both kinds.")
    from sklearn.metrics import roc_auc_score

    is_outside = np.repeat([0, 1], [len(inside), len(outside)])
    return float(roc_auc_score(is_outside, np.concatenate([inside, outside])))


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """The risk-coverage curve: the error rate when the most uncertain predictions are rejected.

    ``coverage`` (N,) is the fraction of points that are kept, 1/N to 1, the most certain first; ``risk`` (N,) is
    the error rate among them.
    """

    coverage: Array
    risk: Array

    @property
    def area(self) -> float:
        r"""Mean risk over all coverages, 0 to 1; small is good.

        $$ \frac1N \sum_n \operatorname{risk}\left(\tfrac nN\right) $$
        """
        return float(self.risk.mean())

    def risk_after_refusing(self, share: float) -> float:
        """The error rate after rejecting the fraction ``share`` of the points, 0 to below 1."""
        if not 0 <= share < 1:
            raise InvalidInput(f"The refused share must be at least 0 and below 1, not {share:g}.")
        answered = max(1, round((1 - share) * len(self.risk)))
        return float(self.risk[answered - 1])


def risk_coverage(uncertainty: Array, correct: Array) -> RiskCoverage:
    r"""The risk-coverage curve (El-Yaniv & Wiener 2010) of an uncertainty (N,) and of right or wrong (N,).

    Points of equal uncertainty count as if their order were random.

    $$ \operatorname{risk}\left(\tfrac nN\right) = \frac1n \sum_{i \le n} \left[\hat y_i \ne y_i\right], \qquad
       u_1 \le u_2 \le \dots \le u_N $$

    Raises:
        InvalidInput: no points, different lengths, or uncertainties that are not finite.
    """
    uncertainty, correct = _uncertainties(uncertainty), np.asarray(array_of("answers", correct), bool)
    if uncertainty.shape != correct.shape or not len(correct):
        raise InvalidInput("Risk and coverage need one uncertainty for each answer, and at least one answer.")
    order = np.argsort(uncertainty, kind="stable")
    _, tied, size = np.unique(uncertainty[order], return_inverse=True, return_counts=True)
    wrong = (np.bincount(tied, ~correct[order]) / size)[tied]
    answered = np.arange(1, len(wrong) + 1)
    return RiskCoverage(answered / len(wrong), np.cumsum(wrong) / answered)


def bootstrap_interval(
    statistic: Callable[..., float],
    *samples: Array,
    num_resamples: int = NUM_RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> tuple[float, float]:
    r"""The basic bootstrap interval of a statistic (Efron 1979; Davison & Hinkley 1997, section 5.2).

    It corrects for the bias of resampling. The calibration error, for example, is biased upwards, so it would lie at
    the lower end of its percentile interval or below it. The ends may be outside the range of the statistic.

    Args:
        statistic: a number from as many arrays as there are samples.
        *samples: each is resampled on its own, along its first axis; what belongs together must be one array, for
            instance the rows' numbers.
        num_resamples: how often.
        level: of the interval, between 0 and 1.
        seed: of the resampling.

    $$ \left[2 \hat\theta - \hat\theta^*_{(1 - \alpha/2)},\; 2 \hat\theta - \hat\theta^*_{(\alpha/2)}\right], \qquad
       \hat\theta^* = \theta(x^*), \quad x^*_i \sim \operatorname{Uniform}\{x_1, \dots, x_N\} $$

    Raises:
        InvalidInput: an empty sample, or a level outside (0, 1).
    """
    if not all(len(sample) for sample in samples) or not 0 < level < 1:
        raise InvalidInput("A bootstrap interval needs data in every sample, and a level between 0 and 1.")
    rng = np.random.default_rng(seed)
    found = [
        statistic(*(sample[rng.integers(len(sample), size=len(sample))] for sample in samples))
        for _ in range(num_resamples)
    ]
    low, high = 2 * statistic(*samples) - np.quantile(found, [(1 + level) / 2, (1 - level) / 2])
    return float(low), float(high)


def _uncertainties(values: Array) -> Array:
    """Uncertainties (N,) in float64."""
    array = np.asarray(array_of("uncertainties", values), np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InvalidInput("Uncertainties must be finite numbers, (N,).")
    return array


def _confidence(probabilities: Array) -> Array:
    """The largest probability of each row in float64, (N,)."""
    return probabilities.max(1).astype(np.float64)


def _checked(probabilities: Array, labels: Array) -> tuple[Array, Array]:
    probabilities = class_probabilities(probabilities)
    return probabilities, observed_labels(labels, len(probabilities), tuple(range(probabilities.shape[1])))
