"""Which input should be measured next? One label at a time on a curve, by the uncertainty of a model."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping
from contextlib import suppress
from functools import partial

import numpy as np

from bdlviz.digits import number
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import METHODS
from bdlviz.topics.regression.active_learning import acquisition, active, figures, runs, study
from bdlviz.topics.regression.active_learning.job import Report, course_need
from bdlviz.topics.regression.active_learning.study import ROUNDS, RUNS, START, CurveRun
from bdlviz.types import Array, Predictive
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Columns, Figure, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Words

DATA = Control(
    "pool",
    "Pool of inputs",
    study.DATASETS,
    "x_sin_x",
    "menu",
    "A hundred inputs; three of them have a label at first.",
    {"x_sin_x": "x sin x", "two_clusters": "Two clusters", "heteroscedastic": "Noise that grows"},
)
METHOD = Control(
    "learner",
    "Model",
    study.METHODS,
    study.METHODS[0],
    "menu",
    "It is trained again after every label. The prior of the Gaussian process gives the weights of a layer with n "
    f"inputs the variance 1/(nℓ²), ℓ = {study.CURVE_SETTINGS['gaussian_process']['length_scale']:g}.",
    {name: METHODS[name].title for name in study.METHODS},
)
SCORE = Control(
    "ask",
    "Ask next by",
    tuple(acquisition.CURVE_SCORES),
    "epistemic",
    "menu",
    "The next label is asked for where this score is highest. Disagreement: the variance of the functions.",
    {"epistemic": "disagreement", "total": "total variance", "information": "information", "random": "random"},
)
RUN = Control(
    "pool_run",
    "Run",
    tuple(str(run) for run in range(RUNS)),
    "0",
    "slider",
    "Another random pool and start. Run 0 is shipped; others are trained here.",
)
LABELS = number_control(
    "asked",
    "Measurements",
    range(ROUNDS + 1),
    3,
    f"Besides the {START} that there are from the beginning.",
    plays=True,
)
ERROR_TOPS = {"x_sin_x": 4.5, "two_clusters": 0.6, "heteroscedastic": 2.0}  # of the axis, in y's units
LEVELS = {"x_sin_x": 0.5, "two_clusters": 0.1, "heteroscedastic": 0.4}  # RMSE to reach
LOUD = 0.3  # noise sd above which a label tells little of the function
LEARN = Formula(
    active.learn,
    "The point with the highest score gets its label, and the model is trained again.",
    {"a": "score of a point of the pool", "D_t": "labels after t rounds"},
)
GIVEN: Mapping[str, tuple[str, Mapping[str, str]]] = {  # of each score: what it is, and its symbols
    "epistemic": ("The variance of the functions at x.", {"f_s": "draw s, in the unit of y"}),
    "total": (
        "The variance of a new observation: noise counts, too, although no label reduces it.",
        {"f_s": "draw s, in the unit of y", r"\sigma^2": "variance of the noise"},
    ),
    "information": (
        "What an observation tells of the function (nats: 0.69 is one bit): little where the noise is high.",
        {"f_s": "draw s, in the unit of y", r"\sigma^2": "variance of the noise"},
    ),
    "random": ("Every point is as good as every other.", {"a": "score of a point"}),
}
ENTRIES, SLIDERS = (SCORE, METHOD, DATA, RUN), (LABELS,)


def used_score(setting: Setting) -> str:
    """The score that decides: where noise is the same everywhere, most of them put the points in the same order."""
    return setting[SCORE] if setting[SCORE] in study.scores_on(setting[DATA]) else "epistemic"


def needed(setting: Setting) -> Need[CurveRun]:
    """The chosen run: shipped, or trained now."""
    method, name, score, number = setting[METHOD], setting[DATA], used_score(setting), int(setting[RUN])
    key: Hashable = ("active", method, name, score, number)

    def shipped() -> CurveRun | None:
        with suppress(CheckpointError):  # the view says that the study is missing
            return study.first_run(shelf.shipped(_study_of(setting))[1], name, score)
        return None

    def work(report: Report, cancel: threading.Event) -> CurveRun:
        pool = study.curve_pool(name, number)

        def on_round(course: active.Course) -> bool:
            return report(len(course.picks), lambda: study.curve_run(pool, course))

        return study.curve_course(method, name, score, number, cancel=cancel, on_round=on_round)

    return course_need(key, ROUNDS, work, "labels", shipped if number == 0 else None)


def _study_of(setting: Setting) -> str:
    return f"active_curves_{setting[METHOD]}"


def curve(setting: Setting, screen: Screen, run: CurveRun) -> Result:
    """The function and the scores at the chosen round, and what the scores achieve over several runs."""
    name, score, used = setting[DATA], setting[SCORE], used_score(setting)
    shipped, missing = runs.study(_study_of(setting))
    at = min(int(setting[LABELS]), run.num_rounds)
    found = errors(shipped, name)
    parts: list[Part] = [Says(_sentence(found, run, used, at))]
    if used != score:
        told = (
            f"The noise is the same everywhere here, so the {SCORE.name(score)} puts the points in the same order as "
            "disagreement. Choose *Noise that grows* to tell them apart."
        )
        parts.append(Words(told))
    if missing:
        parts.append(Words(missing, "info"))
    pictures = [[_round(screen, run, used, at)], [_runs(setting, screen, found, run, used, at)]]
    parts.append(Columns(pictures, (1.75, 1), "small"))
    parts.append(Numbers(_numbers(found, run, name, used, at)))
    if found and used != "random":
        parts.append(Words(_verdict(found, name, used), "markdown"))
    return Result(
        parts,
        formulas=(Formula(acquisition.CURVE_SCORES[score], *GIVEN[score]), LEARN),
        code=(acquisition.CURVE_SCORES[score], acquisition.highest, active.learn, study.curve_look),
        call=_call(setting),
    )


def _compared(score: str) -> list[str]:
    """The names of the chosen score and of random choice; beside random choice, that of disagreement."""
    return [SCORE.name(each) for each in (score, "epistemic" if score == "random" else "random")]


def _sentence(found: Mapping[str, Array], run: CurveRun, score: str, at: int) -> str:
    """The error after so many measurements, and how many another choice of them needs for the same."""
    if not found:
        return f"With {START} + {at} labels the error of this run is {number(float(run.rmse[at]))}."
    names = _compared(score)
    error = number(float(found[names[0]][:, at].mean()), 2)
    if not at:
        return f"With the {START} points measured at first the error is {error}, however the next ones are chosen."
    measured = "one measurement" if at == 1 else f"{at} measurements"
    mine, other = ("at random" if name == SCORE.name("random") else f"by {name}" for name in names)
    there, needed = number(float(found[names[1]][:, at].mean()), 2), _in_words(_as_good(found, score, at))
    as_good = f"choice {other} needs {needed} for the same error"
    return f"After {measured} the error is {error} {mine} and {there} {other}; {as_good}."


def _as_good(found: Mapping[str, Array], score: str, at: int) -> int | None:
    """How many labels the other choice needs for the same error, in the mean of runs; None if all are too few."""
    mine, other = (found[name].mean(0) for name in _compared(score))
    reached = np.flatnonzero(other <= mine[at])
    return int(reached[0]) if len(reached) else None


def _in_words(labels: int | None) -> str:
    return f"over {ROUNDS}" if labels is None else str(labels)


def _verdict(found: Mapping[str, Array], name: str, score: str) -> str:
    counts = START + np.arange(ROUNDS + 1)
    mine, chance = (
        runs.needed(counts, found[SCORE.name(each)], LEVELS[name], higher_is_better=False) for each in (score, "random")
    )
    return runs.verdict(SCORE.name(score), f"an RMSE of {LEVELS[name]:g}", counts, mine, chance)


def _round(screen: Screen, run: CurveRun, score: str, at: int) -> Figure:
    labelled = run.labelled(at)
    scores = run.scores[at] if at < len(run.scores) else None
    noise = study.noise_std_at(run.pool, run.grid[:, None])
    mean, std = run.mean[at][:, None], run.std[at][:, None]
    predicted = Predictive(run.grid[:, None], mean[None, :, :][:0], mean, std, noise, 0)
    fig = figures.active_round(
        predicted,
        run.pool,
        labelled,
        num_given=len(run.start),
        scores=scores,
        score="disagreement: their variance" if score == "epistemic" else SCORE.name(score),
        score_range=figures.range_of_scores(run.scores[np.arange(run.num_rounds), run.picks]),
        theme=screen.theme,
    )
    return Figure("active_round", fig, figures.describe_active_round(run.pool, labelled, scores))


def _runs(setting: Setting, screen: Screen, found: Mapping[str, Array], run: CurveRun, score: str, at: int) -> Figure:
    """The error of the chosen way to choose and of the one to compare with, and of a run that was trained here."""
    name, counts = setting[DATA], np.arange(ROUNDS + 1)
    found = {each: found[each] for each in _compared(score) if each in found}
    low, high = float(run.pool.x_test.min()), float(run.pool.x_test.max())
    fig = figures.runs_against(
        counts,
        found,
        x_label=f"Measurements ({RUNS} runs: mean, range)",
        y_label=f"Error (RMSE) at new x from {number(low, 1)} to {number(high, 1)}",
        x_range=(-0.5, ROUNDS + 0.5),
        y_range=(0.0, ERROR_TOPS[name]),
        interval={each: (runs_of.mean(0), runs_of.min(0), runs_of.max(0)) for each, runs_of in found.items()},
        chosen=SCORE.name(score),
        marked=float(at),
        live=None if found and not int(setting[RUN]) else (counts[: len(run.rmse)], run.rmse),
        told=_compared(score) if found else (),
        written=partial(number, digits=2),
        theme=screen.theme,
    )
    if at and found:
        mine, other = _compared(score)
        level, as_good = float(found[mine][:, at].mean()), _as_good(found, score, at)
        ends = (at, ROUNDS if as_good is None else as_good)
        text = f"needs<br>over {ROUNDS} for {number(level, 2)}" if as_good is None else f"needs {as_good}"
        figures.mark_as_good(fig, ends, level, f"{other} {text}", ROUNDS, screen.theme)
    told = figures.describe_runs(counts, runs.intervals(found), what="RMSE", where="measurements", at=at)
    return Figure("active_runs", fig, told if found else "")


def errors(shipped: Mapping[str, Array], name: str) -> dict[str, Array]:
    """The error of every score that was studied there, by its name, (R, T + 1)."""
    keys = {score: f"{name}_{score}_rmse" for score in acquisition.CURVE_SCORES}
    return {SCORE.name(score): shipped[key].astype(float) for score, key in keys.items() if key in shipped}


def _numbers(found: Mapping[str, Array], run: CurveRun, name: str, score: str, at: int) -> list[tuple[str, str, str]]:
    counts = START + np.arange(ROUNDS + 1)
    rows = [(f"RMSE, this run, {START + at} labels", f"{run.rmse[at]:.2f}", "Of the mean, to the noise-free truth.")]
    if not found:
        return rows
    mine, chance = found[SCORE.name(score)], found[SCORE.name("random")]
    spread = f"Mean of {len(mine)} runs ± half its 95 % interval, {START + at} labels."
    rows += [
        (f"Mean of {len(mine)} runs", runs.plus_minus(mine[:, at]), spread),
        ("At random", runs.plus_minus(chance[:, at]), spread),
    ]
    if name == "heteroscedastic":
        picked = run.pool.x[run.picks[:at]] if at else run.pool.x[run.start]
        share = float(np.mean(study.noise_std_at(run.pool, picked) > LOUD))
        everywhere = float(np.mean(study.noise_std_at(run.pool, run.pool.x) > LOUD))
        told = (
            f"Labels so far of this run where the noise sd is above {LOUD:g}; of the pool, {everywhere:.0%} lie there."
        )
        return [*rows, ("Asked for in the noise", f"{share:.0%}", told)]
    level = LEVELS[name]
    of_score, at_random = (
        runs.needed_text(counts, runs.needed(counts, each, level, higher_is_better=False)) for each in (mine, chance)
    )
    told = f"Labels until the RMSE is {level:g}, mean of runs. At random: {at_random}."
    return [*rows, (f"Labels to RMSE {level:g}", of_score, told)]


def _call(setting: Setting) -> str:
    chosen = f"{setting[METHOD]!r}, {setting[DATA]!r}, {used_score(setting)!r}, run={setting[RUN]}"
    return "\n".join(
        [
            "from bdlviz.topics.regression.active_learning import study",
            "",
            f"run = study.curve_course({chosen})",
            "print(run.pool.x[run.picks, 0])  # in the order in which labels were asked for",
            "print(run.rmse)",
        ]
    )
