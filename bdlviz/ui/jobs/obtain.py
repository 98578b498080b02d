"""How a page gets what it draws: shipped, remembered, or computed while the visitor watches, with progress and Stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
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
from bdlviz.ui.jobs import offer
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
from bdlviz.ui.model import Look, Need

Found = TypeVar("Found")
MAX_SNAPSHOTS = 30
SNAPSHOT_NUMBERS = 10_000_000  # weights that all snapshots of a fit may hold: 40 MB
STOPPED = "stopped"  # session state: name of a need -> its key and what there was of it
FAILED = "failed"  # session state: key of one of several needs -> why it failed
TRAINING = ("fit", "course")  # kinds of jobs that train: one network, or one after another
SECOND = "second"  # the name of a fit that a page shows beside its main one


@dataclass(frozen=True, eq=False, kw_only=True)
class FitNeed(Need[Fit]):
    """A fit that a page draws; ``config`` is what the page asks for, ``key`` what is trained."""

    config: FitConfig
    dataset: Dataset


def fit_work(config: FitConfig, dataset: Dataset) -> Callable[[Look, threading.Event], Fit]:
    """The work of training a fit, for a `Need`."""
    return lambda look, cancel: run(config, dataset, on_snapshot=look, cancel=cancel)


def fit_need(config: FitConfig, dataset: Dataset, *, watches: bool = False, name: str = "") -> FitNeed:
    """The need of a fit: shipped, or trained on ``dataset``.

    With ``watches`` it is trained even where it is shipped, and keeps snapshots, so that its training can be seen.
    """
    trained = with_snapshots(config) if watches else config
    return FitNeed(
        key=trained,
        shipped=None if watches else lambda: shelf.find(config),
        work=fit_work(trained, dataset),
        waits=not watches,
        name=name,
        num_steps=config.num_steps,
        config=config,
        dataset=dataset,
    )


def value_need(config: FitConfig, dataset: Dataset, read: Callable[[Fit], Found], *, name: str = "") -> Need[Found]:
    """The need of what ``read`` makes of a fit, finished or not: of the shipped one, or of one trained on ``dataset``.

    ``read`` may raise InvalidInput, such as for a diverged fit.
    """

    def shipped() -> Found | None:
        fit = shelf.find(config)
        return None if fit is None else read(fit)

    need = fit_need(config, dataset, name=name)
    return Need(need.key, shipped, need.work, read, name=name, num_steps=need.num_steps)


def with_snapshots(config: FitConfig) -> FitConfig:
    """The configuration with as many snapshots as are small enough to keep."""
    numbers = MLP((1, *config.hidden, 1)).num_numbers * dict(config.options).get("num_members", 1)
    return replace(config, num_snapshots=int(min(MAX_SNAPSHOTS, max(2, SNAPSHOT_NUMBERS // numbers))))


def obtain(need: Need[Found], draw: Callable[[Found], Any], queue: JobQueue | None = None) -> Found | None:
    """Draw a result: at once when it is at hand, else as it is computed, with progress and Stop.

    ``draw`` is called with the finished result, or again and again with an unfinished one. Returns the result when it
    is finished or was stopped, and None while it is computed.
    """
    queue = queue or QUEUE
    known, found = at_hand(need, queue)
    if known:
        queue.leave(name_of(need))
    elif need.offer is not None and offer.is_open(need):
        offer.show(need.offer, need.key)
    elif need.work is not None:
        known, found = _stopped(need, queue) or _compute(need, draw, queue)
    if known and found is not None:
        try:
            draw(found)
        except InvalidInput as error:
            st.error(str(error))
    return found


def at_hand(need: Need[Found], queue: JobQueue) -> tuple[bool, Found | None]:
    """Is the result shipped or remembered? With the result; says on the page why a shipped one cannot be used."""
    try:
        found = need.shipped() if need.shipped is not None else None
        if found is not None:
            counters.RESULTS.labels("shelf").inc()
            return True, found
    except checkpoints.CheckpointError as error:
        _say_damaged(need, error)
    remembered = queue.finished(need.key)
    if remembered is None:
        if need.work is None and need.shipped is None and need.missing:
            st.warning(need.missing)
        return False, None
    counters.RESULTS.labels("memory").inc()
    return True, _read(need, remembered)


def known_fit(config: FitConfig, queue: JobQueue | None = None) -> Fit | None:
    """A fit that is shipped or remembered; None where it would have to be trained. Says nothing on the page."""
    with suppress(checkpoints.CheckpointError):
        if (found := shelf.find(config)) is not None:
            return found
    return (queue or QUEUE).finished(config)


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
    done = getattr(result, "num_steps_done", 0)
    told = f" after {done:,} of {need.num_steps:,} {need.steps}" if need.num_steps else ""
    _offer_again(f"Stopped{told}.", need)
    return True, None if result is None else _read(need, result)


def _offer_again(words: str, need: Need[Any]) -> None:
    say_stopped(words, "Train again" if need.kind in TRAINING else "Go on", "train_again", STOPPED)


def _compute(need: Need[Found], draw: Callable[[Found], Any], queue: JobQueue) -> tuple[bool, Found | None]:
    """Compute a result: wait a moment for it, then show how far it is. (False, None) while it is computed."""
    job = _request(need, queue)
    try:
        known, found = _outcome(need, job, PATIENCE)
    except InvalidInput as error:
        if need.offer is not None and offer.failed(error):
            st.rerun()
        return True, _failed(need, str(error))
    if not known:
        watch(queue, job, name_of(need), _watched(need, draw, queue))
    return known, found


def _request(need: Need[Found], queue: JobQueue) -> Job[Any]:
    assert need.work is not None
    name = name_of(need)
    queue.leave(name, keep=need.key)
    asks(name)
    return queue.request(need.key, name, need.work, need.kind)


def _outcome(need: Need[Found], job: Job[Any], patience: float) -> tuple[bool, Found | None]:
    """What the job gives within ``patience`` seconds, (False, None) if it takes longer.

    Raises:
        InvalidInput: it failed.
    """
    result = job.result(0) if wait(job, patience if need.waits else 0) else None
    if result is None or job.cancel.is_set():
        return False, None
    return True, _read(need, result)


def _failed(need: Need[Found], sentence: str) -> Found | None:
    """What the view draws of a failure; without that the sentence stands on the page."""
    if need.problem is not None:
        return need.problem(sentence)
    st.error(sentence)
    return None


def _watched(need: Need[Found], draw: Callable[[Found], Any], queue: JobQueue) -> Watched[Any]:
    if need.offer is not None:
        return offer.watched(need.offer, need)

    def stop(result: Any) -> None:
        st.session_state.setdefault(STOPPED, {})[need.name] = (need.key, result)

    return Watched(need.tell or (lambda job: how_far(job, queue)), stop, _drawing(need, draw), say)


def _drawing(need: Need[Found], draw: Callable[[Found], Any]) -> Callable[[Any], None]:
    """Draws an unfinished result where the view can, else an empty place."""

    def show(result: Any) -> None:
        found = None if result is None or not need.streams else _read(need, result)
        if found is None:
            empty_place()
        else:
            _draw_or_say(draw, found)

    return show


# Several results for one picture --------------------------------------------------------------------------------------


def obtain_all(
    needs: Sequence[Need[Any]], draw: Callable[[list[Any]], Any], queue: JobQueue | None = None
) -> list[Any]:
    """Draw several results together; those that are not at hand are computed one after another.

    ``draw`` gets them in the order of ``needs``: None for each that is not there yet or cannot be had. One that fails
    becomes what `Need.problem` makes of its sentence, and the others go on. Stop ends all that is still to be computed,
    and what there is stays. While a need is computed that does not stream, the others are drawn. Returns the list of
    ``draw``; it is complete when nothing of it is computed any more.
    """
    queue, end = queue or QUEUE, time.monotonic() + PATIENCE
    found, missing = _all_at_hand(needs, queue)
    if missing and _are_stopped(needs, missing, found):
        missing = []
    while missing:
        need = needs[missing[0]]
        job = _request(need, queue)
        try:
            known, result = _outcome(need, job, end - time.monotonic())
        except InvalidInput as error:
            known, result = True, _failed(need, _noted(need, error))
        if not known:
            watch(queue, job, name_of(need), _watched_among(needs, missing, found, draw, queue))
            break
        found[missing.pop(0)] = result
    else:
        for name in {name_of(need) for need in needs}:
            queue.leave(name)
    if not missing or not needs[missing[0]].streams:
        _draw_or_say(draw, found)
    return found


def _all_at_hand(needs: Sequence[Need[Any]], queue: JobQueue) -> tuple[list[Any], list[int]]:
    """What there is of several results, and the places of those that are to be computed."""
    found: list[Any] = [None] * len(needs)
    missing, failed = [], st.session_state.get(FAILED, {})
    for place, need in enumerate(needs):
        known, found[place] = at_hand(need, queue)
        if known or need.work is None:
            continue
        if need.key in failed:
            found[place] = _failed(need, failed[need.key])
        else:
            missing.append(place)
    return found, missing


def _are_stopped(needs: Sequence[Need[Any]], missing: Sequence[int], found: list[Any]) -> bool:
    """Did the visitor stop what is missing? Then an offer to go on; what there was of a result becomes ``found``."""
    first = needs[missing[0]]
    keys, result = st.session_state.get(STOPPED, {}).get(first.name, (None, None))
    if keys != _keys_of(needs):
        return False
    titles = ", ".join(needs[place].title for place in missing if needs[place].title)
    _offer_again(f"Stopped. Not finished: {titles}." if titles else "Stopped.", first)
    if result is not None:
        found[missing[0]] = _read(first, result)
    return True


def _keys_of(needs: Sequence[Need[Any]]) -> tuple[Hashable, ...]:
    return tuple(need.key for need in needs)


def _noted(need: Need[Any], error: BaseException) -> str:
    """The sentence of a failure, kept so that the others go on instead of this one being tried again."""
    st.session_state.setdefault(FAILED, {})[need.key] = str(error)
    return str(error)


def _watched_among(
    needs: Sequence[Need[Any]],
    missing: Sequence[int],
    found: Sequence[Any],
    draw: Callable[[list[Any]], Any],
    queue: JobQueue,
) -> Watched[Any]:
    """The first of what is missing, as it is computed; at its end the page runs again, and the next one starts."""
    place, need = missing[0], needs[missing[0]]

    def tell(job: Job[Any]) -> tuple[float, str]:
        share, words = need.tell(job) if need.tell is not None else how_far(job, queue)
        after = ", ".join(needs[each].title for each in missing[1:])
        told = [f"{need.title}: {words}", f"then {after}" if after else "the last one"] if need.title else [words]
        return (len(needs) - len(missing) + share) / len(needs), " · ".join(told)

    def stop(result: Any) -> None:
        st.session_state.setdefault(STOPPED, {})[need.name] = (_keys_of(needs), result)

    def fail(error: BaseException) -> bool:
        return bool(_noted(need, error))

    drawing = _drawing(need, lambda result: draw([*found[:place], result, *found[place + 1 :]]))
    return Watched(tell, stop, drawing if need.streams else lambda result: None, fail)


# Words ----------------------------------------------------------------------------------------------------------------


def how_far(job: Job[Any], queue: JobQueue = QUEUE) -> tuple[float, str]:
    """The share of a job that is done, and how long it will take in words."""
    if job.progress is None:
        place = queue.place(job)
        fits = "1 fit" if place == 1 else f"{place} fits"
        return 0.0, f"Waiting: {fits} before yours." if place else "Starting to train …"
    now = job.progress[0]
    return now.fraction, f"Step {now.step:,} of {now.num_steps:,} · {time_left(now) or 'almost done'}"
