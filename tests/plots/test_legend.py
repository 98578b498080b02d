"""The legend of a figure on a phone."""

import re
from typing import Any

from bdlviz.plots import legend, theme
from bdlviz.plots.theme import figure

LIGHT = theme("light")
INK, BLUE, GREEN = "#111111", "#0000FF", "#00FF00"


def drawn(*names: str, order: str = "normal") -> Any:
    fig: Any = figure(LIGHT, x_label="x", y_label="y")
    for name in names:
        fig.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line={"color": BLUE, "dash": "dash"}, name=name)
    return fig.update_layout(legend_traceorder=order)


def words(fig: Any) -> list[str]:
    """The rows of the legend, without colours."""
    legend.in_words(fig, LIGHT)
    [note] = fig.layout.annotations
    return re.sub(r"</?span[^>]*>", "", note.text).split("<br>")


def test_each_name_has_a_mark_in_the_colour_of_its_trace():
    fig = drawn("curve")
    fig.add_scatter(x=[0], y=[0], mode="markers", marker={"color": INK}, name="data")
    ring = {"color": LIGHT.paper, "line": {"color": GREEN}}
    fig.add_scatter(x=[0], y=[0], mode="markers", marker=ring, name="ring")
    fig.add_scatter(x=[0], y=[0], fill="toself", fillcolor="rgba(1,2,3,0.25)", name="band")
    fig.add_scatter(x=[0], y=[0], name="hidden", showlegend=False)
    assert words(fig) == ["- - curve  ● data  ○ ring  ■ band"]
    assert re.findall("color:([^']+)", fig.layout.annotations[0].text) == [BLUE, INK, GREEN, "rgba(1,2,3,1)"]
    assert fig.layout.showlegend is False


def test_marks_that_differ_by_their_shape_alone_differ_in_words():
    fig = drawn()
    for symbol in ("circle", "circle-open", "square-open", "diamond", "line-ns"):
        color = {"line": {"color": INK}} if symbol == "line-ns" else {"color": INK}
        fig.add_scatter(x=[0], y=[0], mode="markers", marker={"symbol": symbol, **color}, name=symbol)
    assert words(fig) == ["● circle  ○ circle-open  □ square-open  ◆ diamond", "| line-ns"]
    assert re.findall("color:([^']+)", fig.layout.annotations[0].text) == [INK] * 5


def test_rows_have_room_in_the_margin_and_on_a_phone():
    short, long = drawn("one", "two", order="reversed"), drawn(*(f"curve number {each}" for each in range(6)))
    before = long.layout.margin.t
    assert words(short) == ["- - two  - - one"]
    rows = words(long)
    assert len(rows) > 1 and max(map(len, rows)) <= legend.LETTERS
    assert long.layout.margin.t - before == len(rows) * (short.layout.margin.t - before) > 0


def test_a_figure_keeps_what_needs_no_legend():
    for fig in (drawn("alone"), drawn("one", "two").update_layout(showlegend=False)):
        legend.in_words(fig, LIGHT)
        assert not fig.layout.annotations
