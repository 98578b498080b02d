"""How a page obtains a result: shipped, cached, or computed in the background with progress and a Stop button."""

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
    WAIT_BEFORE_PROGRESS_S,
    Watched,
    mark_wanted,
    show_error,
    show_placeholder,
    show_stopped,
    time_left,
    visitor,
    wait,
    watch,
)
from bdlviz.ui.model import Look, Need

Found = TypeVar("Found")
MAX_SNAPSHOTS = 30
SNAPSHOT_NUMBERS = 10_000_000  # weights in all snapshots of a fit together: 40 MB
STOPPED = "stopped"  # session state: name of a need -> its key and its unfinished result
FAILED = "failed"  # session state: key of a need of `obtain_all` -> its error message
TRAINING = ("fit", "course")  # kinds of jobs that train one network, or several one after another
SECOND = "second"  # the name of a second fit of a page


@dataclass(frozen=True, eq=False, kw_only=True)
class FitNeed(Need[Fit]):
    """A fit that a page draws. ``config`` is the requested configuration; ``key`` is the one that is trained."""

    config: FitConfig
    dataset: Dataset


def fit_work(config: FitConfig, dataset: Dataset) -> Callable[[Look, threading.Event], Fit]:
    """A function that trains a fit, as the ``work`` of a `Need`."""
    return lambda look, cancel: run(config, dataset, on_snapshot=look, cancel=cancel)


