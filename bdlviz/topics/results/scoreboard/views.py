"""The scoreboard: every method that classifies, what its probabilities are worth, and the picture behind a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from bdlviz import plots, published
from bdlviz.data import shifts
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import METHODS
from bdlviz.predictive import calibration, summaries
from bdlviz.topics.results.register.views import html_table
from bdlviz.topics.results.scoreboard import figures, study
from bdlviz.topics.shared.reproduce import fit_snippet, load_snippet
from bdlviz.types import Array, FitConfig, MethodSpec
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame import mode
from bdlviz.ui.frame.look import figure, numbers, present_theme

CLASSIFIERS = {
    spec.name: spec for spec in METHODS.values() if "classification" in spec.tasks and not spec.is_generative
}
ON_BOARD = {name: spec for name, spec in CLASSIFIERS.items() if name in study.on_board("digits")}
VIEW = Control(
    "view",
    "Picture",
    ("reliability", "accuracy", "rotation", "refusing", "unknown", "samples"),
    "reliability",
    "menu",
    "A click on a cell of the table opens the picture that belongs to it.",
    {
        "reliability": "Reliability diagram",
        "accuracy": "Accuracy beside the lecture's",
        "rotation": "Rotated digits",
        "refusing": "Refusing to answer",
        "unknown": "Unknown inputs",
        "samples": "Accuracy against S",
    },
)
METHOD = Control(
    "method",
    "Method",
    tuple(ON_BOARD),
    "mc_dropout",
    "menu",
    "Whose picture is shown.",
    {name: spec.title for name, spec in ON_BOARD.items()},
)
REFUSED = number_control(
    "refused",
    "Refuse the most uncertain (%)",
    (0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90),
    10,
    "Digits with the largest predictive entropy get no answer.",
)
FORMULAS: dict[str, tuple[Callable[..., Any], ...]] = {  # of each picture
    "reliability": (
        calibration.reliability,
        calibration.expected_calibration_error,
        calibration.chance_calibration_error,
        calibration.negative_log_likelihood,
        calibration.brier_score,
    ),
    "accuracy": (calibration.accuracy,),
    "rotation": (shifts.rotate, summaries.summarise_classification),
    "refusing": (calibration.risk_coverage, summaries.entropy),
    "unknown": (calibration.auroc, summaries.entropy, calibration.bootstrap_interval),
    "samples": (summaries.summarise_classification, calibration.accuracy),
}
TABLE = "scores"  # key of the table
TABLE_ROW, TABLE_HEAD = 35, 3  # px
SHUFFLED, FASHION = "shuffled", "fashion"
INTRODUCTION = f"""
Every method was trained with {len(study.SEEDS)} seeds, the deep ensemble with
{len(study.ENSEMBLE_SEEDS)}. Cells are mean ± sd over the seeds. Click a head to sort, a cell to see the
picture behind it.
"""


@dataclass(frozen=True)
class Column:
    """A column of the table: the score's name, what its head says, and the picture that belongs to it."""

    key: str
    title: str
    view: str
    help: str
    scale: float = 1.0
    decimals: int = 1
    width: int = 88  # px
    is_fastest: bool = False  # the smallest over seeds instead of the mean: what else ran only adds to a time

    def of_seeds(self, values: Array) -> float:
        """The number of a cell, from that of every seed."""
        return self.scale * float(values.min() if self.is_fastest else values.mean())

    def told(self, values: Array) -> str:
        """The same in words."""
        spread = f" ± {self.scale * float(values.std(ddof=1)):.{self.decimals}f}"
        return f"{self.of_seeds(values):.{self.decimals}f}{'' if self.is_fastest else spread}"


