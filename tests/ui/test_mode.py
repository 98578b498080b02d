"""Presenter mode, hidden controls and tabs: they stand in the link, and a bad link gets one sentence."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.ui.frame import mode, tabs, window
from tests.ui.conftest import OBTAIN
from tests.ui.harness import PAGES, SECONDS, figures, open_page, open_working, press, rested

PAGE = "effect_of_lambda"


def styles(app: AppTest) -> str:
    return " ".join(each.proto.body for each in app.get("html"))  # type: ignore[attr-defined]


def test_presenter_mode_is_begun_and_left_by_one_button():
    app = open_page(PAGE)
    usual = figures(app)[0]["layout"]["xaxis"]["tickfont"]["size"]
    press(app, "present")
    assert app.query_params == {"present": "1"} and not app.tabs
    press(app, "present")
    assert app.query_params == {} and app.tabs
    assert figures(app)[0]["layout"]["xaxis"]["tickfont"]["size"] == usual


@pytest.mark.parametrize("page", [PAGE, "bayes_rule"])
def test_presenter_mode_does_not_magnify_figures_on_a_phone(page: str, monkeypatch: pytest.MonkeyPatch):
    """Magnified, the panels of a figure would have no room there; they scroll instead."""
    monkeypatch.setattr(window, "is_narrow", lambda: True)
    usual = [each["layout"] for each in figures(open_page(page))]
    assert usual and [each["layout"] for each in figures(open_page(page, {"present": "1"}))] == usual


def test_the_present_values_stand_in_the_large_equation():
    app = open_page("function_draws", {"present": "1", "picture": "figure"})
    assert "0.439" in app.latex[0].value


def test_controls_and_parts_of_the_page_can_be_hidden():
    hidden = ",".join(("weight_decay", *mode.GROUPS))
    app = open_working(PAGE, {"hide": hidden, "weight_decay": "0.1"})
    [style] = [each for each in styles(app).split("<style>") if ".st-key-weight_decay" in each]
    assert all(place in style for place in mode.GROUPS.values()) and "{ display: none; }" in style
    assert app.session_state["weight_decay"] == "0.1" and app.query_params["hide"] == hidden


def test_presenter_mode_shows_the_tab_of_the_link():
    app = open_page("mc_dropout", {"present": "1", "tab": "Accuracy against S"})
    assert not app.exception and not app.tabs
    assert ".st-key-frame { display: none; }" in styles(app)
    assert app.query_params[tabs.TAB] == "Accuracy against S"


def test_a_tab_stays_open_when_training_ends_and_more_tabs_come(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(OBTAIN, "WAIT_BEFORE_PROGRESS_S", 0.0)
    app = AppTest.from_file(PAGES["function_draws"], default_timeout=SECONDS)
    app.query_params.update({"tab": "Export", "num_steps": "500", "width": "16"})
    app.run()
    assert "Inside a draw" not in [tab.label for tab in app.tabs], "It trains: some tabs are not there yet."
    app = rested(app)
    assert "Inside a draw" in [tab.label for tab in app.tabs]
    assert app.query_params["tab"] == "Export" and app.session_state["tabs"] == "Export"
