"""How a page gets a fit: from the shelf, from memory, or trained while the visitor watches."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, run
from bdlviz.fitted import checkpoints, shelf
from bdlviz.models.mlp import MLP
from bdlviz.ops import counters
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.jobs.queue import QUEUE, Job
from bdlviz.ui.jobs.watch import PATIENCE, Watched, asks, empty_place, say, say_stopped, time_left, visitor, wait, watch

MAX_SNAPSHOTS = 30
SNAPSHOT_NUMBERS = 10_000_000  # weights that all snapshots of a fit may hold: 40 MB
SECOND = ":second"  # behind the name of a visitor who waits for a second fit
STOPPED = "stopped_fit"  # key in the session state


@dataclass(frozen=True)
class Wanted:
    """A fit that a page wants; ``watch`` trains it afresh, keeping snapshots, even when it is on the shelf.

    A page may want a second fit beside its own: then neither ends the training of the other.
    """

    config: FitConfig
    dataset: Dataset
    watch: bool = False
    is_second: bool = False

    @property
    def trained(self) -> FitConfig:
        """The configuration to train, with snapshots if they are small enough to keep."""
        if not self.watch:
            return self.config
        numbers = MLP((1, *self.config.hidden, 1)).num_numbers * dict(self.config.options).get("num_members", 1)
        return replace(self.config, num_snapshots=int(min(MAX_SNAPSHOTS, max(2, SNAPSHOT_NUMBERS // numbers))))

    @property
    def visitor(self) -> str:
        """Who waits for it."""
        return visitor() + (SECOND if self.is_second else "")


def obtain(wanted: Wanted, draw: Callable[[Fit], None]) -> Fit | None:
    """Draw the fit a page wants: at once when it is known, else as it trains, with progress and Stop.

    ``draw`` is called with a finished fit, or again and again with an unfinished one. Returns the fit when it is
    finished or was stopped, None while it trains.
    """
    fit, stopped = _at_hand(wanted), st.session_state.get(STOPPED)
    if fit is not None:
        QUEUE.leave(wanted.visitor)
    elif stopped is not None and stopped[0] == wanted.trained:
        QUEUE.leave(wanted.visitor)
        fit = _stopped(wanted, stopped[1])
    else:
        fit = _train(wanted, draw)
    if fit is not None:
        _draw_or_say(draw, fit)
    return fit


def _draw_or_say(draw: Callable[[Fit], None], fit: Fit) -> None:
    try:
        draw(fit)
    except InvalidInput as error:  # a diverged fit, say
        st.error(str(error))


def _stopped(wanted: Wanted, fit: Fit | None) -> Fit | None:
    """What there was of a fit when the visitor stopped it, with an offer to train it after all."""
    done = 0 if fit is None else fit.num_steps_done
    words = f"Stopped after {done:,} of {wanted.config.num_steps:,} steps."
    say_stopped(words, "Train again", "train_again", STOPPED)
    return fit


def leave_second() -> None:
    """The page wants no second fit any more."""
    QUEUE.leave(visitor() + SECOND)


def _at_hand(wanted: Wanted) -> Fit | None:
    if not wanted.watch:
        try:
            fit = shelf.find(wanted.config)
            if fit is not None:
                counters.RESULTS.labels("shelf").inc()
                return fit
        except checkpoints.CheckpointError as error:
            st.info(f"{error} Training instead.")
    fit = QUEUE.finished(_key(wanted))
    if fit is not None:
        counters.RESULTS.labels("memory").inc()
    return fit


def _key(wanted: Wanted) -> Hashable:
    return wanted.trained


def _train(wanted: Wanted, draw: Callable[[Fit], None]) -> Fit | None:
    key = _key(wanted)
    QUEUE.leave(wanted.visitor, keep=key)
    asks(wanted.visitor)
    job = QUEUE.request(
        key, wanted.visitor, lambda look, cancel: run(wanted.trained, wanted.dataset, on_snapshot=look, cancel=cancel)
    )
    try:
        fit = job.result(0) if wait(job, 0 if wanted.watch else PATIENCE) else None
    except InvalidInput as error:
        st.error(str(error))
        return None
    if fit is not None and not job.cancel.is_set():
        return fit
    watch(QUEUE, job, wanted.visitor, _watched(wanted, draw))
    return None


def _watched(wanted: Wanted, draw: Callable[[Fit], None]) -> Watched[Fit]:
    def stop(fit: Fit | None) -> None:
        st.session_state[STOPPED] = (wanted.trained, fit)

    def show(fit: Fit | None) -> None:
        if fit is None:
            empty_place()
        else:
            _draw_or_say(draw, fit)

    return Watched(how_far, stop, show, say)


def how_far(job: Job[Fit]) -> tuple[float, str]:
    """The share of a fit that is done, and how long it will take in words."""
    if job.progress is None:
        place = QUEUE.place(job)
        fits = "1 fit" if place == 1 else f"{place} fits"
        return 0.0, f"Waiting: {fits} before yours." if place else "Starting to train …"
    now = job.progress[0]
    return now.fraction, f"Step {now.step:,} of {now.num_steps:,} · {time_left(now) or 'almost done'}"