COLUMNS = (
    Column(
        "accuracy_one_pass", "One pass (%)", "accuracy", "Right answers of one network, without masks or draws.", 100
    ),
    Column("accuracy", "Averaged (%)", "accuracy", "Right answers of the mean of all draws.", 100),
    Column("kept", "Refusing (%)", "refusing", "Right answers among those that are not refused.", 100),
    Column("nll", "NLL (nats)", "reliability", "Minus log probability of the right class; 0 is perfect.", 1, 3, 112),
    Column("ece", "ECE (%)", "reliability", "Expected calibration error; 0 is perfect.", 100),
    Column("brier", "Brier", "reliability", "Squared distance of the probabilities from the truth, 0 to 2.", 1, 3, 112),
    Column(
        "auroc_shuffled",
        "AUROC (%)",
        "unknown",
        "Does the predictive entropy tell digits from digits cut into patches? 50 is guessing, 100 is perfect.",
        100,
    ),
    Column(
        "fit_seconds",
        "Fit (s)",
        "samples",
        "One training, the fastest of all seeds, on a two-core computer that had other work too: orders of magnitude.",
        1,
        0,
        64,
        True,
    ),
)
FULL = Column("accuracy_full", "On 10,000 (%)", "accuracy", "Averaged, on all of MNIST's test images.", 100)
PARAMETERS, ROTATED_ACCURACY, ROTATED_ENTROPY = "Parameters", "Accuracy, 0–180°", "Entropy, 0–180°"
OTHER_VIEWS = {PARAMETERS: "samples", ROTATED_ACCURACY: "rotation", ROTATED_ENTROPY: "rotation"}
NEEDED = {"probabilities", "one_pass", "labels", "rotation_expected", "entropy_shuffled", "ece_interval", "samples"}


@dataclass(frozen=True, eq=False)
class Row:
    """A method with its fit and scores, or with the sentence that says why they are missing."""

    spec: MethodSpec
    fit: Fit | None = None
    scores: Mapping[str, Array] | None = None
    problem: str = ""

    def of_seeds(self, key: str, refused: float = 0.0) -> Array | None:
        """A score of every seed, (R,); None where it is missing."""
        if self.scores is None:
            return None
        if key == "kept":
            return 1 - np.array([curve.risk_after_refusing(refused) for curve in _risks(self.scores)])
        return self.scores.get(key)


def rows(images: str) -> list[Row]:
    """Every method of the registry that classifies and has a recipe, with what is shipped of it."""
    return [_row(ON_BOARD[name], images) for name in study.on_board(images)]


def _row(spec: MethodSpec, images: str) -> Row:
    name = study.name_of(spec.name, images)
    again = f"`python -m bdlviz train {name}` makes it."
    try:
        fit, extra = shelf.shipped(name)
    except CheckpointError as error:
        return Row(spec, problem=f"{error} {again}")
    if not extra.keys() >= NEEDED or _is_stale(fit.config, spec.name, images):
        return Row(spec, problem=f"The checkpoint {name} is of other settings or data than today's. {again}")
    return Row(spec, fit, extra)


def _is_stale(config: FitConfig, method: str, images: str) -> bool:
    """Would a fit be another one today?"""
    return config != _config(method, images)


@lru_cache(maxsize=32)
def _config(method: str, images: str) -> FitConfig:
    return study.config_of(method, images)


def _risks(scores: Mapping[str, Array]) -> list[calibration.RiskCoverage]:
    """The risk-coverage curve of every seed."""
    answers = zip(scores["probabilities"], scores["predictive_entropy"], strict=True)
    labels = scores["labels"]
    return [calibration.risk_coverage(entropy, calibration.is_correct(p, labels)) for p, entropy in answers]


def show_introduction() -> None:
    """What the table holds, in two sentences."""
    st.markdown(INTRODUCTION)


def show(found: Sequence[Row], view: str, method: str, images: str, refused: float) -> Row | None:
    """The table and the picture of a view, in a room the picture first; returns the row that is shown, if any."""
    if mode.is_presenting():
        shown = show_picture(found, view, method, images, refused)
        show_table(found, refused)
        return shown
    show_table(found, refused)
    return show_picture(found, view, method, images, refused)


# The table ------------------------------------------------------------------------------------------------------------


