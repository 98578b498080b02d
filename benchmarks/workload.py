"""The fit that most benchmarks time, and its training with bdlviz."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import bdlviz
from bdlviz.fits import Fit
from bdlviz.types import Array

NOISE_STD = 0.1
LEARNING_RATE = 1e-3


@dataclass(frozen=True)
class Workload:
    """MC dropout on 100 points of a noisy sine; by default 1-100-100-1, 2000 Adam steps on minibatches of 32.

    ``curve`` is the name of a data set of bdlviz that replaces the sine.
    """

    hidden: tuple[int, ...] = (100, 100)
    activation: str = "relu"
    batch_size: int | None = 32
    num_steps: int = 2000
    dropout_rate: float = 0.1
    weight_decay: float = 1e-4
    curve: str = ""
    num_points: int = 100  # of the sine

    @cached_property
    def data(self) -> tuple[Array, Array]:
        """Standardised x and y, (N,)."""
        if self.curve:
            dataset = bdlviz.dataset(self.curve)
            x, y = dataset.x[:, 0], dataset.y[:, 0]
        else:
            rng = np.random.default_rng(0)
            x = rng.uniform(-1, 1, self.num_points)
            y = np.sin(4 * x) + NOISE_STD * rng.standard_normal(self.num_points)
        return (x - x.mean()) / x.std(), (y - y.mean()) / y.std()

    @property
    def columns(self) -> tuple[Array, Array]:
        """X and y as (N, 1) float32."""
        x, y = (values.astype(np.float32)[:, None] for values in self.data)
        return x, y

    @property
    def num_data(self) -> int:
        """Number of points N."""
        return len(self.data[0])

    @property
    def num_batch(self) -> int:
        """The batch size B."""
        return self.batch_size or self.num_data

    @property
    def sizes(self) -> tuple[int, ...]:
        """Widths of all layers, inputs and outputs included."""
        return (1, *self.hidden, 1)

    def decays(self, num_networks: int) -> tuple[float, ...]:
        """The weight decays of a grid; the first is that of this workload."""
        return (self.weight_decay, *np.geomspace(1.1e-6, 10, num_networks - 1).tolist())

    def fit(self, seed: int = 0, num_networks: int = 1) -> Fit:
        """The fit by bdlviz, with this weight decay or with a grid of which it is the first."""
        return bdlviz.fit(
            "mc_dropout",
            self.data,
            seed=seed,
            hidden=self.hidden,
            activation=self.activation,
            num_steps=self.num_steps,
            batch_size=self.batch_size,
            learning_rate=LEARNING_RATE,
            noise_std=NOISE_STD,
            dropout_rate=self.dropout_rate,
            weight_decay=self.decays(num_networks),
        )

    def fit_loss(self, seed: int = 0, num_networks: int = 1) -> Array:
        """`final_loss` after training by bdlviz; for a grid, of its first, middle and last network."""
        return self.some_losses({name: array[0] for name, array in self.fit(seed, num_networks).params.items()})

    def some_losses(self, params: Mapping[str, Array]) -> Array:
        """`final_loss` of the first, the middle and the last network of a grid (C, in, out), or of its only one."""
        count = len(params["weight0"])
        some = [0, count // 2, count - 1] if count > 1 else 0
        return self.final_loss({name: array[some] for name, array in params.items()})

    def final_loss(self, params: Mapping[str, Array]) -> Array:
        """Mean of (y - f)^2 / 2 over the data without dropout, for weight{i} (..., in, out) and bias{i}."""
        act = {"relu": lambda a: np.maximum(a, 0), "tanh": np.tanh}[self.activation]
        h, y = self.columns
        for layer in range(len(self.sizes) - 1):
            h = h @ params[f"weight{layer}"] + params[f"bias{layer}"]
            h = act(h) if layer < len(self.hidden) else h
        return 0.5 * np.mean((h - y) ** 2, axis=(-2, -1))

    def minibatches(self, seed: int) -> Array:
        """Indices of the minibatches of all steps, (T, B), from permutations of the data one after the other."""
        rng, size = np.random.default_rng(seed), self.num_batch
        count = -(-self.num_steps * size // self.num_data)
        order = rng.permuted(np.tile(np.arange(self.num_data), (count, 1)), axis=1).ravel()
        return order[: self.num_steps * size].reshape(self.num_steps, size)


PAGE = Workload(hidden=(64, 64), batch_size=None, curve="x_sin_x")  # the default fit of the page on function draws
