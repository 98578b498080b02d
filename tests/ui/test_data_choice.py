"""The visitor's own points: through the link, the table, a paste or an upload, and with one click."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.errors import InvalidInput
from bdlviz.types import Array
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.data_choice import MAX_POINTS_IN_LINK, STARTING_POINTS, decode_points, encode_points
from tests.ui.harness import assert_works, figures, move, open_page, press, rested, trace

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
finite = st.floats(-(2.0**39), 2.0**39, width=32)

NOTICE = "Your points so far are unchanged."
BAD_TABLES = {
    "text": (b"hello there, this is no table", "no rows of numbers"),
    "one column": (b"1\n2\n3\n", "one column"),
    "three columns": (b"1,2,3\n4,5,6\n", "3 columns"),
    "NaN": (b"1,2\n3,NaN\n", "Row 2"),
    "too large": (b"1,2\n1e13,4\n", "Row 2"),
    "binary": (bytes(range(256)) * 4, "UTF-8"),
    "a workbook": (b"PK\x03\x04" + b"\0" * 50, "Excel"),
    "empty": (b"\n\n", "empty"),
    "too many rows": (b"1,2\n" * 5001, "5,000"),
    "too many bytes": (b"1,2\n" * 250_001, "1 MB"),
}
GOOD_TABLES = {
    "plain": b"1,2\n3,4.5\n",
    "header": b"time,height\n1,2\n3,4.5\n",
    "decimal commas": b"1;2\n3;4,5\n",
    "UTF-16": "x\ty\n1\t2\n3\t4.5\n".encode("utf-16"),
    "byte-order mark": "1,2\n3,4.5\n".encode("utf-8-sig"),
}


@pytest.fixture
def own_points(quick: None) -> Iterator[AppTest]:
    """The page with the visitor's own points."""
    yield open_page("function_draws", {"data": "own", "num_steps": "100"})


def shown(app: AppTest) -> Array:
    return np.column_stack(trace(figures(app)[0], "Data"))


@hypothesis.given(st.lists(st.tuples(finite, finite), min_size=1, max_size=MAX_POINTS_IN_LINK))
def test_points_survive_the_link(pairs: list[tuple[float, float]]):
    points = np.array(pairs)
    text = encode_points(points)
    assert text.isascii() and all(character.isalnum() or character in "-_" for character in text)
    np.testing.assert_allclose(decode_points(text), points, rtol=1e-6, atol=1e-37)
    assert encode_points(decode_points(text)) == text, "A reload must not change the link."


def test_short_numbers_come_back_as_they_were_typed():
    points = np.array([[0.1, -2.3], [1e-5, 12345.6]])
    np.testing.assert_array_equal(decode_points(encode_points(points)), points)


def test_as_many_points_as_fit_make_a_link_that_browsers_take():
    points = np.random.default_rng(0).normal(size=(MAX_POINTS_IN_LINK, 2))
    assert len(encode_points(points)) < 2000


@hypothesis.settings(max_examples=200)
@hypothesis.given(
    st.one_of(
        st.text(max_size=60),
        st.binary(max_size=60).map(lambda raw: base64.urlsafe_b64encode(raw).decode()),
        st.binary(max_size=200).map(lambda raw: base64.urlsafe_b64encode(zlib.compress(raw)).decode()),
    )
)
def test_a_damaged_link_raises_invalid_input_and_nothing_else(text: str):
    try:
        points = decode_points(text)
    except InvalidInput:
        return
    assert 1 <= len(points) <= MAX_POINTS_IN_LINK and points.shape[1] == 2
    assert np.isfinite(points).all() and np.abs(points).max() <= 1e12


def test_a_link_that_unpacks_to_gigabytes_is_refused_at_once():
    bomb = base64.urlsafe_b64encode(zlib.compress(bytes(50_000_000), 9)).decode()
    with pytest.raises(InvalidInput):
        decode_points(bomb)


@pytest.mark.parametrize("kind", GOOD_TABLES)
def test_a_good_upload_replaces_the_points(own_points: AppTest, kind: str):
    app = upload(own_points, GOOD_TABLES[kind])
    assert_works(app)
    np.testing.assert_allclose(shown(app), [[1, 2], [3, 4.5]])
    if kind == "header":
        assert figures(app)[0]["layout"]["yaxis"]["title"]["text"] == "height"