def show_table(found: Sequence[Row], refused: float) -> None:
    """All methods and scores; a click on a cell chooses the picture."""
    columns, row_height = _columns(found), round(TABLE_ROW * present_theme().scale)
    frame = pd.DataFrame({"Method": [row.spec.title for row in found]})
    told: dict[str, dict[float, str]] = {}
    for column in columns:
        values = [row.of_seeds(column.key, refused) for row in found]
        means = [np.nan if each is None else round(column.of_seeds(each), 6) for each in values]
        frame[column.title] = means
        told[column.title] = {
            mean: column.told(each) for mean, each in zip(means, values, strict=True) if each is not None
        }
    frame[ROTATED_ACCURACY] = [_curve(row, "rotation_accuracy") for row in found]
    frame[ROTATED_ENTROPY] = [_curve(row, "rotation_entropy") for row in found]
    frame[PARAMETERS] = [np.nan if row.scores is None else float(row.scores["num_parameters"].item()) for row in found]
    formats: dict[str, Any] = {title: _written(texts) for title, texts in told.items()}
    st.dataframe(
        frame.style.format(formats | {PARAMETERS: "{:,.0f}"}, na_rep="missing"),
        placeholder="missing",
        hide_index=True,
        column_config=_configuration(columns),
        height=row_height * (len(found) + 1) + TABLE_HEAD,
        row_height=row_height,
        key=TABLE,
        on_select=_choose(found, columns),
        selection_mode="single-cell",
    )
    for row in found:
        if row.problem:
            st.caption(f"{row.spec.title} is missing. {row.problem}")
    waiting = [spec.title for name, spec in CLASSIFIERS.items() if name not in ON_BOARD]
    if waiting:
        st.caption(f"Not on the board yet: {', '.join(waiting)}.")


def _columns(found: Sequence[Row]) -> list[Column]:
    has_full = any(row.of_seeds(FULL.key) is not None for row in found)
    return [*COLUMNS[:2], *([FULL] if has_full else []), *COLUMNS[2:]]


def _written(texts: Mapping[float, str]) -> Callable[[float], str]:
    """What stands in a cell of that value: the table sorts by the mean, and shows its spread too."""
    return lambda value: texts.get(value, f"{value:g}")


def _curve(row: Row, key: str) -> list[float] | None:
    return None if row.scores is None else [round(float(value), 4) for value in row.scores[key].mean(0)]


def _configuration(columns: Sequence[Column]) -> dict[str, Any]:
    scale = present_theme().scale  # the text of a room's table is larger, too
    heads: dict[str, Any] = {"Method": st.column_config.TextColumn(pinned=True, width=round(216 * scale))}
    heads |= {
        column.title: st.column_config.NumberColumn(help=column.help, width=round(column.width * scale))
        for column in columns
    }
    heads[PARAMETERS] = st.column_config.NumberColumn(help="Numbers that are trained.", width=round(96 * scale))
    for title, says, top in ((ROTATED_ACCURACY, "Right answers", 1.0), (ROTATED_ENTROPY, "Predictive entropy", 1.2)):
        says += " as digits are rotated by 0 to 180 degrees."
        heads[title] = st.column_config.LineChartColumn(help=says, y_min=0.0, y_max=top, width=round(116 * scale))
    return heads


def _choose(found: Sequence[Row], columns: Sequence[Column]) -> Callable[[], None]:
    """What a click on a cell does: show that method, and the picture of that score."""
    views = OTHER_VIEWS | {column.title: column.view for column in columns}

    def choose() -> None:
        cells = st.session_state[TABLE]["selection"]["cells"]
        if cells and 0 <= cells[0][0] < len(found):
            place, title = cells[0]
            st.session_state[METHOD.key] = found[place].spec.name
            st.session_state[VIEW.key] = views.get(title, VIEW.default)

    return choose


# The pictures ---------------------------------------------------------------------------------------------------------


def show_picture(found: Sequence[Row], view: str, method: str, images: str, refused: float) -> Row | None:
    """The picture of a view and its numbers; returns the row that is shown, None where all are missing."""
    present = [row for row in found if row.scores is not None]
    if not present:
        st.warning("No scores are shipped: `python -m bdlviz train scoreboard` makes them.")
        return None
    row = next((row for row in present if row.spec.name == method), present[0])
    if row.spec.name != method:
        st.info(f"{ON_BOARD[method].title} has no scores; this is {row.spec.title}.")
    assert row.scores is not None
    {
        "reliability": lambda: _show_reliability(row),
        "accuracy": lambda: _show_accuracies(found, images),
        "rotation": lambda: _show_rotation(present, row),
        "refusing": lambda: _show_refusing(present, row, refused),
        "unknown": lambda: _show_unknown(row),
        "samples": lambda: _show_samples(row),
    }[view]()
    return row


