"""The scoreboard: numbers only where a shipped checkpoint stands behind them, and every cell leads to its picture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import bdlviz
from bdlviz import fits, published
from bdlviz.fitted import checkpoints, shelf
from bdlviz.methods import METHODS
from bdlviz.predictive import calibration
from bdlviz.topics.results.scoreboard import study as scoreboard_study
from bdlviz.topics.results.scoreboard import views as scoreboard_views
from tests.ui.harness import assert_works, figures, move, open_page, trace

TITLES = {name: METHODS[name].title for name in scoreboard_study.on_board("digits")}
VIEWS = {
    "reliability": "mean of the draws",
    "accuracy": "ours ± sd over seeds",
    "rotation": "mutual information (ignorance)",
    "refusing": "MC dropout",
    "unknown": "test digits",
    "samples": "seeds",
}


def table(app: AppTest) -> pd.DataFrame:
    return app.dataframe[0].value.set_index("Method")


def said(app: AppTest) -> str:
    return " ".join(each.value for each in app.caption)


def html(app: AppTest) -> str:
    return " ".join(each.proto.body for each in app.get("html"))  # type: ignore[attr-defined]


def shipped(method: str, images: str = "digits") -> dict[str, Any]:
    return shelf.shipped(scoreboard_study.name_of(method, images))[1]


@pytest.mark.parametrize("images", scoreboard_study.IMAGES)
def test_the_table_holds_the_means_over_seeds(images: str):
    shown = table(open_page("scoreboard", {"images": images}))
    assert list(shown.index) == [TITLES[name] for name in scoreboard_study.on_board(images)]
    for method in scoreboard_study.on_board(images):
        title, scores = TITLES[method], shipped(method, images)
        for column in scoreboard_views.COLUMNS:
            if column.key != "kept":
                values = scores[column.key]
                number = column.scale * float(values.min() if column.key == "fit_seconds" else values.mean())
                assert shown.loc[title, column.title] == pytest.approx(number, abs=1e-5), column.title
        assert shown.loc[title, scoreboard_views.PARAMETERS] == scores["num_parameters"].item()
        assert len(shown.loc[title, scoreboard_views.ROTATED_ACCURACY]) == len(scoreboard_study.ROTATIONS)
    assert (scoreboard_views.FULL.title in shown) == ("accuracy_full" in shipped("map", images))


def test_the_page_says_how_many_seeds_and_how_far_ensembles_differ():
    """Single ensembles are no ground for a statement: mean and range of at least ten stand beside the picture."""
    for method in ("deep_ensemble", "map"):
        app, scores = open_page("scoreboard", {"method": method, "images": "mnist"}), shipped(method, "mnist")
        [caption] = [each.value for each in app.caption if "Negative log-likelihood" in each.value]
        nll, one = scores["nll"], scores["nll_one_pass"]
        assert f"mean {nll.mean():.3f}, from {nll.min():.3f} to {nll.max():.3f} over {len(nll)} seeds" in caption
        is_ensemble = method == "deep_ensemble"
        assert (f"One pass: mean {one.mean():.3f}, from {one.min():.3f} to {one.max():.3f}" in caption) == is_ensemble
        assert len(nll) >= (10 if is_ensemble else 5)
    introduction = next(each.value for each in app.markdown if "Every method was trained" in each.value)
    ensembles = len(shipped("deep_ensemble", "mnist")["nll"])
    assert f"{len(nll)} seeds, the deep ensemble with\n{ensembles}" in introduction


def test_cells_tell_the_spread_and_sort_by_the_mean():
    column = scoreboard_views.COLUMNS[0]
    assert column.told(np.array([0.9, 0.91, 0.92])) == "91.0 ± 1.0"
    assert scoreboard_views.COLUMNS[-1].told(np.array([7.0, 5.2, 30.0])) == "5"  # seconds: the fastest
    assert scoreboard_views._written({91.0: "91.0 ± 1.0"})(91.0) == "91.0 ± 1.0"
    assert table(open_page("scoreboard"))[column.title].dtype == float


@pytest.mark.parametrize(("view", "name"), VIEWS.items())
def test_every_view_has_its_picture_and_its_numbers(view: str, name: str):
    app = open_page("scoreboard", {"view": view, "images": "digits"})
    assert_works(app)
    assert not app.info
    [fig] = figures(app)
    assert name in {each.get("name") for each in fig["data"]}
    assert 1 <= len(app.metric) <= 4


@pytest.mark.parametrize("column", [*scoreboard_views.COLUMNS, scoreboard_views.FULL], ids=lambda column: column.key)
def test_a_click_on_a_cell_chooses_its_picture(column: scoreboard_views.Column, monkeypatch: pytest.MonkeyPatch):
    state: dict[str, Any] = {scoreboard_views.TABLE: {"selection": {"cells": [(2, column.title)]}}}
    monkeypatch.setattr(scoreboard_views.st, "session_state", state)
    found = scoreboard_views.rows("digits")
    scoreboard_views._choose(found, [*scoreboard_views.COLUMNS, scoreboard_views.FULL])()
    assert state["method"] == found[2].spec.name and state["view"] == column.view
    assert column.view in scoreboard_views.VIEW.options


def test_a_click_on_the_name_shows_the_reliability_diagram(monkeypatch: pytest.MonkeyPatch):
    state: dict[str, Any] = {scoreboard_views.TABLE: {"selection": {"cells": [(0, "Method")]}}}
    monkeypatch.setattr(scoreboard_views.st, "session_state", state)
    scoreboard_views._choose(scoreboard_views.rows("digits"), scoreboard_views.COLUMNS)()
    assert state["view"] == "reliability"
    state[scoreboard_views.TABLE] = {"selection": {"cells": []}}  # the cell was left again
    state["view"] = "rotation"
    scoreboard_views._choose(scoreboard_views.rows("digits"), scoreboard_views.COLUMNS)()
    assert state["view"] == "rotation"


def test_refusing_leaves_fewer_mistakes():
    app = open_page("scoreboard", {"view": "refusing", "method": "mc_dropout"})
    title, right = TITLES["mc_dropout"], []
    for refused in ("0", "10", "50"):
        move(app, "refused", refused)
        right.append(table(app).loc[title, "Refusing (%)"])
    scores = shipped("mc_dropout", "mnist")
    assert right[0] == pytest.approx(100 * float(scores["accuracy"].mean()), abs=1e-4)
    assert right[0] < right[1] < right[2]
    curve = [
        calibration.risk_coverage(entropy, calibration.is_correct(p, scores["labels"])).risk
        for p, entropy in zip(scores["probabilities"], scores["predictive_entropy"], strict=True)
    ]
    share, risk = trace(figures(app)[0], title)
    np.testing.assert_allclose(risk, np.mean(curve, 0)[::-1], atol=1e-6)
    assert share[0] == 0 and right[2] == pytest.approx(100 * (1 - np.mean(curve, 0)[len(risk) // 2 - 1]), abs=1e-4)


@pytest.mark.parametrize("how", ["removed", "truncated", "another method's", "other settings", "without scores"])
def test_what_is_missing_or_stale_is_no_number(how: str, own_shelf: Path):
    name = scoreboard_study.name_of("mc_dropout", "digits")
    file, entry = own_shelf / f"{name}.safetensors", shelf.manifest(own_shelf)[name]
    fit, extra = shelf.shipped(name, own_shelf)
    match how:
        case "removed":
            file.unlink()
        case "truncated":
            file.write_bytes(file.read_bytes()[:1000])
        case "another method's":
            other = scoreboard_study.name_of("map", "digits")
            shelf.put(name, (own_shelf / f"{other}.safetensors").read_bytes(), entry, own_shelf)
        case "other settings":
            longer = replace(fit, config=replace(fit.config, num_steps=fit.config.num_steps + 1))
            shelf.put(name, checkpoints.to_bytes(longer, half=True, extra=extra), entry, own_shelf)
        case "without scores":
            shelf.put(name, checkpoints.to_bytes(fit, half=True), entry, own_shelf)
    app = open_page("scoreboard", {"images": "digits", "method": "mc_dropout"})
    assert_works(app)
    title = TITLES["mc_dropout"]
    assert all(value is None or np.isnan(value) for value in table(app).loc[title].tolist())
    assert f"{title} is missing" in said(app) and f"python -m bdlviz train {name}" in said(app)
    assert [each.value for each in app.info] == [f"{title} has no scores; this is {TITLES['map']}."]


def test_without_any_checkpoint_there_is_a_sentence(own_shelf: Path):
    (own_shelf / "manifest.json").unlink()
    app = open_page("scoreboard")
    assert not app.exception and not figures(app)
    assert "python -m bdlviz train scoreboard" in app.warning[0].value


def test_a_new_method_is_announced_until_it_has_a_recipe(monkeypatch: pytest.MonkeyPatch):
    spec = replace(METHODS["map"], name="new", title="A method of tomorrow")
    monkeypatch.setitem(scoreboard_views.CLASSIFIERS, "new", spec)
    app = open_page("scoreboard", {"images": "digits"})
    assert "Not on the board yet:" in said(app) and "A method of tomorrow" in said(app)
    assert "A method of tomorrow" not in table(app).index


def test_the_lecture_s_table_stands_beside_ours():
    app = open_page("scoreboard", {"view": "accuracy"})
    ours, lecture = (trace(figures(app)[0], name)[0] for name in ("ours ± sd over seeds", "lecture ± sd"))
    printed = [value for pair in published.ACCURACY_TABLE.values() for value in pair if value is not None]
    np.testing.assert_allclose(sorted(lecture), sorted(printed), rtol=1e-6)
    assert len(ours) == 9  # a plain network has one way to predict, the four others two
    app.session_state["tabs"] = "Lecture's table"
    shown = html(app.run())
    for value in printed:
        assert f"{value:.2f} ± " in shown
    assert "not here yet" not in shown


def test_small_digits_have_no_lecture():
    fig = figures(open_page("scoreboard", {"view": "accuracy", "images": "digits"}))[0]
    assert "lecture ± sd" not in {each.get("name") for each in fig["data"]}


def test_intervals_hold_every_method():
    app = open_page("scoreboard", {"images": "digits"})
    app.session_state["tabs"] = "Intervals"
    shown = html(app.run())
    assert all(title in shown for title in TITLES.values())


def test_the_snippet_asks_for_the_fit_of_the_row(monkeypatch: pytest.MonkeyPatch):
    class Asked(Exception):
        pass

    def ask(method: str, data: Any, **settings: Any) -> None:
        raise Asked(fits.configure(method, data, **settings))

    monkeypatch.setattr(bdlviz, "fit", ask)
    for row in scoreboard_views.rows("digits"):
        with pytest.raises(Asked) as raised:
            exec(compile(scoreboard_views.snippet(row), "snippet", "exec"), {})
        assert row.fit is not None and raised.value.args[0] == row.fit.config


@pytest.mark.parametrize(("query", "first"), [({}, "dataframe"), ({"present": "1"}, "plotly_chart")])
def test_a_room_sees_the_picture_before_the_table(query: dict[str, str], first: str):
    app = open_page("scoreboard", {"images": "digits"} | query)
    assert_works(app)
    assert next(each.type for each in app.main if each.type in ("dataframe", "plotly_chart")) == first
