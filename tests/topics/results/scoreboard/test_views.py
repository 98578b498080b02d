"""The scoreboard: numbers only where a shipped checkpoint stands behind them, and every cell leads to its picture."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bdlviz
from bdlviz import fits, published
from bdlviz.fitted import checkpoints, shelf
from bdlviz.methods import METHODS
from bdlviz.predictive import calibration
from bdlviz.topics.results.scoreboard import rows as board
from bdlviz.topics.results.scoreboard import study, views, views_table
from bdlviz.topics.results.scoreboard.rows import Row
from bdlviz.ui.model import Result, Table, Words
from tests.told import numbers_in
from tests.topics.shared.page_results import names_in, plain, result_of
from tests.ui.harness import assert_works, damage, figures, open_page, trace

TITLES = {name: METHODS[name].title for name in study.on_board("digits")}
PAGE = "scoreboard"
VIEWS = ("reliability", "accuracy", "rotation", "refusing", "unknown", "samples")
EVERY_COLUMN = [*views_table.COLUMNS, views_table.FULL]


def drawn(view: str, **values: str) -> Result:
    return result_of(PAGE, {"view": view} | values)


def table(images: str, refused: float = 0.1) -> pd.DataFrame:
    found = board.rows(images)
    return views_table.cells(found, views_table.columns_of(found), refused)[0].set_index("Method")


def shipped(method: str, images: str = "digits") -> dict[str, Any]:
    return shelf.shipped(study.name_of(method, images))[1]


# The table ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("images", study.IMAGES)
def test_the_table_holds_the_means_over_seeds(images: str):
    shown = table(images)
    assert list(shown.index) == [TITLES[name] for name in study.on_board(images)]
    for method in study.on_board(images):
        title, scores = TITLES[method], shipped(method, images)
        for column in views_table.COLUMNS:
            assert shown[column.title].dtype == float, "It is sorted by the mean."
            if column.key != "kept":
                values = scores[column.key]
                number = column.scale * float(values.min() if column.key == "fit_seconds" else values.mean())
                assert shown.loc[title, column.title] == pytest.approx(number, abs=1e-5), column.title
        assert shown.loc[title, views_table.PARAMETERS] == scores["num_parameters"].item()
        assert len(shown.loc[title, views_table.ROTATED_ACCURACY]) == len(study.ROTATIONS)
    assert (views_table.FULL.title in shown) == ("accuracy_full" in shipped("map", images))


def test_cells_show_mean_and_standard_deviation():
    column = views_table.COLUMNS[0]
    assert column.told(np.array([0.9, 0.91, 0.92])) == "91.0 ± 1.0"
    assert views_table.COLUMNS[-1].told(np.array([7.0, 5.2, 30.0])) == "5"  # seconds: the fastest
    assert views_table.written({91.0: "91.0 ± 1.0"})(91.0) == "91.0 ± 1.0"


def chosen_by(cells: list[tuple[int, str]], **state: Any) -> dict[str, Any]:
    """What the session holds after a click on cells of the table."""
    state |= {views_table.TABLE: {"selection": {"cells": cells}}}
    views_table._choose(state, board.rows("digits"), EVERY_COLUMN)
    return state


@pytest.mark.parametrize("column", EVERY_COLUMN, ids=lambda column: column.key)
def test_a_click_on_a_cell_chooses_its_picture(column: views_table.Column):
    state = chosen_by([(2, column.title)])
    assert state["method"] == board.rows("digits")[2].spec.name and state["view"] == column.view in VIEWS


def test_a_click_on_the_name_shows_the_reliability_diagram_and_no_click_changes_nothing():
    assert chosen_by([(0, "Method")])["view"] == "reliability"
    assert chosen_by([], view="rotation")["view"] == "rotation"


# The pictures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_its_picture_and_its_numbers(view: str):
    result = drawn(view, images="digits")
    assert len(result.figures) == 1 and len(result.numbers) == {"reliability": 0, "unknown": 3}.get(view, 4)
    if view == "unknown":
        assert set(TITLES.values()) <= {cell for tab in result.tabs for cell in cells_of(result, tab)}


def test_the_page_says_how_far_ensembles_differ():
    """Single ensembles are no ground for a statement: mean and range of at least ten stand under the picture."""
    for method in ("deep_ensemble", "map"):
        scores = shipped(method, "mnist")
        nll, one = scores["nll"], scores["nll_one_pass"]
        is_ensemble = method == "deep_ensemble"  # of the others, one pass is no second number
        every = (nll, one) if is_ensemble else (nll,)
        told = [float(f"{each:.3f}") for found in every for each in (found.mean(), found.min(), found.max())]
        said = [numbers_in(words) for words in drawn("reliability", method=method).words]
        assert [each for each in said if [number for number in each if number % 1] == told and len(nll) in each]
        assert len(nll) >= (10 if is_ensemble else 5)


def test_refusing_leaves_fewer_mistakes():
    title, scores = TITLES["mc_dropout"], shipped("mc_dropout", "mnist")
    right = [table("mnist", refused).loc[title, "Refusing (%)"] for refused in (0.0, 0.1, 0.5)]
    assert right[0] == pytest.approx(100 * float(scores["accuracy"].mean()), abs=1e-4)
    assert right[0] < right[1] < right[2]
    curve = [
        calibration.risk_coverage(entropy, calibration.is_correct(p, scores["labels"])).risk
        for p, entropy in zip(scores["probabilities"], scores["predictive_entropy"], strict=True)
    ]
    x, y = trace(plain(drawn("refusing", refused="50")), title)
    np.testing.assert_allclose(y, np.mean(curve, 0)[::-1], atol=1e-6)
    middle = np.mean(curve, 0)[len(y) // 2 - 1]
    assert x[0] == 0 and right[2] == pytest.approx(100 * (1 - middle), abs=1e-4)


def test_the_lecture_s_table_stands_beside_ours():
    result = drawn("accuracy")
    ours, lecture = (trace(plain(result), name)[0] for name in ("ours ± sd over seeds", "lecture ± sd"))
    printed = [value for pair in published.ACCURACY_TABLE.values() for value in pair if value is not None]
    np.testing.assert_allclose(sorted(lecture), sorted(printed), rtol=1e-6)
    assert len(ours) == 2 * len(study.on_board("mnist")) - 1  # a plain network has one way to predict, the others two
    shown = " ".join(cell for tab in result.tabs for cell in cells_of(result, tab))
    assert all(f"{value:.2f} ± " in shown for value in printed)
    assert "lecture ± sd" not in names_in(drawn("accuracy", images="digits")), "The lecture has no 8x8 digits."


def cells_of(result: Result, tab: str) -> list[str]:
    tables = [part for part in result.tabs[tab]() if isinstance(part, Table)]
    return [cell for each in tables for row in each.rows for cell in row]


def test_the_snippet_asks_for_the_fit_of_the_row(monkeypatch: pytest.MonkeyPatch):
    class Asked(Exception):
        pass

    def ask(method: str, data: Any, **settings: Any) -> None:
        raise Asked(fits.configure(method, data, **settings))

    monkeypatch.setattr(bdlviz, "fit", ask)
    for row in board.rows("digits"):
        with pytest.raises(Asked) as raised:
            exec(views.call_of(row), {})
        assert row.fit is not None and raised.value.args[0] == row.fit.config


def words_of_table() -> list[str]:
    """The sentences under the table of small digits."""
    return [part.text for part in views_table.table(board.rows("digits"), 0.1) if isinstance(part, Words)]


# What is missing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["removed", "truncated", "another method's", "other settings", "without scores"])
def test_missing_or_stale_scores_are_not_shown(how: str, own_shelf: Path):
    name = study.name_of("mc_dropout", "digits")
    entry = shelf.manifest(own_shelf)[name]
    fit, extra = shelf.shipped(name, own_shelf)
    match how:
        case "removed" | "truncated":
            damage(own_shelf, name, how)
        case "another method's":
            other = own_shelf / f"{study.name_of('map', 'digits')}.safetensors"
            shelf.put(name, other.read_bytes(), entry, own_shelf)
        case "other settings":
            longer = replace(fit, config=replace(fit.config, num_steps=fit.config.num_steps + 1))
            shelf.put(name, checkpoints.to_bytes(longer, half=True, extra=extra), entry, own_shelf)
        case "without scores":
            shelf.put(name, checkpoints.to_bytes(fit, half=True), entry, own_shelf)
    title = TITLES["mc_dropout"]
    assert all(value is None or np.isnan(value) for value in table("digits").loc[title].tolist())
    words = drawn("reliability", images="digits", method="mc_dropout").words
    [missing] = [each for each in words_of_table() if f"python -m bdlviz train {name}" in each]
    assert title in missing and any(title in each and TITLES["map"] in each for each in words)


def test_without_any_checkpoint_there_is_a_sentence(own_shelf: Path):
    (own_shelf / "manifest.json").unlink()
    app = open_page("scoreboard")
    assert not app.exception and not figures(app)
    assert "bdlviz train scoreboard" in app.warning[0].value


def test_a_new_method_is_announced_until_it_has_a_study(monkeypatch: pytest.MonkeyPatch):
    spec = replace(METHODS["map"], name="new", title="Tomorrow")
    monkeypatch.setitem(board.CLASSIFIERS, "new", spec)
    [_] = [each for each in words_of_table() if spec.title in each]
    assert spec.title not in table("digits").index


def test_another_method_stands_in_for_one_without_scores():
    known, missing = Row(METHODS["map"], scores={}), Row(METHODS["mc_dropout"])
    assert board.chosen([missing, known], "mc_dropout") is known and board.chosen([missing], "mc_dropout") is None


# The page -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", [{}, {"present": "1"}])
def test_the_picture_is_before_the_table(query: dict[str, str]):
    app = open_page("scoreboard", {"images": "digits"} | query)
    assert_works(app)
    assert len(app.dataframe[0].value) == len(TITLES)
    assert next(each.type for each in app.main if each.type in ("dataframe", "plotly_chart")) == "plotly_chart"


# The sentences --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("images", "method", "is_beyond"),
    [
        *(("mnist", "map", True), ("mnist", "mc_dropout", True), ("digits", "mc_dropout", None)),
        *(("mnist", "concrete_dropout", False), ("digits", "group_horseshoe", False), ("digits", "ard", True)),
    ],
)
def test_the_calibration_error_is_set_against_chance(images: str, method: str, is_beyond: bool | None):
    """Errors are counted here bin by bin for every seed, and compared with those of calibrated answers in pairs."""
    scores = shipped(method, images)
    sure, labels, own = scores["probabilities"].max(-1).astype(float), scores["labels"], []
    for confidence, right in zip(sure, scores["probabilities"].argmax(-1) == labels, strict=True):
        bins = np.minimum((15 * confidence).astype(int), 14)
        own.append(sum(abs((confidence - right)[bins == each].sum()) for each in range(15)) / len(labels))
    chance = scores["ece_chance"].astype(float)
    assert own == pytest.approx(scores["ece"].tolist(), abs=1e-4)
    clear = stats.ttest_rel(own, chance).pvalue < 0.05
    assert is_beyond == (bool(np.mean(own) > chance.mean()) if clear else None)
    [row] = [each for each in board.rows(images) if each.spec.name == method]
    assert row.is_beyond_chance == is_beyond


@pytest.mark.parametrize(
    ("images", "method"), [(images, name) for images in study.IMAGES for name in study.on_board(images)]
)
def test_the_sentence_of_reliability_tells_the_two_marked_dots(images: str, method: str):
    """The answers that are given with about 90 % are counted here one by one; the probability of so many is summed."""
    scores, result = shipped(method, images), drawn("reliability", images=images, method=method)
    one = np.array_equal(scores["probabilities"], scores["one_pass"])
    told, verdicts = [90.0], list[str]()
    for key in ("probabilities",) if one else ("one_pass", "probabilities"):
        sure = scores[key].max(-1)
        marked = (np.ceil(15 * sure) == 14).ravel()
        right = (scores[key].argmax(-1) == scores["labels"]).ravel()[marked]
        tests, confidence = max(1, round(marked.sum() / len(sure))), float(sure.ravel()[marked].mean())
        hits, chances = right.mean() * tests, stats.binom.pmf(np.arange(tests + 1), tests, confidence).cumsum()
        is_low, is_high = chances[int(hits)] < 0.025, chances[max(0, int(np.ceil(hits)) - 1)] >= 0.975
        verdicts.append("too sure" if is_low else "too cautious" if is_high and hits > 0 else "could be chance")
        gap = abs(round(100 * confidence) - round(100 * right.mean()))
        told += [100 * right.mean(), gap][: 1 + (verdicts[-1] != "could be chance")]
    assert numbers_in(result.says) == pytest.approx(told, abs=0.51)
    assert re.findall(r"(too \w+|could be chance)\)", result.says) == verdicts
    notes = [each.text for each in result.figures[0].figure.layout.annotations]  # type: ignore[attr-defined]
    marks = [number for note in notes if "right on" in note for number in numbers_in(note)]
    assert set(numbers_in(result.says)[1:]) <= set(marks)


def test_the_mean_of_the_draws_is_never_surer_than_one_pass():
    averaged = [row for images in ("mnist", "digits") for row in board.rows(images) if row.is_averaged]
    assert len(averaged) > 10
    for row in averaged:
        assert row.known["probabilities"].max(-1).mean() < row.known["one_pass"].max(-1).mean(), row.spec.title


@pytest.mark.parametrize("refused", ["0", "20", "90"])
def test_the_sentence_of_refusing_counts_the_wrong_answers_that_are_left(refused: str):
    scores, wrong = shipped("mc_dropout", "mnist"), []
    for probabilities, entropy in zip(scores["probabilities"], scores["predictive_entropy"], strict=True):
        kept = np.argsort(entropy, kind="stable")[: round(len(entropy) * (1 - int(refused) / 100))]
        wrong.append((probabilities.argmax(1) != scores["labels"])[kept].mean())
    told = numbers_in(drawn("refusing", images="mnist", refused=refused).says)
    left = told[0] if refused == "0" else told[1]
    share = 100 * float(np.mean(wrong))
    assert left == pytest.approx(share, abs=0.05 * max(1.0, share))


def test_the_sentence_of_averaging_has_the_smallest_and_the_largest_change():
    changes = []
    for method in study.on_board("mnist"):
        scores = shipped(method, "mnist")
        if not np.array_equal(scores["probabilities"], scores["one_pass"]):
            changes.append(100 * (scores["accuracy"] - scores["accuracy_one_pass"]).mean())
    told = numbers_in(drawn("accuracy", images="mnist").says)
    assert told[0] == len(changes)
    assert told[1:3] == pytest.approx([min(changes), max(changes)], rel=0.06)
