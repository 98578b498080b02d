"""The program of a worker process: trains the blocks of fits as the messages on its standard input say.

Requests are answered one after the other, each by one message; only ``cancel``, which is read at any time, has no
answer. While it works, the process says every second how far it is. It ends when its standard input is closed, or holds
something that is no message, whatever it is doing.
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

from bdlviz import checkpoints
from bdlviz.errors import InvalidInput
from bdlviz.methods import method as find_method
from bdlviz.threads import prepare_training_thread
from bdlviz.training.loop import Block, BlockIndex
from bdlviz.training.run import Task, build_block
from bdlviz.types import Array
from bdlviz.workers.messages import Message, receive, send

NICENESS = 5  # a page that is drawn goes before a fit that trains
BEAT = 1.0  # seconds between two signs of life


@dataclass(eq=False)
class Share:
    """The blocks of one fit that this process trains."""

    cancel: threading.Event
    blocks: list[Block] = field(default_factory=list)

    def open(self, request: Message) -> Message:
        config = checkpoints.config_from_json(request.header["config"])
        model, x, y = checkpoints.model_from_json(request.header), request.arrays["x"], request.arrays["y"]
        task = Task(config, model, x, y, request.header["precision"])
        indices = [BlockIndex(slice(*seeds), slice(*cells)) for seeds, cells in request.header["blocks"]]
        self.blocks = [build_block(task, find_method(config.method), index) for index in indices]
        return Message({}, {})

    def advance(self, request: Message) -> Message:
        losses: dict[str, Array] = {}
        for number, block in enumerate(self.blocks):
            block.advance(request.header["num_steps"], self.cancel)
            losses |= {str(number): loss for _, loss in block.take_losses()}
        return Message({"step": max(block.step for block in self.blocks)}, losses)

    def params(self, request: Message) -> Message:
        arrays = {
            f"{number}.{name}": array
            for number, block in enumerate(self.blocks)
            for _, params in block.params()
            for name, array in params.items()
        }
        return Message({}, arrays)


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
        fit, verb = request.header["fit"], request.header["do"]
        if verb == "close":
            del self._shares[fit]
            return Message({}, {})
        if verb not in ("open", "advance", "params"):
            raise ValueError(f"unknown request {verb!r}")
        return getattr(self._shares[fit], verb)(request)

    def _read(self) -> None:
        try:
            while (request := receive(self._stream)) is not None:
                fit, verb = request.header["fit"], request.header["do"]
                if verb == "open":
                    self._shares[fit] = Share(threading.Event())
                if verb == "cancel":
                    self._cancel(fit)
                else:
                    self._waiting.put(request)
        finally:
            os._exit(0)  # whoever asked is gone: do not finish the round

    def _cancel(self, fit: str) -> None:
        share = self._shares.get(fit)
        if share is not None:
            share.cancel.set()


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
