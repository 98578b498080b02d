"""The share of a fit that one worker process trains, seen from the program that asks for it."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bdlviz.errors import InvalidInput
from bdlviz.fitted import checkpoints
from bdlviz.processes.messages import Message
from bdlviz.processes.worker import Worker, WorkerLost
from bdlviz.training.loop import BlockIndex, Losses, Pieces
from bdlviz.training.run import Task
from bdlviz.types import Array

SECONDS_PER_REQUEST = 0.2  # a request asks for as many rounds as take about this long
MAX_NUMBERS_PER_ANSWER = 300_000  # parameters sent with every answer; larger shares send them only on request


class RemoteShare:
    """All blocks of a fit that one worker trains: a `bdlviz.training.loop.Part`.

    If its worker is lost, it is repeated once in another worker. Training is deterministic, so the result is the same.
    A share that killed two workers is not repeated: it would kill the next one too.
    """

    def __init__(
        self,
        worker: Worker,
        task: Task,
        blocks: Sequence[BlockIndex],
        replacement: Callable[[], Worker],
    ) -> None:
        self._worker, self._blocks, self._fit = worker, blocks, uuid.uuid4().hex
        self._replacement, self._may_move = replacement, True
        networks = sum(_length(block.seeds) * _length(block.cells) for block in blocks)
        self._sends_params = networks * task.numbers_per_network <= MAX_NUMBERS_PER_ANSWER
        self._is_open = False  # in the worker
        self._done: list[int] = []  # steps of each round so far
        self._known: tuple[int, Pieces] = -1, []  # the latest parameters received, and their step
        self.step = 0
        self._opening = {
            "config": checkpoints.config_to_json(task.config),
            **checkpoints.model_to_json(task.model),
            "precision": task.precision,
            "blocks": [[_ends(block.seeds), _ends(block.cells)] for block in blocks],
        }
        self._data = {"x": task.x, "y": task.y}
        worker.num_fits += 1

    def take_rounds(self, lengths: Sequence[int], cancel: threading.Event) -> list[Losses]:
        asked = {"do": "advance", "lengths": list(lengths), "wants_params": self._sends_params}
        answer = self._request(asked, cancel)
        if answer is None:
            return []
        rounds: list[Losses] = [[] for _ in range(answer.header["num_rounds"])]
        for kind, block, name, array in _named(answer):
            if kind == "loss":
                rounds[int(name)].append((self._blocks[block], array))
        self._done += lengths[: len(rounds)]
        self.step = answer.header["step"]
        return rounds

    def params(self) -> Pieces:
        """The current parameters; after `close`, those at that time."""
        if self._known[0] != self.step:
            self._request({"do": "params"})
        return self._known[1]

    def close(self) -> None:
        """Free the memory that the share uses in the worker."""
        self._may_move = False
        self._worker.num_fits -= 1
        try:
            if self._is_open:
                with contextlib.suppress(InvalidInput, RuntimeError):
                    self.params()
        finally:
            self._worker.tell({"do": "close", "fit": self._fit})

    def _request(self, header: Mapping[str, Any], cancel: threading.Event | None = None) -> Message | None:
        """Return the answer of the worker, or of its replacement if it is lost."""
        try:
            return self._ask(header, cancel)
        except WorkerLost:
            if not self._may_move:
                raise
        self._move()
        return self._ask(header, cancel)

    def _move(self) -> None:
        """Replace the lost worker; the new one first repeats the rounds whose answers arrived."""
        self._may_move = self._is_open = False
        replacement = self._replacement()
        self._worker.num_fits -= 1
        self._worker = replacement
        self._worker.num_fits += 1

    def _ask(self, header: Mapping[str, Any], cancel: threading.Event | None) -> Message | None:
        """Send a request; the first one to a worker also carries the data and settings that it needs to begin."""
        header, data = {**header, "fit": self._fit}, None
        if not self._is_open:
            header, data = header | {"opening": self._opening | {"done": self._done}}, self._data
        answer = self._worker.request(header, data, cancel)
        if answer is not None:
            self._is_open = True
            self._store_params(answer)
        return answer

    def _store_params(self, answer: Message) -> None:
        """Keep the parameters, if the answer contains them."""
        if answer.header["has_params"]:
            pieces: Pieces = [(block, {}) for block in self._blocks]
            for kind, block, name, array in _named(answer):
                if kind == "params":
                    pieces[block][1][name] = array
            self._known = answer.header["step"], pieces


def _ends(piece: slice) -> list[int]:
    return [piece.start, piece.stop]


def _length(piece: slice) -> int:
    return piece.stop - piece.start


def _named(answer: Message) -> Iterator[tuple[str, int, str, Array]]:
    """For each array of an answer: its kind, the number of its block, the name of its round or parameter, the array."""
    for whole, array in answer.arrays.items():
        kind, block, name = whole.split(".", 2)
        yield kind, int(block), name, array