def _show_reliability(row: Row) -> None:
    scores = _scores(row)
    of_mean, of_one = (
        calibration.reliability(np.concatenate(scores[key]), np.tile(scores["labels"], len(scores[key])))
        for key in ("probabilities", "one_pass")
    )
    averaged, one_pass = (figures.Binned(each.confidence, each.accuracy, each.count) for each in (of_mean, of_one))
    fig = figures.reliability_diagram(
        averaged,
        one_pass if _is_averaged(row) else None,
        edges=of_mean.edges,
        num_answers=len(scores["labels"]),
        theme=present_theme(),
    )
    figure(fig, key="reliability", alt=figures.describe_reliability(averaged))
    low, high = 100 * np.maximum(scores["ece_interval"].mean(0), 0)
    chance = 100 * float(scores["ece_chance"].mean())
    numbers(
        [
            ("ECE (%)", _mean_sd(100 * scores["ece"]), "Mean ± sd over seeds."),
            ("95 % interval (%)", f"{low:.1f} – {high:.1f}", "Of one fit: bootstrap over images, mean over seeds."),
            ("By chance up to (%)", f"{chance:.1f}", "A calibrated classifier stays below in 95 of 100 test sets."),
            ("ECE of one pass (%)", _mean_sd(100 * scores["ece_one_pass"]), "Without averaging."),
        ]
    )
    one_pass_nll = f" One pass: {_told_nll(scores['nll_one_pass'])}." if _is_averaged(row) else ""
    st.caption(f"Negative log-likelihood (nats): {_told_nll(scores['nll'])}.{one_pass_nll}")


def _is_averaged(row: Row) -> bool:
    """Is there something to average, and so a difference between one pass and the mean of the draws?"""
    return row.scores is not None and not np.array_equal(row.scores["probabilities"], row.scores["one_pass"])


def _show_accuracies(found: Sequence[Row], images: str) -> None:
    shown = _accuracies(found, with_lecture=images == "mnist")
    values = [value for each in shown for value in (each.ours, each.published) if value is not None]
    low, high = min(mean - sd for mean, sd in values), max(mean + sd for mean, sd in values)
    limits = (np.floor(2 * low) / 2 - 0.25, np.ceil(2 * high) / 2 + 0.25)
    fig = figures.accuracies(shown, x_range=limits, theme=present_theme())
    told = "; ".join(f"{each.label} {each.ours[0]:.1f} %" for each in shown if each.ours)
    figure(fig, key="accuracies", alt=f"Test accuracies: {told}.")
    gains = [
        (row.spec.title, 100 * float((_scores(row)["accuracy"] - _scores(row)["accuracy_one_pass"]).mean()))
        for row in found
        if _is_averaged(row)
    ]
    said = "What averaging brings: accuracy of the mean of the draws minus that of one pass, mean over seeds."
    numbers([(f"{title} (points)", f"{gain:+.2f}", said) for title, gain in gains[:4]])


def _accuracies(found: Sequence[Row], *, with_lecture: bool) -> list[figures.Accuracies]:
    """One row of the figure for every method and way of predicting, then what only the lecture has."""
    shown = []
    ours = {row.spec.name: row for row in found}
    titles = {name: row.spec.title for name, row in ours.items()} | {"variational_dropout": "Variational dropout"}
    names = [*ours, *(name for name in published.ACCURACY_TABLE if with_lecture and name not in ours)]
    for name in names:
        for way, key, words in zip((0, 1), ("accuracy_one_pass", "accuracy"), ("one pass", "averaged"), strict=True):
            lecture = _lecture(name, way) if with_lecture else None
            row = ours.get(name)
            mine = _in_percent(row, key) if row is not None and (way == 0 or _is_averaged(row)) else None
            if mine is not None or lecture is not None:
                shown.append(figures.Accuracies(f"{titles[name]}, {words}", mine, lecture))
    return shown


def _in_percent(row: Row, key: str) -> tuple[float, float] | None:
    values = row.of_seeds(key)
    return None if values is None else (100 * float(values.mean()), 100 * float(values.std(ddof=1)))


def _lecture(method: str, way: int) -> tuple[float, float] | None:
    mean = published.ACCURACY_TABLE.get(method, (None, None))[way]
    spread = published.ACCURACY_SD.get(method, (None, None))[way]
    return None if mean is None or spread is None else (mean, spread)


