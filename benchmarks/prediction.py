"""Prediction: functions drawn from a fit against a loop of stochastic forward passes, and against the processor."""

from __future__ import annotations

import numpy as np
import torch

from bdlviz.fits import Fit
from bdlviz.types import Array
from benchmarks import ceiling, eager
from benchmarks.report import Row
from benchmarks.timing import Runs, Spread, fastest, interleave
from benchmarks.workload import Workload

NUM_DRAWS, NUM_INPUTS = 1000, 400
FEW_DRAWS, FEW_INPUTS = 50, 200
TRIAL_DRAWS = 50
INNER = 5  # short calls timed together


def draws(rounds: int, cores: int) -> list[Row]:
    """A thousand draws at two dropout rates, and the fifty of a page."""
    rows = []
    for rate, target in ((0.1, ">= 10"), (0.5, ">= 10")):
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
    net = _module(fit, work)
    inputs = torch.from_numpy(fit.scaling.standardise_x(x[:, None]).astype(np.float32))
    trials = range(1, min(2, cores) + 1)
    threads = fastest({n: lambda n=n: eager.draws(net, inputs, TRIAL_DRAWS, n) for n in trials})

    def rival(seed: int) -> Array:
        torch.manual_seed(seed)
        return eager.draws(net, inputs, NUM_DRAWS, threads) * fit.scaling.y_scale.ravel()[0]

    contenders = {
        "bdlviz": lambda seed: _moments(fit, x, seed),
        "eager": rival,
        "peak": lambda seed: np.array(ceiling.peak_flops(cores)),
    }
    runs = interleave(contenders, rounds)
    _check(runs["bdlviz"], runs["eager"])
    what = f"{NUM_DRAWS} draws x {NUM_INPUTS} inputs, dropout {work.dropout_rate:g}"
    note = f"{1000 * np.median(runs['eager'].seconds):.0f} / {1000 * np.median(runs['bdlviz'].seconds):.0f} ms"
    note += f"; loop on {threads} thread{'s' * (threads > 1)}"
    share = _share(work, runs["bdlviz"], runs["peak"])
    return [
        Row(f"{what}: loop of passes / bdlviz", runs["eager"].over(runs["bdlviz"]), target, note=note),
        Row(f"{what}: share of peak arithmetic", share, note="products of kept units only"),
    ]


def _moments(fit: Fit, x: Array, seed: int) -> Array:
    """Mean and epistemic standard deviation, (2, N)."""
    predictive = fit.predict(x, NUM_DRAWS, seed=seed)
    return np.stack([predictive.mean[:, 0] - fit.scaling.y_mean.ravel()[0], predictive.epistemic_std[:, 0]])


def _check(mine: Runs, theirs: Runs) -> None:
    """The same mean and standard deviation at every input, within five Monte Carlo standard errors."""
    for ours, rival in zip(mine.reached, theirs.reached, strict=True):
        error = ours[1] * np.sqrt(2 / NUM_DRAWS)
        if np.any(np.abs(ours - rival) > 5 * error):
            raise AssertionError("The loop of passes and bdlviz predict different means or standard deviations.")


def _several(fit: Fit, x: Array, seed: int) -> Array:
    for repeat in range(INNER):
        fit.predict(x, FEW_DRAWS, seed=seed + repeat)
    return np.zeros(())


def _module(fit: Fit, work: Workload) -> torch.nn.Sequential:
    """The same weights in a torch module."""
    net = eager.network(work)
    linear = [layer for layer in net if isinstance(layer, torch.nn.Linear)]
    with torch.no_grad():
        for i, layer in enumerate(linear):
            layer.weight.copy_(torch.from_numpy(fit.params[f"weight{i}"][0, 0].T.copy()))
            layer.bias.copy_(torch.from_numpy(fit.params[f"bias{i}"][0, 0, 0].copy()))
    return net


def _share(work: Workload, mine: Runs, peak: Runs) -> Spread:
    """Operations per second, over the peak: rows of dropped hidden units are left out of the count."""
    keep, (first, second) = 1 - work.dropout_rate, work.hidden
    operations = 2 * NUM_DRAWS * NUM_INPUTS * keep * (first * second + second)
    pairs = zip(mine.seconds, peak.reached, strict=True)
    return Spread.of([operations / seconds / float(flops) for seconds, flops in pairs])
