"""A curve and digits as torch tensors, for the training loops of concrete dropout and of ensembles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bdlviz.data import from_points
from bdlviz.types import Dataset
from benchmarks.generative import images
from benchmarks.workload import Workload


@dataclass(frozen=True)
class Case:
    """Data, the widths of a network, and the settings of its training.

    ``precision`` multiplies the negative log-likelihood of a curve, whose targets are standardised.
    """

    what: str
    data: Dataset
    hidden: tuple[int, ...]
    batch: int
    num_steps: int
    precision: float = 1.0

    @property
    def is_classifier(self) -> bool:
        """True for classification."""
        return self.data.task == "classification"

    @property
    def sizes(self) -> tuple[int, ...]:
        """Widths of all layers, inputs and outputs included."""
        return (self.data.x.shape[1], *self.hidden, 10 if self.is_classifier else 1)

    @property
    def tensors(self) -> tuple[Tensor, Tensor]:
        """Inputs and targets."""
        y = self.data.y.ravel() if self.is_classifier else self.data.y.astype(np.float32)
        return torch.from_numpy(np.ascontiguousarray(self.data.x, np.float32)), torch.from_numpy(y)

    def minibatches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Minibatches of permutations of the data, one permutation after the other."""
        x, y = self.tensors
        order = torch.cat([torch.randperm(len(x)) for _ in range(-(-self.num_steps * self.batch // len(x)))])
        for some in order[: self.num_steps * self.batch].split(self.batch):
            yield x[some], y[some]

    def start_alike(self, net: nn.Module) -> None:
        """Initialise a network as bdlviz does: for images Glorot weights and zero biases, for a curve as in torch."""
        for linear in net.modules():
            if self.is_classifier and isinstance(linear, nn.Linear):
                nn.init.xavier_uniform_(linear.weight)
                nn.init.zeros_(linear.bias)

    def negative_log_likelihood(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Mean negative log-likelihood, up to a constant."""
        if self.is_classifier:
            return functional.cross_entropy(outputs, targets)
        return 0.5 * self.precision * functional.mse_loss(outputs, targets)


def curve(precision: float = 1.0) -> Case:
    """The noisy sine of `Workload`."""
    work = Workload()
    x, y = work.data
    return Case("1-100-100-1, batch 32", from_points(x, y, held_out=False), work.hidden, 32, 1000, precision)


def digits(num_steps: int) -> Case:
    """The images of the benchmark of VAEs, with their labels."""
    return Case("784-400-400-10, batch 128", images(), (400, 400), 128, num_steps)
