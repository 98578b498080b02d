"""A small grid around a setting that is not shipped, trained once the visitor rests, so that sliders redraw there too.

It trains in the background, where every job that somebody looks at goes before, and only if it takes seconds; it ends
as soon as the visitor moves on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import streamlit as st

from bdlviz.fits import Fit
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.jobs.obtain import fit_work
from bdlviz.ui.jobs.queue import QUEUE, Job
from bdlviz.ui.jobs.watch import mark_wanted, visitor
from bdlviz.ui.scrub import grids

STOPS = {
    "dropout_rate": (0.0, 0.02, 0.1, 0.2, 0.3, 0.5, 0.8, 0.95),
    "weight_decay": (1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0),
}  # some of the sliders' own; beyond the outermost weight decays the functions no longer change
REST = 1.0  # seconds without a commit after which training starts
POLL = 1.0  # seconds between two looks
LONGEST = 60.0  # seconds of looks; other visitors' work may take longer than this one cares
MAX_SECONDS = 5.0  # that a grid may take
SHARE = 0.4  # of the time that its networks would take one by one
RESTING = "neighbourhood"  # key in the session state


@dataclass
class Rest:
    """The grid around the setting at which a visitor rests, since when, its job once asked for, and is it given up?"""

    whole: FitConfig
    since: float
    job: Job[Fit] | None = None
    is_given_up: bool = False


def waiting() -> str:
    """Names this browser tab as one that waits for a grid; leaving a page leaves this too."""
    return f"{visitor()}:grid"


def around(config: FitConfig) -> FitConfig | None:
    """The grid on which sliders move a single fit, the same wherever they stand; None off the sliders' stops."""
    whole = grids.whole_grid(config)
    if not all(values[0] in stops for (_, values), (_, stops) in zip(config.axes, whole.axes, strict=True)):
        return None
    axes = tuple((name, STOPS.get(name, values)) for name, values in config.axes)
    return None if axes == config.axes else replace(config, axes=axes, num_snapshots=0)


def block(fit: Fit, dataset: Dataset) -> bytes | None:
    """The trained grid around a fit, as soon as there is one; until then the page looks again now and then."""
    whole = around(fit.config)
    if whole is None or not _is_affordable(fit, whole):
        return None
    found = QUEUE.finished(whole)
    if found is not None:
        return grids.block_of_grid(found, dataset, None)
    rest = st.session_state.get(RESTING)
    if rest is None or rest.whole != whole:
        rest = st.session_state[RESTING] = Rest(whole, time.monotonic())
    if not rest.is_given_up:
        mark_wanted(waiting())
        _look(rest, dataset)
    return None


def _is_affordable(fit: Fit, whole: FitConfig) -> bool:
    cells = 1
    for _, stops in whole.axes:
        cells *= len(stops)
    is_whole = fit.is_done and not len(fit.snapshot_steps)
    return is_whole and not fit.diverged.any() and 0 < fit.seconds * cells * SHARE <= MAX_SECONDS


@st.fragment(run_every=POLL)
def _look(rest: Rest, dataset: Dataset) -> None:
    """Ask for the grid after a moment's rest; run the page once more when it is there, or is not worth more looks."""
    rested = time.monotonic() - rest.since
    if st.session_state[RESTING] is not rest or rested < REST:
        return
    if rest.job is None or rest.job.cancel.is_set():
        rest.job = QUEUE.request(
            rest.whole,
            waiting(),
            fit_work(rest.whole, dataset),
            "grid",
            True,
        )
    rest.job.seen = time.monotonic()
    is_over = rested > LONGEST or rest.job.future.done()
    is_there = QUEUE.finished(rest.whole) is not None  # asked after that: a job is done once its result is there
    rest.is_given_up = is_over and not is_there
    if rest.is_given_up:
        QUEUE.leave(waiting())
    if is_there or rest.is_given_up:
        st.rerun()
