"""Training of a configuration: division into blocks, rounds of training, and assembly of the fit."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.errors import USUAL_ERRORS
from bdlviz.models.model import Model
from bdlviz.threads import map_training
from bdlviz.training.loop import Block, BlockIndex, Losses, MapParts, Part, plan_blocks, run_rounds
from bdlviz.training.method import Setup
from bdlviz.training.noise import MinibatchStream
from bdlviz.types import Array, FitConfig, MethodSpec

Assemble = Callable[[Any, Any, Any, int, float], Any]


@dataclass(frozen=True, eq=False)
class Task:
    """A configuration and a model, to be trained on standardised x (N, D) and y (N, K).

    ``precision`` is that of the observation noise in standardised units; it is 1 if the likelihood has its own noise.
    """

    config: FitConfig
    model: Model
    x: Array
    y: Array
    precision: float

    @property
    def numbers_per_network(self) -> int:
        """The number of parameters of one cell and seed, with all members of an ensemble."""
        network = self.model.network
        numbers = network.num_numbers if hasattr(network, "num_numbers") else 10**5
        return int(numbers * dict(self.config.options).get("num_members", 1))

    @property
    def num_updates(self) -> float:
        """The number of parameters times the number of steps of the whole fit: a measure of the work."""
        networks = len(self.config.seeds) * np.prod(self.config.grid_shape)
        return float(networks * self.numbers_per_network * self.config.num_steps)

    def blocks(self, side_by_side: int = 1) -> list[BlockIndex]:
        """The blocks of the fit; see `plan_blocks`."""
        num_cells = int(np.prod(self.config.grid_shape))
        return plan_blocks(len(self.config.seeds), num_cells, self.numbers_per_network, side_by_side)


@contextmanager
def usual_modes() -> Iterator[None]:
    """The modes of torch and numpy in which fits are trained, whatever the caller has chosen."""
    with ExitStack() as modes:
        modes.enter_context(np.errstate(**USUAL_ERRORS))
        if "torch" in sys.modules:  # not in the app, whose fits are trained in other processes
            import torch

            modes.enter_context(torch.inference_mode(False))
            modes.enter_context(torch.enable_grad())
        yield


def build_block(task: Task, spec: MethodSpec, index: BlockIndex) -> Block:
    """One block of the fit, before its first step."""
    config = task.config
    seeds = config.seeds[index.seeds]
    setup = Setup(
        model=task.model,
        hyperparameters={name: values[index.cells] for name, values in _cells(config).items()},
        seeds=seeds,
        num_data=len(task.x),
        batch_size=min(config.batch_size or len(task.x), len(task.x)),
        num_steps=config.num_steps,
        learning_rate=config.learning_rate,
        num_inputs=task.x.shape[1],
        options=dict(config.options),
        schedule=config.schedule,
        precision=task.precision,
    )
    method = spec.build(setup)
    minibatches = MinibatchStream(task.x, task.y, setup.batch_size, method.minibatch_seeds or seeds)
    tracks_every_loss = config.task == "classification" or spec.is_generative
    return Block(index, method, minibatches, tracks_every_loss)


def train(
    config: FitConfig,
    parts: Sequence[Part],
    rounds: Sequence[int],
    stream: Callable[[int, float, Callable[[], Any]], bool],
    cancel: threading.Event,
    assemble: Assemble,
    map_parts: MapParts = map_training,
    pause_seconds: float = 0.0,
) -> Any:
    """Train the parts of a fit to its end; returns the fit from ``assemble``.

    ``stream(step, seconds, take)`` is called after each round, or about every ``pause_seconds``; ``take()`` returns the
    fit at that step.
    """
    recorder = _Recorder(config, parts, rounds, assemble)

    def on_pause(step: int) -> bool:
        return stream(step, recorder.seconds(), recorder.take) and not recorder.all_diverged()

    run_rounds(parts, rounds, recorder.kept, recorder.record, on_pause, cancel, map_parts, pause_seconds)
    return recorder.take()


def _cells(config: FitConfig) -> dict[str, Array]:
    """The value of every hyper-parameter in every cell, (C,); the last axis varies fastest."""
    grids = np.meshgrid(*[np.asarray(values) for _, values in config.axes], indexing="ij")
    return {name: grid.ravel() for (name, _), grid in zip(config.axes, grids, strict=True)}


class _Recorder:
    """Records the losses and snapshots of all parts, and assembles the fit."""

    def __init__(self, config: FitConfig, parts: Sequence[Part], rounds: Sequence[int], assemble: Assemble) -> None:
        self._config, self._parts, self._assemble = config, parts, assemble
        self._shape = (len(config.seeds), int(np.prod(config.grid_shape)))
        self._steps: list[int] = []
        self._losses: list[Array] = []
        self._snapshots: list[Mapping[str, Array]] = []
        chosen = np.linspace(len(rounds) - 1, 0, config.num_snapshots).astype(int)  # includes the last round
        self.kept = sorted({rounds[i] for i in chosen})  # steps whose snapshots are kept
        self._start = time.perf_counter()

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def record(self, step: int, losses: Losses) -> None:
        """Record the losses of a round that ended at ``step``, and a snapshot if the step is in ``kept``.

        The parts pause at the steps in ``kept``, so that their parameters are those of this step.
        """
        whole = np.full(self._shape, np.nan)
        for index, loss in losses:
            whole[_rectangle(index)] = loss
        self._steps.append(step)
        self._losses.append(whole)
        if step in self.kept:
            self._snapshots.append({name: _half(array) for name, array in self._params().items()})

    def all_diverged(self) -> bool:
        return not np.isfinite(self._losses[-1]).any()

    def take(self) -> Any:
        """The fit at the current step. Another thread may call this while a round is recorded."""
        recorded, kept = list(self._losses), list(self._snapshots)
        losses = {
            "step": np.array(self._steps[: len(recorded)], int),
            "loss": np.array(recorded).reshape(-1, *self._shape),
            "snapshot_step": np.array(self.kept[: len(kept)], int),
        }
        snapshots = {name: np.stack([snapshot[name] for snapshot in kept]) for name in kept[0]} if kept else {}
        step = max(part.step for part in self._parts)
        return self._assemble(self._params(), losses, snapshots, step, self.seconds())

    def _params(self) -> dict[str, Array]:
        whole: dict[str, Array] = {}
        for index, pieces in (piece for part in self._parts for piece in part.params()):
            for name, piece in pieces.items():
                if name not in whole:
                    whole[name] = np.empty((*self._shape, *piece.shape[2:]), np.float32)
                whole[name][_rectangle(index)] = piece
        return whole


def _half(array: Array) -> Array:
    """The array as float16; larger finite numbers become the largest float16."""
    limit = np.finfo(np.float16).max
    return np.where(np.isfinite(array), np.clip(array, -limit, limit), array).astype(np.float16)


def _rectangle(index: BlockIndex) -> tuple[slice, slice]:
    return index.seeds, index.cells
