"""Error against work: fits stop at their bias, chains go on. Shipped, or run while the page shows how far it is."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import streamlit as st

from bdlviz import bundles, plots, recipes_scenes
from bdlviz.checkpoints import CheckpointError
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, Snapshot
from bdlviz.models import gaussian_fit, targets
from bdlviz.models.gaussian_fit import FAMILIES
from bdlviz.predictive import race
from bdlviz.types import Array
from bdlviz.ui.controls import Control
from bdlviz.ui.foundations import walk_setting as setting
from bdlviz.ui.jobs import QUEUE, Job
from bdlviz.ui.look import figure, numbers, present_theme
from bdlviz.ui.obtain import PICTURE_HEIGHT, POLL, visitor
from bdlviz.ui.page import Shown

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
TICKS = 1000  # of the progress


@dataclass(frozen=True, eq=False)
class Runs:
    """What has been run, as the queue of fits remembers its results: by their arrays."""

    found: dict[str, race.Run]
    snapshots: dict[str, Array] = field(default_factory=dict)

    @property
    def params(self) -> dict[str, Array]:
        """What the queue weighs."""
        return {name: run.mean for name, run in self.found.items()}


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
        job = QUEUE.request(key, visitor(), lambda look, cancel: cast(Fit, _race(name, look)))
        _watch(job, key)
    else:
        QUEUE.leave(visitor())
        draw(runs)
    return _shown(name)


def _at_hand(key: Hashable) -> Runs | None:
    stopped = st.session_state.get(STOPPED)
    if stopped is not None and stopped[0] == key:
        with st.container(key="stopped", horizontal=True, vertical_alignment="center", border=True):
            st.markdown("Stopped before every method had run.", width="stretch")
            st.button("Go on", on_click=lambda: st.session_state.pop(STOPPED, None), key="race_again")
        return stopped[1]
    return cast(Runs | None, QUEUE.finished(key))


def _shipped(name: str) -> Runs | None:
    try:
        arrays = bundles.shipped(recipes_scenes.RACE, recipes_scenes.race_settings())
    except CheckpointError as error:
        st.info(f"{error} Running it instead.")
        return None
    return Runs(recipes_scenes.race_of(arrays, name))


def _race(name: str, look) -> Runs:
    """All methods, the quick ones first; what is there is handed on in between."""
    start, found, target = time.monotonic(), {}, targets.find(name)

    def report(share: float) -> bool:
        done, now = (len(found) + share) / len(race.RUNNERS), Runs(dict(found))
        return look(Snapshot(round(done * TICKS), TICKS, time.monotonic() - start, lambda: cast(Fit, now)))

    for runner in race.RUNNERS:
        run = race.run(target, runner, on_progress=report)
        if run is None or not report(1.0):
            raise InvalidInput("The comparison was stopped.")
        found[runner] = run
    return Runs(found)


@st.fragment(run_every=POLL)
def _watch(job: Job, key: Hashable) -> None:
    """Look at the running comparison; the full rerun at its end stops the looking."""
    job.seen = time.monotonic()
    if job.future.done():
        error = job.future.exception()
        if error is None:
            st.rerun()
        st.error(str(error))
        return
    snapshot, now = job.progress or (None, None)
    runs = cast(Runs | None, now)
    with st.container(key="racing", horizontal=True, vertical_alignment="center", border=True):
        left = f" · {snapshot.seconds_left:.0f} s left" if snapshot and snapshot.seconds_left >= 1 else ""
        words = f"Forty seeds of every method{left or ' …'}"
        st.progress(snapshot.fraction if snapshot else 0.0, words, width="stretch")
        is_enough = st.button("Stop", key="stop_race", disabled=runs is None or not runs.found)
    if runs is None or not runs.found:
        st.skeleton(height=PICTURE_HEIGHT)
        return
    if is_enough:
        QUEUE.leave(visitor())
        st.session_state[STOPPED] = (key, runs)
        st.rerun()
    draw(runs)


def draw(runs: Runs) -> None:
    """The picture and its numbers, of the methods that there are."""
    of_mean = ERROR.present() == "mean"
    shown = [
        plots.Errors(race.RUNNERS[name], run.evaluations, run.mean if of_mean else run.std, name in FAMILIES)
        for name, run in runs.found.items()
    ]
    label = f"Error of the posterior's {'means' if of_mean else 'sds'} (posterior sd)"
    picture = plots.error_against_work(shown, label=label, last=race.EVALUATIONS, theme=present_theme())
    figure(picture, key="race", alt=plots.describe_errors(shown))
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
            "from bdlviz.models.gaussian_fit import FAMILIES",
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
