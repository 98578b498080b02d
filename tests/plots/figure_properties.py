"""Properties of plotly figures that the rules of every figure look at."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from bdlviz.plots import images
from bdlviz.plots.theme import Theme, mix, rgb
from bdlviz.topics.weights.sparsity.figures_pixels import FEWEST


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a figure."""
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict):
        yield value
    for child in children:
        yield from walk(child)


def named(fig: Any, name: str) -> list[Any]:
    """The traces of that name."""
    return [trace for trace in fig.data if trace.name == name]


def legend_width(figure: Mapping[str, Any]) -> float:
    """The width of the legend in one row, in px, from a generous estimate of the width of a character."""
    names = [each["name"] for each in figure["data"] if each.get("showlegend", True) and each.get("name")]
    return sum(45 + 6.5 * len(name) for name in names)


def palette(look: Theme) -> set[tuple[int, int, int]]:
    named = [getattr(look, field.name) for field in fields(look)]
    colors = [value for value in named if isinstance(value, str) and value.startswith("#")] + list(look.classes)
    scales = {rgb(color) for _, color in images.KEPT_SCALE} | {
        rgb(look.removed),
        rgb(mix(look.paper, look.mean, FEWEST)),
    }
    return {rgb(color) for color in colors} | {rgb(look.text(color)) for color in colors} | scales


def empty_panels(figure: Mapping[str, Any]) -> set[str]:
    """The x axes, such as ``x2``, on which the figure draws no trace and no image."""
    axes = {key.replace("axis", "") for key in figure["layout"] if key.startswith("xaxis")}
    drawn = {trace.get("xaxis", "x") for trace in figure["data"]}
    return axes - drawn - {image["xref"] for image in figure["layout"].get("images", ())}


def read(part: Any) -> None:
    """Read all properties that are set, as a notebook would."""
    for name in part.to_plotly_json():
        value = part[name]
        for inner in value if isinstance(value, tuple) else (value,):
            if hasattr(inner, "to_plotly_json"):
                read(inner)
