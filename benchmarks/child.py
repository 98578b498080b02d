"""One group of benchmarks in a process of its own: `python -m benchmarks.child NAME ROUNDS ANSWER.json`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from benchmarks.report import Row

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Group:
    """Where a group's function ``(rounds, cores) -> rows`` is, and what it needs.

    ``cores`` are the numbers of cores to measure on; None for all there are.
    """

    module: str
    function: str
    cores: tuple[int | None, ...] = (None,)
    needs: str = "torch"


GROUPS: dict[str, Group] = {
    "fit": Group("training", "single"),
    "grid": Group("training", "grid", cores=(1, 2)),
    "shapes": Group("training", "shapes"),
    "jax": Group("training", "compiled", needs="jax"),
    "decay": Group("training", "decay"),
    "draws": Group("prediction", "draws"),
    "digits": Group("digits", "draws", cores=(1, 2)),
    "vae": Group("generative", "training"),
    "embedding": Group("generative", "embedding"),
    "weights": Group("weights", "training", needs="torchbnn"),
    "chains": Group("chains", "sampling", cores=(1,)),
    "pages": Group("browser", "pages", needs="playwright"),
    "start": Group("browser", "start", needs="playwright"),
    "scenes": Group("scenes", "links", needs="playwright"),
    "scrub": Group("scrub", "pages", needs="playwright"),
}


def available_cores() -> list[int]:
    """The cores this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def why_not(name: str, cores: int | None) -> str:
    """Why a group cannot be measured here, or nothing."""
    needs = GROUPS[name].needs
    if find_spec(needs) is None:
        return f"{needs} is not installed"
    if cores and cores > len(available_cores()):
        return f"there are not {cores} cores"
    if cores and not hasattr(os, "sched_setaffinity"):
        return "this system cannot give a process fewer cores"
    return ""


def measure(name: str, cores: int | None, rounds: int) -> list[Row]:
    """Run a group in a child process, on the first so many cores."""
    everything = available_cores()
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "rows.json"
        command = [sys.executable, "-m", "benchmarks.child", name, str(rounds), str(answer)]
        if cores:
            os.sched_setaffinity(0, everything[:cores])  # the child inherits it, before any library counts cores
        try:
            subprocess.run(command, check=True, cwd=ROOT)
        finally:
            if cores:
                os.sched_setaffinity(0, everything)
        return [Row.from_json(fields) for fields in json.loads(answer.read_text())]


def main(name: str, rounds: int, answer: Path) -> None:
    """What the child does."""
    group = GROUPS[name]
    measured = getattr(import_module(f"benchmarks.{group.module}"), group.function)
    rows: list[Row] = measured(rounds, len(available_cores()))
    answer.write_text(json.dumps([row.as_json() for row in rows]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
