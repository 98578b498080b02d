"""The visitor's own points: through the link, the table, a paste or an upload, and with one click."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

import bdlviz
from bdlviz.export.tables import csv_of
from bdlviz.types import Array
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.data_choice import STARTING_POINTS
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.controls.point_texts import MAX_POINTS_IN_LINK, MAX_TEXT, decode_points, encode_points
from bdlviz.ui.frame import tabs
from bdlviz.ui.places import link
from bdlviz.ui.setting import Setting
from tests.told import numbers_in
from tests.ui.harness import assert_works, figures, move, open_page, open_working, press, rested, trace

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
finite = st.floats(-(2.0**39), 2.0**39)


@pytest.fixture
def own_points(quick: None) -> AppTest:
    """The page with the visitor's own points."""
    return open_page("function_draws", {"data": "own", "num_steps": "100"})


def shown(app: AppTest) -> Array:
    return np.column_stack(trace(figures(app)[0], "Data"))


@hypothesis.given(st.lists(st.tuples(finite, finite), min_size=1, max_size=MAX_POINTS_IN_LINK))
def test_points_survive_the_link(pairs: list[tuple[float, float]]):
    points = np.array(pairs)
    text = encode_points(points)
    assert text.isascii() and all(character.isalnum() or character in "-_" for character in text)
    np.testing.assert_array_equal(decode_points(text), points)
    assert encode_points(decode_points(text)) == text, "A reload must not change the link."
    assert len(text) <= MAX_TEXT < link.MAX_VALUE


def test_short_numbers_make_a_short_link():
    points = np.random.default_rng(0).normal(size=(60, 2)).round(2)
    assert len(encode_points(points)) < 400  # in single precision, 656


def test_an_older_link_opens():
    """Before, points were in single precision."""
    np.testing.assert_array_equal(decode_points("eNo7e-aMrbGx8IE1R9XN0545uAEARPgHfQ"), [[0.1, -2.3], [1e-05, 12345.6]])


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"1,2\n3,NaN\n", "Row 2"), (b"PK\x03\x04" + b"\0" * 50, "Excel"), (b"1,2\n" * 250_001, "1 MB")],
    ids=["NaN", "a workbook", "too many bytes"],
)
def test_a_bad_upload_gets_a_sentence_and_a_good_one_replaces_the_points(
    own_points: AppTest, content: bytes, says: str
):
    """tests/data/test_tables.py has every other bad and good table."""
    app = upload(own_points, content)
    [error] = [each.value for each in app.error]
    assert says in error and len(error) < 300
    assert not app.exception
    np.testing.assert_allclose(shown(app), STARTING_POINTS)
    app = upload(app, "time;height\n1;2\n3;4,5\n".encode("utf-16"))
    assert_works(app)
    np.testing.assert_allclose(shown(app), [[1, 2], [3, 4.5]])
    assert figures(app)[0]["layout"]["yaxis"]["title"]["text"] == "height"


def upload(app: AppTest, content: bytes) -> AppTest:
    app.file_uploader(key="uploaded").set_value(("table.csv", content, "text/csv"))
    return rested(app.run())


def test_a_pasted_table(own_points: AppTest):
    own_points.text_area(key="pasted").set_value("1 2\n3 4.5")
    app = press(rested(own_points.run()), "use_pasted")
    assert_works(app)
    np.testing.assert_allclose(shown(app), [[1, 2], [3, 4.5]])


def test_points_changed_in_the_table_are_those_of_picture_link_and_code(monkeypatch: pytest.MonkeyPatch, quick: None):
    table = [{"x": "1", "y": "3,25"}, {"x": "2", "y": "5e-1"}]
    monkeypatch.setattr(data_choice.st, "data_editor", lambda rows, **options: table)
    app = open_working("function_draws", {"data": "own"})
    np.testing.assert_allclose(shown(app), [[1, 3.25], [2, 0.5]])
    np.testing.assert_allclose(decode_points(app.query_params["points"]), [[1, 3.25], [2, 0.5]])
    np.testing.assert_allclose(app.session_state[data_choice.EDITED_POINTS], [[1, 3.25], [2, 0.5]])
    app.session_state["tabs"] = tabs.CODE
    assert "[3.25, 0.5]" in app.run().code[0].value


