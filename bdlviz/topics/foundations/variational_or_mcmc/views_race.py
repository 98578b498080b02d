"""Error against work: fits stop at their bias, chains go on. Shipped, or run while the page shows how far it is."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.fitted import bundles
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.models import targets
from bdlviz.topics.foundations.variational_or_mcmc import figures, gaussian_fit, race, study
from bdlviz.topics.foundations.variational_or_mcmc import views_setting as setting
from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import FAMILIES
from bdlviz.types import Snapshot
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.jobs.queue import QUEUE, Job, Look
from bdlviz.ui.jobs.watch import Watched, asks, empty_place, say, say_stopped, time_left, visitor, watch

STOPPED = "stopped_race"  # key in the session state
ERROR = Control(
    "race_error",
    "Error of the posterior's",
    ("mean", "std"),
    "std",
    "buttons",
    "Both in standard deviations of the posterior, over both weights.",
    {"mean": "means", "std": "sds"},
)
CONTROLS = (ERROR,)
NAMED = {"mean_field", "metropolis", "langevin", "hmc"}  # in the row of numbers, which holds four
NUM_STEPS = 1000  # of the progress


@dataclass(frozen=True, eq=False)
class Runs:
    """What has been run, by method."""

    found: dict[str, race.Run]


def choose() -> None:
    """Draw the controls of this view."""
    setting.TARGET.show()
    ERROR.show()


def show() -> Shown:
    """Errors of every method against its work: at once when known, else one method after the other."""
    name = setting.TARGET.present()
    key: Hashable = ("race", name)
    runs = _at_hand(key) or _shipped(name)
    if runs is None:
        QUEUE.leave(visitor(), keep=key)
        asks(visitor())
        job = QUEUE.request(key, visitor(), lambda look, cancel: _race(name, look), "race")
        watch(QUEUE, job, visitor(), _watched(key))
    else:
        QUEUE.leave(visitor())
        draw(runs)
    return _shown(name)


def _at_hand(key: Hashable) -> Runs | None:
    stopped = st.session_state.get(STOPPED)
    if stopped is not None and stopped[0] == key:
        say_stopped("Stopped before every method had run.", "Go on", "race_again", STOPPED)
        return stopped[1]
    return QUEUE.finished(key)


def _shipped(name: str) -> Runs | None:
    try:
        arrays = bundles.shipped(study.RACE, study.settings())
    except CheckpointError as error:
        st.info(f"{error} Running it instead.")
        return None
    return Runs(study.runs_on(arrays, name))


def _race(name: str, look: Look[Runs]) -> Runs:
    """All methods, the quick ones first; what is there is handed on in between."""
    start, target = time.monotonic(), targets.find(name)
    found: dict[str, race.Run] = {}

    def report(share: float) -> bool:
        done, now = (len(found) + share) / len(race.RUNNERS), Runs(dict(found))
        return look(Snapshot.at(done, time.monotonic() - start, lambda: now, NUM_STEPS))

    for runner in race.RUNNERS:
        run = race.run(target, runner, on_progress=report)
        if run is None or not report(1.0):
            raise InvalidInput("The comparison was stopped.")
        found[runner] = run
    return Runs(found)


def _watched(key: Hashable) -> Watched[Runs]:
    def stop(runs: Runs | None) -> None:
        st.session_state[STOPPED] = (key, runs)

    def show(runs: Runs | None) -> None:
        if runs is not None and runs.found:
            draw(runs)
        else:
            empty_place()

    return Watched(_how_far, stop, show, say, lambda runs: bool(runs and runs.found), "racing", "stop_race")


def _how_far(job: Job[Runs]) -> tuple[float, str]:
    left = time_left(job.progress[0]) if job.progress else ""
    words = f"Forty seeds of every method{f' · {left}' if left else ' …'}"
    return job.progress[0].fraction if job.progress else 0.0, words


def draw(runs: Runs) -> None:
    """The picture and its numbers, of the methods that there are."""
    of_mean = ERROR.present() == "mean"
    shown = [
        figures.Errors(race.RUNNERS[name], run.evaluations, run.mean if of_mean else run.std, name in FAMILIES)
        for name, run in runs.found.items()
    ]
    label = f"Error of the posterior's {'means' if of_mean else 'sds'} (posterior sd)"
    picture = figures.error_against_work(shown, label=label, last=race.EVALUATIONS, theme=present_theme())
    figure(picture, key="race", alt=figures.describe_errors(shown))
    setting.say_model(setting.present_target(), "Lines are medians over 40 seeds, bands hold 80 % of them.")
    last = {each.name: float(np.median(each.errors[-1])) for each in shown}
    listed = [race.RUNNERS[name] for name in runs.found if name in NAMED]
    numbers(
        [(f"{name}, at its end", f"{last[name]:.3f}", "Median over the seeds, in posterior sds.") for name in listed]
    )


def _shown(name: str) -> Shown:
    snippet = "\n".join(
        [
            "from bdlviz import plots",
            "from bdlviz.models import targets",
            "from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import FAMILIES",
            "from bdlviz.predictive import race",
            "",
            f"target = targets.find({name!r})",
            "runs = {runner: race.run(target, runner) for runner in race.RUNNERS}",
            "shown = [",
            f"    plots.Errors(race.RUNNERS[name], run.evaluations, run.{ERROR.present()}, name in FAMILIES)",
            "    for name, run in runs.items()",
            "]",
            "plots.error_against_work(shown, label='Error (posterior sd)', last=race.EVALUATIONS).show()",
        ]
    )
    formulas = (race.moment_errors, race.later_half, gaussian_fit.elbo_and_slope)
    return Shown(formulas, (race.run, race.moment_errors, gaussian_fit.fit_by_draws), snippet)
