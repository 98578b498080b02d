"""Training of one fit and of grids, compared with the eager loop, compiled JAX and the matrix products alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bdlviz.processes.crew import CREW
from benchmarks import ceiling, eager
from benchmarks.peers import imported
from benchmarks.report import Row
from benchmarks.timing import Contender, Runs, Spread, interleave
from benchmarks.workload import Workload

if TYPE_CHECKING:
    from benchmarks.scan import Compiled, Way

GRID, LARGE_GRID = 32, 128
GRID_STEPS = {8: 1000, GRID: 800, LARGE_GRID: 200}  # steps of each network, fewer for larger grids
WIDE = 100  # smallest width for which a grid has a target for its share of the products' speed
MARGIN = 0.1  # relative difference of mean losses that is allowed in addition to four standard errors


class Shape(NamedTuple):
    """A network, and the steps of one fit and of each fit of a grid, fewer for larger networks."""

    name: str
    work: Workload
    fit_steps: int
    grid_steps: int


SHAPES = (
    Shape("tanh", Workload(activation="tanh"), 400, 150),
    Shape("1 hidden layer", Workload(hidden=(100,)), 500, 400),
    Shape("3 hidden layers", Workload(hidden=(100,) * 3), 400, 150),
    Shape("4 hidden layers", Workload(hidden=(100,) * 4), 300, 100),
    Shape("5 hidden layers", Workload(hidden=(100,) * 5), 300, 80),
    Shape("width 64", Workload(hidden=(64, 64)), 500, 250),
    Shape("width 128", Workload(hidden=(128, 128)), 400, 150),
    Shape("width 256", Workload(hidden=(256, 256)), 150, 50),
    Shape("width 512", Workload(hidden=(512, 512)), 80, 25),
)


@dataclass(frozen=True)
class Race:
    """One fit, or a grid of weight decays, by all contenders on ``cores`` cores; ``target`` is for the eager loop."""

    what: str
    work: Workload
    num_networks: int
    cores: int
    target: str = ""
    has_fused: bool = False  # True if the eager loop with fused Adam is a contender, too

    def run(self, rounds: int, like: Way | None = None) -> tuple[list[Row], Way | None]:
        """The rows, and the best options of JAX for the next race; ``like`` are those of another race."""
        threads, compiled = eager.best_threads(self.work, self.cores), self._compiled(like)
        runs = interleave(self._contenders(threads, compiled), rounds)
        check_losses(self.what, *(each for name, each in runs.items() if name != "products"))
        rows = self._rows(runs, f"{self.work.num_steps} steps; eager on {threads} thread{'s' * (threads > 1)}")
        if compiled is None:
            return rows, None
        ratio, note = runs["JAX"].over(runs["bdlviz"]), f"{self._seconds(runs, 'JAX')}; {compiled.note}"
        return [*rows, Row(f"{self.what}: JAX lax.scan / bdlviz", ratio, ">= 1", note=note)], compiled.way

    def _compiled(self, like: Way | None) -> Compiled | None:
        if imported("jax") is None:
            return None
        from benchmarks import scan

        return scan.best(self.work, self.num_networks, self.cores, like)

    def _contenders(self, threads: int, compiled: Compiled | None) -> dict[str, Contender]:
        """All contenders by name; of a grid, the eager loop trains only one network."""
        contenders: dict[str, Contender] = {
            "bdlviz": partial(self.work.fit_loss, num_networks=self.num_networks),
            "eager": partial(eager.loss, self.work, threads=threads),
        }
        if self.has_fused:
            contenders["fused"] = partial(eager.loss, self.work, threads=threads, fused=True)
        if compiled is not None:
            contenders["JAX"] = compiled.run
        if len(self.work.hidden) > 1:
            contenders["products"] = lambda seed: np.array(self._products())
        return contenders

    def _products(self) -> float:
        """Seconds of the large products of one network and step at best; for a single fit on one core."""
        if self.num_networks == 1:
            return ceiling.seconds_per_network_step(self.work, 1, blocks=(1,))
        return ceiling.seconds_per_network_step(self.work, self.cores)

    def _rows(self, runs: dict[str, Runs], note: str) -> list[Row]:
        mine, count, per = runs["bdlviz"], self.num_networks, ", per network" if self.num_networks > 1 else ""
        note = f"{self._seconds(runs, 'eager')}; {note}"
        rows = [Row(f"{self.what}: eager / bdlviz{per}", runs["eager"].over(mine, count), self.target, note=note)]
        if "fused" in runs:
            rows.append(Row(f"{self.what}: eager with fused Adam / bdlviz{per}", runs["fused"].over(mine, count)))
        if "products" in runs:
            is_aim = count > 1 and min(self.work.hidden) >= WIDE
            share = self._share(runs["products"], mine)
            rows.append(Row(f"{self.what}: share of the products' speed", share, ">= 0.6" if is_aim else ""))
        return rows

    def _share(self, products: Runs, mine: Runs) -> Spread:
        """The seconds of the products alone divided by the seconds of the fits."""
        count = self.work.num_steps * self.num_networks
        pairs = zip(products.reached, mine.seconds, strict=True)
        return Spread.of([float(per_step) * count / seconds for per_step, seconds in pairs])

    def _seconds(self, runs: dict[str, Runs], rival: str) -> str:
        """The seconds per network of the rival and of bdlviz, as text."""
        trained = {"eager": 1}.get(rival, self.num_networks)
        theirs, ours = (np.median(runs[name].seconds) for name in (rival, "bdlviz"))
        return f"{theirs / trained:.2g} / {ours / self.num_networks:.2g} s" + " a network" * (self.num_networks > 1)


def single(rounds: int, cores: int) -> list[Row]:
    """Rows for one fit: minibatches, full batch, and other networks."""
    first = Race("one fit, batch 32", Workload(), 1, cores, ">= 8", has_fused=True)
    full = Race("one fit, full batch", Workload(batch_size=None), 1, cores, ">= 7", has_fused=True)
    others = [Race(f"one fit, {s.name}", replace(s.work, num_steps=s.fit_steps), 1, cores) for s in SHAPES]
    return _all([first, full, *others], rounds)


def grid(rounds: int, cores: int) -> list[Row]:
    """Rows for grids of 8, 32 and 128 weight decays."""
    _prepare(cores)
    on, aims = f"on {cores} core{'s' * (cores > 1)}", {GRID: {1: ">= 18", 2: ">= 25"}.get(cores, "")}
    works = {count: Workload(num_steps=steps) for count, steps in GRID_STEPS.items()}
    races = [Race(f"grid of {count} {on}", work, count, cores, aims.get(count, "")) for count, work in works.items()]
    sizes = {str(count): partial(works[count].fit_loss, num_networks=count) for count in (GRID, LARGE_GRID)}
    runs = interleave(sizes, rounds)
    networks = LARGE_GRID * GRID_STEPS[LARGE_GRID] / (GRID * GRID_STEPS[GRID])
    ratio = runs[str(LARGE_GRID)].over(runs[str(GRID)], 1 / networks)
    return [*_all(races, rounds), Row(f"grid of {LARGE_GRID} / of {GRID} {on}, per network", ratio, "<= 1.05")]


def shapes(rounds: int, cores: int) -> list[Row]:
    """Rows for the grid of 32 with other networks."""
    _prepare(cores)
    races = [Race(f"grid of {GRID}, {s.name}", replace(s.work, num_steps=s.grid_steps), GRID, cores) for s in SHAPES]
    return _all(races, rounds)


def decay(rounds: int, cores: int) -> list[Row]:
    """A row for a fit with a large weight decay, whose weights would be denormal numbers if they were not set to 0."""
    weak, strong = Workload(weight_decay=1e-6), Workload(weight_decay=10.0)
    runs = interleave({"weak": weak.fit_loss, "strong": strong.fit_loss}, rounds)
    gap = np.abs(np.array(runs["strong"].reached) - 0.5).max()  # half the variance of y: the function is flat
    if gap > 0.02:
        raise AssertionError(f"At weight decay 10 the loss should be that of a constant, but it differs by {gap}.")
    return [Row("one fit: λ = 10 / λ = 1e-6", runs["strong"].over(runs["weak"]), "<= 1.1")]


def check_losses(what: str, *contenders: Runs) -> None:
    """Fail unless the mean losses of all contenders agree within four standard errors plus `MARGIN`.

    The variance over seeds is estimated from all contenders together, since each has few rounds. Of a grid, the eager
    loop trains only the first network.
    """
    reached = [np.array(runs.reached).reshape(len(runs.reached), -1) for runs in contenders]
    for losses in (np.stack([each[:, 0] for each in reached]), *_others(reached)):
        means, error = losses.mean(1), np.sqrt(losses.var(1, ddof=1).mean() * 2 / losses.shape[1])
        if np.ptp(means) > 4 * error + MARGIN * means.mean():
            raise AssertionError(f"{what}: mean losses {means} with a standard error of {error:.2g} for a difference.")


def _others(reached: list[np.ndarray]) -> list[np.ndarray]:
    """The losses of each further network of a grid, (contenders, rounds), for the contenders that trained it."""
    whole = [each for each in reached if each.shape[1] > 1]
    return [np.stack([each[:, network] for each in whole]) for network in range(1, whole[0].shape[1])] if whole else []


def _all(races: list[Race], rounds: int) -> list[Row]:
    """The rows of all races; the fastest options of masks in JAX are those of the first race."""
    rows: list[Row] = []
    way = None
    for race in races:
        some, way = race.run(rounds, way)
        rows += some
    return rows


def _prepare(cores: int) -> None:
    """Start the worker processes for grids, as the app does."""
    if cores > 1:
        CREW.start()
