"""From a configuration to trained parameters: cut into blocks, train in rounds, put together again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bdlviz.models.model import Model
from bdlviz.training.loop import Block, BlockIndex, plan_blocks, run_rounds
from bdlviz.training.method import Setup
from bdlviz.training.noise import MinibatchStream
from bdlviz.types import Array, FitConfig, MethodSpec

Assemble = Callable[[Any, Any, Any, int, float], Any]


def train(
    config: FitConfig,
    spec: MethodSpec,
    model: Model,
    x: Array,
    y: Array,
    precision: float,
    rounds: Sequence[int],
    stream: Callable[[int, float, Callable[[], Any]], bool],
    cancel: threading.Event,
    assemble: Assemble,
) -> Any:
    """Train on standardised x (N, D) and y (N, K); returns what ``assemble`` makes of the result.

    ``precision`` is that of the observation noise, in standardised units; 1 where the likelihood knows its own.
    ``stream(step, seconds, take)`` is called after each round; ``take()`` assembles the fit as it then stands.
    """
    blocks = _build_blocks(config, spec, model, x, y, precision)
    recorder = _Recorder(config, blocks, rounds, assemble)

    def on_round(step: int) -> bool:
        recorder.record(step)
        return stream(step, recorder.seconds(), recorder.take) and not recorder.all_diverged()

    run_rounds(blocks, rounds, on_round, cancel)
    return recorder.take()


def _build_blocks(
    config: FitConfig, spec: MethodSpec, model: Model, x: Array, y: Array, precision: float
) -> list[Block]:
    cells = _cells(config)
    num_cells = int(np.prod(config.grid_shape))
    options = dict(config.options)
    numbers = model.network.num_numbers if hasattr(model.network, "num_numbers") else 10**5
    numbers = int(numbers * options.get("num_members", 1))
    blocks = []
    for index in plan_blocks(len(config.seeds), num_cells, numbers):
        seeds = config.seeds[index.seeds]
        minibatches = MinibatchStream(x, y, config.batch_size, seeds)
        setup = Setup(
            model=model,
            hyperparameters={name: values[index.cells] for name, values in cells.items()},
            seeds=seeds,
            num_data=len(x),
            batch_size=minibatches.batch_size,
            num_steps=config.num_steps,
            learning_rate=config.learning_rate,
            num_inputs=x.shape[1],
            options=options,
            schedule=config.schedule,
            precision=precision,
        )
        tracks_every_loss = config.task == "classification" or spec.is_generative
        blocks.append(Block(index, spec.build(setup), minibatches, tracks_every_loss))
    return blocks


def _cells(config: FitConfig) -> dict[str, Array]:
    """Every hyper-parameter's value in every cell, (C,), the last axis running fastest."""
    grids = np.meshgrid(*[np.asarray(values) for _, values in config.axes], indexing="ij")
    return {name: grid.ravel() for (name, _), grid in zip(config.axes, grids, strict=True)}


class _Recorder:
    """Keeps losses and snapshots of all blocks, and puts the pieces of a fit together."""

    def __init__(self, config: FitConfig, blocks: Sequence[Block], rounds: Sequence[int], assemble: Assemble) -> None:
        self._config, self._blocks, self._assemble = config, blocks, assemble
        self._shape = (len(config.seeds), int(np.prod(config.grid_shape)))
        self._steps: list[int] = []
        self._losses: list[Array] = []
        self._snapshots: list[Mapping[str, Array]] = []
        chosen = np.linspace(len(rounds) - 1, 0, config.num_snapshots).astype(int)  # the last one in any case
        self._kept = sorted({rounds[i] for i in chosen})
        self._start = time.perf_counter()

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def record(self, step: int) -> None:
        losses = np.full(self._shape, np.nan)
        for block in self._blocks:
            loss = block.take_loss()
            if loss is not None:
                losses[block.index.seeds, block.index.cells] = loss
        self._steps.append(step)
        self._losses.append(losses)
        if step in self._kept:
            self._snapshots.append({name: _half(array) for name, array in self._params().items()})

    def all_diverged(self) -> bool:
        return not np.isfinite(self._losses[-1]).any()

    def take(self) -> Any:
        """The fit as it stands. Another thread may ask while a round is recorded."""
        recorded, kept = list(self._losses), list(self._snapshots)
        losses = {
            "step": np.array(self._steps[: len(recorded)], int),
            "loss": np.array(recorded).reshape(-1, *self._shape),
            "snapshot_step": np.array(self._kept[: len(kept)], int),
        }
        snapshots = {name: np.stack([snapshot[name] for snapshot in kept]) for name in kept[0]} if kept else {}
        step = max(block.state.step for block in self._blocks)
        return self._assemble(self._params(), losses, snapshots, step, self.seconds())

    def _params(self) -> dict[str, Array]:
        whole: dict[str, Array] = {}
        for block in self._blocks:
            for name, piece in block.method.params(block.state).items():
                if name not in whole:
                    whole[name] = np.empty((*self._shape, *piece.shape[2:]), np.float32)
                whole[name][_rectangle(block.index)] = piece
        return whole


def _half(array: Array) -> Array:
    """As float16; a number too large for it becomes the largest it has."""
    limit = np.finfo(np.float16).max
    return np.where(np.isfinite(array), np.clip(array, -limit, limit), array).astype(np.float16)


def _rectangle(index: BlockIndex) -> tuple[slice, slice]:
    return index.seeds, index.cells
