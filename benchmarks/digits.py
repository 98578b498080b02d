"""MC dropout with a thousand draws on a thousand digits: by bdlviz, in a loop, and by the libraries' wrappers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn

import bdlviz
from bdlviz.fits import Fit
from bdlviz.types import Array, Dataset
from benchmarks import ceiling, wrappers
from benchmarks.peers import compared
from benchmarks.report import Row
from benchmarks.timing import Contender, Runs, Spread, fastest, interleave

SIZES = (784, 500, 500, 10)
NUM_DRAWS, NUM_IMAGES = 1000, 1000
LOOP_DRAWS = 25  # draws of the peers, whose time is proportional to the number of draws
MEMORY_DRAWS = 100  # draws of the peers for memory, because a thousand in one batch may not fit into memory
TRIAL_DRAWS = 10
ONE_DIGIT_DRAWS = 50
TARGETS = {0.5: ">= 15", 0.1: ">= 10"}
SIGMAS = 8  # allowed Monte Carlo errors; means of few skewed probabilities have heavier tails than a Gaussian


@dataclass(frozen=True)
class Reader:
    """A network trained briefly on random images, since its weights do not affect the speed."""

    dropout_rate: float

    @cached_property
    def images(self) -> Array:
        """Random pixels, (N, D)."""
        return np.random.default_rng(0).random((NUM_IMAGES, SIZES[0]), np.float32)

    @cached_property
    def fit(self) -> Fit:
        """The network, trained by bdlviz for one epoch."""
        labels = np.random.default_rng(1).integers(10, size=NUM_IMAGES)
        dataset = Dataset("random", "Random", self.images, labels, task="classification", image_shape=(28, 28))
        return bdlviz.fit("mc_dropout", dataset, dropout_rate=self.dropout_rate, num_epochs=1)

    @cached_property
    def net(self) -> nn.Sequential:
        """The same weights in a torch module."""
        return wrappers.module(self.fit)

    @cached_property
    def inputs(self) -> Tensor:
        """The images as a tensor."""
        return torch.from_numpy(self.images)

    def predict(self, seed: int) -> Array:
        """Mean and standard deviation of the class probabilities, (2, N, K); bdlviz also computes the entropies."""
        predictive = self.fit.predict(self.images, NUM_DRAWS, seed=seed)
        return np.stack([predictive.mean, predictive.epistemic_std])


def draws(rounds: int, cores: int) -> list[Row]:
    """Rows for the dropout rate of the lecture, for a low rate, and for the first figure of one digit."""
    rows = [row for rate in (0.5, 0.1) for row in _thousand(Reader(rate), rounds, cores)]
    reader = Reader(0.5)
    one = interleave({"one": lambda seed: _one_digit(reader, seed)}, max(rounds, 5))["one"]
    taken = Spread.of([1000 * seconds for seconds in one.seconds])
    return [*rows, Row(f"{ONE_DIGIT_DRAWS} draws of one digit, {_cores(cores)}", taken, "<= 50", "ms")]


def _thousand(reader: Reader, rounds: int, cores: int) -> list[Row]:
    threads = _best_threads(reader, cores)
    peers = wrappers.contenders(wrappers.Task(reader.net, LOOP_DRAWS, True), reader.inputs, threads, cores)
    if reader.dropout_rate != 0.5 or cores == 1:  # the wrappers' time does not depend on the rate
        peers = {wrappers.LOOP: peers[wrappers.LOOP]}
    contenders: dict[str, Contender] = {"bdlviz": reader.predict}
    peak: dict[str, Contender] = {"peak": lambda seed: np.array(ceiling.peak_flops(cores))}
    runs = interleave(contenders | peers | peak, rounds)
    mine, scale = runs["bdlviz"], NUM_DRAWS / LOOP_DRAWS
    theirs = {name: Runs([scale * taken for taken in runs[name].seconds], runs[name].reached) for name in peers}
    for name, run in theirs.items():
        _check(name, mine, run)
    what = f"{NUM_DRAWS} draws x {NUM_IMAGES} digits, dropout {reader.dropout_rate:g}, {_cores(cores)}"
    loop = theirs.pop(wrappers.LOOP)
    note = f"{np.median(loop.seconds):.0f} / {np.median(mine.seconds):.1f} s; "
    note += f"{LOOP_DRAWS} passes timed, on {threads} thread{'s' * (threads > 1)}"
    share = _share(reader, mine, runs["peak"])
    return [
        Row(f"{what}: loop of passes / bdlviz", loop.over(mine), TARGETS[reader.dropout_rate], note=note),
        *compared(what, mine, theirs, "", 1, "s"),
        Row(f"{what}: share of peak arithmetic", share, note="products of kept units only"),
    ]


def _best_threads(reader: Reader, cores: int) -> int:
    """The number of threads with which the loop is fastest."""
    predict = wrappers.predictor(wrappers.LOOP, wrappers.Task(reader.net, TRIAL_DRAWS, True))
    assert predict is not None  # the loop needs only torch
    loops = {n: wrappers.contender(predict, reader.inputs, n) for n in range(1, cores + 1)}
    return fastest({n: lambda loop=loop: loop(0) for n, loop in loops.items()})


def _check(name: str, mine: Runs, theirs: Runs) -> None:
    """Fail unless the mean probabilities agree up to the Monte Carlo errors of `LOOP_DRAWS` draws."""
    for ours, rival in zip(mine.reached, theirs.reached, strict=True):
        if not np.all(np.abs(ours[0] - rival[0]) <= SIGMAS * ours[1] / np.sqrt(LOOP_DRAWS) + 1e-6):
            raise AssertionError(f"{name} and bdlviz predict different probabilities.")


def _share(reader: Reader, mine: Runs, peak: Runs) -> Spread:
    """Operations per second over the peak; only weights between kept units are counted, and the first layer once."""
    keep, (inputs, first, second, outputs) = 1 - reader.dropout_rate, SIZES
    products = inputs * first + NUM_DRAWS * keep * (keep * first * second + second * outputs)
    operations = 2 * NUM_IMAGES * products
    pairs = zip(mine.seconds, peak.reached, strict=True)
    return Spread.of([operations / seconds / float(flops) for seconds, flops in pairs])


def _one_digit(reader: Reader, seed: int) -> Array:
    return reader.fit.predict(reader.images[:1], ONE_DIGIT_DRAWS, seed=seed).mean


def _cores(cores: int) -> str:
    return "one core" if cores == 1 else f"{cores} cores"