def _show_rotation(present: Sequence[Row], row: Row) -> None:
    entropy, accuracy = (
        {each.spec.title: _scores(each)[key].mean(0) for each in present}
        for key in ("rotation_entropy", "rotation_accuracy")
    )
    scores, title = _scores(row), row.spec.title
    degrees, expected = scores["rotation_degrees"].astype(float), scores["rotation_expected"].mean(0)
    fig = figures.rotation_curves(degrees, entropy, accuracy, expected, chosen=title, theme=present_theme())
    figure(fig, key="rotation", alt=figures.describe_rotation(degrees, entropy[title], accuracy[title]))
    mutual = entropy[title] - expected
    at = int(np.argmin(np.abs(degrees - 90)))
    numbers(
        [
            ("Entropy upright (nats)", f"{entropy[title][0]:.2f}", "Predictive entropy, mean over images."),
            ("Entropy at 90° (nats)", f"{entropy[title][at]:.2f}", "Of the same images, a quarter turn later."),
            ("Mutual information at 90°", f"{mutual[at]:.2f}", f"In nats; upright it is {mutual[0]:.2f}."),
            ("Right at 90° (%)", f"{100 * accuracy[title][at]:.0f}", f"Upright: {100 * accuracy[title][0]:.0f}."),
        ]
    )


def _show_refusing(present: Sequence[Row], row: Row, refused: float) -> None:
    risk = {each.spec.title: np.mean([curve.risk for curve in _risks(_scores(each))], 0) for each in present}
    top = 0.02 + max(float(curve[-1]) for curve in risk.values())
    title = row.spec.title
    fig = figures.risk_coverage(risk, chosen=title, refused=refused, y_range=(0.0, top), theme=present_theme())
    curves = _risks(_scores(row))
    before, after = (100 * np.array([curve.risk_after_refusing(share) for curve in curves]) for share in (0.0, refused))
    said = f"Refusing the {refused:.0%} most uncertain digits leaves {after.mean():.1f} % of the others wrong."
    figure(fig, key="refusing", alt=f"{title}: {before.mean():.1f} % of all answers are wrong. {said}")
    area = 100 * np.array([curve.area for curve in curves])
    count = round(refused * len(_scores(row)["labels"]))
    numbers(
        [
            ("Wrong, all answered (%)", _mean_sd(before), "Mean ± sd over seeds."),
            (f"Wrong, {refused:.0%} refused (%)", _mean_sd(after), "Of the digits that get an answer."),
            ("Refused digits", f"{count:,}", f"Of {len(_scores(row)['labels']):,} held-out ones."),
            ("Area under the curve (%)", _mean_sd(area), "Mean risk over all coverages; small is good."),
        ]
    )


def _show_unknown(row: Row) -> None:
    scores = _scores(row)
    inside, outside = scores["predictive_entropy"].ravel(), scores[f"entropy_{SHUFFLED}"].ravel()
    names = ("test digits", "the same, cut into 16 patches that changed places")
    top = float(np.log(scores["probabilities"].shape[-1]))
    fig = figures.entropy_histograms(inside, outside, names=names, top=top, theme=present_theme())
    means = f"{inside.mean():.2f} nats for digits, {outside.mean():.2f} for shuffled ones"
    figure(fig, key="unknown", alt=f"Histograms of predictive entropy: {means}.")
    low, high = scores[f"auroc_{SHUFFLED}_interval"].mean(0)
    told = [
        ("AUROC", _mean_sd(scores[f"auroc_{SHUFFLED}"], 3), "Mean ± sd over seeds; 0.5 is guessing."),
        ("95 % interval", f"{low:.3f} – {high:.3f}", "Of one fit: bootstrap over images, mean over seeds."),
        ("AUROC of one pass", _mean_sd(scores[f"auroc_{SHUFFLED}_one_pass"], 3), "Without averaging."),
    ]
    if f"auroc_{FASHION}" in scores:
        told.append(("AUROC, clothes", _mean_sd(scores[f"auroc_{FASHION}"], 3), "Fashion-MNIST instead."))
    numbers(told)


