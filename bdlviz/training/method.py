"""The interface between methods and the training loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bdlviz.models.model import Model
from bdlviz.types import Array, Schedule


@dataclass(frozen=True, eq=False)
class Setup:
    """The input of a method's ``build``: one block of R seeds and C cells of a fit."""

    model: Model
    hyperparameters: Mapping[str, Array]  # (C,) each
    seeds: tuple[int, ...]
    num_data: int
    batch_size: int
    num_steps: int
    learning_rate: float
    num_inputs: int
    options: Mapping[str, float] = field(default_factory=dict)
    schedule: Schedule = "constant"
    precision: float = 1.0  # of the observation noise in standardised units; 1 if the likelihood is not Gaussian

    def learning_rate_at(self, step: int) -> float:
        """The learning rate of one step: constant, a tenth in the second half, or falling linearly to 0 at the end."""
        if self.schedule == "linear":
            return self.learning_rate * (1 - step / self.num_steps)
        is_late = self.schedule == "drop_at_half" and 2 * step >= self.num_steps
        return self.learning_rate / 10 if is_late else self.learning_rate

    @property
    def num_cells(self) -> int:
        """Grid cells C of this block."""
        return len(next(iter(self.hyperparameters.values()))) if self.hyperparameters else 1


class State(NamedTuple):
    """The state between two steps. Methods may change its arrays in place."""

    step: int
    loss: Array | None  # (R, C); None if the step did not compute it
    memory: Any


class Method(NamedTuple):
    """An inference method with its hyper-parameters and seeds bound.

    ``update(state, (x, y), wants_loss)`` takes one optimisation step; ``params(state)`` returns the fitted parameters
    as numpy arrays (R, C, ...), as views if possible. ``minibatch_seeds`` are the seeds of the minibatches of
    ``update``, in this order; None means the R seeds of the setup. A full batch is the same for all seeds.
    """

    init: Callable[[], State]
    update: Callable[[State, tuple[Array, Array], bool], State]
    params: Callable[[State], dict[str, Array]]
    minibatch_seeds: tuple[int, ...] | None = None
