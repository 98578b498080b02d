"""What a benchmark says: rows of numbers with their targets, as Markdown and as JSON."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.timing import Spread

RIVALS = ("jax", "numpyro", "torchbnn", "bayesian-torch", "blitz-bayesian-pytorch")
PACKAGES = ("numpy", "torch", *RIVALS, "streamlit", "plotly", "playwright")


@dataclass(frozen=True)
class Row:
    """One figure. ``unit`` is x for a ratio; ``target`` is such as ">= 8", or empty where a figure is only reported."""

    what: str
    value: Spread
    target: str = ""
    unit: str = "x"
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Does the median meet the target?"""
        if not self.target:
            return None
        sign, number = self.target.split()
        return self.value.median >= float(number) if sign == ">=" else self.value.median <= float(number)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"is_met": self.is_met}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Row:
        """The row that `as_json` wrote."""
        names = ("what", "target", "unit", "note")
        return cls(value=Spread(**fields["value"]), **{name: fields[name] for name in names})


def table(rows: Sequence[Row], *, header: bool = True) -> str:
    """A Markdown table, or its lines alone."""
    lines = ["| What | Median (min – max) | Target | Met | Note |", "|---|---|---|---|---|"] if header else []
    for row in rows:
        met = {True: "yes", False: "**no**", None: ""}[row.is_met]
        low, middle, high = (_digits(number) for number in (row.value.low, row.value.median, row.value.high))
        unit = "" if row.unit == "x" else f" {row.unit}"
        target = f"{row.target}{unit}" if row.target else ""
        lines.append(f"| {row.what} | {middle}{unit} ({low} – {high}) | {target} | {met} | {row.note} |")
    return "\n".join(lines)


def _digits(number: float) -> str:
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def machine() -> dict[str, Any]:
    """Where and with what these numbers came about."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if not information.exists():
        return platform.processor() or platform.machine()
    fields = dict(line.split(":", 1) for line in information.read_text().split("\n\n")[0].splitlines() if ":" in line)
    named = {name.strip(): value.strip() for name, value in fields.items()}
    vectors = [flag for flag in ("avx2", "avx512f") if flag in named.get("flags", "").split()]
    return f"{named.get('model name', platform.machine())} ({', '.join(vectors) or 'no AVX2'})"
