"""What a network says of every pixel, and how it is trained: the heads of depth, edges and classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bdlviz.errors import InvalidInput
from bdlviz.topics.foundations.kinds_of_uncertainty.convolutional import Convolutional
from bdlviz.types import Array

NUM_OUTPUTS: dict[str, int] = {"depth": 2, "edges": 1, "classes": 4}  # depth: its mean and log variance
DEPTH_MEAN, DEPTH_SCALE = 4.0, 2.0  # metres: what a network calls 0 and 1


@dataclass(frozen=True)
class DenseSettings:
    """How a network is trained; ``tasks`` begin with depth. Depth has one noise for all unless ``is_heteroscedastic``.

    ``num_scenes`` are the training scenes N, number 0 to N - 1 of the seed 0; ``seed`` is of the training. The sigmas
    of tasks learn ``sigma_speed`` times as fast as the weights.

    Raises:
        InvalidInput: tasks that there are not.
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
    found: dict[str, Any] = {}
    start = 0
    for task in tasks:
        found[task] = outputs[..., start : start + NUM_OUTPUTS[task]]
        start += NUM_OUTPUTS[task]
    return found


def metres(standardised: Array) -> Array:
    """What a network says of depth, in metres."""
    return DEPTH_MEAN + DEPTH_SCALE * standardised


def depth_loss(mean: Any, log_variance: Any, y: Any) -> Any:
    r"""The loss of depth with a noise of its own at every pixel (Kendall & Gal 2017, eqs. 5 and 8).

    $$ \frac1P \sum_i \tfrac12 e^{-s_i} (y_i - f_i)^2 + \tfrac12 s_i, \qquad s_i = \log \sigma_i^2 $$

    With one s for all pixels it is the loss of one learned noise. All tensors have the same shape, or can be spread.
    """
    import torch

    return 0.5 * torch.mean(torch.exp(-log_variance) * torch.square(y - mean) + log_variance)


def weighed(loss: Any, log_sigma: Any) -> Any:
    r"""A classification task's share of the loss of several tasks (Kendall, Gal & Cipolla 2018, eq. 10).

    $$ \frac{1}{\sigma^2} \mathcal{L} + \log \sigma $$

    The sigma of the task is learned: a task that is hard to fit weighs less.
    """
    import torch

    return torch.exp(-2 * log_sigma) * loss + log_sigma
