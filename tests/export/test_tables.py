"""The numbers of figures as CSV: what is drawn comes back, and no text becomes a formula."""

import csv
import io
from collections.abc import Iterable
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.subplots import make_subplots

from bdlviz import plots
from bdlviz.export import csv_of, figure_table
from bdlviz.plots.panels import panel_axes, panel_figure
from bdlviz.plots.traces import scatter, with_gaps
from tests.export.examples import function_draws

RNG = np.random.default_rng(0)
FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)
TEXT = st.text(max_size=20)


def read(figures: dict[str, go.Figure], numbers: Iterable[tuple[str, str, str]] = ()) -> list[dict[str, str]]:
    """The table as the csv module reads it back."""
    return list(csv.DictReader(io.StringIO(csv_of(figures, list(numbers)), newline=""), strict=True))


def column(rows: Iterable[dict[str, Any]], name: str) -> np.ndarray:
    """One column as numbers; NaN where a cell is empty."""
    cells = [row.get(name, "") for row in rows]
    return np.array([np.nan if cell == "" else float(cell) for cell in cells])


def table(*traces: Any, **layout: Any) -> list[dict[str, Any]]:
    """The rows of a figure of these traces."""
    return figure_table(go.Figure(list(traces), layout))


@pytest.mark.parametrize("kind", ["f4", "f8", "i2", "u1"])
@pytest.mark.parametrize("trace", [go.Scatter, go.Scattergl, go.Bar])
def test_arrays_come_back(trace: Any, kind: str):
    x, y = np.arange(7).astype(kind), (RNG.random(7) * 200).astype(kind)
    rows = read({"A": go.Figure(trace(x=x, y=y, name="a"))})
    np.testing.assert_array_equal(column(rows, "x").astype(kind), x)
    np.testing.assert_array_equal(column(rows, "y").astype(kind), y)
    assert {(row["picture"], row["panel"], row["series"]) for row in rows} == {("A", "1", "a")}


def test_numbers_have_the_fewest_digits_that_give_them_back():
    for kind, texts in (("f4", ["0.1", "16777216"]), ("f8", ["0.1", "1700000001", "2460310.7234567"])):
        rows = read({"": go.Figure(go.Scatter(y=np.array([*map(float, texts)], kind)))})
        assert [row["y"] for row in rows] == texts


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=20), st.booleans())
def test_any_numbers_come_back(points: list[tuple[float, float]], as_array: bool):
    x, y = zip(*points, strict=True)
    fig = go.Figure(go.Scatter(x=np.array(x) if as_array else x, y=y))
    rows = read({"": fig})
    np.testing.assert_array_equal(column(rows, "x"), x)
    np.testing.assert_array_equal(column(rows, "y"), y)


@given(TEXT, TEXT, TEXT, TEXT)
def test_any_text_stays_text(picture: str, label: str, value: str, note: str):
    rows = read({picture: go.Figure(go.Scatter(y=[1.0]))}, [(label, value, note)])
    number, point = rows
    for cell, text in [(point["picture"], picture), (number["series"], label), (number.get("note", ""), note)]:
        assert cell in (text, f"'{text}")
        assert not cell.strip().startswith(("=", "+", "-", "@"))
    assert number["kind"] == "number"