@pytest.mark.parametrize(
    ("rows", "expected", "says"),
    [
        ([{"x": "1", "y": None}, {"x": "2", "y": "0.5"}, {}], [[2.0, 0.5]], "Row 1"),
        ([{"x": None, "y": "1"}], STARTING_POINTS, "Row 1"),
        ([], STARTING_POINTS, "row"),
        ([{"x": "1e13", "y": "1"}, {"x": "0", "y": "0"}], [[0.0, 0.0]], "1e13"),
        ([{"x": "0", "y": "0"}, {"x": "a", "y": "1"}], [[0.0, 0.0]], "row 2"),
        ([{"x": "0", "y": "0"}, {"x": "1,200", "y": "1"}], [[0.0, 0.0]], "1200"),
        ([{"x": "1,5", "y": ".5"}, {"x": "1e-3", "y": "−2"}], [[1.5, 0.5], [0.001, -2.0]], ""),
        ([{"x": str(n), "y": "0"} for n in range(6000)], [[float(n), 0.0] for n in range(5000)], "6,000 rows"),
    ],
    ids=["an empty cell", "no complete row", "an empty table", "too large", "no number", "unclear", "marks", "many"],
)
def test_a_table_being_edited_is_never_an_error(
    monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, object]], expected: Array, says: str
):
    said: list[str] = []
    monkeypatch.setattr(data_choice.st, "session_state", {})
    monkeypatch.setattr(data_choice.st, "data_editor", lambda given, **options: rows)
    monkeypatch.setattr(data_choice.st, "caption", said.append)
    np.testing.assert_array_equal(data_choice._edit_points(), expected)
    assert says in " ".join(said).replace("\\", "") and bool(said) == bool(says)


@pytest.mark.parametrize("cell", ["1,5", ".5", "1e-3", "−2", "1.200", "1 200", "1'200", "12"])
def test_the_table_and_a_paste_read_a_cell_alike(cell: str):
    [x] = data_choice.data.parse_table(f"{cell};0").x
    assert data_choice.read_point(1, [cell, "0"]) == [x, 0]


def test_a_click_after_an_edit_adds_to_the_edited_points(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(data_choice.st, "session_state", {data_choice.EDITED_POINTS: np.array([[5.0, 6.0]])})
    data_choice.add_or_remove((0.0, 0.0), (0.1, 0.1))
    np.testing.assert_allclose(data_choice.own_points(), [[5, 6], [0, 0]])


@pytest.mark.usefixtures("quick")
def test_many_points_survive_a_reload_and_the_page_says_where_they_are():
    app = open_page("function_draws", {"data": "own"})
    app = upload(app, ("time (s);height\n" + "\n".join(f"{x};{x % 7}" for x in range(200))).encode())
    assert_works(app)
    assert "points" not in app.query_params
    assert any(f"{data_choice.MAX_POINTS_IN_LINK} points" in caption.value for caption in app.caption)
    again = open_working("function_draws", dict(app.query_params))
    np.testing.assert_array_equal(
        again.session_state[data_choice.OWN_POINTS], app.session_state[data_choice.OWN_POINTS]
    )
    assert figures(again)[0]["layout"]["xaxis"]["title"]["text"] == "time (s)"
    assert again.query_params == app.query_params
    data_choice.KEPT_POINTS.clear()
    late = open_page("function_draws", dict(app.query_params))
    assert len(late.warning) == 1
    np.testing.assert_allclose(shown(late), STARTING_POINTS)


SERIES = {
    "unix seconds": [(1_700_000_000 + 7 * n + 0.25, 21.5 + n / 8) for n in range(25)],
    "Julian days": [(2_460_310.5 + n / 1440, 13.4 + 1e-5 * n) for n in range(25)],
}


@pytest.mark.parametrize("name", SERIES)
def test_picture_link_table_and_code_of_a_pasted_table_agree_to_the_last_digit(own_points: AppTest, name: str):
    points = np.array(SERIES[name])
    own_points.text_area(key="pasted").set_value("\n".join(f"{x!r}\t{y!r}" for x, y in SERIES[name]))
    app = press(rested(own_points.run()), "use_pasted")
    is_held_out = np.arange(len(points)) % 5 == 4
    np.testing.assert_array_equal(shown(app), points[~is_held_out])
    np.testing.assert_array_equal(decode_points(app.query_params["points"]), points)
    table = csv.DictReader(io.StringIO(csv_of({"A": go.Figure(figures(app)[0])}), newline=""))
    rows = [(float(row["x"]), float(row["y"])) for row in table if row["series"] == "Data"]
    np.testing.assert_array_equal(rows, points[~is_held_out])
    app.session_state["tabs"] = tabs.CODE
    [line] = [line for line in app.run().code[0].value.splitlines() if line.startswith("data = ")]
    names: dict[str, Any] = {"bdlviz": bdlviz}
    exec(line, names)
    made = names["data"]
    np.testing.assert_array_equal(np.column_stack([made.x, made.y]), points[~is_held_out])
    np.testing.assert_array_equal(np.column_stack([made.x_test, made.y_test]), points[is_held_out])


def test_names_of_axes_are_in_the_link(own_points: AppTest):
    app = upload(own_points, b"time (s);<b>height</b>\n1;2\n3;4")
    again = open_working("function_draws", dict(app.query_params))
    titles = [figures(again)[0]["layout"][f"{axis}axis"]["title"]["text"] for axis in "xy"]
    assert titles == ["time (s)", "‹b›height‹/b›"]


def test_the_page_says_how_a_table_was_read_and_can_read_it_otherwise(own_points: AppTest):
    own_points.text_area(key="pasted").set_value("950\t0.51\n1,200\t0.52")
    app = press(rested(own_points.run()), "use_pasted")
    np.testing.assert_allclose(shown(app), [[950, 0.51], [1200, 0.52]])
    app.text_area(key="pasted").set_value("2019;2020\n1,200;3\n1,300;4")
    app = press(rested(app.run()), "use_pasted")
    np.testing.assert_allclose(shown(app), [[2019, 2020], [1.2, 3], [1.3, 4]])
    for is_wanted, expected in (
        (lambda layout: layout.has_names, [[1.2, 3], [1.3, 4]]),
        (lambda layout: layout.marks.thousands == ",", [[1200, 3], [1300, 4]]),
    ):
        [radio] = [each for each in app.radio if str(each.key).startswith("layout_")]
        [other] = [each for each in app.session_state[data_choice.READ][1].others if is_wanted(each)]
        radio.set_value(other)
        app = rested(app.run())
        np.testing.assert_allclose(shown(app), expected)
        assert app.session_state[data_choice.LABELS] == ("2019", "2020")


def test_a_first_column_of_row_numbers_can_be_left_out(own_points: AppTest):
    own_points.text_area(key="pasted").set_value("1,1.5,2\n2,2.5,3")
    app = press(rested(own_points.run()), "use_pasted")
    assert [3 in numbers_in(each.value) for each in app.error] == [True]
    app = press(app, "no_index")
    assert not app.error
    np.testing.assert_allclose(shown(app), [[1.5, 2], [2.5, 3]])


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "points",
    [[[1.0, 2.0]], [[1.0, 2.0]] * 3, [[1.0, 2.0], [1.0, -2.0], [1.0, 5.0]], [[0.0, 3.0], [1.0, 3.0], [2.0, 3.0]]],
    ids=["one point", "one point three times", "equal x", "equal y"],
)
@pytest.mark.parametrize("page", ["function_draws", "effect_of_lambda"])
def test_odd_points_have_a_picture(page: str, points: list[list[float]]):
    app = open_working(page, {"data": "own", "points": encode_points(np.array(points))})
    np.testing.assert_allclose(shown(app), points)


