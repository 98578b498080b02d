"""A published number, and the rule for its agreement with ours: one rule for each kind of source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

import numpy as np

from bdlviz.types import Array

Label = Literal["", "plain re-run", "unverified"]
FEWEST_LOGS = 20  # of our runs, for comparison with a single published run
FEWEST_PAIRS = 2  # runs, to estimate a standard error
SHARE = 0.1


class Judged(NamedTuple):
    """The result of a rule: our statistic, the interval of the comparison, and whether they agree.

    If ``is_ours``, the interval comes from our runs and should contain the printed number. Otherwise it is around the
    printed number and should contain ``ours``.
    """

    ours: float
    low: float
    high: float
    is_ours: bool
    agrees: bool


class Rule(Protocol):
    """A rule that compares values of our runs with a published number."""

    fewest: int  # number of runs; with fewer there is no verdict

    def judge(self, values: Array, printed: float) -> Judged:
        """Compare the values (R,) of R runs."""
        ...


@dataclass(frozen=True)
class TwoPrintedSd:
    r"""The source prints a mean m and a standard deviation s of single runs: our mean lies within two of them.

    $$ |\bar y - m| \le 2 s $$
    """

    sd: float
    fewest = 1

    def judge(self, values: Array, printed: float) -> Judged:
        return _around(float(values.mean()), printed, 2 * self.sd)

    def __str__(self) -> str:
        return "mean and sd printed: ours within 2 printed sd"


@dataclass(frozen=True)
class AmongOurRuns:
    r"""The source prints one run, p: it lies inside the central 95 % of at least 20 of ours.

    $$ q_{0.025}(y_1, \dots, y_R) \le p \le q_{0.975}(y_1, \dots, y_R) $$
    """

    fewest = FEWEST_LOGS

    def judge(self, values: Array, printed: float) -> Judged:
        low, high = (float(end) for end in np.quantile(values, (0.025, 0.975)))
        return Judged(float(values.mean()), low, high, True, low <= printed <= high)

    def __str__(self) -> str:
        return f"one run printed: inside the central 95 % of at least {FEWEST_LOGS} of ours"


@dataclass(frozen=True)
class WithinTenth:
    r"""The source prints a value p and no standard deviation: our mean lies within 10 % of it.

    $$ |\bar y - p| \le 0.1 \, |p| $$

    With ``of_rest`` the value is a percentage, such as an accuracy or the fraction of removed weights, and may differ
    by 10 % of the difference to 100.
    """

    of_rest: bool = False
    fewest = 1

    def judge(self, values: Array, printed: float) -> Judged:
        return _around(float(values.mean()), printed, SHARE * abs(100 - printed if self.of_rest else printed))

    def __str__(self) -> str:
        of = "the difference to 100 %" if self.of_rest else "the printed value"
        return f"no sd printed: ours within 10 % of {of}"


@dataclass(frozen=True)
class SameSign:
    r"""The source prints a difference p: ours has its sign, and is more than two standard errors from 0.

    $$ \bar d \, p > 0, \qquad |\bar d| > \frac{2 s_d}{\sqrt R} $$
    """

    fewest = FEWEST_PAIRS

    def judge(self, values: Array, printed: float) -> Judged:
        mean = float(values.mean())
        reach = 2 * float(values.std(ddof=1)) / len(values) ** 0.5
        return Judged(mean, mean - reach, mean + reach, True, mean * printed > 0 and abs(mean) > reach)

    def __str__(self) -> str:
        return "a trend: same sign, and more than 2 standard errors from 0"


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
        return Judged(sd, low, high, True, low <= printed <= high)

    def __str__(self) -> str:
        return "an sd printed: inside the 95 % interval (χ²) of ours"


def _around(ours: float, printed: float, distance: float) -> Judged:
    return Judged(ours, printed - distance, printed + distance, False, bool(abs(ours - printed) <= distance))


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