@pytest.mark.parametrize("kind", BAD_TABLES)
def test_a_bad_upload_gets_a_sentence_and_loses_nothing(own_points: AppTest, kind: str):
    content, says = BAD_TABLES[kind]
    app = upload(own_points, content)
    [error] = [each.value for each in app.error]
    assert says in error and NOTICE in error and len(error) < 300
    assert not app.exception
    np.testing.assert_allclose(shown(app), STARTING_POINTS)
    app = upload(app, GOOD_TABLES["plain"])
    assert_works(app)


def upload(app: AppTest, content: bytes) -> AppTest:
    app.file_uploader(key="uploaded").set_value(("table.csv", content, "text/csv"))
    return rested(app.run())


def test_a_pasted_table(own_points: AppTest):
    own_points.text_area(key="pasted").set_value("1 2\n3 4.5")
    app = press(rested(own_points.run()), "use_pasted")
    assert_works(app)
    np.testing.assert_allclose(shown(app), [[1, 2], [3, 4.5]])


def test_points_changed_in_the_table_are_those_of_picture_link_and_code(monkeypatch: pytest.MonkeyPatch, quick: None):
    table = [{"x": 1.0, "y": 3.25}, {"x": 2.0, "y": 0.5}]
    monkeypatch.setattr(data_choice.st, "data_editor", lambda rows, **options: table)
    app = open_page("function_draws", {"data": "own"})
    assert_works(app)
    np.testing.assert_allclose(shown(app), [[1, 3.25], [2, 0.5]])
    np.testing.assert_allclose(decode_points(app.query_params["points"]), [[1, 3.25], [2, 0.5]])
    np.testing.assert_allclose(app.session_state[data_choice.EDITED_POINTS], [[1, 3.25], [2, 0.5]])
    app.session_state["tabs"] = "Reproduce"
    assert "[3.25, 0.5]" in app.run().code[0].value


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"x": 1.0, "y": None}, {"x": 2.0, "y": 0.5}, {}], [[2.0, 0.5]]),
        ([{"x": None, "y": 1.0}], STARTING_POINTS),
        ([], STARTING_POINTS),
        (
            [{"x": 1e13, "y": 1.0}, {"x": 1.0, "y": float("nan")}, {"x": "a", "y": 1.0}, {"x": 0.0, "y": 0.0}],
            [[0.0, 0.0]],
        ),
        ([{"x": float(n), "y": 0.0} for n in range(6000)], [[float(n), 0.0] for n in range(5000)]),
    ],
    ids=["an empty cell", "no complete row", "an empty table", "no numbers", "too many rows"],
)
def test_a_table_being_edited_is_never_an_error(
    monkeypatch: pytest.MonkeyPatch, quick: None, rows: list[dict[str, object]], expected: Array
):
    monkeypatch.setattr(data_choice.st, "data_editor", lambda given, **options: rows)
    app = open_page("function_draws", {"data": "own"})
    assert_works(app)
    if len(expected) < 20:  # from there on every fifth is held out
        np.testing.assert_allclose(shown(app), expected)


def test_a_click_after_an_edit_adds_to_the_edited_points(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(data_choice.st, "session_state", {data_choice.EDITED_POINTS: np.array([[5.0, 6.0]])})
    data_choice.add_or_remove((0.0, 0.0), (0.1, 0.1))
    np.testing.assert_allclose(data_choice.own_points(), [[5, 6], [0, 0]])


@pytest.mark.usefixtures("quick")
def test_many_points_stay_in_the_tab_and_out_of_the_link():
    app = open_page("function_draws", {"data": "own"})
    app = upload(app, "\n".join(f"{x},{x % 7}" for x in range(MAX_POINTS_IN_LINK + 1)).encode())
    assert_works(app)
    assert "points" not in app.query_params
    assert any("do not fit into the link" in caption.value for caption in app.caption)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "points",
    [[[1.0, 2.0]], [[1.0, 2.0]] * 3, [[1.0, 2.0], [1.0, -2.0], [1.0, 5.0]], [[0.0, 3.0], [1.0, 3.0], [2.0, 3.0]]],
    ids=["one point", "one point three times", "equal x", "equal y"],
)
@pytest.mark.parametrize("page", ["function_draws", "effect_of_lambda"])
def test_odd_points_have_a_picture(page: str, points: list[list[float]]):
    app = open_page(page, {"data": "own", "points": encode_points(np.array(points))})
    assert_works(app)
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
