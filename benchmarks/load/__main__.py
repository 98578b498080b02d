"""`python -m benchmarks.load`: many visitors on one server of this machine; prints waiting times and resources."""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
import time
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from benchmarks.load.server import Replicas, start_replicas
from benchmarks.load.visitor import Events, Visitor
from benchmarks.report import machine

RESULTS = Path(__file__).resolve().parents[1] / "results"
MAX_VISITORS, MAX_MINUTES, MAX_REPLICAS = 500, 60.0, 4
ARRIVAL_S = 5.0  # seconds during which all visitors arrive
WARM_UP_S = 60.0  # seconds before the memory at the start of the comparison is measured
SAMPLE_INTERVAL_S = 1.0  # seconds between two measurements of the server
TARGETS = {"shipped grid": 1.0, "fresh fit": 5.0}  # 95th percentile of the seconds to the picture
MAX_MEMORY, MAX_GROWTH = 2.5, 1.3  # GB; end over warm


@dataclass
class Cost:
    """The resources of the server at one moment."""

    seconds: float
    memory: float  # GB
    processor: float  # seconds
    running: float  # fits
    waiting: float
    threads: int


def main() -> int:
    """Run the load; returns 1 if there was an error or a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--visitors", type=int, default=100, help=f"at most {MAX_VISITORS} (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=5.0, help=f"at most {MAX_MINUTES:g} (default: %(default)s)")
    parser.add_argument("--pause", type=float, default=8.0, help="mean seconds between moves (default: %(default)s)")
    parser.add_argument("--off-grid", type=float, default=0.2, help="share of moves that train (default: %(default)s)")
    parser.add_argument(
        "--replicas", type=int, default=2, help=f"servers, at most {MAX_REPLICAS} (default: %(default)s)"
    )
    parser.add_argument("--port", type=int, default=0, help="of the first server (default: a free one)")
    options = parser.parse_args()
    if not (1 <= options.visitors <= MAX_VISITORS and 0 < options.minutes <= MAX_MINUTES and options.pause > 0):
        parser.error(f"1 to {MAX_VISITORS} visitors, up to {MAX_MINUTES:g} minutes, and a pause above 0")
    if not 1 <= options.replicas <= MAX_REPLICAS:
        parser.error(f"1 to {MAX_REPLICAS} replicas")
    with start_replicas(options.replicas, options.port) as servers:
        events, costs, own = asyncio.run(_run(servers, options))
        counters, complaints = servers.metrics(), servers.complaints()
    problems = _print(options, events, costs, own)
    if complaints:
        problems.append(f"{len(complaints)} errors in the server's log, the first: {complaints[0][:500]}")
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"load-{datetime.now():%Y-%m-%d-%H%M%S}.json"
    run = {"machine": machine(), "options": vars(options), "events": asdict(events), "counters": counters}
    path.write_text(json.dumps(run | {"costs": [asdict(cost) for cost in costs], "problems": problems}) + "\n")
    print("\n" + ("\n".join(problems) or "All targets met."))
    return int(bool(problems))


async def _run(servers: Replicas, options: argparse.Namespace) -> tuple[Events, list[Cost], float]:
    events, end, own = Events(), time.monotonic() + 60 * options.minutes, time.process_time()
    visitors = [
        Visitor(servers.address(number), events, number, options.pause, options.off_grid)
        for number in range(options.visitors)
    ]
    watching = asyncio.create_task(_watch(servers, end))
    await asyncio.gather(
        *(visitor.visit(ARRIVAL_S * place / len(visitors), end) for place, visitor in enumerate(visitors))
    )
    return events, await watching, time.process_time() - own


async def _watch(servers: Replicas, end: float) -> list[Cost]:
    costs, begin = [], time.monotonic()
    while time.monotonic() < end:
        counted = await asyncio.to_thread(servers.metrics)
        costs.append(
            Cost(
                seconds=time.monotonic() - begin,
                memory=servers.memory(),
                processor=servers.processor_seconds(),
                running=_total(counted, "bdlviz_jobs_running"),
                waiting=_total(counted, "bdlviz_jobs_waiting"),
                threads=servers.num_threads(),
            )
        )
        await asyncio.sleep(SAMPLE_INTERVAL_S)
    return costs


def _total(counted: dict[str, float], name: str) -> float:
    return sum(value for key, value in counted.items() if key.partition("{")[0] == name)


def _print(options: argparse.Namespace, events: Events, costs: list[Cost], own: float) -> list[str]:
    """Print the table; returns the targets that were missed, as sentences."""
    problems = [f"{len(events.errors)} errors, the first: {events.errors[0]}"] if events.errors else []
    print(f"{options.visitors} visitors, {options.replicas} servers, ", end="")
    print(f"{options.minutes:g} min, mean pause {options.pause:g} s\n")
    print("| event | number | picture p50 | p95 | slowest | whole page p50 | p95 |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for kind, seconds in sorted(events.seconds.items()):
        picture, rest = np.array(seconds).T
        cells = [*np.percentile(picture, (50, 95, 100)), *np.percentile(rest, (50, 95))]
        print(f"| {kind} | {len(seconds)} | " + " | ".join(f"{cell:.2f} s" for cell in cells) + " |")
        if cells[1] > TARGETS.get(kind, math.inf):
            problems.append(f"{kind}: p95 {cells[1]:.2f} s is over {TARGETS[kind]:g} s.")
    warm = next((cost for cost in costs if cost.seconds > min(WARM_UP_S, costs[-1].seconds / 2)), costs[-1])
    last, most = costs[-1], max(cost.memory for cost in costs)
    print(f"\nerrors {len(events.errors)}; fits that showed progress or a place in the queue {events.num_queued}")
    print(f"memory {warm.memory:.2f} GB warm, {last.memory:.2f} GB at the end, {most:.2f} GB at most")
    print(
        f"fits running at most {max(c.running for c in costs):.0f}, waiting {max(c.waiting for c in costs):.0f}; ",
        end="",
    )
    print(f"threads at most {max(cost.threads for cost in costs)}")
    print(f"cores used: server {last.processor / last.seconds:.2f}, visitors {own / last.seconds:.2f}; ", end="")
    print(f"{events.num_bytes / 1e6 / last.seconds:.1f} MB a second sent")
    if most > MAX_MEMORY:
        problems.append(f"memory: {most:.2f} GB is over {MAX_MEMORY:g} GB.")
    if last.memory > MAX_GROWTH * warm.memory:
        problems.append(f"memory: it grew to {last.memory / warm.memory:.2f} times that after the warm-up.")
    return problems


if __name__ == "__main__":
    sys.exit(main())
