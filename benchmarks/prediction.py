"""Prediction: functions drawn from a fit against stochastic forward passes, in a loop or by a library's wrapper."""

from __future__ import annotations

import numpy as np
import torch

from bdlviz.fits import Fit
from bdlviz.types import Array
from benchmarks import ceiling, eager, wrappers
from benchmarks.peers import compared
from benchmarks.report import Row
from benchmarks.timing import Contender, Runs, Spread, fastest, interleave
from benchmarks.workload import Workload

NUM_DRAWS, NUM_INPUTS = 1000, 400
FEW_DRAWS, FEW_INPUTS = 50, 200
TRIAL_DRAWS = 50
INNER = 5  # number of short calls that are timed together
SIGMAS = 6  # allowed Monte Carlo errors, because thousands of numbers are compared


def draws(rounds: int, cores: int) -> list[Row]:
    """Rows for a thousand draws at two dropout rates, and for the fifty draws of a page."""
    rows = []
    for rate, target in ((0.1, ">= 10"), (0.5, ">= 15")):
        work = Workload(dropout_rate=rate)
        rows += _thousand(work, rounds, cores, target)
    fit = Workload().fit()
    x = np.linspace(-2, 2, FEW_INPUTS)
    runs = interleave({"few": lambda seed: _several(fit, x, seed)}, max(rounds, 5))["few"]
    milliseconds = Spread.of([1000 * seconds / INNER for seconds in runs.seconds])
    rows.append(Row(f"{FEW_DRAWS} draws x {FEW_INPUTS} inputs", milliseconds, "<= 9.9", "ms"))
    return rows


def _thousand(work: Workload, rounds: int, cores: int, target: str) -> list[Row]:
    fit, x = work.fit(), np.linspace(-2, 2, NUM_INPUTS)
    net = wrappers.module(fit)
    inputs = torch.from_numpy(fit.scaling.standardise_x(x[:, None]).astype(np.float32))
    trials = range(1, min(2, cores) + 1)
    threads = fastest({n: lambda n=n: eager.draws(net, inputs, TRIAL_DRAWS, n) for n in trials})
    task = wrappers.Task(net, NUM_DRAWS, is_classifier=False)
    peers = wrappers.contenders(task, inputs, threads, cores)
    if work.dropout_rate != 0.5:  # the wrappers' time does not depend on it
        peers = {wrappers.LOOP: peers[wrappers.LOOP]}
    contenders: dict[str, Contender] = {"bdlviz": lambda seed: _moments(fit, x, seed)}
    runs = interleave(
        contenders | peers | {"peak": lambda seed: np.array(ceiling.peak_flops(cores))},
        rounds,
    )
    mine, loop = runs["bdlviz"], runs[wrappers.LOOP]
    for name in peers:
        _check(name, mine, runs[name])
    what = f"{NUM_DRAWS} draws x {NUM_INPUTS} inputs, dropout {work.dropout_rate:g}"
    note = f"{1000 * np.median(loop.seconds):.0f} / {1000 * np.median(mine.seconds):.0f} ms"
    note += f"; loop on {threads} thread{'s' * (threads > 1)}"
    libraries = {name: runs[name] for name in peers if name != wrappers.LOOP}
    return [
        Row(f"{what}: loop of passes / bdlviz", loop.over(mine), target, note=note),
        *compared(what, mine, libraries, "", 1000, "ms"),
        Row(f"{what}: share of peak arithmetic", _share(work, mine, runs["peak"]), note="products of kept units only"),
    ]


def _moments(fit: Fit, x: Array, seed: int) -> Array:
    """Standardised mean and epistemic standard deviation of bdlviz, (2, N, 1)."""
    predictive = fit.predict(x, NUM_DRAWS, seed=seed)
    shift, scale = fit.scaling.y_mean, fit.scaling.y_scale
    return np.stack([(predictive.mean - shift) / scale, predictive.epistemic_std / scale]).reshape(2, -1, 1)


def _check(name: str, mine: Runs, theirs: Runs) -> None:
    """Fail unless mean and standard deviation agree at every input, up to Monte Carlo errors."""
    for ours, rival in zip(mine.reached, theirs.reached, strict=True):
        if not np.all(np.abs(ours - rival) <= SIGMAS * ours[1] * np.sqrt(2 / NUM_DRAWS)):
            raise AssertionError(f"{name} and bdlviz predict different means or standard deviations.")


def _several(fit: Fit, x: Array, seed: int) -> Array:
    for repeat in range(INNER):
        fit.predict(x, FEW_DRAWS, seed=seed + repeat)
    return np.zeros(())


def _share(work: Workload, mine: Runs, peak: Runs) -> Spread:
    """Operations per second over the peak; rows of dropped hidden units are not counted."""
    keep, (first, second) = 1 - work.dropout_rate, work.hidden
    operations = 2 * NUM_DRAWS * NUM_INPUTS * keep * (first * second + second)
    pairs = zip(mine.seconds, peak.reached, strict=True)
    return Spread.of([operations / seconds / float(flops) for seconds, flops in pairs])
