"""Which digits should somebody label next? Scores of class probabilities on the 8x8 digits."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping

import numpy as np
import streamlit as st

from bdlviz.data import load
from bdlviz.errors import InvalidInput
from bdlviz.methods import METHODS
from bdlviz.topics.regression.active_learning import acquisition, active, figures, views_job, views_play
from bdlviz.topics.regression.active_learning import study as recipes_active
from bdlviz.topics.regression.active_learning.active import Course
from bdlviz.topics.regression.active_learning.study import (
    DIGIT_BATCH,
    DIGIT_METHODS,
    DIGIT_ROUNDS,
    DIGIT_SCORES,
    DIGIT_START,
)
from bdlviz.topics.regression.active_learning.views_runs import (
    intervals,
    needed,
    needed_text,
    plus_minus,
    study,
    verdict,
)
from bdlviz.types import Array, Dataset
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown

METHOD = Control(
    "digit_learner",
    "Model",
    DIGIT_METHODS,
    "mc_dropout",
    "buttons",
    "It is trained again after every five labels.",
    {name: METHODS[name].title for name in DIGIT_METHODS},
)
SCORE = Control(
    "digit_ask",
    "Ask for the highest",
    DIGIT_SCORES,
    "bald",
    "buttons",
    "BALD: the draws contradict each other. Entropy: the class is uncertain, whatever the reason.",
    {"bald": "BALD", "entropy": "entropy", "random": "random"},
)
TARGET = Control(
    "target",
    "Accuracy to reach",
    ("0.85", "0.9", "0.95"),
    "0.9",
    "buttons",
    "On held-out digits.",
    {"0.85": "85 %", "0.9": "90 %", "0.95": "95 %"},
)
LIVE = Control(
    "digit_start",
    "Train a run now",
    ("off", "each", "random", "one"),
    "off",
    "menu",
    "Another ten labels to start from, with the score above.",
    {
        "off": "no, the shipped runs",
        "each": "from one of each class",
        "random": "from any ten",
        "one": "from ten zeros",
    },
)
LABELS = views_play.round_control(
    "digit_rounds", "Rounds of five labels", DIGIT_ROUNDS, 8, f"Besides the {DIGIT_START} there are from the beginning."
)
CONTROLS = (LABELS, SCORE, METHOD, TARGET, LIVE)
COUNTS = DIGIT_START + DIGIT_BATCH * np.arange(DIGIT_ROUNDS + 1)
LIVE_ROUNDS, LIVE_RUN = 20, 100  # a seed that no shipped run has
SHOWN, COLUMNS, SCALE = 20, 10, 5  # pictures of each score, in a row, and their size
ACCURACY = (0.45, 1.0)


def choose() -> None:
    """Draw the controls of this view."""
    views_play.show_player(LABELS)
    for control in CONTROLS[1:]:
        control.show()


def show() -> Shown | None:
    """Accuracy against labels over several runs, and the digits that were asked for."""
    pool = load("digits")
    runs = study(f"active_digits_{METHOD.present()}")
    start, live = LIVE.present(), None
    if start != "off" or not runs:  # without the study there is a run at least
        try:
            live = _live("each" if start == "off" else start)
        except InvalidInput as error:
            st.error(str(error))
            return None
        if live is None:
            return None
    at = views_play.present_round(LABELS, DIGIT_ROUNDS if live is None else len(live.picks))
    curves, pictures = st.columns([1.5, 1], gap="medium")
    with curves:
        _show_curves(runs, live, at)
    with pictures:
        _show_pictures(runs, live, pool, at)
    numbers(_numbers(runs, live, at))
    _say_verdict(runs)
    return Shown(
        (acquisition.CLASS_SCORES[SCORE.present()], active.learn, active.labels_needed, active.mean_interval),
        (acquisition.CLASS_SCORES[SCORE.present()], active.learn, recipes_active.digit_look, active.labels_needed),
        _snippet(),
    )


def _live(start: str) -> Course | None:
    """One run, trained in front of the visitor."""
    method, score = METHOD.present(), SCORE.present()
    key: Hashable = ("active digits", method, score, start)

    def work(report: views_job.Report, cancel: threading.Event) -> Course:
        def on_round(course: Course) -> bool:
            done = len(course.picks)
            return report(
                done, lambda: Course(course.start, course.picks[:], course.scores[:], course.seen[: done + 1])
            )

        return recipes_active.digit_course(
            method, score, LIVE_RUN, start=start, num_rounds=LIVE_ROUNDS, cancel=cancel, on_round=on_round
        )

    return views_job.obtain(key, LIVE_ROUNDS, work, "rounds")


def accuracies(runs: Mapping[str, Array]) -> dict[str, Array]:
    """The accuracy of every score, by its name, (R, T + 1)."""
    return {SCORE.name(score): runs[f"{score}_accuracy"].astype(float) for score in DIGIT_SCORES if runs}


def _show_curves(runs: Mapping[str, Array], live: Course | None, at: int) -> None:
    found = accuracies(runs)
    among = intervals(found)
    fig = figures.runs_against(
        COUNTS,
        found,
        x_label="Labels",
        y_label="Held-out accuracy",
        x_range=(0.0, float(COUNTS[-1]) + 4),
        y_range=ACCURACY,
        interval=among,
        chosen=SCORE.name(SCORE.present()),
        marked=float(COUNTS[at]),
        levels={TARGET.name(TARGET.present()): float(TARGET.present())},
        live=None if live is None else (live.counts[: len(live.seen)], live.quality),
        theme=present_theme(),
        height=500,
    )
    fig.update_layout(yaxis_tickformat=".0%")
    told = figures.describe_runs(COUNTS, among, what="Held-out accuracy", where="labels", at=at) if among else ""
    figure(fig, key="digit_runs", alt=told)


def _show_pictures(runs: Mapping[str, Array], live: Course | None, pool: Dataset, at: int) -> None:
    if at == 0:
        st.caption("No digit has been asked for yet: press *Step*.")
        return
    if live is not None:
        _show_sheet("This run", np.concatenate(live.picks[:at]), pool)
        return
    for score in DIGIT_SCORES:
        _show_sheet(SCORE.name(score), runs[f"{score}_picks"][0][:at].ravel().astype(int), pool)


def _show_sheet(name: str, picks: Array, pool: Dataset) -> None:
    last = picks[-SHOWN:]
    images = pool.x[last].reshape(-1, *(pool.image_shape or (8, 8)))
    labels = " ".join(str(label) for label in pool.y[last])
    st.caption(f"**{name}**, the last {len(last)} labels: {labels}")
    sheet(images, COLUMNS, alt=f"{name}: the digits asked for last, labelled {labels}.", scale=SCALE)


def _numbers(runs: Mapping[str, Array], live: Course | None, at: int) -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = []
    if live is not None:
        told = f"Held-out accuracy of the run that was trained here, {len(live.start)} labels at the start."
        rows.append((f"This run, {int(live.counts[at])} labels", f"{live.quality[at]:.1%}", told))
    if not runs:
        return rows
    found, target = accuracies(runs), float(TARGET.present())
    name = SCORE.name(SCORE.present())
    mine, chance = (needed(COUNTS, found[each], target, higher_is_better=True) for each in (name, "random"))
    told = (
        f"Labels until the accuracy is {target:.0%} for the first time; mean of {len(mine)} runs ± half its interval."
    )
    if live is None:
        spread = "Held-out accuracy in percent, mean of runs ± half its 95 % interval."
        rows.append((f"{name}, {int(COUNTS[at])} labels (%)", plus_minus(100 * found[name][:, at], 1), spread))
    rows += [
        (f"{name}: labels to {target:.0%}", needed_text(COUNTS, mine), told),
        (f"Random: labels to {target:.0%}", needed_text(COUNTS, chance), told),
    ]
    at_once = f"Held-out accuracy in percent, mean of runs ± half its 95 % interval, {int(COUNTS[at])} labels."
    if name != "random" and live is None:
        rows.insert(1, ("… at random (%)", plus_minus(100 * found["random"][:, at], 1), at_once))
    return rows


def _say_verdict(runs: Mapping[str, Array]) -> None:
    score, target = SCORE.present(), float(TARGET.present())
    if not runs or score == "random":
        return
    found = accuracies(runs)
    mine, chance = (
        needed(COUNTS, found[SCORE.name(each)], target, higher_is_better=True) for each in (score, "random")
    )
    st.markdown(verdict(SCORE.name(score), TARGET.name(TARGET.present()), COUNTS, mine, chance))


def _snippet() -> str:
    start = "" if LIVE.present() == "off" else f", start={LIVE.present()!r}"
    run = 0 if LIVE.present() == "off" else LIVE_RUN
    return "\n".join(
        [
            "from bdlviz.topics.regression.active_learning import study",
            "from bdlviz.topics.regression.active_learning.active import labels_needed",
            "",
            f"run = study.digit_course({METHOD.present()!r}, {SCORE.present()!r}, run={run}{start})",
            "print(run.counts, run.quality)",
            f"print(labels_needed(run.counts, run.quality, {TARGET.present()}))",
        ]
    )