def fit_need(config: FitConfig, dataset: Dataset, *, watches: bool = False, name: str = "") -> FitNeed:
    """The need of a fit: shipped, or trained on ``dataset``.

    With ``watches`` the fit is always trained, and keeps snapshots, so that the visitor can watch the training.
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
    """The need of a value that ``read`` computes from a fit: from the shipped one, or from one trained on ``dataset``.

    ``read`` is also called with unfinished fits. It may raise InvalidInput, for example for a diverged fit.
    """

    def shipped() -> Found | None:
        fit = shelf.find(config)
        return None if fit is None else read(fit)

    need = fit_need(config, dataset, name=name)
    return Need(need.key, shipped, need.work, read, name=name, num_steps=need.num_steps)


def with_snapshots(config: FitConfig) -> FitConfig:
    """The configuration with as many snapshots as fit into the memory bound."""
    numbers = MLP((1, *config.hidden, 1)).num_numbers * dict(config.options).get("num_members", 1)
    return replace(config, num_snapshots=int(min(MAX_SNAPSHOTS, max(2, SNAPSHOT_NUMBERS // numbers))))


def obtain(
    need: Need[Found],
    draw: Callable[[Found], Any],
    queue: JobQueue | None = None,
    while_computing: Callable[[Found], Any] | None = None,
) -> Found | None:
    """Draw a result: at once if it is available, else while it is computed, with progress and a Stop button.

    ``draw`` is called once with the finished result. An unfinished one goes to ``while_computing``, again and again,
    without one to ``draw``. Only the part with the progress runs then, so it must not write anywhere else on the page.
    Returns the result if it is finished or was stopped, and None while it is computed.
    """
    queue = queue or QUEUE
    known, found = available(need, queue)
    if known:
        queue.leave(name_of(need))
    elif need.offer is not None and offer.is_open(need):
        offer.show(need.offer, need.key)
    elif need.work is not None:
        known, found = _stopped(need, queue) or _compute(need, while_computing or draw, queue)
    if known and found is not None:
        try:
            draw(found)
        except InvalidInput as error:
            st.error(str(error))
    return found


def available(need: Need[Found], queue: JobQueue) -> tuple[bool, Found | None]:
    """True and the result if it is shipped or cached, else (False, None).

    If a shipped result cannot be used, the page shows the reason.
    """
    try:
        found = need.shipped() if need.shipped is not None else None
        if found is not None:
            counters.RESULTS.labels("shelf").inc()
            return True, found
    except checkpoints.CheckpointError as error:
        _say_damaged(need, error)
    cached = queue.finished(need.key)
    if cached is None:
        if need.work is None and need.shipped is None and need.missing:
            st.warning(need.missing)
        return False, None
    counters.RESULTS.labels("memory").inc()
    return True, _read(need, cached)


def known_fit(config: FitConfig, queue: JobQueue | None = None) -> Fit | None:
    """A fit that is shipped or cached; None if it would have to be trained. Writes nothing on the page."""
    with suppress(checkpoints.CheckpointError):
        if (found := shelf.find(config)) is not None:
            return found
    return (queue or QUEUE).finished(config)


def known(need: Need[Found], queue: JobQueue | None = None) -> Found | None:
    """A result that is shipped or cached; None if it would have to be computed. Writes nothing on the page.

    Raises:
        InvalidInput: the result exists, but it cannot be drawn.
    """
    with suppress(checkpoints.CheckpointError):
        if need.shipped is not None and (found := need.shipped()) is not None:
            return found
    cached = (queue or QUEUE).finished(need.key)
    return None if cached is None else need.read(cached)


def _say_damaged(need: Need[Any], error: Exception) -> None:
    if need.work is None:
        st.warning(f"{error} {need.missing}".strip())
    else:
        st.info(f"{error} Training instead.")


def _read(need: Need[Found], result: Any) -> Found | None:
    """The value that the view draws; None, with a message on the page, if the result cannot be drawn."""
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
    """The name under which the visitor waits for a need."""
    return visitor() + (f":{need.name}" if need.name else "")


def _stopped(need: Need[Found], queue: JobQueue) -> tuple[bool, Found | None] | None:
    """True and the unfinished result if the visitor stopped it, else None. Shows a button to compute it again."""
    key, result = st.session_state.get(STOPPED, {}).get(need.name, (None, None))
    if key is None or key != need.key:
        return None
    queue.leave(name_of(need))
    done = getattr(result, "num_steps_done", 0)
    steps = f" after {done:,} of {need.num_steps:,} {need.steps}" if need.num_steps else ""
    _offer_again(f"Stopped{steps}.", need)
    return True, None if result is None else _read(need, result)


def _offer_again(words: str, need: Need[Any]) -> None:
    show_stopped(words, "Train again" if need.kind in TRAINING else "Go on", "train_again", STOPPED)


def _compute(need: Need[Found], draw: Callable[[Found], Any], queue: JobQueue) -> tuple[bool, Found | None]:
    """Compute a result: wait for it briefly, then show its progress. (False, None) while it is computed."""
    job = _request(need, queue)
    try:
        known, found = _outcome(need, job, WAIT_BEFORE_PROGRESS_S)
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
    mark_wanted(name)
    return queue.request(need.key, name, need.work, need.kind)


def _outcome(need: Need[Found], job: Job[Any], timeout_s: float) -> tuple[bool, Found | None]:
    """True and the result of the job if it ends within ``timeout_s`` seconds, else (False, None).

    Raises:
        InvalidInput: the job failed.
    """
    result = job.result(0) if wait(job, timeout_s if need.waits else 0) else None
    if result is None or job.cancel.is_set():
        return False, None
    return True, _read(need, result)


def _failed(need: Need[Found], sentence: str) -> Found | None:
    """The value that the view draws for a failure; None, with the message on the page, if the need defines none."""
    if need.problem is not None:
        return need.problem(sentence)
    st.error(sentence)
    return None


def _watched(need: Need[Found], draw: Callable[[Found], Any], queue: JobQueue) -> Watched[Any]:
    if need.offer is not None:
        return offer.watched(need.offer, need)

    def stop(result: Any) -> None:
        st.session_state.setdefault(STOPPED, {})[need.name] = (need.key, result)

    return Watched(need.tell or (lambda job: how_far(job, queue)), stop, _drawing(need, draw), show_error)


def _drawing(need: Need[Found], draw: Callable[[Found], Any]) -> Callable[[Any], None]:
    """A function that draws an unfinished result, or a placeholder if the view cannot draw it."""

    def show(result: Any) -> None:
        found = None if result is None or not need.streams else _read(need, result)
        if found is None:
            show_placeholder()
        else:
            _draw_or_say(draw, found)

    return show


# Several results for one figure ---------------------------------------------------------------------------------------


def obtain_all(
    needs: Sequence[Need[Any]],
    draw: Callable[[list[Any]], Any],
    queue: JobQueue | None = None,
    while_computing: Callable[[list[Any]], Any] | None = None,
) -> list[Any]:
    """Draw several results together; those that are not available are computed one after another.

    ``draw`` gets a list in the order of ``needs``, with None for results that are not computed yet or cannot be
    computed. A failed need becomes the value of `Need.problem`, and the others continue. Stop ends all remaining
    computations and keeps the existing results. While a need that does not stream is computed, the others are drawn;
    a list with an unfinished result goes to ``while_computing``, as in `obtain`.
    Returns the list that ``draw`` gets; it is final when no job runs any more.
    """
    queue, end = queue or QUEUE, time.monotonic() + WAIT_BEFORE_PROGRESS_S
    found, missing = _all_available(needs, queue)
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
            watch(queue, job, name_of(need), _watched_among(needs, missing, found, while_computing or draw, queue))
            break
        found[missing.pop(0)] = result
    else:
        for name in {name_of(need) for need in needs}:
            queue.leave(name)
    if not missing or not needs[missing[0]].streams:
        _draw_or_say(draw, found)
    return found


def _all_available(needs: Sequence[Need[Any]], queue: JobQueue) -> tuple[list[Any], list[int]]:
    """The available results, with None for the others, and the indices of those that must be computed."""
    found: list[Any] = [None] * len(needs)
    missing, failed = [], st.session_state.get(FAILED, {})
    for index, need in enumerate(needs):
        known, found[index] = available(need, queue)
        if known or need.work is None:
            continue
        if need.key in failed:
            found[index] = _failed(need, failed[need.key])
        else:
            missing.append(index)
    return found, missing


def _are_stopped(needs: Sequence[Need[Any]], missing: Sequence[int], found: list[Any]) -> bool:
    """True if the visitor stopped the missing results.

    Then a button offers to continue, and the unfinished result is put into ``found``.
    """
    first = needs[missing[0]]
    keys, result = st.session_state.get(STOPPED, {}).get(first.name, (None, None))
    if keys != _keys_of(needs):
        return False
    titles = ", ".join(needs[index].title for index in missing if needs[index].title)
    _offer_again(f"Stopped. Not finished: {titles}." if titles else "Stopped.", first)
    if result is not None:
        found[missing[0]] = _read(first, result)
    return True


def _keys_of(needs: Sequence[Need[Any]]) -> tuple[Hashable, ...]:
    return tuple(need.key for need in needs)


def _noted(need: Need[Any], error: BaseException) -> str:
    """Keep the message of a failure, so that the need is not computed again, and return it."""
    st.session_state.setdefault(FAILED, {})[need.key] = str(error)
    return str(error)


def _watched_among(
    needs: Sequence[Need[Any]],
    missing: Sequence[int],
    found: Sequence[Any],
    draw: Callable[[list[Any]], Any],
    queue: JobQueue,
) -> Watched[Any]:
    """How the page shows the first missing result; when it ends, the page runs again and the next one starts."""
    index, need = missing[0], needs[missing[0]]

    def tell(job: Job[Any]) -> tuple[float, str]:
        fraction, words = need.tell(job) if need.tell is not None else how_far(job, queue)
        after = ", ".join(needs[each].title for each in missing[1:])
        parts = [f"{need.title}: {words}", f"then {after}" if after else "then the picture"] if need.title else [words]
        return (len(needs) - len(missing) + fraction) / len(needs), " · ".join(parts)

    def stop(result: Any) -> None:
        st.session_state.setdefault(STOPPED, {})[need.name] = (_keys_of(needs), result)

    def fail(error: BaseException) -> bool:
        return bool(_noted(need, error))

    drawing = _drawing(need, lambda result: draw([*found[:index], result, *found[index + 1 :]]))
    return Watched(tell, stop, drawing if need.streams else lambda result: None, fail)


# Words ----------------------------------------------------------------------------------------------------------------


def how_far(job: Job[Any], queue: JobQueue = QUEUE) -> tuple[float, str]:
    """The completed fraction of a job, and its progress in words."""
    if job.progress is None:
        num_before = queue.place(job)
        fits = "1 fit" if num_before == 1 else f"{num_before} fits"
        return 0.0, f"Waiting: {fits} before yours." if num_before else "Starting to train …"
    now = job.progress[0]
    return now.fraction, f"Step {now.step:,} of {now.num_steps:,} · {time_left(now) or 'almost done'}"
