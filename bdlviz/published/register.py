"""Every claim beside what was measured, with the verdict; measured values are kept in one file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bdlviz import shelf
from bdlviz.errors import InvalidInput
from bdlviz.published.claim import Claim
from bdlviz.published.claims import CLAIMS
from bdlviz.published.measurements import MEASUREMENTS
from bdlviz.writing import alone_in, write_atomically

PATH = shelf.FOLDER / "register.json"
Verdict = Literal["reproduced", "contradicted", "unverified"]


@dataclass(frozen=True)
class Row:
    """A claim beside what was measured. ``ours`` is the mean over seeds, ``spread`` their standard deviation."""

    name: str
    source: str
    quantity: str
    published: float
    unit: str
    tolerance: str
    ours: float | None
    spread: float | None
    values: tuple[float, ...]
    verdict: Verdict
    command: str

    @property
    def decimals(self) -> int:
        """How many of our number say something beside the published one."""
        return 2 if abs(self.published) >= 10 else 3


def rows(path: Path = PATH, claims: Sequence[Claim] = CLAIMS) -> list[Row]:
    """Every claim with its measured values and verdict."""
    measured = read(path)
    return [_row(claim, measured.get(claim.name, [])) for claim in claims]


def _row(claim: Claim, values: Sequence[float]) -> Row:
    mean = float(np.mean(values)) if values else None
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Row(
        claim.name,
        claim.source,
        claim.quantity,
        claim.published,
        claim.unit,
        str(claim.tolerance),
        mean,
        spread,
        tuple(values),
        _verdict(claim, values),
        f"python -m bdlviz measure {claim.measurement}" if claim.measurement else "",
    )


def _verdict(claim: Claim, values: Sequence[float]) -> Verdict:
    if not values:
        return "unverified"
    return "reproduced" if claim.tolerance.accepts(values, claim.published) else "contradicted"


def measure(name: str, path: Path = PATH) -> None:
    """Run a measurement and keep its values, one for each seed of every claim it covers."""
    if name not in MEASUREMENTS:
        raise InvalidInput(f"There is no measurement {name!r}: choose one of {', '.join(MEASUREMENTS)}.")
    found = {claim: list(values) for claim, values in MEASUREMENTS[name]().items()}
    with alone_in(path.parent):
        text = json.dumps(dict(sorted((read(path) | found).items())), indent=1)
        write_atomically(path, (text + "\n").encode())


def read(path: Path = PATH) -> dict[str, list[float]]:
    """The measured values of every claim; nothing where nothing was measured."""
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
    """The rows as a Markdown table."""
    lines = [
        "| Source | Quantity | Published | Ours (sd over seeds) | Tolerance | Verdict |",
        "|---|---|---|---|---|---|",
    ]
    for row in found:
        ours = "" if row.ours is None else f"{row.ours:.{row.decimals}f}"
        spread = "" if row.spread is None else f" ({row.spread:.{row.decimals}f}, {len(row.values)} seeds)"
        cells = (row.source, row.quantity, f"{row.published:g} {row.unit}", ours + spread, row.tolerance, row.verdict)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
