"""The outputs of a network at every pixel (depth, edges, classes), its settings, and the losses of its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bdlviz.errors import InvalidInput
from bdlviz.topics.foundations.depth_and_edges.convolutional import Convolutional
from bdlviz.types import Array

NUM_OUTPUTS: dict[str, int] = {"depth": 2, "edges": 1, "classes": 4}  # depth: its mean and log variance
DEPTH_MEAN, DEPTH_SCALE = 4.0, 2.0  # metres: networks predict (depth - DEPTH_MEAN) / DEPTH_SCALE


@dataclass(frozen=True)
class DenseSettings:
    """How a network is trained. The first of ``tasks`` is depth.

    If ``is_heteroscedastic`` is False, the noise of depth is the same at all pixels. The training scenes are number 0
    to ``num_scenes`` - 1 of the seed 0; ``seed`` is that of the training. The learning rate of the sigmas of tasks is
    ``sigma_speed`` times that of the weights.

    Raises:
        InvalidInput: the tasks do not begin with depth, or one of them does not exist.
    """

    tasks: tuple[str, ...] = ("depth",)
    num_scenes: int = 300
    seed: int = 0
    is_heteroscedastic: bool = True
    dropout_rate: float = 0.1
    num_steps: int = 1000
    batch_size: int = 8
    learning_rate: float = 3e-3
    sigma_speed: float = 1.0
    weight_decay: float = 1e-5
    widths: tuple[int, int, int] = (16, 24, 32)

    def __post_init__(self) -> None:
        if self.tasks[:1] != ("depth",) or not set(self.tasks) <= NUM_OUTPUTS.keys():
            raise InvalidInput(f"Tasks are depth, then edges or classes or both; not {', '.join(self.tasks)}.")

    @property
    def network(self) -> Convolutional:
        """The network that these settings train."""
        return Convolutional(sum(NUM_OUTPUTS[task] for task in self.tasks), self.widths)

    def as_json(self) -> dict[str, Any]:
        """The settings as plain JSON."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def heads(outputs: Any, tasks: Sequence[str]) -> dict[str, Any]:
    """The outputs (..., num_outputs) of a network by task, each (..., K): arrays of numpy or tensors of torch."""
    by_task: dict[str, Any] = {}
    start = 0
    for task in tasks:
        by_task[task] = outputs[..., start : start + NUM_OUTPUTS[task]]
        start += NUM_OUTPUTS[task]
    return by_task


def metres(standardised: Array) -> Array:
    """Depth in metres from a network's standardised depth."""
    return DEPTH_MEAN + DEPTH_SCALE * standardised


def depth_loss(mean: Any, log_variance: Any, y: Any) -> Any:
    r"""The loss of depth with a learned noise at every pixel (Kendall & Gal 2017, eqs. 5 and 8).

    $$ \frac1P \sum_i \tfrac12 e^{-s_i} (y_i - f_i)^2 + \tfrac12 s_i, \qquad s_i = \log \sigma_i^2 $$

    With one s for all pixels it is the loss of one learned noise. The shapes of the tensors can be broadcast.
    """
    import torch

    return 0.5 * torch.mean(torch.exp(-log_variance) * torch.square(y - mean) + log_variance)


def weighed(loss: Any, log_sigma: Any) -> Any:
    r"""The term of a classification task in the loss of several tasks (Kendall, Gal & Cipolla 2018, eq. 10).

    $$ \frac{1}{\sigma^2} \mathcal{L} + \log \sigma $$

    The sigma of the task is learned: a task with a large loss gets a small weight.
    """
    import torch

    return torch.exp(-2 * log_sigma) * loss + log_sigma
