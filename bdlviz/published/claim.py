"""A published number, and the rule for its agreement with ours: one rule for each kind of source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np

from bdlviz.predictive.intervals import mean_interval
from bdlviz.types import Array

Outcome = Literal["reproduced", "contradicted", "inconclusive"]
Interval = tuple[float, float]
Label = Literal["", "plain re-run", "unverified"]
FEWEST_LOGS = 20  # of our runs, for comparison with a single published run
FEWEST_PAIRS = 2  # runs, to estimate a standard error
SHARE = 0.1


class Judged(NamedTuple):
    """The result of a rule: our statistic, its 95 % interval, what the rule allows for it, the verdict and its reason.

    ``allowed`` is an interval around the printed number, None if the rule asks whether ``interval`` contains that
    number or 0. ``interval`` is None for one run. ``reason`` is "" for an agreement.
    """

    ours: float
    interval: Interval | None
    allowed: Interval | None
    verdict: Outcome
    reason: str = ""


class Rule(Protocol):
    """A rule that compares values of our runs with a published number."""

    fewest: int  # number of runs; with fewer the rule cannot be applied

    def judge(self, values: Array, printed: float) -> Judged:
        """Compare the values (R,) of R runs."""
        ...


@dataclass(frozen=True)
class TwoPrintedSd:
    r"""The source prints a mean m and a standard deviation s of single runs: our mean lies within two of them.

    $$ |\mathbb{E}[y] - m| \le 2 s $$

    It is reproduced if this holds for all of the 95 % interval of our mean, contradicted if it holds for none of it.
    """

    sd: float
    fewest = 1

    def judge(self, values: Array, printed: float) -> Judged:
        return _within(values, printed, 2 * self.sd)

    def __str__(self) -> str:
        return "mean and sd printed: the 95 % interval (Student) of our mean within 2 printed sd"


@dataclass(frozen=True)
class AmongOurRuns:
    r"""The source prints one run, p: it lies inside the central 95 % of at least 20 of ours.

    $$ q_{0.025}(y_1, \dots, y_R) \le p \le q_{0.975}(y_1, \dots, y_R) $$
    """

    fewest = FEWEST_LOGS

    def judge(self, values: Array, printed: float) -> Judged:
        low, high = (float(end) for end in np.quantile(values, (0.025, 0.975)))
        return _contains(float(values.mean()), (low, high), printed)

    def __str__(self) -> str:
        return f"one run printed: inside the central 95 % of at least {FEWEST_LOGS} of ours"


@dataclass(frozen=True)
class WithinTenth:
    r"""The source prints a value p and no standard deviation: our mean lies within 10 % of it.

    $$ |\mathbb{E}[y] - p| \le 0.1 \, |p| $$

    It is reproduced if this holds for all of the 95 % interval of our mean, contradicted if it holds for none of it.
    With ``of_rest`` the value is a percentage, such as an accuracy or the fraction of removed weights, and may differ
    by 10 % of the difference to 100.
    """

    of_rest: bool = False
    fewest = 1

    def judge(self, values: Array, printed: float) -> Judged:
        return _within(values, printed, SHARE * abs(100 - printed if self.of_rest else printed))

    def __str__(self) -> str:
        of = "the difference to 100 %" if self.of_rest else "the printed value"
        return f"no sd printed: the 95 % interval (Student) of our mean within 10 % of {of}"


@dataclass(frozen=True)
class SameSign:
    r"""The source prints a difference p: all of the 95 % interval of our mean difference has its sign.

    $$ \bar d \, p > 0, \qquad |\bar d| > t_{R - 1,\, 0.975} \frac{s_d}{\sqrt R} $$

    An interval that contains 0 and p contradicts nothing: it is inconclusive.
    """

    fewest = FEWEST_PAIRS

    def judge(self, values: Array, printed: float) -> Judged:
        mean, low, high = (float(each) for each in mean_interval(values))
        if low > 0 or high < 0:
            if mean * printed > 0:
                return Judged(mean, (low, high), None, "reproduced")
            return Judged(mean, (low, high), None, "contradicted", "All of our interval has the other sign.")
        if low <= printed <= high:
            reason = "Our interval contains 0 and the printed difference."
            return Judged(mean, (low, high), None, "inconclusive", reason)
        reason = "Our interval contains 0, but not the printed difference."
        return Judged(mean, (low, high), None, "contradicted", reason)

    def __str__(self) -> str:
        return "a trend: all of the 95 % interval (Student) of our difference has the printed sign"


@dataclass(frozen=True)
class SameSd:
    r"""The source prints a standard deviation of single runs: it lies in the 95 % interval of ours.

    $$ s \sqrt{\frac{R - 1}{\chi^2_{R-1}(0.975)}} \quad \text{to} \quad s \sqrt{\frac{R - 1}{\chi^2_{R-1}(0.025)}} $$

    It is the confidence interval of a standard deviation that was estimated as s from R normal values. The printed
    value is an estimate, too, but the source does not give its number of runs, so its error is ignored.
    """

    fewest = FEWEST_PAIRS

    def judge(self, values: Array, printed: float) -> Judged:
        from scipy.stats import chi2

        sd, free = float(values.std(ddof=1)), len(values) - 1
        low, high = (sd * float(np.sqrt(free / chi2.ppf(share, free))) for share in (0.975, 0.025))
        return _contains(sd, (low, high), printed)

    def __str__(self) -> str:
        return "an sd printed: inside the 95 % interval (χ²) of ours"


def _contains(ours: float, interval: Interval, printed: float) -> Judged:
    """Whether an interval of ours contains the printed number."""
    low, high = interval
    if low <= printed <= high:
        return Judged(ours, interval, None, "reproduced")
    side = "below" if printed < low else "above"
    return Judged(ours, interval, None, "contradicted", f"The printed number lies {side} our interval.")


def _within(values: Array, printed: float, distance: float) -> Judged:
    """Whether all or none of the interval of our mean lies within a distance from the printed number."""
    mean, low, high = (float(each) for each in mean_interval(values))
    least, most = printed - distance, printed + distance
    if len(values) < 2:
        return Judged(mean, None, (least, most), "inconclusive", "One run has no interval.")
    if least <= low and high <= most:
        return Judged(mean, (low, high), (least, most), "reproduced")
    if high < least or low > most:
        side = "below" if high < least else "above"
        reason = f"Our interval lies {side} what is allowed."
        return Judged(mean, (low, high), (least, most), "contradicted", reason)
    reason = "Only a part of our interval is allowed."
    return Judged(mean, (low, high), (least, most), "inconclusive", reason)


@dataclass(frozen=True)
class Claim:
    """One published number: its document and the place in it, and how ours is measured and compared.

    ``published`` is None if no source prints a number: then ``printed`` may describe in words what is known, and
    ``label`` must say why there is no verdict. ``settings`` describes our training where that of the source differs
    or is unknown. ``measurement`` names the function of `MEASUREMENTS`; "" if nothing measures it.
    The values are those measured under ``of`` (under the claim's own name if that is ""), minus those of ``minus``.
    """

    name: str
    document: str
    place: str
    quantity: str
    published: float | None
    unit: str
    rule: Rule | None
    measurement: str = ""
    settings: str = ""
    printed: str = ""
    label: Label = ""
    of: str = ""
    minus: str | float = 0.0

    def values(self, measured: Mapping[str, Sequence[float]]) -> Array:
        """One value for each run, (R,); empty if the two sides of a difference were measured in different runs."""
        found = np.array(measured.get(self.of or self.name, ()), float)
        if not isinstance(self.minus, str):
            return found - self.minus
        other = np.array(measured.get(self.minus, ()), float)
        return found - other if len(found) == len(other) else found[:0]