def test_key_numbers():
    for value, number in [
        ("-1.25", -1.25),
        ("−3", -3),
        ("1,234,567", 1234567),
        ("2e-5", 2e-5),
        ("0", 0),
        ("+0.5", 0.5),
    ]:
        [row] = read({}, [("NLL (nats)", value, "lower is better")])
        assert float(row["y"]) == pytest.approx(number, rel=1e-8)
        assert (row["series"], row["note"]) == ("NLL (nats)", "lower is better")
    for value in ["12 of 50", "0.1 ± 0.2", "93%", "1,23", "nan", "∞", ""]:
        [row] = read({}, [("a", value, "")])
        assert (row["y"], row["text"]) == ("", value)
    for text in ["=1+1", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1"]:
        [row] = read({}, [(text, text, text)])
        assert (row["series"], row["text"], row["note"]) == (f"'{text}",) * 3
        assert table(go.Scatter(x=[text], y=[1]))[0]["x"] == text
        assert read({text: go.Figure(go.Scatter(x=[text], y=[1]))})[0]["x"] == f"'{text}"


def test_gaps_make_pieces():
    x, lines = np.linspace(0, 1, 9), RNG.normal(size=(4, 9))
    rows = table(scatter(*with_gaps(x, lines), mode="lines", name="draws"))
    pieces = column(rows, "piece")
    np.testing.assert_array_equal(pieces, np.repeat(np.arange(4), 9))
    np.testing.assert_allclose(column(rows, "y").reshape(4, 9), lines, rtol=1e-6)
    nan = np.nan
    rows = table(go.Scatter(x=[nan, 1, nan, nan, 2, 3, 4, 5], y=[0, 1, 2, 3, nan, 4, np.inf, 5]))
    assert [(row["piece"], row["x"], row["y"]) for row in rows] == [(0, 1, 1), (1, 3, 4), (2, 5, 5)]
    assert [row["piece"] for row in table(go.Scatter(y=[1, None, 2], connectgaps=True))] == [0, 0]
    rows = table(go.Scatter(y=[1, None, 2], name="a"), go.Scatter(y=[3], name="a"), go.Scatter(y=[4], name="b"))
    assert [(row["series"], row["piece"]) for row in rows] == [("a", 0), ("a", 1), ("a", 2), ("b", 0)]


def test_cells_and_their_places():
    z = RNG.random((3, 4)).astype(np.float32)
    rows = read({"": go.Figure(go.Heatmap(z=z, x=[1, 2, 3, 4], y=[10, 20, 30], colorbar={"title": "nats"}))})
    np.testing.assert_array_equal(column(rows, "z").reshape(3, 4).astype(np.float32), z)
    np.testing.assert_array_equal(column(rows, "x").reshape(3, 4), np.tile([1, 2, 3, 4], (3, 1)))
    np.testing.assert_array_equal(column(rows, "y").reshape(3, 4), np.tile([[10], [20], [30]], (1, 4)))
    assert {row["z_label"] for row in rows} == {"nats"}
    rows = table(go.Heatmap(z=[[1, np.nan], [3, 4]], transpose=True))
    assert [(row["x"], row["y"], row.get("z")) for row in rows] == [(0, 0, 1), (1, 0, 3), (0, 1, None), (1, 1, 4)]
    rows = table(go.Contour(z=[[1, 2], [3, 4]], x=[0, 1], y=[0, 1], name="p"))
    assert [(row["kind"], row["z"]) for row in rows] == [("contour", value) for value in (1, 2, 3, 4)]
    fig = go.Figure(go.Image(z=[[[1, 2, 3]]]))
    fig.add_layout_image(source="data:image/png;base64,AAAA")
    assert [(row["kind"], "not listed" in str(row["note"])) for row in figure_table(fig)] == [("image", True)] * 2
    assert [row["note"] for row in table(go.Pie(values=[1, 2]))] == ["A kind of picture whose numbers are not listed."]
    for given_places, wanted in [
        ({}, [0, 1]),
        ({"x0": 5, "dx": 0.5}, [5, 5.5]),
        ({"x": [0, 2, 6]}, [1, 4]),
        ({"x": ["a", "b"]}, ["a", "b"]),
    ]:
        assert [row["x"] for row in table(go.Heatmap(z=[[1, 2]], **given_places))] == wanted
    fig = function_draws(num_draws=6)
    rows = figure_table(fig)
    draws = [row for row in rows if row["series"] == "Function draws"]
    assert {row["piece"] for row in draws} == set(range(6))
    assert sum(row["series"] == "Predictive mean" for row in rows) == 50  # its casing is no second one
    assert {(row["x_label"], row["y_label"]) for row in rows} == {("Time in s", "Height in m")}


def test_bars_violins_and_errors():
    rows = table(go.Bar(x=["a", "b"], y=[1, 2], base=[0, 1], width=0.5))
    assert [(row["x"], row["y"], row["base"], row["width"]) for row in rows] == [("a", 1, 0, 0.5), ("b", 2, 1, 0.5)]
    assert [(row["x"], row["y"]) for row in table(go.Bar(x=[3, 4], y=["a", "b"], orientation="h"))] == [
        (3, "a"),
        (4, "b"),
    ]
    rows = table(go.Scatter(x=[1, 2], y=[3, 4], mode="text", text=["z<sub>1</sub>", "a<br><b>b</b> &lt; 1 < 2"]))
    assert [row["text"] for row in rows] == ["z_1", "a b < 1 < 2"]
    for kind in [go.Violin, go.Box]:
        rows = table(kind(x=["a", "a", "b"], y=np.array([1.0, 2.0, 3.0])))
        assert [(row["x"], row["y"]) for row in rows] == [("a", 1), ("a", 2), ("b", 3)]
        assert [(row.get("x"), row["y"]) for row in table(kind(y=[1, 2]))] == [(None, 1), (None, 2)]
    for bars, above, below in [
        ({"array": np.array([0.1, 0.2])}, [0.1, 0.2], None),
        ({"array": [0.1, 0.2], "arrayminus": [0.3, 0.4]}, [0.1, 0.2], [0.3, 0.4]),
        ({"array": [0.1, 0.2], "arrayminus": [0.3, 0.4], "symmetric": True}, [0.1, 0.2], None),
        ({"type": "constant", "value": 2}, [2, 2], None),
        ({"type": "percent", "value": 50}, [2, 4.5], None),
        ({"type": "sqrt"}, [2, 3], None),
        ({"array": [0.1, 0.2], "visible": False}, None, None),
    ]:
        rows = table(go.Scatter(x=[0, 1], y=[4, 9], error_y=bars))
        for name, wanted in [("y_error", above), ("y_error_minus", below)]:
            assert [row.get(name) for row in rows] == (wanted or [None, None])
        assert ("y_error" in csv_of({"": go.Figure(go.Scatter(y=[1]))})) is False


def test_panels_and_lines():
    limits: Any = {"x_range": (0.0, 1.0), "y_ranges": [(0.0, 1.0)] * 2}
    fig = panel_figure(plots.theme("light"), ["Before", "After"], x_label="x in m", y_labels=["y in s"] * 2, **limits)
    for index in range(2):
        fig.add_trace(scatter([0, 1], [index, index], **panel_axes(index)))
    rows = figure_table(fig)
    assert [row["panel"] for row in rows] == ["Before", "Before", "After", "After"]
    assert {(row["x_label"], row["y_label"]) for row in rows} == {("x in m", "y in s")}
    fig = make_subplots(2, 2, subplot_titles=["A", "B", "C", ""])
    for row, col in np.ndindex(2, 2):
        fig.add_trace(go.Scatter(y=[1]), row + 1, col + 1)
    assert [row["panel"] for row in figure_table(fig)] == ["A", "B", "C", "4"]
    layout = {"yaxis2": {"overlaying": "y", "title": "right"}, "yaxis": {"title": "left"}}
    rows = table(go.Scatter(y=[1]), go.Scatter(y=[1], yaxis="y2"), **layout)
    assert [(row["panel"], row["y_label"]) for row in rows] == [("1", "left"), ("1", "right")]
    text = csv_of({'a,b\n"c"': go.Figure(go.Scatter(y=[1, 2]))})
    assert text.startswith("picture,panel,series,kind,piece,x,y,z,x_label,y_label\r\n")
    assert '"a,b\n""c"""' in text and text.endswith("\r\n")
    assert text.replace("\r\n", "").count("\r") == 0
    assert csv_of({}) == "picture,panel,series,kind,piece,x,y,z,x_label,y_label\r\n"
    assert table(go.Scatter(y=[1], visible=False), go.Scatter(x=[None], y=[None]), go.Scatter()) == []
    fig = go.Figure({"data": [{"type": "scatter", "y": {"dtype": "f8", "bdata": "AAAAAAAA8D8AAAAAAAAAQA=="}}]})
    assert [row["y"] for row in figure_table(fig)] == [1.0, 2.0]
    [row] = read({"": go.Figure(go.Scatter(x=[-1.5], y=[-0.0]))})
    assert (row["x"], row["y"]) == ("-1.5", "0")
