"""Which input should be measured next? One label at a time on a curve, by what a model does not know."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping

import numpy as np
import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.methods import METHODS
from bdlviz.topics.regression.active_learning import acquisition, active, figures, views_job, views_play
from bdlviz.topics.regression.active_learning import study as recipes_active
from bdlviz.topics.regression.active_learning.study import ROUNDS, RUNS, START, CurveRun
from bdlviz.topics.regression.active_learning.views_runs import (
    intervals,
    needed,
    needed_text,
    plus_minus,
    study,
    verdict,
)
from bdlviz.types import Array, Predictive
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown

DATA = Control(
    "pool",
    "Pool of inputs",
    recipes_active.DATASETS,
    "x_sin_x",
    "menu",
    "A hundred inputs, all without a label at first but three.",
    {"x_sin_x": "x sin x", "two_clusters": "Two clusters", "heteroscedastic": "Noise that grows"},
)
METHOD = Control(
    "learner",
    "Model",
    recipes_active.METHODS,
    recipes_active.METHODS[0],
    "menu",
    "It is trained again after every label. The prior of the Gaussian process gives the weights of a layer with n "
    f"inputs the variance 1/(nℓ²), ℓ = {recipes_active.CURVE_SETTINGS['gaussian_process']['length_scale']:g}.",
    {name: METHODS[name].title for name in recipes_active.METHODS},
)
SCORE = Control(
    "ask",
    "Ask for the highest",
    tuple(acquisition.CURVE_SCORES),
    "epistemic",
    "menu",
    "How much a label at x is wanted.",
    {
        "epistemic": "epistemic variance",
        "total": "total variance",
        "information": "information",
        "random": "random number",
    },
)
RUN = Control(
    "pool_run",
    "Run",
    tuple(str(run) for run in range(RUNS)),
    "0",
    "slider",
    "Another pool and another start, by chance. Run 0 is shipped; others train here.",
)
LABELS = views_play.round_control(
    "asked", "Labels asked for", ROUNDS, 5, f"Besides the {START} that there are from the beginning."
)
CONTROLS = (DATA, METHOD, SCORE, RUN, LABELS)
ERROR_TOPS = {"x_sin_x": 4.0, "two_clusters": 0.6, "heteroscedastic": 2.0}  # of the axis, in y's units
LEVELS = {"x_sin_x": 0.5, "two_clusters": 0.1, "heteroscedastic": 0.4}  # RMSE to reach
LOUD = 0.3  # noise sd above which a point says little


def choose() -> None:
    """Draw the controls of this view."""
    views_play.show_player(LABELS)
    SCORE.show()
    METHOD.show()
    DATA.show()
    RUN.show()


def show() -> Shown | None:
    """The function and the scores at the chosen round, and what the scores bring over several runs."""
    name, score = DATA.present(), SCORE.present()
    used = used_score(name, score)
    if used != score:
        st.caption(
            f"The noise is the same everywhere here, so the {SCORE.name(score)} puts the points in the same order as "
            "the epistemic variance. Choose *Noise that grows* to tell them apart."
        )
    runs = study(f"active_curves_{METHOD.present()}")
    try:
        run = _run(runs, name, used)
    except InvalidInput as error:
        st.error(str(error))
        return None
    if run is None:
        return None
    at = views_play.present_round(LABELS, run.num_rounds)
    picture, course = st.columns([1.75, 1], gap="small")
    with picture:
        _show_round(run, at)
    with course:
        _show_runs(runs, run, name, used, at)
    numbers(_numbers(runs, run, name, used, at))
    if runs and used != "random":
        st.markdown(_verdict(errors(runs, name), name, used))
    return Shown(
        (acquisition.CURVE_SCORES[score], active.learn, active.mean_interval),
        (acquisition.CURVE_SCORES[score], acquisition.highest, active.learn, recipes_active.curve_look),
        _snippet(name, used),
    )


def _verdict(found: Mapping[str, Array], name: str, score: str) -> str:
    counts = START + np.arange(ROUNDS + 1)
    mine, chance = (
        needed(counts, found[SCORE.name(each)], LEVELS[name], higher_is_better=False) for each in (score, "random")
    )
    return verdict(SCORE.name(score), f"an RMSE of {LEVELS[name]:g}", counts, mine, chance)


def used_score(name: str, score: str) -> str:
    """The score that decides there: where noise is the same everywhere, it decides nothing."""
    return score if score in recipes_active.scores_on(name) else "epistemic"


def _run(runs: Mapping[str, Array], name: str, score: str) -> CurveRun | None:
    """The chosen run: shipped, or trained now."""
    method, number = METHOD.present(), int(RUN.present())
    if number == 0 and runs:
        return recipes_active.first_run(runs, name, score)
    key: Hashable = ("active", method, name, score, number)

    def work(report: views_job.Report, cancel: threading.Event) -> CurveRun:
        pool = recipes_active.curve_pool(name, number)

        def on_round(course: active.Course) -> bool:
            return report(len(course.picks), lambda: recipes_active.curve_run(pool, course))

        return recipes_active.curve_course(method, name, score, number, cancel=cancel, on_round=on_round)

    return views_job.obtain(key, ROUNDS, work, "labels")


def _show_round(run: CurveRun, at: int) -> None:
    labelled = run.labelled(at)
    scores = run.scores[at] if at < len(run.scores) else None
    noise = recipes_active.noise_std_at(run.pool, run.grid[:, None])
    mean, std = run.mean[at][:, None], run.std[at][:, None]
    believed = Predictive(run.grid[:, None], mean[None, :, :][:0], mean, std, noise, 0)
    fig = figures.active_round(
        believed, run.pool, labelled, scores=scores, score_label="Score / highest", theme=present_theme()
    )
    figure(fig, key="active_round", alt=figures.describe_active_round(run.pool, labelled, scores))


def _show_runs(runs: Mapping[str, Array], run: CurveRun, name: str, score: str, at: int) -> None:
    found = errors(runs, name)
    counts = START + np.arange(ROUNDS + 1)
    among = intervals(found)
    fig = figures.runs_against(
        counts,
        found,
        x_label="Labels",
        y_label="RMSE to the truth",
        x_range=(START - 0.5, START + ROUNDS + 0.5),
        y_range=(0.0, ERROR_TOPS[name]),
        interval=among,
        chosen=SCORE.name(score),
        marked=float(START + at),
        levels={f"RMSE {LEVELS[name]:g}": LEVELS[name]},
        banded=(SCORE.name("random"),),
        live=(counts[: len(run.rmse)], run.rmse),
        theme=present_theme(),
    )
    alt = figures.describe_runs(counts, among, what="RMSE", where="labels", at=at) if among else ""
    figure(fig, key="active_runs", alt=alt)


def errors(runs: Mapping[str, Array], name: str) -> dict[str, Array]:
    """The error of every score that was studied there, by its name, (R, T + 1)."""
    keys = {score: f"{name}_{score}_rmse" for score in acquisition.CURVE_SCORES}
    return {SCORE.name(score): runs[key].astype(float) for score, key in keys.items() if key in runs}


def _numbers(runs: Mapping[str, Array], run: CurveRun, name: str, score: str, at: int) -> list[tuple[str, str, str]]:
    found, counts = errors(runs, name), START + np.arange(ROUNDS + 1)
    rows = [(f"RMSE, this run, {START + at} labels", f"{run.rmse[at]:.2f}", "Of the mean, to the noise-free truth.")]
    if not found:
        return rows
    mine, chance = found[SCORE.name(score)], found[SCORE.name("random")]
    spread = f"Mean of {len(mine)} runs ± half its 95 % interval, {START + at} labels."
    rows += [
        (f"Mean of {len(mine)} runs", plus_minus(mine[:, at]), spread),
        ("… at random", plus_minus(chance[:, at]), spread),
    ]
    if name == "heteroscedastic":
        picked = run.pool.x[run.picks[:at]] if at else run.pool.x[run.start]
        share = float(np.mean(recipes_active.noise_std_at(run.pool, picked) > LOUD))
        everywhere = float(np.mean(recipes_active.noise_std_at(run.pool, run.pool.x) > LOUD))
        told = (
            f"Labels so far of this run where the noise sd is above {LOUD:g}; of the pool, {everywhere:.0%} lie there."
        )
        return [*rows, ("Asked for in the noise", f"{share:.0%}", told)]
    level = LEVELS[name]
    theirs = needed_text(counts, needed(counts, chance, level, higher_is_better=False))
    told = f"Labels until the RMSE is {level:g}, mean of runs. At random: {theirs}."
    return [
        *rows,
        (f"Labels to RMSE {level:g}", needed_text(counts, needed(counts, mine, level, higher_is_better=False)), told),
    ]


def _snippet(name: str, score: str) -> str:
    return "\n".join(
        [
            "from bdlviz.topics.regression.active_learning import study",
            "",
            f"run = study.curve_course({METHOD.present()!r}, {name!r}, {score!r}, run={RUN.present()})",
            "print(run.pool.x[run.picks, 0])  # in the order in which labels were asked for",
            "print(run.rmse)",
        ]
    )
