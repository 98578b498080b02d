"""How a page gets a fit: from the shelf, from memory, or trained while the visitor watches."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bdlviz import checkpoints, shelf
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, Snapshot, run
from bdlviz.models.mlp import MLP
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.jobs import QUEUE, Job

PATIENCE = 0.8  # seconds a page waits for a fit before it shows progress instead
PICTURE_HEIGHT = 560  # px, of the place that a figure will take
BREATH = 0.05  # seconds between two moments at which that page may be left
POLL = 0.25  # seconds between two looks at a running fit
MAX_SNAPSHOTS = 30
SNAPSHOT_NUMBERS = 10_000_000  # weights that all snapshots of a fit may hold: 40 MB
SECOND = ":second"  # behind the name of a visitor who waits for a second fit


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
    fit, stopped = _at_hand(wanted), st.session_state.get("stopped_fit")
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
    with st.container(key="stopped", horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"Stopped after {done:,} of {wanted.config.num_steps:,} steps.", width="stretch")
        st.button("Train again", on_click=_forget_stopped, key="train_again")
    return fit


def visitor() -> str:
    """Names this browser tab."""
    context = get_script_run_ctx()
    return context.session_id if context else "no session"


def leave_second() -> None:
    """The page wants no second fit any more."""
    QUEUE.leave(visitor() + SECOND)


def _forget_stopped() -> None:
    st.session_state.pop("stopped_fit", None)


def _at_hand(wanted: Wanted) -> Fit | None:
    if not wanted.watch:
        try:
            fit = shelf.find(wanted.config)
            if fit is not None:
                return fit
        except checkpoints.CheckpointError as error:
            st.info(f"{error} Training instead.")
    return QUEUE.finished(_key(wanted))


def _key(wanted: Wanted) -> Hashable:
    return wanted.trained


def _train(wanted: Wanted, draw: Callable[[Fit], None]) -> Fit | None:
    key = _key(wanted)
    QUEUE.leave(wanted.visitor, keep=key)
    job = QUEUE.request(
        key, wanted.visitor, lambda look, cancel: run(wanted.trained, wanted.dataset, on_snapshot=look, cancel=cancel)
    )
    try:
        fit = _wait(job, 0 if wanted.watch else PATIENCE)
    except InvalidInput as error:
        st.error(str(error))
        return None
    if fit is not None and not job.cancel.is_set():
        return fit
    _watch(job, wanted, draw)
    return None


def _wait(job: Job, seconds: float) -> Fit | None:
    """The fit, if it is done in time; a slider that moves meanwhile need not wait."""
    place, end = st.empty(), time.monotonic() + seconds
    while (fit := job.result(min(seconds, BREATH))) is None and time.monotonic() < end:
        place.empty()  # here Streamlit leaves a run that nobody waits for any more
    return fit


@st.fragment(run_every=POLL)
def _watch(job: Job, wanted: Wanted, draw: Callable[[Fit], None]) -> None:
    """Look at a running job every quarter of a second; the full rerun at its end stops the looking."""
    job.seen = time.monotonic()
    if job.future.done():
        if job.future.exception() is None:
            st.rerun()
        st.error(str(job.future.exception()))
        return
    snapshot, fit = job.progress or (None, None)
    with st.container(key="training", horizontal=True, vertical_alignment="center", border=True):
        fraction = 0.0 if snapshot is None else snapshot.fraction
        st.progress(fraction, _how_far(snapshot) if snapshot else _how_long(job), width="stretch")
        is_enough = st.button("Stop", key="stop_fit")
    if is_enough:
        QUEUE.leave(wanted.visitor)
        st.session_state["stopped_fit"] = (wanted.trained, fit)
        st.rerun()
    if fit is None:
        st.skeleton(height=PICTURE_HEIGHT)
    else:
        _draw_or_say(draw, fit)


def _how_far(snapshot: Snapshot) -> str:
    left = f"{snapshot.seconds_left:.0f} s left" if snapshot.seconds_left >= 1 else "almost done"
    return f"Step {snapshot.step:,} of {snapshot.num_steps:,} · {left}"


def _how_long(job: Job) -> str:
    place = QUEUE.place(job)
    fits = "1 fit" if place == 1 else f"{place} fits"
    return f"Waiting: {fits} before yours." if place else "Starting to train …"
