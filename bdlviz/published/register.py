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
from bdlviz.published.claim import Claim, Judged, SameSd, SameSign
from bdlviz.published.claims import CLAIMS
from bdlviz.published.measurements import MEASUREMENTS
from bdlviz.types import Array
from bdlviz.writing import alone_in, write_atomically

NAME = "register.json"  # of the file in the folder of the checkpoints
Verdict = Literal["reproduced", "contradicted", "plain re-run", "unverified"]
VERDICTS: dict[Verdict, str] = {
    "reproduced": "our value agrees by the rule of the row",
    "contradicted": "our value does not agree by the rule of the row",
    "plain re-run": "our value alone: no source prints the number",
    "unverified": "the source is not available, or the number is not measured here",
}


@dataclass(frozen=True)
class Row:
    """A claim with our measured values.

    ``ours`` is the mean over runs and ``spread`` the standard deviation of single runs (if the claim is about the
    standard deviation, it is ``ours``, and ``spread`` is None). ``seeds`` is the number of runs. ``low`` to ``high`` is
    the interval of the rule: from our runs if ``is_ours``, else around the printed number.
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
    width: str
    verdict: Verdict
    reason: str
    command: str

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
        low=judged.low if judged else None,
        high=judged.high if judged else None,
        is_ours=judged.is_ours if judged else False,
        width=_width(claim, judged) if judged else "",
        verdict=_verdict(claim, judged),
        reason=_reason(claim, judged) if judged else "",
        command=f"python -m bdlviz measure {claim.measurement}" if claim.measurement else "",
    )


def _judged(claim: Claim, values: Array) -> Judged | None:
    """The judgement of the claim's rule; None if there is no number to compare, or too few runs."""
    if claim.label or claim.rule is None or claim.published is None or len(values) < claim.rule.fewest:
        return None
    return claim.rule.judge(values, claim.published)


def _verdict(claim: Claim, judged: Judged | None) -> Verdict:
    if judged is None:
        return claim.label or "unverified"
    return "reproduced" if judged.agrees else "contradicted"


def _width(claim: Claim, judged: Judged) -> str:
    return f"{_told(judged.low, claim.published)} to {_told(judged.high, claim.published)}"


def _reason(claim: Claim, judged: Judged) -> str:
    """The reason of a disagreement; "" for an agreement."""
    if judged.agrees:
        return ""
    if isinstance(claim.rule, SameSign):
        is_other = judged.low > 0 or judged.high < 0
        found = "has the other sign" if is_other else "is at most two standard errors from 0"
        return f"Ours, {_told(judged.ours, claim.published)}, {found}."
    if judged.is_ours:
        side = "below" if (claim.published or 0.0) < judged.low else "above"
        return f"The printed number lies {side} the interval of ours."
    side = "below" if judged.ours < judged.low else "above"
    return f"Ours lies {side} the interval around the printed number."


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
        "Verdict",
    )
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in found:
        ours = "" if row.ours is None else row.told(row.ours)
        spread = "" if row.spread is None else f" ({row.told(row.spread)})"
        quantity = f"{row.quantity} ({row.settings})" if row.settings else row.quantity
        verdict = f"{row.verdict}: {row.reason}" if row.reason else row.verdict
        printed = f"{row.printed} {row.unit}" if row.printed else f"– ({row.unit})"
        cells = (row.source, row.place, quantity, printed, ours + spread, str(row.seeds), row.rule, row.width, verdict)
        lines.append(f"| {' | '.join(cells)} |")
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts(found).items())
    return "\n".join([*lines, "", f"{len(found)} rows: {told}."])
