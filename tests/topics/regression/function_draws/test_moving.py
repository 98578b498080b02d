"""The view that redraws during a drag, without a browser: what it is told, and what becomes of its commits."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bdlviz import data
from bdlviz.fitted import shelf
from bdlviz.methods import METHODS
from bdlviz.plots import DARK, LIGHT
from bdlviz.predictive.surface import name_of, unpack
from bdlviz.settings import configure
from bdlviz.topics.regression.function_draws import views_neighbourhood, views_two
from bdlviz.topics.regression.function_draws.asked import ROOM
from bdlviz.topics.regression.function_draws.two import Comparison
from bdlviz.topics.shared import calculator, curves
from bdlviz.types import FitConfig
from bdlviz.ui.controls import data_choice
from bdlviz.ui.scrub import base, grids, picture
from tests.ui.harness import move, open_page

MAX_BYTES = 2_000_000
FORBIDDEN = ["http:", "https:", "//cdn", "import(", "fetch(", "innerHTML", "insertAdjacentHTML", "eval(", "@import"]
CLIENT = sorted(path for path in base.CLIENT.rglob("*") if path.is_file())


@pytest.fixture(autouse=True)
def plain_figures() -> None:
    """Here the pages show the picture that moves, as they do for visitors."""


def protos(app: AppTest) -> list[Any]:
    """What each component of a page was given."""
    return [component.proto for component in app.get("bidi_component")]  # type: ignore[attr-defined]


def told(app: AppTest) -> dict[str, Any]:
    """The data of the view."""
    [found] = [json.loads(proto.json) for proto in protos(app) if proto.json]
    return found


def blocks(app: AppTest) -> dict[str, bytes]:
    """The blocks that travel beside it, by name."""
    return {name_of(proto.bytes): proto.bytes for proto in protos(app) if proto.bytes}


def test_the_default_view_is_complete_and_small():
    app = open_page("function_draws")
    assert not app.exception and not app.error
    view, found, dataset = told(app), blocks(app), data.load("x_sin_x")
    [side] = view["sides"]
    assert {side["cell"], side["grid"]} <= found.keys() and side["film"] is None
    assert sum(map(len, found.values())) + len(json.dumps(view)) < MAX_BYTES
    assert [slider["key"] for slider in view["sliders"]] == ["dropout_rate", "weight_decay"]
    assert all(slider["value"] in slider["stops"] for slider in view["sliders"])
    assert [view["axes"][axis]["range"] for axis in "xy"] == [list(dataset.x_range), list(ROOM["x_sin_x"])]
    for rate in ("0", "0.95"):
        assert told(move(app, "dropout_rate", rate))["axes"] == view["axes"]


def test_the_cell_holds_the_committed_fit():
    app = open_page("function_draws", {"dropout_rate": "0.3", "draws": "20"})
    header, arrays = unpack(blocks(app)[told(app)["sides"][0]["cell"]])
    fit = shelf.shipped("function_draws_mc_dropout")[0].cell(dropout_rate=0.3, weight_decay=1e-4)
    dataset = data.load("x_sin_x")
    expected = fit.predict(np.linspace(*dataset.x_range, 200), 20).draws[:, :, 0]
    assert header["draws"] == 20
    np.testing.assert_allclose(arrays["draws"], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(arrays["data_x"], dataset.x[:, 0], rtol=1e-6)
    np.testing.assert_allclose(arrays["noise"], fit.noise_std, rtol=1e-6)


@pytest.mark.parametrize("method", ["map", "deep_ensemble"])
def test_a_method_has_the_sliders_of_its_grid(method: str):
    view = told(open_page("function_draws", {"method": method}))
    assert [slider["key"] for slider in view["sliders"]] == ["weight_decay"]
    assert view["sides"][0]["grid"] is not None


@pytest.mark.usefixtures("quick")
def test_off_the_grid_there_is_a_fit_but_no_surface():
    view = told(open_page("function_draws", {"width": "16"}))
    assert view["sides"][0]["grid"] is None and view["sides"][0]["cell"] is not None
    assert view["sliders"], "Sliders stay, and train on release."


@pytest.mark.parametrize(("theme", "expected"), [("light", LIGHT), ("dark", DARK)])
def test_the_view_has_the_colours_of_the_figures(theme: str, expected: Any):
    colours = told(open_page("function_draws", theme=theme))["theme"]
    for name in ("paper", "ink", "data", "mean", "draws", "epistemic", "aleatoric", "truth", "grid"):
        assert colours[name] == getattr(expected, name)


# Commits ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session state of its own."""
    fresh: dict[str, Any] = {"data": "x_sin_x", "more_in_link": {}}
    monkeypatch.setattr(st, "session_state", fresh)
    return fresh


