"""The tables in the tabs of the scoreboard: the lecture's accuracies beside ours, and intervals of the scores."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from bdlviz import published
from bdlviz.digits import number
from bdlviz.published.claims import LEE
from bdlviz.topics.results.scoreboard.figures import Accuracies
from bdlviz.topics.results.scoreboard.rows import Row, mean_sd, rows, smallest_to_largest
from bdlviz.ui.model import Part, Says, Table, Words

INTERVAL_HEADS = (
    "Method",
    "Surprise over seeds (NLL)",
    "ECE ± sd over seeds (%)",
    "of one pass",
    "95 % over images",
    "By chance up to",
    "AUROC ± sd",
    "95 % over images",
)


def intervals(found: Sequence[Row]) -> list[Part]:
    """Scores of every method: their standard deviation or range over seeds, and 95 % intervals over images."""
    told = (
        "Over images: the basic bootstrap, 1,000 times, mean over seeds. By chance: 95 of 100 test sets of this size "
        "give a perfectly calibrated classifier less than that."
    )
    scored = [row for row in found if row.scores is not None]
    beyond = sum(row.is_beyond_chance is True for row in scored)
    says = f"The calibration error of {beyond} of {len(scored)} methods is above what chance allows."
    return [Says(says), Table(INTERVAL_HEADS, [_intervals(row) for row in found]), Words(told)]


def _intervals(row: Row) -> list[str]:
    if row.scores is None:
        return [escape(row.spec.title), *["missing"] * (len(INTERVAL_HEADS) - 1)]
    scores = row.scores
    low, high = 100 * np.maximum(scores["ece_interval"].mean(0), 0)
    below, above = scores["auroc_shuffled_interval"].mean(0)
    return [
        escape(row.spec.title),
        smallest_to_largest(scores["nll"]),
        mean_sd(100 * scores["ece"]),
        mean_sd(100 * scores["ece_one_pass"]) if row.is_averaged else "",
        f"{low:.1f} – {high:.1f}",
        f"{100 * float(scores['ece_chance'].mean()):.1f}",
        mean_sd(scores["auroc_shuffled"], 3),
        f"{below:.3f} – {above:.3f}",
    ]


def lecture() -> list[Part]:
    """The lecture's table beside ours, on MNIST-1000."""
    heads = ("Method", "Printed (%)", "Ours ± sd (%)", "Ours − printed (points)")
    cells, gaps = [], []
    for each in accuracies(rows("mnist"), with_lecture=True):
        printed = "" if each.published is None else f"{each.published[0]:.2f} ± {each.published[1]:.2f}"
        ours = "not here yet" if each.ours is None else f"{each.ours[0]:.2f} ± {each.ours[1]:.2f}"
        gaps += [each.ours[0] - each.published[0]] if each.ours and each.published else []
        gap = f"{gaps[-1]:+.2f}".replace("-", "−") if each.ours and each.published else ""
        cells.append([escape(each.label), printed, ours, gap])
    told = f"{LEE}: 1,000 training and 1,000 test digits. The page *Register* has the verdicts."
    says = f"Our accuracies differ from the printed ones by {number(min(gaps), 2)} to {number(max(gaps), 2)} points."
    return [Says(says), Table(heads, cells), Words(told)]


def accuracies(found: Sequence[Row], *, with_lecture: bool) -> list[Accuracies]:
    """The accuracy of every method and way of predicting, then those that only the lecture has."""
    shown = []
    ours = {row.spec.name: row for row in found}
    titles = {name: row.spec.title for name, row in ours.items()} | {"variational_dropout": "Variational dropout"}
    names = [*ours, *(name for name in published.ACCURACY_TABLE if with_lecture and name not in ours)]
    for name in names:
        row = ours.get(name)
        for way, key, words in ((0, "accuracy_one_pass", "one network"), (1, "accuracy", "averaged")):
            printed = _printed(name, way) if with_lecture else None
            mine = row.in_percent(key) if row is not None and (way == 0 or row.is_averaged) else None
            if mine is not None or printed is not None:
                shown.append(Accuracies(f"{titles[name]}, {words}", mine, printed))
    return shown


def _printed(method: str, way: int) -> tuple[float, float] | None:
    """Mean and standard deviation in the lecture's table, of one pass (``way`` 0) or of the averaged draws (1)."""
    mean = published.ACCURACY_TABLE.get(method, (None, None))[way]
    spread = published.ACCURACY_SD.get(method, (None, None))[way]
    return None if mean is None or spread is None else (mean, spread)
