"""One hostile case at a time: within limits of time and memory, with one sentence as all that may go wrong.

What the project promises of input from anybody: no traceback, no hang over two seconds, no more than 500 MB.
"""

from __future__ import annotations

import faulthandler
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bdlviz.errors import InvalidInput

SECONDS = 2.0  # the limit as it stands in the requirement
ATTEMPTS = 5  # of which the fastest counts: a busy machine can stop any process for seconds
GIVEN_UP = 3600.0  # seconds for all cases of a target
MEGABYTES = 500
LONGEST = 300  # characters of a sentence
STATM = Path("/proc/self/statm")


class TooSlow(BaseException):
    """A case took longer than the limit. No ordinary exception: nobody who catches everything may catch it."""


def survives(call: Callable[[Any], Any], case: Any) -> bool:
    """Run a case within the limits; True where it was accepted, False where it was refused with a proper sentence.

    Raises:
        TooSlow: every attempt took longer than two seconds.
        Exception: whatever came out of the call that is no `InvalidInput`, `MemoryError` above 500 MB included.
    """
    for attempt in range(ATTEMPTS):
        try:
            with _memory_limit(), _time_limit():  # in this order: an alarm never keeps the memory limit in force
                call(case)
            return True
        except InvalidInput as error:
            _check_refusal(error)
            return False
        except TooSlow:
            if attempt == ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def _check_refusal(error: InvalidInput) -> None:
    """One sentence that a page can show, and no refusal that only hides that memory ran out."""
    check_sentence(str(error))
    cause: BaseException | None = error
    while cause is not None:
        assert not isinstance(cause, MemoryError), "Memory ran out before the input was refused."
        cause = cause.__cause__ or cause.__context__


def check_sentence(sentence: str) -> None:
    """What a visitor reads must be one short paragraph of characters that a page can show."""
    assert 10 < len(sentence) < LONGEST, f"{len(sentence)} characters: {sentence[:400]!r}"
    assert sentence.rstrip().endswith((".", "?", "!")), sentence
    assert "Traceback" not in sentence and "\n" not in sentence and "\r" not in sentence, sentence
    sentence.encode()  # a page cannot show half of a surrogate pair


@contextmanager
def watched() -> Iterator[None]:
    """Where a C library never returns, which no signal interrupts: print the stack and end the process."""
    faulthandler.dump_traceback_later(GIVEN_UP, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def _time_limit() -> Iterator[None]:
    def interrupt(number: int, frame: Any) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    begun = time.monotonic()
    try:
        yield
        if time.monotonic() - begun > SECONDS:
            raise TooSlow
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _memory_limit() -> Iterator[None]:
    """Let the process grow by 500 MB; beyond that every allocation fails. Only where Linux says how large it is."""
    if not STATM.exists():
        yield
        return
    size = int(STATM.read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + MEGABYTES * 2**20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