X_SIN_X = data.load("x_sin_x")


def test_an_edit_makes_the_points_the_visitors_own(state: dict[str, Any]):
    data_choice.edit({"edit": "add", "at": [1.5, 2.5]}, X_SIN_X)
    assert state["data"] == data_choice.OWN and state[data_choice.ORIGIN] == "x_sin_x"
    points = data_choice.own_points()
    np.testing.assert_allclose(points[:-1], np.column_stack([X_SIN_X.x, X_SIN_X.y]))
    np.testing.assert_allclose(points[-1], [1.5, 2.5])


def test_moving_and_removing_take_the_nearest_point(state: dict[str, Any]):
    near = [float(X_SIN_X.x[3, 0]) + 1e-4, float(X_SIN_X.y[3, 0])]
    data_choice.edit({"edit": "move", "from": near, "at": [9.0, 9.0]}, X_SIN_X)
    np.testing.assert_allclose(data_choice.own_points()[3], [9.0, 9.0])
    data_choice.edit({"edit": "remove", "from": [9.0, 9.0]}, X_SIN_X)
    assert len(data_choice.own_points()) == X_SIN_X.num_data - 1


def test_undo_goes_back_to_the_built_in_set(state: dict[str, Any]):
    data_choice.edit({"edit": "add", "at": [0.0, 0.0]}, X_SIN_X)
    data_choice.edit({"edit": "add", "at": [1.0, 1.0]}, X_SIN_X)
    data_choice.edit({"edit": "undo"}, X_SIN_X)
    assert state["data"] == data_choice.OWN and len(data_choice.own_points()) == X_SIN_X.num_data + 1
    data_choice.edit({"edit": "undo"}, X_SIN_X)
    assert state["data"] == "x_sin_x" and not data_choice.can_undo()
    data_choice.edit({"edit": "undo"}, X_SIN_X)


@pytest.mark.parametrize("at", [[float("nan"), 0], ["a", 0], [1], [float("inf"), 0]])
def test_a_bad_edit_changes_nothing(state: dict[str, Any], at: list[Any]):
    for event in ({"edit": "add", "at": at}, {"edit": "move", "from": [0, 0], "at": at}, {"edit": "odd", "at": [0, 0]}):
        data_choice.edit(event, X_SIN_X)
    assert state["data"] == "x_sin_x" and not data_choice.can_undo()


def test_the_last_point_stays(state: dict[str, Any]):
    state["data"] = data_choice.OWN
    data_choice.set_own_points(np.array([[0.0, 1.0]]))
    data_choice.edit({"edit": "remove", "from": [0.0, 1.0]}, data.from_points([0.0], [1.0]))
    assert len(data_choice.own_points()) == 1


