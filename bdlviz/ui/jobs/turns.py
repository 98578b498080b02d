"""The order in which waiting jobs run. It is fair between visitors, however many jobs each of them requests.

A visitor is a browser tab. The names under which it waits for jobs begin with its own: ``id``, ``id:second``.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol, TypeVar

HALF_LIFE_S = 30.0  # after which work done for a visitor counts half
NEGLIGIBLE_S = 0.05  # less recent work than this is forgotten


def session_of(name: str) -> str:
    """The visitor that waits under this name."""
    return name.partition(":")[0]


class Waiting(Protocol):
    """The properties of a job that determine its turn."""

    @property
    def sessions(self) -> Collection[str]:
        """The visitors that wait for the job, at least one."""
        ...

    @property
    def is_background(self) -> bool:
        """True if no page shows the job."""
        ...

    @property
    def asked(self) -> float:
        """The time of the first request, in seconds of the monotonic clock."""
        ...


Turn = tuple[bool, int, float]
Kind = TypeVar("Kind", bound=Waiting)


class Ledger:
    """Seconds of recent work for each visitor. The weight of work decays exponentially with its age."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._spent: dict[str, tuple[float, float]] = {}  # by visitor: seconds of work, and the time of that value

    def recent(self, session: str) -> float:
        """Decayed seconds of work for a visitor."""
        seconds, then = self._spent.get(session, (0.0, 0.0))
        return seconds * 0.5 ** ((self._clock() - then) / HALF_LIFE_S)

    def ready(self, session: str, asked: float) -> float:
        """The time from which a visitor counts as waiting for a job requested at ``asked``.

        It is not earlier than the end of the visitor's last job, and is delayed by the visitor's recent work.
        """
        _, ended = self._spent.get(session, (0.0, asked))
        return max(asked, ended) + self.recent(session)

    def charge(self, sessions: Collection[str], seconds: float) -> None:
        """Divide the seconds of a job that has just ended among the visitors that waited for it."""
        now = self._clock()
        for session in sessions:
            self._spent[session] = (self.recent(session) + seconds / len(sessions), now)
        self._spent = {
            each: (spent, ended)
            for each, (spent, ended) in self._spent.items()
            if now - ended < HALF_LIFE_S or self.recent(each) > NEGLIGIBLE_S
        }


def turns(
    waiting: Iterable[Kind], running: Iterable[Waiting], ready: Callable[[str, float], float]
) -> list[tuple[Turn, Kind]]:
    """The waiting jobs in the order in which they run, each with its turn.

    Background work comes last. Other jobs run in rounds: the first job of every visitor before the second job of any;
    running jobs count. Within a round jobs are sorted by ``ready`` (see `Ledger.ready`): the time of the request,
    delayed by the recent work for the visitor, so that every job runs eventually. A job of several visitors has the
    earliest of their turns.
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
    """The running job that is interrupted first: a background job, else the latest started second job of a visitor.

    ``running`` is in the order of starts. None if there is no background job and every visitor has at most one job.
    """
    for job in running:
        if job.is_background:
            return job
    held = Counter(session for job in running for session in job.sessions)
    for job in reversed(running):
        if all(held[session] > 1 for session in job.sessions):
            return job
    return None
