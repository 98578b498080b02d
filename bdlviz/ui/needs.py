"""What a view needs: a result, and the ways to get it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")


Look = Callable[[Any], bool]  # takes a `bdlviz.types.Snapshot`; returns False when the work is to stop


@dataclass(frozen=True)
class Offer:
    """Asks the visitor before a job starts; without a ``button`` the job cannot be started here.

    ``key`` names the box, ``start_`` and ``stop_`` before it its buttons.
    """

    key: str
    says: str
    button: str
    remark: str


@dataclass(frozen=True, eq=False)
class Need(Generic[Found]):
    """A result that a view draws, and the ways to get it, tried in this order: shipped, remembered, computed.

    Args:
        key: names the result; visitors who need the same key share one job.
        shipped: reads it from the shelf; None where it is not there. A CheckpointError becomes a sentence on the page.
        work: computes it in the background, ``work(look, cancel)``; None where that takes too long for a visitor.
        read: turns what ``work`` gave, finished or not, into what the view draws.
        missing: one sentence for a result that is neither shipped nor computed here.
        streams: whether the view draws unfinished results as well.
        waits: whether the page first waits a moment for the result before it shows progress.
        name: "" for the main result of a page; a second one has a name, and neither ends the job of the other.
        kind: what counters call the job.
        tell: progress and words for a job; None for the usual words.
        num_steps: of the whole work, for the words after Stop; its unfinished result then has ``num_steps_done``.
        steps: what a step is called in the plural.
        title: of one among several results, for the words beside their progress.
        problem: makes what the view draws of the sentence that says why the work failed; None shows the sentence.
        offer: what the visitor is asked before the work starts; None for work that starts at once.
    """

    key: Hashable
    shipped: Callable[[], Found | None] | None = None
    work: Callable[[Look, threading.Event], Any] | None = None
    read: Callable[[Any], Found] = lambda result: result
    missing: str = ""
    streams: bool = True
    waits: bool = True
    name: str = ""
    kind: str = "fit"
    tell: Callable[[Any], tuple[float, str]] | None = None
    num_steps: int = 0
    steps: str = "steps"
    title: str = ""
    problem: Callable[[str], Found] | None = None
    offer: Offer | None = None
