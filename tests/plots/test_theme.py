"""Contrast, fonts and axes: what every figure inherits."""

from colorsys import rgb_to_hsv

import pytest

from bdlviz.plots.theme import DARK, LIGHT, MODEBAR, Theme, contrast, figure, mix, overlaid, rgb, theme, tint

THEMES = pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])


def hue(color: str) -> float:
    """Hue in degrees."""
    return 360 * rgb_to_hsv(*rgb(color))[0]


def test_contrast_mixing_and_the_colours_of_the_visual_language() -> None:
    assert contrast("#FFFFFF", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)
    assert contrast("#0072B2", "#0072B2") == 1
    assert rgb("#0072B2") == (0, 114, 178)
    assert mix("#000000", "#FFFFFF", 0.5) == "#808080"
    assert tint("#0072B2", 0.22) == "rgba(0,114,178,0.22)"
    assert (LIGHT.mean, LIGHT.draws, LIGHT.aleatoric) == ("#0072B2", "#56B4E9", "#E69F00")
    assert (LIGHT.prior, LIGHT.exact, LIGHT.warning) == ("#009E73", "#CC79A7", "#D55E00")
    for meaning in ("mean", "draws", "epistemic", "aleatoric", "prior", "exact", "warning"):
        light, dark = (hue(getattr(look, meaning)) for look in (LIGHT, DARK))
        assert abs(light - dark) < 10, f"The colour for {meaning} has another hue in the dark theme."
    look = theme("dark", presenter=True)
    assert look.paper == DARK.paper
    assert look.font()["size"] == look.font(small=True)["size"] == 24
    assert look.line("#000000", 3)["width"] > DARK.line("#000000", 3)["width"] == 3


@THEMES
def test_text_stands_out_and_a_figure_is_explicit(look: Theme) -> None:
    assert contrast(look.ink, look.paper) > 12
    assert contrast(look.muted, look.paper) >= 4.5
    for color in (look.mean, look.draws, look.warning, look.exact, look.prior, look.dropped, *look.classes):
        assert contrast(look.text(color), look.paper) >= 4.5
    for color in (look.data, look.mean, look.truth, look.prior, look.warning, look.dropped, *look.classes):
        assert contrast(color, look.paper) >= 3
    assert len(set(look.classes)) == 10
    fig = figure(look, x_label="x in s", y_label="y in m", x_range=(0, 1), y_range=(-1, 2), height=300).to_dict()
    layout = fig["layout"]
    assert (layout["height"], layout["paper_bgcolor"], layout["hovermode"]) == (300, look.paper, "closest")
    assert "title" not in layout
    for name, label, limits in (("xaxis", "x in s", [0, 1]), ("yaxis", "y in m", [-1, 2])):
        one = layout[name]
        assert (one["title"]["text"], list(one["range"]), one["fixedrange"]) == (label, limits, True)
        for font in (one["tickfont"], one["title"]["font"]):
            assert font["size"] >= 14 and font["family"] == look.font_family
    assert MODEBAR["modeBarButtons"] == [["toImage"]]


def test_settings_of_a_figure_override_its_defaults() -> None:
    fig = figure(
        LIGHT,
        x_label="x",
        y_label="y",
        x_range=(0, 1),
        traces=[{"type": "bar", "y": [1]}],
        xaxis={"tickvals": [0, 1]},
        legend={"traceorder": "normal"},
        shapes=[],
    ).to_dict()
    assert [trace["type"] for trace in fig["data"]] == ["bar"] and "shapes" not in fig["layout"]
    axis, legend = fig["layout"]["xaxis"], fig["layout"]["legend"]
    assert (axis["range"], axis["tickvals"], axis["title"]["text"]) == ([0, 1], [0, 1], "x")
    assert (legend["traceorder"], legend["orientation"]) == ("normal", "h")
    below = {"height": 1, "legend": {"x": 0, "y": 1}, "shapes": [1]}
    above = {"height": 2, "legend": {"y": 3}, "shapes": [2], "xaxis": {"nticks": 4}}
    assert overlaid(below, above) == {"height": 2, "legend": {"x": 0, "y": 3}, "shapes": [2], "xaxis": {"nticks": 4}}
    assert below["legend"] == {"x": 0, "y": 1}
    trace = {"type": "scatter", "y": [1, 2], "line": {"width": 1}}
    first, second = (figure(LIGHT, x_label="x", y_label="y", traces=[trace]) for _ in range(2))
    first.update_layout(template_layout_height=3, legend_x=0.5).update_traces(line_width=9)
    assert second.to_dict() == figure(LIGHT, x_label="x", y_label="y", traces=[trace]).to_dict()
    assert trace["line"] == {"width": 1}
    fig = figure(LIGHT, x_label="x", y_label="y", title="Two moons")
    assert fig.to_dict()["layout"]["title"]["text"] == "Two moons"
