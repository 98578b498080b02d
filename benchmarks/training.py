"""Training: one fit and grids of fits against the eager loop, compiled JAX and the processor's matrix products."""

from __future__ import annotations

import numpy as np

from benchmarks import ceiling, eager
from benchmarks.report import Row
from benchmarks.timing import Runs, Spread, check_same, interleave
from benchmarks.workload import Workload

GRID, LARGE_GRID = 32, 128
OTHER_SHAPES = {
    "tanh": Workload(activation="tanh"),
    **{f"{depth} hidden layer{'s' * (depth > 1)}": Workload(hidden=(100,) * depth) for depth in (1, 3, 4, 5)},
}
MAX_OTHER_ROUNDS = 3  # shapes that are only reported


def single(rounds: int, cores: int) -> list[Row]:
    """One fit, minibatches and full batch."""
    rows = []
    for name, work, target in (("batch 32", Workload(), ">= 8"), ("full batch", Workload(batch_size=None), ">= 7")):
        threads = eager.best_threads(work, cores)
        contenders = {
            "bdlviz": work.fit_loss,
            "eager": lambda seed, work=work, n=threads: eager.loss(work, seed, n),
            "fused": lambda seed, work=work, n=threads: eager.loss(work, seed, n, fused=True),
        }
        runs = interleave(contenders, rounds)
        check_same(f"one fit, {name}", *runs.values())
        mine = runs["bdlviz"]
        note = f"{_seconds(runs['eager'])} / {_seconds(mine)} s; eager on {threads} thread{'s' * (threads > 1)}"
        rows.append(Row(f"one fit, {name}: eager / bdlviz", runs["eager"].over(mine), target, note=note))
        rows.append(Row(f"one fit, {name}: eager with fused Adam / bdlviz", runs["fused"].over(mine)))
    return rows


def grid(rounds: int, cores: int) -> list[Row]:
    """Grids of weight decays, seconds per network, against the eager loop and the matrix products alone."""
    work, on = Workload(), f"on {cores} core{'s' * (cores > 1)}"
    threads = eager.best_threads(work, cores)
    contenders = {
        "bdlviz": lambda seed: work.fit_loss(seed, GRID),
        "eager": lambda seed: eager.loss(work, seed, threads),
        "large": lambda seed: work.fit_loss(seed, LARGE_GRID),
        "products": lambda seed: np.array(ceiling.seconds_per_network_step(work, cores)),
    }
    runs = interleave(contenders, rounds)
    check_same(f"grid {on}", runs["bdlviz"], runs["eager"], runs["large"])
    mine, large = runs["bdlviz"], runs["large"]
    note = f"{_seconds(runs['eager'])} / {_seconds(mine, GRID)} s a network"
    target = {1: ">= 18", 2: ">= 25"}.get(cores, "")
    return [
        Row(f"grid of {GRID} {on}: eager / bdlviz, per network", runs["eager"].over(mine, GRID), target, note=note),
        Row(f"grid of {GRID} {on}: share of the products' speed", _share(runs["products"], mine, work), ">= 0.5"),
        Row(f"grid of {LARGE_GRID} / of {GRID} {on}, per network", large.over(mine, GRID / LARGE_GRID), "<= 1.05"),
    ]


def shapes(rounds: int, cores: int) -> list[Row]:
    """The grid of 32 again, for another activation and other depths."""
    rows = []
    for name, work in OTHER_SHAPES.items():
        threads = eager.best_threads(work, cores)
        contenders = {
            "bdlviz": lambda seed, work=work: work.fit_loss(seed, GRID),
            "eager": lambda seed, work=work, n=threads: eager.loss(work, seed, n),
        }
        runs = interleave(contenders, min(rounds, MAX_OTHER_ROUNDS))
        check_same(name, *runs.values())
        note = f"{_seconds(runs['eager'])} / {_seconds(runs['bdlviz'], GRID)} s a network"
        speed_up = runs["eager"].over(runs["bdlviz"], GRID)
        rows.append(Row(f"grid of {GRID}, {name}: eager / bdlviz, per network", speed_up, note=note))
    return rows


def compiled(rounds: int, cores: int) -> list[Row]:
    """One fit against JAX's compiled scan, with the faster of two generators of random bits."""
    from benchmarks import scan

    work = Workload()
    contenders = {"bdlviz": work.fit_loss, **{bits: scan.compiled(work, bits) for bits in scan.RANDOM_BITS}}
    runs = interleave(contenders, rounds)
    check_same("against JAX", *runs.values())
    best = min(scan.RANDOM_BITS, key=lambda bits: np.median(runs[bits].seconds))
    note = f"{_seconds(runs[best])} / {_seconds(runs['bdlviz'])} s; generator {best}; compilation not counted"
    return [Row("one fit: JAX lax.scan / bdlviz", runs[best].over(runs["bdlviz"]), ">= 1", note=note)]


def decay(rounds: int, cores: int) -> list[Row]:
    """Does a large weight decay slow a fit down? Its weights are so small that plain arithmetic would."""
    weak, strong = Workload(weight_decay=1e-6), Workload(weight_decay=10.0)
    runs = interleave({"weak": weak.fit_loss, "strong": strong.fit_loss}, rounds)
    gap = np.abs(np.array(runs["strong"].reached) - 0.5).max()  # half the variance of y: the function is flat
    if gap > 0.02:
        raise AssertionError(f"At weight decay 10 the loss should be that of a constant, but is {gap} off.")
    return [Row("one fit: λ = 10 / λ = 1e-6", runs["strong"].over(runs["weak"]), "<= 1.1")]


def _share(products: Runs, fits: Runs, work: Workload) -> Spread:
    """Seconds that the products alone need over the seconds the fits took."""
    pairs = zip(products.reached, fits.seconds, strict=True)
    return Spread.of([float(per_step) * work.num_steps * GRID / seconds for per_step, seconds in pairs])


def _seconds(runs: Runs, count: int = 1) -> str:
    return f"{np.median(runs.seconds) / count:.2g}"
