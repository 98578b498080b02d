"""Training of networks that predict every pixel: depth with its noise, and optionally a second task."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from bdlviz import threads
from bdlviz.topics.foundations.depth_and_edges.convolutional import Convolutional, draw_masks, with_places
from bdlviz.topics.foundations.depth_and_edges.dense_network import (
    DEPTH_MEAN,
    DEPTH_SCALE,
    DenseSettings,
    depth_loss,
    heads,
    weighed,
)
from bdlviz.topics.foundations.depth_and_edges.scenes import Scenes
from bdlviz.training.noise import generator
from bdlviz.types import Array


@dataclass(frozen=True, eq=False)
class DenseTrained:
    """A trained network: its parameters, the learned log sigma of every task, and the loss at every step."""

    params: dict[str, Array]
    log_sigma: dict[str, float]
    losses: Array


class _Torch:
    """The operations of the network in torch, channels last as in numpy."""

    def convolve(self, x: Any, weight: Any, bias: Any) -> Any:
        channels_first = functional.conv2d(
            x.permute(0, 3, 1, 2), weight.permute(3, 2, 0, 1), bias, padding=weight.shape[0] // 2
        )
        return channels_first.permute(0, 2, 3, 1)

    def relu(self, x: Any) -> Any:
        return torch.relu(x)

    def halve(self, x: Any) -> Any:
        return functional.avg_pool2d(x.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)

    def double(self, x: Any) -> Any:
        return functional.interpolate(x.permute(0, 3, 1, 2), scale_factor=2).permute(0, 2, 3, 1)


TORCH = _Torch()


def train_dense(
    settings: DenseSettings, scenes: Scenes, on_step: Callable[[int], bool] = lambda step: True
) -> DenseTrained:
    """Train one network with Adam. The learning rate rises for a tenth of the steps, then falls to zero.

    ``on_step`` ends the training early by returning False. Depth is standardised by `DEPTH_MEAN` and `DEPTH_SCALE`;
    ``log_sigma`` of depth refers to standardised depth.
    """
    return threads.map_training(lambda _: _train(settings, scenes, on_step), [None])[0]


def _train(settings: DenseSettings, scenes: Scenes, on_step: Callable[[int], bool]) -> DenseTrained:
    rng = generator(settings.seed, "dense")
    network = settings.network
    params = {name: torch.tensor(array, requires_grad=True) for name, array in _initial_params(network, rng).items()}
    log_sigma = {task: torch.zeros((), requires_grad=True) for task in settings.tasks}
    x = torch.from_numpy(with_places(scenes.images))
    y = (torch.from_numpy(scenes.readings) - DEPTH_MEAN) / DEPTH_SCALE
    targets = {
        "depth": y,
        "edges": torch.from_numpy(scenes.edges.astype(np.float32)),
        "classes": torch.from_numpy(scenes.labels.astype(np.int64)),
    }
    optimiser = torch.optim.Adam(
        [
            {"params": list(params.values()), "weight_decay": settings.weight_decay},
            {"params": list(log_sigma.values())},
        ],
        lr=settings.learning_rate,
        fused=True,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser,
        [settings.learning_rate, settings.sigma_speed * settings.learning_rate],
        settings.num_steps,
        pct_start=0.1,
        cycle_momentum=False,
    )
    losses = np.zeros(settings.num_steps, np.float32)
    for step in range(settings.num_steps):
        at = torch.from_numpy(rng.integers(0, len(scenes), settings.batch_size))
        drawn = draw_masks(network, settings.dropout_rate, settings.batch_size, rng)
        masks = {name: torch.from_numpy(mask) for name, mask in drawn.items()}
        outputs = network.outputs(TORCH, params, x[at], masks)
        loss = _loss(settings, outputs, {task: target[at] for task, target in targets.items()}, log_sigma)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        losses[step] = loss.item()
        if not on_step(step + 1):
            break
    learned = {task: float(value.detach()) for task, value in log_sigma.items()}
    return DenseTrained({name: each.detach().numpy() for name, each in params.items()}, learned, losses)


def _initial_params(network: Convolutional, rng: np.random.Generator) -> dict[str, Array]:
    """Gaussian weights of variance 2 / inputs (He et al. 2015), in the last layer 1 / inputs; biases are 0."""
    params: dict[str, Array] = {}
    for name, shape in network.shapes().items():
        std = 0.0 if len(shape) == 1 else np.sqrt((1 if name.startswith("out") else 2) / np.prod(shape[:-1]))
        params[name] = (std * rng.standard_normal(shape)).astype(np.float32)
    return params


def _loss(settings: DenseSettings, outputs: Any, targets: Mapping[str, Any], log_sigma: Mapping[str, Any]) -> Any:
    """The loss of all tasks with their learned noise and weights."""
    by_task = heads(outputs, settings.tasks)
    log_variance = by_task["depth"][..., 1] if settings.is_heteroscedastic else 2 * log_sigma["depth"]
    total = depth_loss(by_task["depth"][..., 0], log_variance, targets["depth"])
    for task in settings.tasks[1:]:
        total = total + weighed(CROSS_ENTROPIES[task](by_task[task], targets[task]), log_sigma[task])
    return total


def _of_edges(logits: Any, edges: Any) -> Any:
    """Mean negative log probability of edges (B, H, W) from logits (B, H, W, 1)."""
    return functional.binary_cross_entropy_with_logits(logits[..., 0], edges)


def _of_classes(logits: Any, labels: Any) -> Any:
    """Mean negative log probability of labels (B, H, W) from logits (B, H, W, K)."""
    return functional.cross_entropy(logits.permute(0, 3, 1, 2), labels)


CROSS_ENTROPIES = {"edges": _of_edges, "classes": _of_classes}
