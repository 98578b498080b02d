"""Held-out accuracy against the number of draws that are averaged, beside one pass without dropout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz.predictive import calibration
from bdlviz.predictive.intervals import mean_interval
from bdlviz.predictive.votes import accuracy_by_samples
from bdlviz.topics.digits.mc_dropout.source import Source
from bdlviz.topics.results.scoreboard.study import MOST_DRAWS, SAMPLES
from bdlviz.types import Array
from bdlviz.ui.cache import remembered


@dataclass(frozen=True, eq=False)
class Scores:
    """Held-out scores of R seeds."""

    samples: Array  # (T,)
    accuracy: Array  # (R, T) of the mean of S draws
    spread: Array  # (R, T), over sets of draws of one network
    accuracy_one_pass: Array  # (R,)
    nll: Array  # (R,) of the mean of many draws, in nats
    nll_one_pass: Array  # (R,)


def scores_of(found: Source) -> Scores:
    """The shipped scores of all seeds, else those of this one network."""
    names = ("samples", "accuracy_by_samples", "accuracy_by_samples_sd", "accuracy_one_pass", "nll", "nll_one_pass")
    if all(name in found.extra for name in names):
        return Scores(*(found.extra[name].astype(float) for name in names))
    return remembered(found.fit, "scores by samples", lambda: _computed(found))


def _computed(found: Source) -> Scores:
    """All draws are computed once; the sets whose means are compared are parts of them."""
    draws = found.fit.predict(found.dataset.x_test, MOST_DRAWS).draws
    mean, spread = accuracy_by_samples(draws, found.labels, SAMPLES)
    one_pass = found.fit.predict(found.dataset.x_test, 1, with_dropout=False).draws[0]
    averaged = draws.mean(0)
    return Scores(
        np.array(SAMPLES),
        mean[None],
        spread[None],
        np.array([calibration.accuracy(one_pass, found.labels)]),
        np.array([calibration.negative_log_likelihood(averaged, found.labels)]),
        np.array([calibration.negative_log_likelihood(one_pass, found.labels)]),
    )


def answer(scores: Scores, found: Source) -> str:
    """Does averaging help accuracy? In two sentences."""
    last = len(scores.samples) - 1
    gain = 100 * (scores.accuracy[:, last] - scores.accuracy_one_pass)
    better = float((scores.nll_one_pass - scores.nll).mean())
    mean, _, high = (float(each) for each in mean_interval(gain))
    noise = high - mean if len(gain) > 1 else 1.96 * _binomial(scores, found)
    seen = abs(mean) > noise
    first = (
        f"**Averaging {'changes' if seen else 'hardly changes'} accuracy**: {gain.mean():+.2f} points against one pass "
        f"(± {noise:.2f}, 95 %), while a single draw loses "
        f"{100 * (scores.accuracy_one_pass - scores.accuracy[:, 0]).mean():.1f}."
    )
    helps = "is what averaging is for" if better > 0 else "does not gain either"
    return f"{first} The held-out likelihood {helps}: {-better:+.3f} nats per digit."


def _binomial(scores: Scores, found: Source) -> float:
    """Standard error, in points, of one network's accuracy on so many digits."""
    share = float(scores.accuracy[0, -1])
    return 100 * float(np.sqrt(share * (1 - share) / len(found.labels)))
