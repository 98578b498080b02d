"""The register: every claim with our measured values and the verdict. Measured values are kept in one file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.fitted import shelf
from bdlviz.published.claim import Claim, Judged, SameSd
from bdlviz.published.claims import CLAIMS
from bdlviz.published.measurements import MEASUREMENTS
from bdlviz.types import Array
from bdlviz.writing import alone_in, write_atomically

NO_INTERVAL = None, None
NAME = "register.json"  # of the file in the folder of the checkpoints
Verdict = Literal["reproduced", "contradicted", "inconclusive", "plain re-run", "unverified"]
VERDICTS: dict[Verdict, str] = {
    "reproduced": "our runs agree by the rule of the row",
    "contradicted": "our runs do not agree by the rule of the row",
    "inconclusive": "our runs are too few or differ too much to decide",
    "plain re-run": "our value alone: no source prints the number",
    "unverified": "the source is not available, or the number is not measured here",
}


@dataclass(frozen=True)
class Row:
    """A claim with our measured values.

    ``ours`` is the mean over runs and ``spread`` the standard deviation of single runs (if the claim is about the
    standard deviation, it is ``ours``, and ``spread`` is None). ``seeds`` is the number of runs. ``our_low`` to
    ``our_high`` is the 95 % interval of ours that decides, None for one run. ``low`` to ``high`` is the interval of the
    rule: that of ours if ``is_ours``, else what is allowed around the printed number.
    """

    name: str
    source: str
    place: str
    quantity: str
    published: float | None
    printed: str
    unit: str
    settings: str
    ours: float | None
    spread: float | None
    seeds: int
    values: tuple[float, ...]
    rule: str
    low: float | None
    high: float | None
    is_ours: bool
    our_low: float | None
    our_high: float | None
    width: str
    verdict: Verdict
    reason: str
    command: str

    @property
    def our_interval(self) -> str:
        """The interval of ours that decides; "" for one run."""
        if self.our_low is None or self.our_high is None:
            return ""
        return f"{self.told(self.our_low)} to {self.told(self.our_high)}"

    def told(self, value: float) -> str:
        """A value with as many decimals as are useful for comparison with the published one."""
        return _told(value, self.published)


def rows(path: Path | None = None, claims: Sequence[Claim] = CLAIMS) -> list[Row]:
    """Every claim with its measured values and verdict."""
    measured = read(path)
    return [_row(claim, measured) for claim in claims]


def counts(found: Sequence[Row]) -> dict[Verdict, int]:
    """The number of rows with each verdict."""
    return {verdict: sum(row.verdict == verdict for row in found) for verdict in VERDICTS}


def _row(claim: Claim, measured: Mapping[str, Sequence[float]]) -> Row:
    values = claim.values(measured)
    judged = _judged(claim, values)
    mean = float(values.mean()) if len(values) else None
    is_spread = isinstance(claim.rule, SameSd)
    low, high = (judged.allowed or judged.interval or NO_INTERVAL) if judged else NO_INTERVAL
    our_low, our_high = (judged.interval if judged else None) or NO_INTERVAL
    verdict, reason = _verdict(claim, judged, len(values))
    return Row(
        name=claim.name,
        source=claim.document,
        place=claim.place,
        quantity=claim.quantity,
        published=claim.published,
        printed=claim.printed or ("" if claim.published is None else f"{claim.published:g}"),
        unit=claim.unit,
        settings=claim.settings,
        ours=judged.ours if judged else mean,
        spread=float(np.std(values, ddof=1)) if len(values) > 1 and not is_spread else None,
        seeds=len(values),
        values=tuple(values.tolist()),
        rule="" if claim.rule is None else str(claim.rule),
        low=low,
        high=high,
        is_ours=judged is not None and judged.allowed is None,
        our_low=our_low,
        our_high=our_high,
        width="" if low is None or high is None else f"{_told(low, claim.published)} to {_told(high, claim.published)}",
        verdict=verdict,
        reason=reason,
        command=f"python -m bdlviz measure {claim.measurement}" if claim.measurement else "",
    )


def _judged(claim: Claim, values: Array) -> Judged | None:
    """The judgement of the claim's rule; None if there is no number to compare, or too few runs."""
    if claim.label or claim.rule is None or claim.published is None or len(values) < claim.rule.fewest:
        return None
    return claim.rule.judge(values, claim.published)


def _verdict(claim: Claim, judged: Judged | None, seeds: int) -> tuple[Verdict, str]:
    """The verdict and its reason."""
    if judged is not None:
        return judged.verdict, judged.reason
    if claim.label or claim.rule is None or not seeds:
        return claim.label or "unverified", ""
    return "inconclusive", f"The rule needs {claim.rule.fewest} runs, and there are {seeds}."


def _told(value: float, published: float | None) -> str:
    size = abs(value if published is None else published)
    return f"{value:.{2 if size >= 10 else 3}f}"


def measure(name: str, path: Path | None = None) -> None:
    """Run a measurement and store its values, one for each seed of each of its claims."""
    if name not in MEASUREMENTS:
        raise InvalidInput(f"There is no measurement {name!r}: choose one of {', '.join(MEASUREMENTS)}.")
    found = {claim: list(values) for claim, values in MEASUREMENTS[name]().items()}
    path = path or shelf.folder() / NAME
    with alone_in(path.parent):
        text = json.dumps(dict(sorted((read(path) | found).items())), indent=1)
        write_atomically(path, (text + "\n").encode())


def read(path: Path | None = None) -> dict[str, list[float]]:
    """The measured values by claim; empty if nothing was measured."""
    path = path or shelf.folder() / NAME
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): [float(value) for value in values] for name, values in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        raise InvalidInput(f"{path.name} is damaged: restore it, or measure again.") from None


def as_json(found: Sequence[Row]) -> list[dict[str, Any]]:
    """The rows as plain values."""
    return [asdict(row) for row in found]


def table(found: Sequence[Row]) -> str:
    """The rows as a Markdown table, with the number of rows for each verdict."""
    heads = (
        "Source",
        "Place",
        "Quantity",
        "Published",
        "Ours (sd of single runs)",
        "Seeds",
        "Rule",
        "Width",
        "Our interval",
        "Verdict",
    )
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in found:
        ours = "" if row.ours is None else row.told(row.ours)
        spread = "" if row.spread is None else f" ({row.told(row.spread)})"
        quantity = f"{row.quantity} ({row.settings})" if row.settings else row.quantity
        verdict = f"{row.verdict}: {row.reason}" if row.reason else row.verdict
        printed = f"{row.printed} {row.unit}" if row.printed else f"– ({row.unit})"
        measured = (ours + spread, str(row.seeds), row.rule, row.width, row.our_interval)
        cells = (row.source, row.place, quantity, printed, *measured, verdict)
        lines.append(f"| {' | '.join(cells)} |")
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts(found).items())
    return "\n".join([*lines, "", f"{len(found)} rows: {told}."])