def _show_samples(row: Row) -> None:
    scores = _scores(row)
    accuracy, one_pass = scores["accuracy_by_samples"], scores["accuracy_one_pass"]
    fig = plots.accuracy_by_samples(
        scores["samples"], accuracy, scores["accuracy_by_samples_sd"], one_pass, theme=present_theme()
    )
    known = np.flatnonzero(np.isfinite(accuracy).all(0))
    first, last = known[0], known[-1]
    told = f"{accuracy[:, first].mean():.1%} with one draw, {accuracy[:, last].mean():.1%} with all"
    figure(fig, key="samples", alt=f"Accuracy against the number of draws: {told}.")
    numbers(
        [
            ("One draw (%)", _mean_sd(100 * accuracy[:, first]), "Mean ± sd over seeds."),
            (f"S = {scores['samples'][last]} (%)", _mean_sd(100 * accuracy[:, last]), "The most that were averaged."),
            ("One pass (%)", _mean_sd(100 * one_pass), "Without masks: the naive approximation."),
            ("Parameters", f"{scores['num_parameters'].item():,}", "Numbers that are trained."),
        ]
    )


def _scores(row: Row) -> Mapping[str, Array]:
    assert row.scores is not None
    return row.scores


def _told_nll(values: Array) -> str:
    return f"mean {values.mean():.3f}, from {_range(values)}"


def _range(values: Array) -> str:
    return f"{values.min():.3f} to {values.max():.3f} over {len(values)} seeds"


def _mean_sd(values: Array, decimals: int = 1) -> str:
    return f"{float(values.mean()):.{decimals}f} ± {float(values.std(ddof=1)):.{decimals}f}"


# The tabs -------------------------------------------------------------------------------------------------------------


def show_intervals(found: Sequence[Row]) -> None:
    """Scores of every method: their standard deviation or range over seeds, and 95 % intervals over images."""
    heads = (
        "Method",
        "NLL over seeds (nats)",
        "ECE ± sd over seeds (%)",
        "95 % over images",
        "By chance up to",
        "AUROC ± sd",
        "95 % over images",
    )
    html_table(heads, [_intervals(row) for row in found])
    st.caption(
        "Over images: the basic bootstrap, 1,000 times, mean over seeds. By chance: 95 of 100 test sets of this size "
        "give a perfectly calibrated classifier less than that."
    )


def _intervals(row: Row) -> list[str]:
    if row.scores is None:
        return [escape(row.spec.title), *["missing"] * 6]
    scores = row.scores
    low, high = 100 * np.maximum(scores["ece_interval"].mean(0), 0)
    below, above = scores[f"auroc_{SHUFFLED}_interval"].mean(0)
    return [
        escape(row.spec.title),
        _range(scores["nll"]),
        _mean_sd(100 * scores["ece"]),
        f"{low:.1f} – {high:.1f}",
        f"{100 * float(scores['ece_chance'].mean()):.1f}",
        _mean_sd(scores[f"auroc_{SHUFFLED}"], 3),
        f"{below:.3f} – {above:.3f}",
    ]


def show_lecture() -> None:
    """The lecture's table beside ours, on MNIST-1000."""
    heads = ("Method", "Lecture (%)", "Ours ± sd (%)", "Ours − lecture (points)")
    cells = []
    for each in _accuracies(rows("mnist"), with_lecture=True):
        lecture = "" if each.published is None else f"{each.published[0]:.2f} ± {each.published[1]:.2f}"
        ours = "not here yet" if each.ours is None else f"{each.ours[0]:.2f} ± {each.ours[1]:.2f}"
        gap = f"{each.ours[0] - each.published[0]:+.2f}" if each.ours and each.published else ""
        cells.append([escape(each.label), lecture, ours, gap])
    html_table(heads, cells)
    st.caption("1,000 training and 1,000 test digits; the verdicts stand under Published numbers.")


def snippet(row: Row) -> str:
    """Code that scores the same fit."""
    fit = row.fit
    assert fit is not None
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.predictive import calibration",
            "",
            load_snippet(fit.config.dataset),
            fit_snippet(fit.config),
            f"probabilities = fit.predict(data.x_test, num_samples={study.NUM_SAMPLES}).mean",
            "print(calibration.accuracy(probabilities, data.y_test))",
            "print(calibration.negative_log_likelihood(probabilities, data.y_test))",
            "print(calibration.expected_calibration_error(probabilities, data.y_test))",
            "print(calibration.brier_score(probabilities, data.y_test))",
        ]
    )
