"""The link of a page: every state has one, it leads back to that state, and Back is an undo."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.ui import Control
from bdlviz.ui.places import link
from tests.ui.harness import MAIN, SECONDS, assert_works, figures, move, open_page, press, rested
from tests.ui.visit import chosen

SLIDER = Control("rate", "Rate", ("0", "0.1", "1e-4", "100"), "0.1")
MENU = Control("data", "Data", ("x_sin_x", "own"), "x_sin_x", "menu", names={"own": "Your own points"})
COUNT = Control("count", "Count", ("-0.5", "0.0625", "3.16e-6", "10000", "123456"), "10000")
MIXED = Control("decay", "Decay", ("best", "1e-6", "10"), "best", names={"best": "best held-out"})

pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture(autouse=True)
def no_time_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test presses Back at once; a person takes a moment."""
    monkeypatch.setattr(link, "IN_FLIGHT", 0.0)


def go(app: AppTest, query: dict[str, str]) -> AppTest:
    """Arrive at another link in the same tab, as Back does."""
    app.query_params.clear()
    app.query_params.update(query)
    return rested(app.run())


@pytest.mark.parametrize(
    ("control", "given", "meant"),
    [
        (SLIDER, "0", ("0", True)),
        (SLIDER, "0.0001", ("1e-4", True)),
        (SLIDER, "1E-4", ("1e-4", True)),
        (SLIDER, "1e2", ("100", True)),
        (SLIDER, "0.2", ("0.1", False)),
        (SLIDER, "-7", ("0", False)),
        (SLIDER, "much", ("0.1", False)),
        (SLIDER, "nan", ("0.1", False)),
        (SLIDER, "", ("0.1", False)),
        (MENU, "own", ("own", True)),
        (MENU, "Your own points", ("own", True)),
        (MENU, "7", ("x_sin_x", False)),
        (MIXED, "best", ("best", True)),
        (MIXED, "0.000001", ("1e-6", True)),
        (MIXED, "7", ("10", False)),
        (COUNT, "10000", ("10000", True)),
        (COUNT, "10,000", ("10000", True)),
        (COUNT, "−0.5", ("-0.5", True)),
    ],
)
def test_reading_a_value(control: Control, given: str, meant: tuple[str, bool]):
    assert control.read(given) == meant


def test_an_option_that_is_a_number_is_written_as_in_sentences():
    assert [SLIDER.name(option) for option in SLIDER.options] == ["0", "0.1", "10⁻⁴", "100"]
    assert [COUNT.name(option) for option in COUNT.options] == ["−0.5", "0.0625", "3.16 · 10⁻⁶", "10,000", "123,456"]
    assert MENU.name("x_sin_x") == "x_sin_x" and MIXED.name("best") == "best held-out"


def test_settings_that_are_not_on_show_are_in_the_link_too():
    app = open_page("function_draws", {"num_members": "10", "dropout_rate": "0.5", "method": "map"})
    assert app.query_params == {"num_members": "10", "dropout_rate": "0.5", "method": "map"}
    assert move(app, "method", "mc_dropout").select_slider(key="dropout_rate").value == "0.5"
    assert move(app, "method", "deep_ensemble").select_slider(key="num_members").value == "10"


def test_back_is_an_undo():
    app = open_page("function_draws")
    app = move(app, "dropout_rate", "0.5")
    app = press(app, "scene_gap")
    assert app.query_params == {"data": "two_clusters"}
    app = go(app, {"dropout_rate": "0.5"})
    assert chosen(app, "function_draws") == {"dropout_rate": "0.5"}
    app = go(app, {})
    assert chosen(app, "function_draws") == {} and app.query_params == {}


def test_a_scene_is_the_same_by_its_link_and_by_its_button():
    by_link = open_page("effect_of_lambda", {"scene": "good"})
    by_button = press(open_page("effect_of_lambda"), "scene_good")
    assert figures(by_link)[0]["layout"] == figures(by_button)[0]["layout"]


def test_back_brings_points_back():
    app = open_page("function_draws", {"data": "own"})
    before = dict(app.query_params)
    app.text_area(key="pasted").set_value("1 2\n3 4.5")
    app = press(rested(app.run()), "use_pasted")
    assert app.query_params["points"] != before["points"]
    app = go(app, before)
    assert app.query_params == before


def test_a_slider_is_not_pulled_back_by_a_link_that_was_under_way(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(link, "IN_FLIGHT", 60.0)
    app = open_page("function_draws")
    app = move(app, "dropout_rate", "0.5")
    app = go(app, {})  # what the browser still had when the visitor pressed something else
    assert app.query_params == {"dropout_rate": "0.5"}
    app.query_params.clear()
    app = move(app, "dropout_rate", "0.2")
    assert app.query_params == {"dropout_rate": "0.2"}


def test_a_warning_is_given_once():
    app = open_page("function_draws", {"dropout_rate": "7"})
    assert_works(app, warnings=1)
    assert_works(move(app, "draws", "10"))


def test_each_page_remembers_its_own_settings():
    app = AppTest.from_file(MAIN, default_timeout=SECONDS).run()
    pages = {name: f"../../pages/regression/{name}.py" for name in ("function_draws", "effect_of_lambda")}
    app = rested(app.switch_page(pages["function_draws"]).run())
    app = move(app, "dropout_rate", "0.95")
    app.query_params.clear()
    app = rested(app.switch_page(pages["effect_of_lambda"]).run())
    assert_works(app)
    assert chosen(app, "effect_of_lambda") == {}
    app = move(app, "dropout_rate", "0.02")
    app.query_params.clear()
    app = rested(app.switch_page(pages["function_draws"]).run())
    assert_works(app)
    assert chosen(app, "function_draws") == {"dropout_rate": "0.95"} == app.query_params
    assert not app.warning


def test_a_reset_goes_back_to_the_defaults():
    app = open_page("function_draws", {"dropout_rate": "0.5", "data": "own", "width": "16", "highlighted_draw": "3"})
    app = press(app, "reset")
    assert chosen(app, "function_draws") == {} and app.query_params == {}


@pytest.mark.parametrize(
    ("page", "query", "moved"),
    [
        ("function_draws", {"dropout_rate": "7"}, ("dropout_rate", "0.2")),
        ("function_draws", {"data": "own", "points": "damaged"}, ("dropout_rate", "0.2")),
        ("function_draws", {"data": "own", "kept": "0" * 32}, ("dropout_rate", "0.2")),
        ("function_draws", {"tab": "nonsense"}, ("dropout_rate", "0.2")),
        ("compare", {"look": "panels", "methods": "own", "chosen": "map,nonsense"}, ("methods", "usual")),
        ("manifold", {"codes": "10d"}, ("grid", "quantile")),
    ],
)
def test_a_warning_on_the_link_stays_until_a_control_moves(page: str, query: dict[str, str], moved: tuple[str, str]):
    app = open_page(page, query)
    [said] = [each.value for each in app.warning]
    app = rested(app.run())  # the browser reports its window
    assert [each.value for each in app.warning] == [said]
    assert not move(app, *moved).warning