@pytest.mark.usefixtures("quick")
def test_the_points_of_a_link_yield_to_another_data_set():
    app = open_page("function_draws", {"data": "own", "points": encode_points(np.array([[1.0, 2.0]]))})
    app = move(app, "data", "two_clusters")
    assert_works(app)
    assert app.query_params == {"data": "two_clusters"}
    app = move(app, "data", "own")
    np.testing.assert_allclose(shown(app), [[1, 2]])


def test_a_click_adds_a_point_and_a_click_on_a_point_removes_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(data_choice.st, "session_state", {})
    data_choice.add_or_remove((0.2, 0.3), (0.1, 0.1))
    np.testing.assert_allclose(data_choice.own_points()[-1], [0.2, 0.3])
    assert len(data_choice.own_points()) == len(STARTING_POINTS) + 1
    data_choice.add_or_remove((0.25, 0.25), (0.1, 0.1))
    np.testing.assert_allclose(data_choice.own_points(), STARTING_POINTS)
    for point in STARTING_POINTS:
        data_choice.add_or_remove(tuple(point), (0.1, 0.1))
    np.testing.assert_allclose(data_choice.own_points(), STARTING_POINTS[-1:], err_msg="The last point stays.")


def test_points_that_no_method_can_use_get_a_sentence_and_other_points():
    """A link may hold numbers whose squares are 0 in double precision."""
    tiny = OwnPoints(np.array([[1e-120, 0.0], [2e-120, 1.0]]))
    setting = Setting({"data": data_choice.OWN}, tiny)
    told: list[object] = []
    controls = data_choice.data_controls()
    values = {control.key: setting[control] for control in controls}
    found = data_choice._chosen(controls, values, setting.own, told.append)
    assert len(told) == 1
    np.testing.assert_array_equal(found.x, data_choice.starting_points().x)
    assert data_choice.dataset_of(setting, controls).fingerprint == found.fingerprint
