"""A thousand networks look at a thousand digits: predictions by MC dropout against a loop of stochastic passes."""

from __future__ import annotations

import itertools
import resource
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import nn

import bdlviz
from bdlviz.fits import Fit
from bdlviz.types import Array, Dataset
from benchmarks.report import Row
from benchmarks.timing import Runs, Spread, fastest, interleave

SIZES = (784, 500, 500, 10)
NUM_DRAWS, NUM_IMAGES = 1000, 1000
LOOP_DRAWS = 100  # of the loop, whose time is proportional to them
ONE_DIGIT_DRAWS = 50
TARGETS = {(0.5, 1): ">= 12", (0.5, 2): ">= 20"}
MEGABYTE = 1024  # in the unit of ru_maxrss, which is kilobytes


@dataclass(frozen=True)
class Reader:
    """A network trained for a moment on random images: what it has learned does not matter to its speed."""

    dropout_rate: float

    @cached_property
    def images(self) -> Array:
        """Random pixels, (N, D)."""
        return np.random.default_rng(0).random((NUM_IMAGES, SIZES[0]), np.float32)

    @cached_property
    def fit(self) -> Fit:
        """By bdlviz, one epoch."""
        labels = np.random.default_rng(1).integers(10, size=NUM_IMAGES)
        dataset = Dataset("random", "Random", self.images, labels, task="classification", image_shape=(28, 28))
        return bdlviz.fit("mc_dropout", dataset, dropout_rate=self.dropout_rate, num_epochs=1)

    @cached_property
    def net(self) -> nn.Sequential:
        """The same weights in a torch module."""
        layers: list[nn.Module] = []
        for layer, (rows, columns) in enumerate(itertools.pairwise(SIZES)):
            linear = nn.Linear(rows, columns)
            linear.weight.data = torch.from_numpy(self.fit.params[f"weight{layer}"][0, 0].T.copy())
            linear.bias.data = torch.from_numpy(self.fit.params[f"bias{layer}"][0, 0, 0].copy())
            layers += [linear, nn.ReLU(), nn.Dropout(self.dropout_rate)]
        return nn.Sequential(*layers[:-2])

    def loop(self, seed: int, num_draws: int, threads: int) -> Array:
        """Mean and standard deviation of the class probabilities over passes one by one, (2, N, K)."""
        torch.set_num_threads(threads)
        torch.manual_seed(seed)
        self.net.train()
        x = torch.from_numpy(self.images)
        with torch.no_grad():
            draws = torch.stack([self.net(x).softmax(-1) for _ in range(num_draws)])
        return np.stack([draws.mean(0).numpy(), draws.std(0).numpy()])

    def predict(self, seed: int) -> Array:
        """The same by bdlviz, which computes the entropies besides."""
        predictive = self.fit.predict(self.images, NUM_DRAWS, seed=seed)
        return np.stack([predictive.mean, predictive.epistemic_std])


def draws(rounds: int, cores: int) -> list[Row]:
    """At the lecture's dropout rate and at a low one, and the first picture of one digit."""
    rows = [row for rate in (0.5, 0.1) for row in _thousand(Reader(rate), rounds, cores)]
    reader = Reader(0.5)
    one = interleave({"one": lambda seed: _one_digit(reader, seed)}, max(rounds, 5))["one"]
    taken = Spread.of([1000 * seconds for seconds in one.seconds])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE
    return [
        *rows,
        Row(f"{ONE_DIGIT_DRAWS} draws of one digit, {_cores(cores)}", taken, "<= 50", "ms"),
        Row(f"largest memory of all this, {_cores(cores)}", Spread.of([peak]), "<= 1000", "MB"),
    ]


def _thousand(reader: Reader, rounds: int, cores: int) -> list[Row]:
    trials = {n: lambda n=n: reader.loop(0, LOOP_DRAWS // 10, n) for n in range(1, cores + 1)}
    threads = fastest(trials)
    contenders = {
        "bdlviz": reader.predict,
        "loop": lambda seed: reader.loop(seed, LOOP_DRAWS, threads),
    }
    runs = interleave(contenders, rounds)
    _check(runs)
    scale = NUM_DRAWS / LOOP_DRAWS
    loop, mine = scale * np.median(runs["loop"].seconds), np.median(runs["bdlviz"].seconds)
    note = f"{loop:.0f} / {mine:.1f} s; {LOOP_DRAWS} passes timed, on {threads} thread{'s' * (threads > 1)}"
    what = f"{NUM_DRAWS} draws x {NUM_IMAGES} digits, dropout {reader.dropout_rate:g}, {_cores(cores)}"
    target = TARGETS.get((reader.dropout_rate, cores), "")
    return [Row(f"{what}: loop of passes / bdlviz", runs["loop"].over(runs["bdlviz"], scale), target, note=note)]


def _check(runs: dict[str, Runs]) -> None:
    """The same mean probabilities, within six standard errors of the shorter loop."""
    for ours, rival in zip(runs["bdlviz"].reached, runs["loop"].reached, strict=True):
        if np.any(np.abs(ours[0] - rival[0]) > 6 * ours[1] / np.sqrt(LOOP_DRAWS) + 1e-6):
            raise AssertionError("The loop of passes and bdlviz predict different probabilities.")


def _one_digit(reader: Reader, seed: int) -> Array:
    return reader.fit.predict(reader.images[:1], ONE_DIGIT_DRAWS, seed=seed).mean


def _cores(cores: int) -> str:
    return "one core" if cores == 1 else f"{cores} cores"
