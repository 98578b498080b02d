"""Growth of costs: exponents of seconds, and memory, against data, draws, width, networks and visitors."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import bdlviz
from bdlviz.processes.crew import CREW
from bdlviz.types import Array
from benchmarks.memory import peak_megabytes
from benchmarks.report import Row
from benchmarks.timing import Spread, interleave
from benchmarks.workload import Workload

if TYPE_CHECKING:
    from benchmarks.load.server import Server

ROOT = Path(__file__).resolve().parents[1]
LINEAR = "<= 1.1"
NUM_INPUTS = 400

DRAWS = (100, 300, 1000, 3000, 10_000)
GRIDS = (16, 32, 64, 128, 256)
WIDTHS = (32, 64, 128, 256, 512)
FULL_BATCHES = (50, 100, 200, 400, 800)
POINTS = (100, 500, 1000, 5000)
FIT_STEPS, GRID_STEPS, MEMORY_STEPS = 200, 200, 20

MEMORY_DRAWS, MEMORY_GRIDS = (100, 1000, 10_000), (8, 32, 128)
MEMORY_ROUNDS = 2  # few, because a process needs the same memory each time

VISITORS = (10, 20, 40)
SECONDS, WARM_UP = 4.0, 8.0  # duration of each measurement, and of the warm-up
PAUSE = 2.5  # mean seconds between moves of one visitor
ARRIVAL = 2.0  # seconds during which all visitors arrive


def costs(rounds: int, cores: int) -> list[Row]:
    """Rows of seconds against draws, grid, width and data."""
    if cores > 1:
        CREW.start()
    fit, x = Workload(num_steps=FIT_STEPS).fit(), np.linspace(-2, 2, NUM_INPUTS)
    grid = Workload(num_steps=GRID_STEPS)
    draws = {size: lambda seed, size=size: fit.predict(x, size, seed=seed) for size in DRAWS}
    grids = {size: partial(grid.fit, num_networks=size) for size in GRIDS}
    widths = {size: Workload(hidden=(size, size), num_steps=FIT_STEPS).fit for size in WIDTHS}
    full = {size: Workload(num_points=size, batch_size=None, num_steps=FIT_STEPS).fit for size in FULL_BATCHES}
    points = {size: Workload(num_points=size, num_steps=FIT_STEPS).fit for size in POINTS}
    return [
        _growth(f"seconds against draws S of {NUM_INPUTS} inputs", draws, rounds, LINEAR),
        _growth("seconds against networks of a grid", grids, rounds, LINEAR),
        _growth("seconds against the width of two hidden layers", widths, rounds),
        _growth("seconds against points N, full batch", full, rounds),
        _growth("seconds against points N, batch 32", points, rounds),
    ]


def _growth(what: str, calls: Mapping[int, Callable[[int], object]], rounds: int, target: str = "") -> Row:
    """A row with the exponent of seconds against size, for functions of a seed by size."""

    def timed(seed: int, size: int) -> Array:
        calls[size](seed)
        return np.zeros(())

    runs = interleave({str(size): partial(timed, size=size) for size in calls}, rounds)
    seconds = np.array([runs[str(size)].seconds for size in calls])
    medians = [f"{size:,}: {median:.2g}" for size, median in zip(calls, np.median(seconds, 1), strict=True)]
    return Row(what, exponents(list(calls), seconds), target, "exponent", note=f"{', '.join(medians)} s")


def exponents(sizes: Sequence[float], amounts: Array) -> Spread:
    """The exponent b of ``amount = a size^b``, by least squares of logarithms, for each round of (sizes, rounds)."""
    return Spread.of(np.polyfit(np.log(sizes), np.log(amounts), 1)[0].tolist())


def memory(rounds: int, cores: int) -> list[Row]:
    """Rows of the peak memory of a process that draws functions, and of a process that trains a grid."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fit.safetensors"
        Workload(num_steps=FIT_STEPS).fit().save(path)
        drawn = [[_peak_of("draw", size, path) for _ in range(MEMORY_ROUNDS)] for size in MEMORY_DRAWS]
        trained = [[_peak_of("train", size, path) for _ in range(MEMORY_ROUNDS)] for size in MEMORY_GRIDS]
    return [
        _largest(f"memory for draws S of {NUM_INPUTS} inputs", MEMORY_DRAWS, drawn),
        _largest("memory for networks of a grid, torch included", MEMORY_GRIDS, trained),
    ]


def _largest(what: str, sizes: Sequence[int], megabytes: list[list[float]]) -> Row:
    """A row with the memory for the largest size, and a note with that for all sizes."""
    medians = [f"{size:,}: {np.median(each):.0f}" for size, each in zip(sizes, megabytes, strict=True)]
    return Row(f"{what}: {sizes[-1]:,}", Spread.of(megabytes[-1]), unit="MB", note=f"{', '.join(medians)} MB")


def _peak_of(task: str, size: int, path: Path) -> float:
    command = [sys.executable, "-m", "benchmarks.scaling", task, str(size), str(path)]
    environment = os.environ | {"BDLVIZ_WORKERS": "0"}  # training in this process only
    done = subprocess.run(command, check=True, cwd=ROOT, env=environment, capture_output=True, text=True)
    return float(done.stdout)


def _alone(task: str, size: int, path: Path) -> None:
    """The main function of the process whose memory is measured."""
    if task == "draw":
        bdlviz.load(path).predict(np.linspace(-2, 2, NUM_INPUTS), size)
    else:
        Workload(num_steps=MEMORY_STEPS).fit(0, size)


def visitors(rounds: int, cores: int) -> list[Row]:
    """A row of the processor time per event (an opened page or a moved slider) against the number of visitors."""
    from benchmarks.load.server import start

    with start() as server:
        asyncio.run(_per_event(server, VISITORS[-1], WARM_UP, seed=rounds))
        measured = [
            [asyncio.run(_per_event(server, count, SECONDS, seed)) for count in VISITORS] for seed in range(rounds)
        ]
        if complaints := server.complaints():
            raise AssertionError(f"{len(complaints)} errors in the server's log, the first: {complaints[0][:500]}")
    seconds = np.array(measured).T
    medians = [f"{n}: {1000 * median:.0f}" for n, median in zip(VISITORS, np.median(seconds, 1), strict=True)]
    note = f"{', '.join(medians)} ms of the server's processor time an event, on shipped grids"
    all_together = seconds * np.array(VISITORS)[:, None]
    what = "processor time of one event of every visitor against visitors"
    return [Row(what, exponents(VISITORS, all_together), LINEAR, "exponent", note)]


async def _per_event(server: Server, count: int, seconds: float, seed: int) -> float:
    """Processor seconds of the server process per event, with ``count`` visitors for ``seconds``.

    Worker processes are not counted: with few visitors they train grids in the background.
    """
    from benchmarks.load.visitor import Events, Visitor

    events, begin, end = Events(), _used(server), time.monotonic() + seconds
    crowd = [Visitor(server.address, events, 1000 * seed + number, PAUSE, off_grid=0.0) for number in range(count)]
    await asyncio.gather(*(visitor.visit(ARRIVAL * place / count, end) for place, visitor in enumerate(crowd)))
    if events.errors:
        raise AssertionError(f"{count} visitors met {len(events.errors)} errors, the first: {events.errors[0]}")
    return (_used(server) - begin) / sum(len(each) for each in events.seconds.values())


def _used(server: Server) -> float:
    return sum(server.process.cpu_times()[:2])


if __name__ == "__main__":
    _alone(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
    print(peak_megabytes())
