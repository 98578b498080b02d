"""A small grid around a setting that is not shipped, trained once the visitor rests, so that sliders redraw there too.

At most one such grid trains in the process, and only if it takes seconds; it ends as soon as the visitor moves on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from bdlviz.fits import Fit, Snapshot, run
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.jobs import QUEUE, Job
from bdlviz.ui.obtain import visitor
from bdlviz.ui.scrub import grids

STOPS = {
    "dropout_rate": (0.0, 0.02, 0.1, 0.2, 0.3, 0.5, 0.8, 0.95),
    "weight_decay": (1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0),
}  # some of the sliders' own; beyond the outermost weight decays the functions no longer change
REST = 1.0  # seconds without a commit after which training starts
POLL = 0.5  # seconds between two looks
MAX_SECONDS = 5.0  # that a grid may take
SHARE = 0.4  # of the time that its networks would take one by one
RESTING = "neighbourhood"  # session state: the grid wanted, and since when

_lock = threading.Lock()
_training: list[Job] = []  # the one under way


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


def leave(config: FitConfig | None = None) -> None:
    """The visitor has moved on: give up every grid but the one around this setting."""
    QUEUE.leave(waiting(), keep=None if config is None else around(config))


def block(fit: Fit, dataset: Dataset) -> bytes | None:
    """The trained grid around a fit, as soon as there is one; until then the page looks again now and then."""
    whole = around(fit.config)
    if whole is None or not _is_affordable(fit, whole):
        return None
    found = QUEUE.finished(whole)
    if found is not None:
        return grids.block_of_grid(found, dataset, None)
    rested = st.session_state.get(RESTING)
    if rested is None or rested[0] != whole:
        st.session_state[RESTING] = (whole, time.monotonic())
    _look(whole, dataset)
    return None


def _is_affordable(fit: Fit, whole: FitConfig) -> bool:
    cells = 1
    for _, stops in whole.axes:
        cells *= len(stops)
    is_whole = fit.num_steps_done == fit.config.num_steps and not len(fit.snapshot_steps)
    return is_whole and not fit.diverged.any() and 0 < fit.seconds * cells * SHARE <= MAX_SECONDS


@st.fragment(run_every=POLL)
def _look(whole: FitConfig, dataset: Dataset) -> None:
    """Start the grid after a moment's rest; run the page once more when it is there."""
    wanted, since = st.session_state[RESTING]
    if wanted != whole or time.monotonic() - since < REST:
        return
    job = _job(whole, dataset)
    if job is None:
        return
    job.seen = time.monotonic()
    if QUEUE.finished(whole) is not None:
        st.rerun()


def _job(whole: FitConfig, dataset: Dataset) -> Job | None:
    """The training of this grid; None while another one trains."""
    with _lock:
        _training[:] = [job for job in _training if not job.future.done()]
        if _training and _training[0].key != whole:
            return None
        if not _training or _training[0].cancel.is_set():
            _training[:] = [QUEUE.request(whole, waiting(), partial(_train, whole, dataset))]
        return _training[0]


def _train(whole: FitConfig, dataset: Dataset, look: Callable[[Snapshot], bool], cancel: threading.Event) -> Fit:
    return run(whole, dataset, on_snapshot=look, cancel=cancel)
