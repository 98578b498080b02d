"""Several fits for one picture: those that are known at once, the others trained one after another."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, run
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import METHODS
from bdlviz.predictive.convergence import Convergence
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.jobs.memory import remembered
from bdlviz.ui.jobs.queue import QUEUE, Job
from bdlviz.ui.jobs.watch import PATIENCE, Watched, asks, say_stopped, time_left, visitor, wait, watch

STOPPED, FAILED = "stopped_fits", "failed_fits"  # session state: the configurations asked for; config -> sentence
NUM_SAMPLES = 500  # of every method's functions
REFERENCE_SAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Several:
    """What there is of the fits that a picture wants, by method."""

    dataset: Dataset
    fits: Mapping[str, Fit] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)  # one sentence each
    waiting: tuple[str, ...] = ()  # the first is under way, unless all were stopped
    shipped: frozenset[str] = frozenset()

    def predictive(self, method: str, x: Array, num_samples: int = NUM_SAMPLES) -> Predictive:
        """What a method says of x (N, 1), computed once.

        Raises:
            InvalidInput: its fit diverged.
        """
        fit, key = self.fits[method], (x.tobytes(), num_samples, "predictive")
        return remembered(fit, key, lambda: fit.predict(x, num_samples))

    def convergence(self, method: str, x: Array) -> Convergence | None:
        """Whether the chains of a sampled method agree at x (N, 1); None for other methods."""
        if METHODS[method].inference != "sampled":
            return None
        fit = self.fits[method]
        return remembered(fit, (x.tobytes(), "convergence"), lambda: fit.convergence(x))


def collect(wanted: Mapping[str, FitConfig | str], dataset: Dataset, place: Any) -> Several:
    """The fits at hand; the first of the others trains, its progress is shown in ``place``, then the page runs again.

    ``wanted`` holds, by method, a configuration, or the sentence that says why there is none.
    """
    configs = {name: config for name, config in wanted.items() if isinstance(config, FitConfig)}
    several, end = _look(wanted, dataset), time.monotonic() + PATIENCE
    if several.waiting and st.session_state.get(STOPPED) == tuple(configs.values()):
        QUEUE.leave(visitor())
        _say_stopped(several, place)
        return several
    while several.waiting:
        config = configs[several.waiting[0]]
        job = _request(config, dataset)
        if not wait(job, end - time.monotonic()):
            with place:
                watch(QUEUE, job, visitor(), _watched(config, several, tuple(configs.values())))
            return several
        _note(job, config)
        several = _look(wanted, dataset)
    QUEUE.leave(visitor())
    return several


def _look(wanted: Mapping[str, FitConfig | str], dataset: Dataset) -> Several:
    """What is shipped, remembered, or known to fail."""
    fits: dict[str, Fit] = {}
    problems = {name: why for name, why in wanted.items() if isinstance(why, str)}
    waiting, shipped = [], set()
    failed = st.session_state.get(FAILED, {})
    for name, config in wanted.items():
        if not isinstance(config, FitConfig):
            continue
        if (on_shelf := _shipped(config)) is not None:
            shipped.add(name)
        fit = on_shelf or QUEUE.finished(config)
        if fit is not None and fit.diverged.any():
            problems[name] = "Diverged: its weights are no longer finite. A larger ℓ or another seed may help."
        elif fit is not None:
            fits[name] = fit
        elif config in failed:
            problems[name] = failed[config]
        else:
            waiting.append(name)
    return Several(dataset, fits, problems, tuple(waiting), frozenset(shipped))


def _shipped(config: FitConfig) -> Fit | None:
    try:
        return shelf.find(config)
    except CheckpointError as error:
        st.info(f"{error} Training instead.")
        return None


def _request(config: FitConfig, dataset: Dataset) -> Job[Fit]:
    QUEUE.leave(visitor(), keep=config)
    asks(visitor())
    return QUEUE.request(config, visitor(), lambda look, cancel: run(config, dataset, on_snapshot=look, cancel=cancel))


def _note(job: Job[Fit], config: FitConfig) -> None:
    """Remember why a job failed, so that the others go on."""
    error = job.future.exception()
    if error is not None:
        _note_failure(config, str(error))
    elif QUEUE.finished(config) is None:
        _note_failure(config, "It was cancelled before it ended; train it again.")


def _note_failure(config: FitConfig, sentence: str) -> bool:
    st.session_state.setdefault(FAILED, {})[config] = sentence
    return True


def _watched(config: FitConfig, several: Several, asked: tuple[FitConfig, ...]) -> Watched[Fit]:
    """The job under way among all that were asked for; at its end the page runs again, and the next one starts."""
    done = len(several.fits) + len(several.problems)

    def how_far(job: Job[Fit]) -> tuple[float, str]:
        fraction = job.progress[0].fraction if job.progress else 0.0
        words = f"{_now(job, several.waiting[0])} · {_after(several.waiting[1:])}"
        return (done + fraction) / max(len(asked), done + 1), words

    def stop(fit: Fit | None) -> None:
        st.session_state[STOPPED] = asked

    def fail(error: BaseException) -> bool:
        return _note_failure(config, str(error))

    return Watched(how_far, stop, lambda fit: None, fail)


def _now(job: Job[Fit], method: str) -> str:
    title = METHODS[method].title
    if job.progress is None:
        place = QUEUE.place(job)
        return f"{title}: waiting for {place} other fits" if place else f"{title}: starting"
    snapshot = job.progress[0]
    left = time_left(snapshot) or "almost done"
    return f"{title}: step {snapshot.step:,} of {snapshot.num_steps:,}, {left}"


def _after(waiting: tuple[str, ...]) -> str:
    if not waiting:
        return "the last one"
    return f"then {', '.join(METHODS[name].title for name in waiting)}"


def _say_stopped(several: Several, place: Any) -> None:
    missing = ", ".join(METHODS[name].title for name in several.waiting)
    with place:
        say_stopped(f"Stopped. Not trained: {missing}.", "Train again", "train_again", STOPPED)


def tried(make: Callable[[], FitConfig]) -> FitConfig | str:
    """A configuration, or the sentence that says why there is none."""
    try:
        return make()
    except InvalidInput as error:
        return str(error)
