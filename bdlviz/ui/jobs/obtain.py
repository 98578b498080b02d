"""How a page gets what it draws: shipped, remembered, or computed while the visitor watches, with progress and Stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, run
from bdlviz.fitted import checkpoints, shelf
from bdlviz.models.mlp import MLP
from bdlviz.ops import counters
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.jobs.queue import QUEUE, Job, JobQueue
from bdlviz.ui.jobs.watch import (
    PATIENCE,
    Watched,
    asks,
    empty_place,
    say,
    say_stopped,
    time_left,
    visitor,
    wait,
    watch,
)
from bdlviz.ui.model import Need

Found = TypeVar("Found")
MAX_SNAPSHOTS = 30
SNAPSHOT_NUMBERS = 10_000_000  # weights that all snapshots of a fit may hold: 40 MB
STOPPED = "stopped"  # session state: name of a need -> its key and what there was of it
SECOND = "second"  # the name of a fit that a page shows beside its main one


@dataclass(frozen=True, eq=False, kw_only=True)
class FitNeed(Need[Fit]):
    """A fit that a page draws; ``config`` is what the page asks for, ``key`` what is trained."""

    config: FitConfig
    dataset: Dataset


def fit_need(config: FitConfig, dataset: Dataset, *, watches: bool = False, name: str = "") -> FitNeed:
    """The need of a fit: shipped, or trained on ``dataset``.

    With ``watches`` it is trained even where it is shipped, and keeps snapshots, so that its training can be seen.
    """
    trained = with_snapshots(config) if watches else config
    return FitNeed(
        key=trained,
        shipped=None if watches else lambda: shelf.find(config),
        work=lambda look, cancel: run(trained, dataset, on_snapshot=look, cancel=cancel),
        waits=not watches,
        name=name,
        num_steps=config.num_steps,
        config=config,
        dataset=dataset,
    )


def with_snapshots(config: FitConfig) -> FitConfig:
    """The configuration with as many snapshots as are small enough to keep."""
    numbers = MLP((1, *config.hidden, 1)).num_numbers * dict(config.options).get("num_members", 1)
    return replace(config, num_snapshots=int(min(MAX_SNAPSHOTS, max(2, SNAPSHOT_NUMBERS // numbers))))


def obtain(need: Need[Found], draw: Callable[[Found], Any], queue: JobQueue = QUEUE) -> Found | None:
    """Draw a result: at once when it is at hand, else as it is computed, with progress and Stop.

    ``draw`` is called with the finished result, or again and again with an unfinished one. Returns the result when it
    is finished or was stopped, and None while it is computed.
    """
    known, found = at_hand(need, queue)
    if not known and need.work is not None:
        known, found = _stopped(need, queue) or _compute(need, draw, queue)
    if known and found is not None:
        _draw_or_say(draw, found)
    return found


def obtain_all(needs: Sequence[Need[Any]], draw: Callable[[list[Any]], Any], queue: JobQueue = QUEUE) -> list[Any]:
    """Draw several results together; they are computed one after another.

    ``draw`` gets them in the order of ``needs``, None for each that is not there yet or cannot be had. Returns the same
    list; it is complete when nothing of it is computed any more.
    """
    found: list[Any] = [None] * len(needs)
    for place, need in enumerate(needs):
        known, found[place] = at_hand(need, queue)
        if known or need.work is None:
            continue

        def draw_so_far(result: Any, place: int = place) -> None:
            draw([*found[:place], result, *found[place + 1 :]])

        known, found[place] = _stopped(need, queue) or _compute(need, draw_so_far, queue)
        if not known:
            return found
    _draw_or_say(draw, found)
    return found


def at_hand(need: Need[Found], queue: JobQueue = QUEUE) -> tuple[bool, Found | None]:
    """Is the result shipped or remembered? With the result; says on the page why a shipped one cannot be used."""
    try:
        found = need.shipped() if need.shipped is not None else None
        if found is not None:
            counters.RESULTS.labels("shelf").inc()
            queue.leave(name_of(need))
            return True, found
    except checkpoints.CheckpointError as error:
        _say_damaged(need, error)
    remembered = queue.finished(need.key)
    if remembered is None:
        if need.work is None and need.shipped is None and need.missing:
            st.warning(need.missing)
        return False, None
    counters.RESULTS.labels("memory").inc()
    queue.leave(name_of(need))
    return True, _read(need, remembered)


def known_fit(config: FitConfig, queue: JobQueue = QUEUE) -> Fit | None:
    """A fit that is shipped or remembered; None where it would have to be trained. Says nothing on the page."""
    with suppress(checkpoints.CheckpointError):
        if (found := shelf.find(config)) is not None:
            return found
    return queue.finished(config)


def _say_damaged(need: Need[Any], error: Exception) -> None:
    if need.work is None:
        st.warning(f"{error} {need.missing}".strip())
    else:
        st.info(f"{error} Training instead.")


def _read(need: Need[Found], result: Any) -> Found | None:
    """What the view draws of a result; None, and a sentence, where it cannot be drawn."""
    try:
        return need.read(result)
    except InvalidInput as error:  # a diverged fit, for example
        st.error(str(error))
        return None


def _draw_or_say(draw: Callable[[Any], Any], found: Any) -> None:
    try:
        draw(found)
    except InvalidInput as error:
        st.error(str(error))


def name_of(need: Need[Any]) -> str:
    """Under which name the visitor waits for a need."""
    return visitor() + (f":{need.name}" if need.name else "")


def _stopped(need: Need[Found], queue: JobQueue) -> tuple[bool, Found | None] | None:
    """What there was of a result when the visitor stopped it, with an offer to compute it after all."""
    key, result = st.session_state.get(STOPPED, {}).get(need.name, (None, None))
    if key is None or key != need.key:
        return None
    queue.leave(name_of(need))
    done = "" if not need.num_steps else f" after {getattr(result, 'num_steps_done', 0):,} of {need.num_steps:,} steps"
    say_stopped(f"Stopped{done}.", "Train again" if need.kind == "fit" else "Go on", "train_again", STOPPED)
    return True, None if result is None else _read(need, result)


def _compute(need: Need[Found], draw: Callable[[Found], Any], queue: JobQueue) -> tuple[bool, Found | None]:
    """Compute a result: wait a moment for it, then show how far it is. (False, None) while it is computed."""
    assert need.work is not None
    name = name_of(need)
    queue.leave(name, keep=need.key)
    asks(name)
    job = queue.request(need.key, name, need.work, need.kind)
    try:
        result = job.result(0) if wait(job, PATIENCE if need.waits else 0) else None
    except InvalidInput as error:
        st.error(str(error))
        return True, None
    if result is not None and not job.cancel.is_set():
        return True, _read(need, result)
    watch(queue, job, name, _watched(need, draw, queue))
    return False, None


def _watched(need: Need[Found], draw: Callable[[Found], Any], queue: JobQueue) -> Watched[Any]:
    def stop(result: Any) -> None:
        st.session_state.setdefault(STOPPED, {})[need.name] = (need.key, result)

    def show(result: Any) -> None:
        found = None if result is None or not need.streams else _read(need, result)
        if found is None:
            empty_place()
        else:
            _draw_or_say(draw, found)

    return Watched(need.tell or (lambda job: how_far(job, queue)), stop, show, say)


def how_far(job: Job[Any], queue: JobQueue = QUEUE) -> tuple[float, str]:
    """The share of a job that is done, and how long it will take in words."""
    if job.progress is None:
        place = queue.place(job)
        fits = "1 fit" if place == 1 else f"{place} fits"
        return 0.0, f"Waiting: {fits} before yours." if place else "Starting to train …"
    now = job.progress[0]
    return now.fraction, f"Step {now.step:,} of {now.num_steps:,} · {time_left(now) or 'almost done'}"
