"""A worker process that goes wrong in the middle of a fit, in the way that FAULT names.

Once, if ONCE names a file that does not exist yet; every time if it names none. Started by `test_workers.py`.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from bdlviz.processes import child
from bdlviz.training.loop import Block

FIRST_STEPS = 120  # taken before anything goes wrong
ANSWERS: list[BinaryIO] = []
UNHARMED = Block.advance


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leave() -> None:
    os._exit(3)


def fail() -> None:
    raise RuntimeError("out of order")


def hang() -> None:
    threading.Event().wait()  # no processor works


def stop() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def spin() -> None:
    while True:
        pass


def send_garbage() -> None:
    ANSWERS[0].write(b"Segmentation fault (core dumped)\n")
    ANSWERS[0].flush()
    hang()


def send_half() -> None:
    ANSWERS[0].write((1000).to_bytes(8, "little") + b'{"number"')
    ANSWERS[0].flush()
    hang()


FAULTS: dict[str, Callable[[], None]] = {
    function.__name__: function for function in (kill, leave, fail, hang, stop, spin, send_garbage, send_half)
}


def is_due() -> bool:
    """Not where another process has gone wrong already."""
    if not (once := os.environ.get("ONCE")):
        return True
    try:
        Path(once).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def advance(self: Block, num_steps: int, cancel: threading.Event) -> bool:
    """Goes wrong between two rounds of one request."""
    if self.step >= FIRST_STEPS and is_due():
        FAULTS[os.environ["FAULT"]]()
    return UNHARMED(self, num_steps, cancel)


class Child(child.Child):
    """Lets the faults get at the pipe."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        super().__init__(requests, answers)
        ANSWERS.append(answers)


if __name__ == "__main__":
    Block.advance, child.Child = advance, Child
    child.main()
