"""Whose job runs next: the turns are fair between visitors, however many jobs each of them wants.

A visitor is a browser tab. What it waits for has a name that begins with the tab's own: ``id``, ``id:second``.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol, TypeVar

HALF = 30.0  # seconds after which work done for a visitor counts half
FORGOTTEN = 0.05  # seconds of recent work that no longer count at all


def session_of(name: str) -> str:
    """The visitor to whom a name belongs."""
    return name.partition(":")[0]


class Waiting(Protocol):
    """What the order of turns depends on."""

    @property
    def sessions(self) -> Collection[str]:
        """The visitors who wait for it, at least one."""
        ...

    @property
    def is_background(self) -> bool:
        """Does nobody look at it?"""
        ...

    @property
    def asked(self) -> float:
        """When it was first asked for, in seconds of the monotonic clock."""
        ...


Turn = tuple[bool, int, float]
Kind = TypeVar("Kind", bound=Waiting)


class Ledger:
    """Seconds of work that were lately done for each visitor; older work counts less and less."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spent: dict[str, tuple[float, float]] = {}  # by visitor: seconds of work, as of when

    def recent(self, session: str) -> float:
        """Seconds of work that still count."""
        seconds, then = self._spent.get(session, (0.0, 0.0))
        return seconds * 0.5 ** ((self._clock() - then) / HALF)

    def ready(self, session: str, asked: float) -> float:
        """Since when a visitor counts as waiting for a job that was asked for then: not before the end of the last."""
        _, ended = self._spent.get(session, (0.0, asked))
        return max(asked, ended) + self.recent(session)

    def charge(self, sessions: Collection[str], seconds: float) -> None:
        """Share work that has just ended among those for whom it was done."""
        now = self._clock()
        for session in sessions:
            self._spent[session] = (self.recent(session) + seconds / len(sessions), now)
        self._spent = {
            each: (spent, ended)
            for each, (spent, ended) in self._spent.items()
            if now - ended < HALF or self.recent(each) > FORGOTTEN
        }


def turns(
    waiting: Iterable[Kind], running: Iterable[Waiting], ready: Callable[[str, float], float]
) -> list[tuple[Turn, Kind]]:
    """The waiting jobs in the order in which they run, each with its turn.

    Work that nobody looks at comes last. Then rounds: a visitor's first job runs before anybody's second, and a running
    one counts. Within a round, who is ``ready`` first (see `Ledger.ready`): who asked first, put back by what was
    lately spent on this visitor, so that nobody waits for ever. A job of several visitors has the turn of the one who
    would get it soonest.
    """
    ahead = Counter(session for job in running if not job.is_background for session in job.sessions)
    found: list[tuple[Turn, Kind]] = []
    for job in sorted(waiting, key=lambda job: (job.is_background, job.asked)):
        rounds = min(ahead[session] for session in job.sessions)
        since = min(ready(session, job.asked) for session in job.sessions)
        found.append(((job.is_background, rounds, since), job))
        ahead.update(job.sessions)
    return sorted(found, key=lambda each: each[0])


def displaceable(running: Sequence[Kind]) -> Kind | None:
    """The running job that makes room first: one that nobody looks at, else the youngest that is somebody's second.

    ``running`` is in the order of their starts. None where every visitor has at most one.
    """
    for job in running:
        if job.is_background:
            return job
    held = Counter(session for job in running for session in job.sessions)
    for job in reversed(running):
        if all(held[session] > 1 for session in job.sessions):
            return job
    return None
