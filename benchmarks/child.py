"""One group of benchmarks in a separate process: `python -m benchmarks.child NAME ROUNDS ANSWER.json`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from benchmarks.report import Row, versions
from tests.browser import chromium

ROOT = Path(__file__).resolve().parents[1]
BROWSER = "playwright"


@dataclass(frozen=True)
class Group:
    """A group of benchmarks: the module and name of its function ``(rounds, cores) -> rows``, and its requirements.

    ``cores`` are the numbers of cores to measure on; None means all. ``needs`` is a package. ``workload`` is a key of
    `report.WORKLOADS`, or 0.
    """

    module: str
    function: str
    cores: tuple[int | None, ...] = (None,)
    needs: str = "torch"
    workload: int = 0


GROUPS: dict[str, Group] = {
    "fit": Group("training", "single", workload=1),
    "grid": Group("training", "grid", cores=(1, 2), workload=1),
    "shapes": Group("training", "shapes", workload=1),
    "decay": Group("training", "decay", workload=1),
    "draws": Group("prediction", "draws", workload=2),
    "digits": Group("digits", "draws", cores=(1, 2), workload=2),
    "draw_memory": Group("prediction_memory", "memory", workload=2),
    "weights": Group("weights", "training", workload=3),
    "vae": Group("generative", "training", workload=4),
    "vae_epoch": Group("generative", "epoch", workload=4),
    "embedding": Group("generative", "embedding", workload=4),
    "chains": Group("chains", "tanh", workload=5),
    "chains_relu": Group("chains", "relu", workload=5),
    "concrete": Group("concrete", "training", cores=(1,), workload=6),
    "ensembles": Group("ensembles", "training", cores=(1,), workload=6),
    "laplace": Group("laplace", "predictive", cores=(1,), needs="laplace", workload=6),
    "pages": Group("browser", "pages", needs=BROWSER, workload=7),
    "start": Group("browser", "start", needs=BROWSER, workload=7),
    "scrub": Group("scrub", "pages", needs=BROWSER, workload=7),
    "scenes": Group("scenes", "links", needs=BROWSER, workload=7),
    "live": Group("live", "training", needs=BROWSER, workload=9),
    "tabs": Group("tabs", "idle", needs="psutil", workload=9),
    "scaling": Group("scaling", "costs", workload=8),
    "memory": Group("scaling", "memory", workload=8),
    "visitors": Group("scaling", "visitors", needs="psutil", workload=8),
}


def available_cores() -> list[int]:
    """The cores this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def why_not(name: str, cores: int | None) -> str:
    """The reason why a group cannot be measured here, or ""."""
    needs = GROUPS[name].needs
    if find_spec(needs) is None:
        return f"{needs} is not installed"
    if needs == BROWSER and chromium.find() is None:
        return "there is no Chromium"
    if cores and cores > len(available_cores()):
        return f"there are not {cores} cores"
    if cores and not hasattr(os, "sched_setaffinity"):
        return "this system cannot give a process fewer cores"
    return ""


def measure(name: str, cores: int | None, rounds: int) -> list[Row]:
    """Run a group in a child process, on the first ``cores`` cores."""
    everything = available_cores()
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "rows.json"
        command = [sys.executable, "-m", "benchmarks.child", name, str(rounds), str(answer)]
        if cores:
            os.sched_setaffinity(0, everything[:cores])  # inherited by the child before its libraries count the cores
        try:
            subprocess.run(command, check=True, cwd=ROOT)
        finally:
            if cores:
                os.sched_setaffinity(0, everything)
        return [Row.from_json(fields) for fields in json.loads(answer.read_text())]


def main(name: str, rounds: int, answer: Path) -> None:
    """The main function of the child process."""
    group = GROUPS[name]
    function = getattr(import_module(f"benchmarks.{group.module}"), group.function)
    rows: list[Row] = function(rounds, len(available_cores()))
    known = {"group": name, "workload": group.workload, "versions": versions(sys.modules)}
    answer.write_text(json.dumps([replace(row, **known).as_json() for row in rows]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
