"""Which digits should somebody label next? Scores of class probabilities on the 8x8 digits."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from bdlviz.data import load
from bdlviz.digits import percent
from bdlviz.methods import METHODS
from bdlviz.topics.regression.active_learning import acquisition, active, figures, runs, study
from bdlviz.topics.regression.active_learning.active import Course
from bdlviz.topics.regression.active_learning.job import Report, course_need
from bdlviz.topics.regression.active_learning.study import (
    DIGIT_BATCH,
    DIGIT_METHODS,
    DIGIT_ROUNDS,
    DIGIT_SCORES,
    DIGIT_START,
)
from bdlviz.types import Array, Dataset
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Columns, Figure, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Sheet, Words

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
    "Ask next by",
    DIGIT_SCORES,
    "bald",
    "buttons",
    "BALD: the draws disagree. Entropy: the class is uncertain, whatever the reason.",
    {"bald": "BALD", "entropy": "entropy", "random": "chance"},
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
LABELS = number_control(
    "digit_rounds",
    "Rounds of five labels",
    range(DIGIT_ROUNDS + 1),
    8,
    f"Besides the {DIGIT_START} there are from the beginning.",
    plays=True,
)
ENTRIES, SLIDERS = (SCORE, METHOD, TARGET, LIVE), (LABELS,)
LEARN = Formula(
    active.learn,
    "The five digits with the highest scores get their labels, and the model is trained again.",
    {"a": "score of a digit of the pool", "D_t": "labels after t rounds"},
)
NEEDED = Formula(
    active.labels_needed,
    "How many labels it takes to reach the accuracy for the first time.",
    {"q(n)": "held-out accuracy with n labels", r"\ell": "the accuracy to reach"},
)
P_S = {"p_s": "class probabilities of draw s", "S": "number of draws"}
GIVEN: Mapping[str, tuple[str, Mapping[str, str]]] = {  # of each score: what it is, and its symbols
    "bald": ("What a label tells of the weights, in nats: high where sure draws contradict each other.", P_S),
    "entropy": ("How uncertain the class is, in nats, whatever the reason.", P_S),
    "random": ("Every digit is as good as every other.", {"a": "score of a digit"}),
}
COUNTS = DIGIT_START + DIGIT_BATCH * np.arange(DIGIT_ROUNDS + 1)
LIVE_ROUNDS, LIVE_RUN = 20, 100  # a seed that no shipped run has
SHOWN, COLUMNS, SCALE = 20, 10, 5  # pictures of each score, in a row, and their size
ACCURACY = (0.45, 1.0)


def needed(setting: Setting) -> Need[Course] | Sequence[Need[Course]]:
    """The run that is trained in front of the visitor; nothing where the shipped runs are shown."""
    method, score, start = setting[METHOD], setting[SCORE], setting[LIVE]
    if start == "off":
        if _shipped(setting)[0]:
            return ()
        start = "each"  # without the study there is a run at least
    key: Hashable = ("active digits", method, score, start)

    def work(report: Report, cancel: threading.Event) -> Course:
        def on_round(course: Course) -> bool:
            done = len(course.picks)
            return report(
                done, lambda: Course(course.start, course.picks[:], course.scores[:], course.seen[: done + 1])
            )

        return study.digit_course(
            method, score, LIVE_RUN, start=start, num_rounds=LIVE_ROUNDS, cancel=cancel, on_round=on_round
        )

    return course_need(key, LIVE_ROUNDS, work, "rounds")


def _shipped(setting: Setting) -> tuple[Mapping[str, Array], str]:
    return runs.study(f"active_digits_{setting[METHOD]}")


def digits(setting: Setting, screen: Screen, found: Course | Sequence[Course]) -> Result:
    """Accuracy against labels over several runs, and the digits that were asked for."""
    live = found if isinstance(found, Course) else None
    shipped, missing = _shipped(setting)
    at = min(int(setting[LABELS]), DIGIT_ROUNDS if live is None else len(live.picks))
    columns = [[_curves(setting, screen, shipped, live, at)], _pictures(shipped, live, load("digits"), at)]
    parts: list[Part] = [Says(_sentence(setting, shipped, live, at))]
    parts += [Words(missing, "info")] if missing else []
    parts += [Columns(columns, (1.5, 1)), Numbers(_numbers(setting, shipped, live, at))]
    if shipped and setting[SCORE] != "random":
        parts.append(Words(_verdict(setting, shipped), "markdown"))
    score = acquisition.CLASS_SCORES[setting[SCORE]]
    return Result(
        parts,
        formulas=(Formula(score, *GIVEN[setting[SCORE]]), LEARN, NEEDED),
        code=(score, active.learn, study.digit_look, active.labels_needed),
        call=_call(setting),
    )


def _compared(setting: Setting) -> list[str]:
    """The names of the chosen score and of the one that it is compared with."""
    return [SCORE.name(each) for each in (setting[SCORE], "bald" if setting[SCORE] == "random" else "random")]


def _sentence(setting: Setting, shipped: Mapping[str, Array], live: Course | None, at: int) -> str:
    """The accuracy with so many labels: of the run that was trained here, or of all runs beside random choice."""
    if live is not None:
        return (
            f"With {int(live.counts[at])} labels this run is right on {percent(float(live.quality[at]))} of the digits."
        )
    names = _compared(setting)
    mine, other = (accuracies(shipped)[name][:, at] for name in names)
    means = [percent(float(values.mean())) for values in (mine, other)]
    told = f"With {int(COUNTS[at])} labels chosen by {names[0]} {means[0]} of the digits are right"
    return f"{told}, by {names[1]} {means[1]}: {runs.difference(mine, other, 'fewer', 'more')} in {len(mine)} runs."


def accuracies(shipped: Mapping[str, Array]) -> dict[str, Array]:
    """The accuracy of every score, by its name, (R, T + 1)."""
    return {SCORE.name(score): shipped[f"{score}_accuracy"].astype(float) for score in DIGIT_SCORES if shipped}


def _curves(setting: Setting, screen: Screen, shipped: Mapping[str, Array], live: Course | None, at: int) -> Figure:
    found = accuracies(shipped)
    among = runs.intervals(found)
    fig = figures.runs_against(
        COUNTS,
        found,
        x_label="Labels",
        y_label="Held-out accuracy",
        x_range=(0.0, float(COUNTS[-1]) + 4),
        y_range=ACCURACY,
        interval=among,
        chosen=SCORE.name(setting[SCORE]),
        marked=float(COUNTS[at]),
        levels={TARGET.name(setting[TARGET]): setting.number(TARGET)},
        live=None if live is None else (live.counts[: len(live.seen)], live.quality),
        told=_compared(setting) if found else (),
        written=percent,
        is_free_above=False,
        theme=screen.theme,
        height=500,
    )
    fig.update_layout(yaxis_tickformat=".0%")
    told = figures.describe_runs(COUNTS, among, what="Held-out accuracy", where="labels", at=at) if among else ""
    return Figure("digit_runs", fig, told)


def _pictures(shipped: Mapping[str, Array], live: Course | None, pool: Dataset, at: int) -> list[Part]:
    if at == 0:
        return [Words("No digit has been asked for yet: press *Step*.")]
    if live is not None:
        return _sheet("This run", np.concatenate(live.picks[:at]), pool)
    picks = {SCORE.name(score): shipped[f"{score}_picks"][0][:at].ravel().astype(int) for score in DIGIT_SCORES}
    return [part for name, chosen in picks.items() for part in _sheet(name, chosen, pool)]


def _sheet(name: str, picks: Array, pool: Dataset) -> list[Part]:
    last = picks[-SHOWN:]
    images = pool.x[last].reshape(-1, *(pool.image_shape or (8, 8)))
    labels = " ".join(str(label) for label in pool.y[last])
    alt = f"{name}: the digits asked for last, labelled {labels}."
    return [Words(f"**{name}**, the last {len(last)} labels: {labels}"), Sheet(images, COLUMNS, alt, SCALE)]


def _numbers(
    setting: Setting, shipped: Mapping[str, Array], live: Course | None, at: int
) -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = []
    if live is not None:
        told = f"Held-out accuracy of the run that was trained here, {len(live.start)} labels at the start."
        rows.append((f"This run, {int(live.counts[at])} labels", f"{live.quality[at]:.1%}", told))
    if not shipped:
        return rows
    found, target = accuracies(shipped), setting.number(TARGET)
    name = SCORE.name(setting[SCORE])
    mine, chance = (
        runs.needed(COUNTS, found[each], target, higher_is_better=True) for each in (name, SCORE.name("random"))
    )
    told = (
        f"Labels until the accuracy is {target:.0%} for the first time; mean of {len(mine)} runs ± half its interval."
    )
    if live is None:
        spread = "Held-out accuracy in percent, mean of runs ± half its 95 % interval."
        rows.append((f"{name}, {int(COUNTS[at])} labels (%)", runs.plus_minus(100 * found[name][:, at], 1), spread))
    rows += [
        (f"{name}: labels to {target:.0%}", runs.needed_text(COUNTS, mine), told),
        (f"Chance: labels to {target:.0%}", runs.needed_text(COUNTS, chance), told),
    ]
    at_once = f"Held-out accuracy in percent, mean of runs ± half its 95 % interval, {int(COUNTS[at])} labels."
    if name != "random" and live is None:
        rows.insert(1, ("At random (%)", runs.plus_minus(100 * found[SCORE.name("random")][:, at], 1), at_once))
    return rows


def _verdict(setting: Setting, shipped: Mapping[str, Array]) -> str:
    found, name, target = accuracies(shipped), SCORE.name(setting[SCORE]), setting[TARGET]
    mine, chance = (
        runs.needed(COUNTS, found[each], float(target), higher_is_better=True) for each in (name, SCORE.name("random"))
    )
    return runs.verdict(name, TARGET.name(target), COUNTS, mine, chance)


def _call(setting: Setting) -> str:
    is_live = setting[LIVE] != "off"
    start = f", start={setting[LIVE]!r}" if is_live else ""
    chosen = f"{setting[METHOD]!r}, {setting[SCORE]!r}, run={LIVE_RUN if is_live else 0}{start}"
    return "\n".join(
        [
            "from bdlviz.topics.regression.active_learning import study",
            "from bdlviz.topics.regression.active_learning.active import labels_needed",
            "",
            f"run = study.digit_course({chosen})",
            "print(run.counts, run.quality)",
            f"print(labels_needed(run.counts, run.quality, {setting[TARGET]}))",
        ]
    )