@pytest.mark.usefixtures("quick")
def test_an_edited_set_keeps_axes_noise_and_held_out_points():
    points = np.vstack([np.column_stack([X_SIN_X.x, X_SIN_X.y]), [5.0, 5.0]])
    link = {"data": "own", "points": data_choice.encode_points(points), "origin": "x_sin_x"}
    app = open_page("function_draws", link)
    view = told(app)
    assert view["axes"]["y"]["range"] == list(ROOM["x_sin_x"])
    _, arrays = unpack(blocks(app)[view["sides"][0]["cell"]])
    assert len(arrays["data_x"]) == len(points), "No point is held out."
    assert "truth_x" in arrays
    np.testing.assert_allclose(arrays["noise"], float(X_SIN_X.noise_std or 0), rtol=1e-6)
    assert app.query_params["origin"] == "x_sin_x"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("origin", ["nonsense", "mnist-1000", ""])
def test_a_bad_origin_is_ignored(origin: str):
    link = {"data": "own", "points": data_choice.encode_points(np.array([[0.0, 1.0], [2.0, 0.5]])), "origin": origin}
    app = open_page("function_draws", link)
    assert not app.exception and not app.error
    assert "origin" not in app.query_params


def test_values_are_read_as_in_a_link(state: dict[str, Any]):
    control = data_choice.data_controls()[3]
    said = picture.commit_values({"values": {control.key: "3", "other": "x"}}, [control])
    assert state[control.key] == "3" and said["other"] == "x"
    picture.commit_values({"values": {control.key: "<b>"}}, [control])
    assert state[control.key] == control.default
    assert picture.commit_values({"values": "nonsense"}, [control]) == {}


# Comparisons -----------------------------------------------------------------------------------------------------


def test_one_link_says_both_settings():
    link = {"dropout_rate": "0.5", "other": "method=deep_ensemble", "side": "b", "difference": "1"}
    app = open_page("function_draws", link)
    view = told(app)
    assert [side["label"] for side in view["sides"]] == ["A", "B"]
    assert [side["isActive"] for side in view["sides"]] == [False, True]
    assert METHODS["deep_ensemble"].title in view["sides"][0]["title"] and "0.5" in view["sides"][1]["title"]
    assert view["difference"]
    assert {key: app.query_params[key] for key in link} == link
    assert {side["cell"] for side in view["sides"]} <= blocks(app).keys()


@pytest.mark.parametrize("other", ["defaults", "dropout_rate=7", "nonsense=1", "method=<b>", "%%%", "a" * 5000])
def test_a_bad_other_setting_is_the_nearest_good_one(other: str):
    app = open_page("function_draws", {"other": other})
    assert not app.exception and not app.error
    assert len(told(app)["sides"]) == 2


def test_actions_on_a_comparison(state: dict[str, Any]):
    controls = (data_choice.data_controls()[3],)
    [control] = controls
    state[control.key] = "4"
    views_two.act("swap", controls)
    assert views_two.present() is None
    views_two.act("on", controls)
    assert views_two.present() == Comparison({control.key: "4"}, "b")
    state[control.key] = "7"
    views_two.act("other", controls)
    assert views_two.present() == Comparison({control.key: "7"}, "a") and state[control.key] == "4"
    views_two.act("swap", controls)
    found = views_two.present()
    assert found is not None and found.active == "b" and found.labels == ("B", "A")
    views_two.act("off", controls)
    assert views_two.present() is None and state[control.key] == "4"


@pytest.mark.parametrize("follows", ["length_scale", "noise", "weight_decay"])
def test_scales_without_sliders_are_those_of_the_sliders(follows: str):
    """`scales_of` says in words what the calculator's sliders say: the page with that setting trains the same fit."""
    full = {"follows": follows, "weight_decay": "3e-4", "length_scale": "0.2", "assumed_noise": "2"}
    scales = calculator.scales_of(full, X_SIN_X, 0.1)
    relation = scales.length_scale**2 / (2 * scales.num_data * scales.weight_decay * 0.9)
    assert scales.precision == pytest.approx(relation)
    if follows != "weight_decay":
        assert scales.weight_decay == pytest.approx(3e-4)
    if follows != "length_scale":
        assert scales.length_scale == pytest.approx(0.2)
    if follows != "noise":
        assert X_SIN_X.noise_std is not None and scales.noise_std == pytest.approx(2 * X_SIN_X.noise_std)


