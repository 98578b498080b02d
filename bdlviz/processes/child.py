"""The program of a worker process: trains the blocks of fits as the messages on its standard input say.

Requests are answered one after the other, each by one message; the first one of a fit brings what it needs to begin.
Only ``cancel`` and ``close``, which are read at any time, have no answer. While it works, the process says every second
how far it is. It ends when its standard input is closed, or holds something that is no message, whatever it is doing.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, BinaryIO

from bdlviz.errors import InvalidInput
from bdlviz.fitted import checkpoints
from bdlviz.methods import method as find_method
from bdlviz.processes.messages import Message, receive, send
from bdlviz.threads import prepare_training_thread
from bdlviz.training.loop import Block, BlockIndex, take_rounds
from bdlviz.training.run import Task, build_block
from bdlviz.types import Array

NICENESS = 5  # a page that is drawn goes before a fit that trains
BEAT = 1.0  # seconds between two signs of life


@dataclass(eq=False)
class Share:
    """The blocks of one fit that this process trains."""

    cancel: threading.Event = field(default_factory=threading.Event)
    blocks: list[Block] = field(default_factory=list)

    def open(self, opening: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Build the blocks, and bring them to where another process was that was lost."""
        config = checkpoints.config_from_json(opening["config"])
        task = Task(config, checkpoints.model_from_json(opening), arrays["x"], arrays["y"], opening["precision"])
        indices = [BlockIndex(slice(*seeds), slice(*cells)) for seeds, cells in opening["blocks"]]
        self.blocks = [build_block(task, find_method(config.method), index) for index in indices]
        for num_steps in opening["done"]:
            take_rounds(self.blocks, [num_steps], self.cancel)

    def advance(self, request: Message) -> Message:
        """Take some rounds; none after one in which all diverged, or that was cancelled."""
        rounds = take_rounds(self.blocks, request.header["lengths"], self.cancel)
        losses = [(f"{number}.{at}", loss) for at, each in enumerate(rounds) for number, (_, loss) in enumerate(each)]
        arrays = {f"loss.{name}": loss for name, loss in losses}
        has_params = request.header["wants_params"] or self.cancel.is_set()
        header = {"step": self._step, "num_rounds": len(rounds), "has_params": has_params}
        return Message(header, arrays | (self._params() if has_params else {}))

    def params(self, request: Message) -> Message:
        return Message({"step": self._step, "has_params": True}, self._params())

    @property
    def _step(self) -> int:
        return max(block.step for block in self.blocks)

    def _params(self) -> dict[str, Array]:
        return {
            f"params.{number}.{name}": array
            for number, block in enumerate(self.blocks)
            for _, params in block.params()
            for name, array in params.items()
        }


class Child:
    """Reads requests on a thread, answers them in the main one, and shows on a third that it works at them."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._stream, self._answers = requests, answers
        self._sending, self._is_busy = threading.Lock(), threading.Event()
        self._shares: dict[str, Share] = {}
        self._waiting: SimpleQueue[Message] = SimpleQueue()

    def run(self) -> None:
        for work in (self._read, self._beat):
            threading.Thread(target=work, daemon=True).start()
        self._is_busy.set()
        prepare_training_thread()
        while True:
            self._is_busy.clear()
            request = self._waiting.get()
            self._is_busy.set()
            if request.header["do"] == "close":
                self._shares.pop(request.header["fit"], None)
                continue
            try:
                answer = self._answer(request)
            except InvalidInput as error:
                answer = Message({"error": str(error), "is_invalid": True}, {})
            except Exception as error:
                answer = Message({"error": f"{type(error).__name__}: {error}", "is_invalid": False}, {})
            self._send(Message({**answer.header, "number": request.header["number"]}, answer.arrays))

    def _send(self, message: Message) -> None:
        with self._sending:
            send(self._answers, message.header, message.arrays)

    def _beat(self) -> None:
        """Tell how many steps were taken and how many seconds a processor worked: one of them rises, or it hangs."""
        with suppress(OSError):  # nobody listens any more
            while self._is_busy.wait():
                steps = sum(block.step for share in list(self._shares.values()) for block in share.blocks)
                self._send(Message({"steps": steps, "processor": time.process_time()}, {}))
                time.sleep(BEAT)

    def _answer(self, request: Message) -> Message:
        share, verb = self._shares[request.header["fit"]], request.header["do"]
        if verb not in ("advance", "params"):
            raise ValueError(f"unknown request {verb!r}")
        if "opening" in request.header:
            share.open(request.header["opening"], request.arrays)
        return getattr(share, verb)(request)

    def _read(self) -> None:
        try:
            while (request := receive(self._stream)) is not None:
                fit, verb = request.header["fit"], request.header["do"]
                if "opening" in request.header:
                    self._shares[fit] = Share()
                if verb in ("cancel", "close") and fit in self._shares:
                    self._shares[fit].cancel.set()
                if verb != "cancel":
                    self._waiting.put(request)
        finally:
            os._exit(0)  # whoever asked is gone: do not finish the round


def main() -> None:
    """Serve until standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the program that started this one
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    # What a library prints must not get between the messages.
    answers: Any = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    Child(sys.stdin.buffer, answers).run()


if __name__ == "__main__":
    main()
