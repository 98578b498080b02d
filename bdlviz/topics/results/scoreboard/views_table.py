"""The table of the scoreboard: one row for each method, and a click on a cell opens the picture of its score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from bdlviz.topics.results.scoreboard.controls import METHOD, VIEW
from bdlviz.topics.results.scoreboard.rows import CLASSIFIERS, ON_BOARD, Row
from bdlviz.types import Array
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.model import Part, Widget, Words

TABLE = "scores"  # key of the table
TABLE_ROW, TABLE_HEAD = 35, 3  # px


@dataclass(frozen=True)
class Column:
    """A column of the table: the score's name, what its head says, and the picture that belongs to it."""

    key: str
    title: str
    view: str
    help: str
    scale: float = 1.0
    decimals: int = 1
    width: int = 94  # px
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
    Column(
        "nll",
        "Surprise (NLL)",
        "reliability",
        "Average surprise: minus log probability of the right class; 0 is best.",
        1,
        3,
        116,
    ),
    Column("ece", "ECE (%)", "reliability", "Expected calibration error; 0 is perfect.", 100),
    Column("brier", "Brier", "reliability", "Squared distance of the probabilities from the truth, 0 to 2.", 1, 3, 116),
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
        "Seconds of one training, the fastest of all seeds, on two cores that had other work. An order of magnitude.",
        1,
        0,
        64,
        True,
    ),
)
FULL = Column("accuracy_full", "On 10,000 (%)", "accuracy", "Averaged, on all of MNIST's test images.", 100)
PARAMETERS, ROTATED_ACCURACY, ROTATED_ENTROPY = "Parameters", "Accuracy, 0–180°", "Entropy, 0–180°"
OTHER_VIEWS = {PARAMETERS: "samples", ROTATED_ACCURACY: "rotation", ROTATED_ENTROPY: "rotation"}
OF_THE_NAME = "reliability"  # the picture that a click on a method's name opens


def table(found: Sequence[Row], refused: float) -> list[Part]:
    """All methods and scores, and which ones are missing."""
    problems = [f"{row.spec.title} is missing. {row.problem}" for row in found if row.problem]
    waiting = [spec.title for name, spec in CLASSIFIERS.items() if name not in ON_BOARD]
    if waiting:
        problems.append(f"Not on the board yet: {', '.join(waiting)}.")
    return [Widget(lambda: _show(found, refused)), *map(Words, problems)]


def _show(found: Sequence[Row], refused: float) -> None:
    scale = present_theme().scale
    columns, row_height = columns_of(found), round(TABLE_ROW * scale)
    frame, formats = cells(found, columns, refused)
    st.dataframe(
        frame.style.format(formats, na_rep="missing"),
        placeholder="missing",
        hide_index=True,
        column_order=["Method", *(column.title for column in columns), PARAMETERS],
        column_config=_configuration(columns, scale),
        height=row_height * (len(found) + 1) + TABLE_HEAD,
        row_height=row_height,
        key=TABLE,
        on_select=lambda: _choose(st.session_state, found, columns),
        selection_mode="single-cell",
    )


def columns_of(found: Sequence[Row]) -> list[Column]:
    """The columns of numbers; that of MNIST's full test set is there where a method was scored on it."""
    has_full = any(row.of_seeds(FULL.key) is not None for row in found)
    return [*COLUMNS[:2], *([FULL] if has_full else []), *COLUMNS[2:]]


def cells(found: Sequence[Row], columns: Sequence[Column], refused: float) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table, and how its cells are written: it sorts by the mean, and a cell shows the standard deviation too."""
    frame = pd.DataFrame({"Method": [row.spec.title for row in found]})
    formats: dict[str, Any] = {}
    for column in columns:
        values = [row.of_seeds(column.key, refused) for row in found]
        means = [np.nan if each is None else round(column.of_seeds(each), 6) for each in values]
        frame[column.title] = means
        known = zip(means, values, strict=True)
        formats[column.title] = written({mean: column.told(each) for mean, each in known if each is not None})
    frame[ROTATED_ACCURACY] = [_curve(row, "rotation_accuracy") for row in found]
    frame[ROTATED_ENTROPY] = [_curve(row, "rotation_entropy") for row in found]
    frame[PARAMETERS] = [np.nan if row.scores is None else float(row.scores["num_parameters"].item()) for row in found]
    return frame, formats | {PARAMETERS: "{:,.0f}"}


def written(texts: Mapping[float, str]) -> Callable[[float], str]:
    """What stands in a cell, by its value."""
    return lambda value: texts.get(value, f"{value:g}")


def _curve(row: Row, key: str) -> list[float] | None:
    return None if row.scores is None else [round(float(value), 4) for value in row.scores[key].mean(0)]


def _configuration(columns: Sequence[Column], scale: float) -> dict[str, Any]:
    heads: dict[str, Any] = {"Method": st.column_config.TextColumn(pinned=True, width=round(170 * scale))}
    heads |= {
        column.title: st.column_config.NumberColumn(help=column.help, width=round(column.width * scale))
        for column in columns
    }
    heads[PARAMETERS] = st.column_config.NumberColumn(help="Numbers that are trained.", width=round(96 * scale))
    for title, says, top in ((ROTATED_ACCURACY, "Right answers", 1.0), (ROTATED_ENTROPY, "Predictive entropy", 1.2)):
        says += " as digits are rotated by 0 to 180 degrees."
        heads[title] = st.column_config.LineChartColumn(help=says, y_min=0.0, y_max=top, width=round(116 * scale))
    return heads


def _choose(state: Any, found: Sequence[Row], columns: Sequence[Column]) -> None:
    """Show the method of the cell that was clicked, and the picture of its score."""
    views = OTHER_VIEWS | {column.title: column.view for column in columns}
    selected = state[TABLE]["selection"]["cells"]
    if selected and 0 <= selected[0][0] < len(found):
        place, title = selected[0]
        state[METHOD.key] = found[place].spec.name
        state[VIEW] = views.get(title, OF_THE_NAME)