# The grid around a setting that is not shipped ----------------------------------------------------------------


def single(**settings: Any) -> FitConfig:
    return configure("mc_dropout", X_SIN_X, num_steps=300, **settings)


def test_the_neighbourhood_does_not_depend_on_the_sliders():
    settings = [{"dropout_rate": 0.1, "weight_decay": 1e-4}, {"dropout_rate": 0.6, "weight_decay": 0.03}]
    [whole] = {views_neighbourhood.around(single(**each)) for each in settings}
    assert whole is not None and dict(whole.axes) == views_neighbourhood.STOPS
    for control in (*curves.own_controls("mc_dropout"), calculator.DECAY):
        stops = {float(option) for option in control.options}
        assert set(views_neighbourhood.STOPS[control.key]) <= stops, "The view knows the stops of its sliders only."
    assert views_neighbourhood.around(single(weight_decay=1.234e-4)) is None, "This value is between two stops."


@pytest.mark.parametrize(("seconds", "expected"), [(0.0, False), (0.1, True), (10.0, False)])
def test_a_neighbourhood_trains_only_where_it_takes_seconds(seconds: float, expected: bool):
    shipped = shelf.shipped("function_draws_mc_dropout")[0].cell(dropout_rate=0.1, weight_decay=1e-4)
    fit = replace(shipped, seconds=seconds, num_steps_done=shipped.config.num_steps)
    whole = views_neighbourhood.around(fit.config)
    assert whole is not None and views_neighbourhood._is_affordable(fit, whole) == expected
    assert not views_neighbourhood._is_affordable(replace(fit, num_steps_done=3), whole), "While it trains, not yet."


# The files -------------------------------------------------------------------------------------------------------


def test_every_script_is_part_of_a_component():
    for folder, names in {"base": (*base.BASE_SCRIPTS, "store"), "picture": picture.SCRIPTS}.items():
        found = {path.stem for path in CLIENT if path.suffix == ".js" and path.parent.name == folder}
        assert found == set(names)


@pytest.mark.parametrize("path", CLIENT, ids=lambda path: path.name)
def test_a_file_requests_nothing_and_sets_no_markup(path: Path):
    source = path.read_text(encoding="utf-8")
    if path.match("live/main.js"):  # it imports the engine and the view that it holds as texts
        source = source.replace("import(engine), import(urlOf(SOURCES.view))", "")
    assert not [word for word in FORBIDDEN if word in source]
    assert all(len(line) <= 145 for line in source.splitlines()), "A line is too long."


def test_a_missing_grid_is_no_failure(own_shelf: Path):
    (own_shelf / "function_draws_mc_dropout.safetensors").unlink()
    config = shelf.shipped("function_draws_map")[0].cell(weight_decay=1e-4).config
    assert grids.grid_block(config, X_SIN_X) is not None
    app = open_page("function_draws", {"num_steps": "100"})
    assert not app.exception


def test_a_part_that_runs_alone_mounts_only_what_the_page_has_not_mounted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(base.st, "session_state", {})
    shown = {"cell": b"of one setting", "grid": b"of all settings"}
    assert base._unknown("view", shown) == shown
    monkeypatch.setattr(base, "is_alone", lambda: True)
    moved = shown | {"cell": b"of another setting"}
    assert base._unknown("view", moved) == {"cell": b"of another setting"}
    assert base._unknown("another view", shown) == shown
    monkeypatch.setattr(base, "is_alone", lambda: False)
    assert base._unknown("view", moved) == moved


def test_equal_settings_share_one_data_set():
    values = dict(data_choice.PANEL_DEFAULTS)
    first = data_choice.load("x_sin_x", values)
    assert data_choice.load("x_sin_x", values) is first
    assert data_choice.load("x_sin_x", values | {"data_seed": "1"}).fingerprint != first.fingerprint
