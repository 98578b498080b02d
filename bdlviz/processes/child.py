"""The program of a worker process: it trains blocks of fits on request.

Requests arrive on standard input. They are answered one after another, each by one message. The first request of a fit
carries its settings and data. ``cancel`` and ``close`` have no answer and are read at any time. A working process sends
a heartbeat every second. A process ends at once when its standard input is closed or contains an invalid message.
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

NICENESS = 5  # lower priority than the process that draws pages
HEARTBEAT_INTERVAL_S = 1.0


@dataclass(eq=False)
class Share:
    """The blocks of one fit that this process trains."""

    cancel: threading.Event = field(default_factory=threading.Event)
    blocks: list[Block] = field(default_factory=list)

    def open(self, opening: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Build the blocks, and repeat the rounds that a lost worker had already taken."""
        config = checkpoints.config_from_json(opening["config"])
        task = Task(config, checkpoints.model_from_json(opening), arrays["x"], arrays["y"], opening["precision"])
        indices = [BlockIndex(slice(*seeds), slice(*cells)) for seeds, cells in opening["blocks"]]
        self.blocks = [build_block(task, find_method(config.method), index) for index in indices]
        for num_steps in opening["done"]:
            take_rounds(self.blocks, [num_steps], self.cancel)

    def advance(self, request: Message) -> Message:
        """Take the requested rounds; stop after a round in which all networks diverged, or when cancelled."""
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
    """Reads requests on one thread, answers them on the main thread, and sends heartbeats on a third one."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._stream, self._answers = requests, answers
        self._sending, self._is_busy = threading.Lock(), threading.Event()
        self._shares: dict[str, Share] = {}
        self._waiting: SimpleQueue[Message] = SimpleQueue()

    def run(self) -> None:
        for work in (self._read, self._send_heartbeats):
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

    def _send_heartbeats(self) -> None:
        """Send the number of steps and the processor time. If neither rises, the parent concludes that this hangs."""
        with suppress(OSError):  # the parent has closed the pipe
            while self._is_busy.wait():
                steps = sum(block.step for share in list(self._shares.values()) for block in share.blocks)
                self._send(Message({"steps": steps, "processor": time.process_time()}, {}))
                time.sleep(HEARTBEAT_INTERVAL_S)

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
            os._exit(0)  # the parent is gone: do not finish the round


def main() -> None:
    """Serve until standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is meant for the parent, which ends this one
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    # Libraries may print to standard output; their words must not mix with the messages.
    answers: Any = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    Child(sys.stdin.buffer, answers).run()


if __name__ == "__main__":
    main()
