"""Presenter mode, hidden controls and tabs: they stand in the link, and a bad link gets one sentence."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.ui.frame import details, mode, tabs, window
from tests.ui.conftest import OBTAIN
from tests.ui.harness import PAGES, SECONDS, figures, further_pictures, open_page, open_working, press, rested

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


def test_controls_and_parts_of_the_page_can_be_hidden():
    hidden = ",".join(("weight_decay", *mode.GROUPS))
    app = open_working(PAGE, {"hide": hidden, "weight_decay": "0.1"})
    [style] = [each for each in styles(app).split("<style>") if ".st-key-weight_decay" in each]
    assert all(place in style for place in mode.GROUPS.values()) and "{ display: none; }" in style
    assert app.session_state["weight_decay"] == "0.1" and app.query_params["hide"] == hidden


def test_presenter_mode_shows_the_tab_of_the_link():
    app = open_page("mc_dropout", {"present": "1", "tab": tabs.CODE})
    assert not app.exception and not app.tabs
    assert ".st-key-frame { display: none; }" in styles(app)
    assert app.query_params[tabs.TAB] == tabs.CODE and app.code


@pytest.mark.parametrize("former", tabs.FORMER)
def test_the_former_title_of_a_tab_opens_the_tab_that_has_its_content(former: str):
    app = open_working("function_draws", {"tab": former})
    now = tabs.FORMER[former]
    assert app.session_state[tabs.WIDGET] == now
    assert app.query_params.get(tabs.TAB, tabs.EXPLAIN) == now


@pytest.mark.parametrize("key", ["tab", "detail"])
@pytest.mark.parametrize("mode_of_link", [{}, {"present": "1"}])
def test_a_further_picture_takes_the_place_of_the_main_one(key: str, mode_of_link: dict[str, str]):
    """Links of earlier versions name it as a tab."""
    [picture, *_] = further_pictures(open_page("mc_dropout"))
    app = open_working("mc_dropout", {key: picture} | mode_of_link)
    assert figures(app) != figures(open_page("mc_dropout", mode_of_link))
    assert app.query_params == {"detail": picture} | mode_of_link
    assert ".st-key-frame { display: none; }" not in styles(app)


@pytest.mark.parametrize("arrives", [True, False])
def test_a_further_picture_stays_chosen_while_its_result_is_computed(arrives: bool, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(OBTAIN, "WAIT_BEFORE_PROGRESS_S", 0.0)
    [picture, *_] = further_pictures(open_page("function_draws"))
    asked = {"detail": picture, "num_steps": "500", "width": "16"}
    app = AppTest.from_file(PAGES["function_draws"], default_timeout=SECONDS)
    app.query_params.update(asked if arrives else {"detail": picture})
    app.run()
    if not arrives:
        assert further_pictures(app)
        for key in ("num_steps", "width"):
            app.select_slider(key=key).set_value(asked[key])
        app.run()
    assert app.get("progress") and not further_pictures(app), "No further picture is offered while the network trains."
    app = rested(app)
    assert app.session_state[details.DETAIL] == picture
    assert app.query_params == asked


def test_a_tab_stays_open_when_training_ends(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(OBTAIN, "WAIT_BEFORE_PROGRESS_S", 0.0)
    app = AppTest.from_file(PAGES["function_draws"], default_timeout=SECONDS)
    app.query_params.update({"tab": tabs.EXPORT, "num_steps": "500", "width": "16"})
    app.run()
    assert not further_pictures(app), "The network trains."
    app = rested(app)
    assert further_pictures(app)
    assert app.query_params["tab"] == "Export" and app.session_state["tabs"] == "Export"
