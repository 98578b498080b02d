"""Results of benchmarks: rows of numbers with their targets, as Markdown and as JSON."""

from __future__ import annotations

import math
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.timing import Spread

WORKLOADS = {
    1: "Training MC dropout, one fit and grids",
    2: "Many draws from the posterior predictive",
    3: "A Gaussian for every weight: one step",
    4: "Training a VAE",
    5: "Chains: HMC and NUTS",
    6: "Concrete dropout, deep ensembles, Laplace",
    7: "What a visitor waits for",
    8: "How cost grows",
    9: "Networks that train in the browser",
}
PEERS = {  # module -> the package that contains it
    "jax": "jax",
    "numpyro": "numpyro",
    "pyro": "pyro-ppl",
    "tyxe": "tyxe",
    "torchbnn": "torchbnn",
    "bayesian_torch": "bayesian-torch",
    "blitz": "blitz-bayesian-pytorch",
    "torch_uncertainty": "torch-uncertainty",
    "lightning_uq_box": "lightning-uq-box",
    "baal": "baal",
    "laplace": "laplace-torch",
}
PACKAGES = {name: name for name in ("numpy", "torch", "streamlit", "plotly", "playwright")} | PEERS


@dataclass(frozen=True)
class Row:
    """One result. ``unit`` is x for a ratio; ``target`` is, for example, ">= 8", or empty if there is no target.

    The command adds ``group``, ``workload`` (a key of `WORKLOADS`, or 0) and the ``versions`` of the packages in use.
    """

    what: str
    value: Spread
    target: str = ""
    unit: str = "x"
    note: str = ""
    group: str = ""
    workload: int = 0
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def goal(self) -> float:
        """The number of the target."""
        return float(self.target.split()[1])

    @property
    def wants_more(self) -> bool:
        """True if the target is a lower bound, so that larger values are better."""
        return self.target.startswith(">=")

    @property
    def is_met(self) -> bool | None:
        """True if the median meets the target."""
        if not self.target:
            return None
        return self.value.median >= self.goal if self.wants_more else self.value.median <= self.goal

    @property
    def margin(self) -> float:
        """The ratio to the target: 1 if it is just met, 2 if the value is twice as good."""
        if self.wants_more:
            return self.value.median / self.goal
        return self.goal / self.value.median if self.value.median > 0 else math.inf

    @property
    def value_text(self) -> str:
        """The median with its unit, and the spread."""
        low, middle, high = (digits(number) for number in (self.value.low, self.value.median, self.value.high))
        return f"{middle}{self._suffix} ({low} – {high})"

    @property
    def target_text(self) -> str:
        """The target with its unit, or nothing."""
        return f"{self.target}{self._suffix}" if self.target else ""

    @property
    def met_text(self) -> str:
        """The verdict on the target, in Markdown."""
        return {True: "yes", False: "**no**", None: ""}[self.is_met]

    @property
    def _suffix(self) -> str:
        return "" if self.unit in ("x", "exponent") else f" {self.unit}"

    def as_json(self) -> dict[str, Any]:
        """The row as plain values, with the verdict on its target."""
        return asdict(self) | {"is_met": self.is_met}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Row:
        """The row from the result of `as_json`."""
        known: dict[str, Any] = {each.name: content[each.name] for each in fields(cls) if each.name in content}
        known["value"] = Spread(**content["value"])
        return cls(**known)


def table(rows: Sequence[Row], *, header: bool = True) -> str:
    """A Markdown table, with or without its header."""
    lines = ["| What | Median (min – max) | Target | Met | Note |", "|---|---|---|---|---|"] if header else []
    for row in rows:
        lines.append(f"| {row.what} | {row.value_text} | {row.target_text} | {row.met_text} | {row.note} |")
    return "\n".join(lines)


def by_workload(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each workload by its title, in the order of `WORKLOADS`; rows without a workload are last."""
    by_number: dict[int, list[Row]] = {}
    for row in rows:
        by_number.setdefault(row.workload, []).append(row)
    titled = {f"{number}. {title}": by_number.pop(number, []) for number, title in WORKLOADS.items()}
    titled["Others"] = [row for rest in by_number.values() for row in rest]
    return {title: of_title for title, of_title in titled.items() if of_title}


def digits(number: float) -> str:
    """A number with three significant digits, or rounded to an integer from 100 on."""
    return f"{number:.0f}" if abs(number) >= 100 else f"{number:.3g}"


def machine() -> dict[str, Any]:
    """A description of this machine, and the versions of packages."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": versions(PACKAGES),
    }


def versions(modules: Iterable[str]) -> dict[str, str]:
    """The versions of the packages of these modules, if they are in `PACKAGES` and installed."""
    named = [PACKAGES[module] for module in PACKAGES.keys() & set(modules)]
    return {name: found for name in sorted(named) if (found := _version(name))}


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
