"""Two planes of codes above rows of reconstructions, and where a VAE stands among generative models."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz import plots
from bdlviz.plots.panels import domains, panel_axes
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, tint
from bdlviz.plots.traces import Trace, scatter
from bdlviz.types import Array

PRIOR_SD = 2.45  # radius of the circle of the prior, in its standard deviations: 95 % of its draws lie in it
LETTERS = "abcdefghi"  # of new codes
ENLARGED, TICKS = 3.0, (-2, 0, 2)  # half the width of the enlarged region around the circle, and what its axes name


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane of codes: its name, codes (N, 2), their classes (N,), and decoded images (M, h, w) of a grid over
    ``extent``; None where nothing is decoded, and then the axes have one unit of length and show the prior.
    """

    name: str
    images: Array | None
    extent: tuple[float, float, float, float]
    codes: Array
    labels: Array


def common_extent(clouds: Sequence[Array]) -> tuple[float, float, float, float]:
    """A box that holds all codes (N, 2) of several clouds, and the circle of the prior."""
    every = np.concatenate([*clouds, [[-PRIOR_SD, -PRIOR_SD], [PRIOR_SD, PRIOR_SD]]])
    (left, bottom), (right, top) = every.min(0), every.max(0)
    room = 0.03 * max(right - left, top - bottom)
    return float(left - room), float(right + room), float(bottom - room), float(top + room)


def planes_and_rows(
    planes: Sequence[Plane],
    rows: Mapping[str, Array],
    *,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int = 560,
) -> go.Figure:
    """Planes with codes coloured by class; below them ``rows`` of images (N, h, w).

    A third plane shows a part of the second, which is framed there. Images in the same column belong together.
    ``stacked`` puts the panels in one column, for phones.
    """
    title_height, columns = (3.4 if stacked else 1.9) * theme.font_size, len(next(iter(rows.values())))
    whole, count = (0.0, 1.0), len(planes)
    if stacked:
        below, share = 224 / height, 1 - 224 / height
        ups = domains(count, 86 / (height - 224))[::-1]
        places = [(whole, (below + share * low, below + share * high)) for low, high in ups] + [
            (whole, (0.0, 138 / height))
        ]
    else:
        places = [*((across, (0.4, 1.0)) for across in domains(count, 0.08)), (whole, (0.0, 0.22))]
    named = [(plane, panel_axes(index)["xaxis"][1:]) for index, plane in enumerate(planes)]
    panels: list[Any] = [_plane(plane, theme) for plane in planes]
    images = np.concatenate([*rows.values()])
    panels.append(
        plots.manifold(images, (1, columns, 1, len(rows)), columns=columns, theme=theme, labels=("", "")).update_traces(
            hoverinfo="skip", hovertemplate=None
        )
    )
    placed = [_placed(fig, index, *place) for index, (fig, place) in enumerate(zip(panels, places, strict=True))]
    axes: dict[str, Any] = {name: each for _, _, found in placed for name, each in found.items()}
    last = str(count + 1)
    axes[f"xaxis{last}"] |= {"visible": False, "constraintoward": "left"}
    axes[f"yaxis{last}"] |= {"visible": False}
    names = ("<br>" if stacked else ", ").join(rows)
    return empty(
        theme,
        height,
        traces=[
            trace | ({} if index == 0 else {"showlegend": False})
            for index, (traces, _, _) in enumerate(placed)
            for trace in traces
        ],
        images=[image for _, images, _ in placed for image in images],
        shapes=[
            *(_prior(theme, suffix) for plane, suffix in named if plane.images is None),
            *(_frame(plane, theme) for plane in planes[2:]),
        ],
        annotations=[
            *(
                _title(theme, plane.name + (f"<br>{_classes(plane, theme)}" if stacked else ""), suffix)
                for plane, suffix in named
            ),
            _title(theme, f"From the top: {names}", last),
            *(
                _prior_name(theme, suffix, f"prior, {PRIOR_SD} sd")
                for plane, suffix in named
                if plane.images is None and suffix != "2"
            ),
        ],
        showlegend=not stacked,
        margin={"t": title_height},
        legend={"traceorder": "normal", "y": 1 + title_height / (height - 80)},
        **axes,
    )


def codes_and_new_images(
    plane: Plane, new: Array, images: Array, told: str, *, theme: Theme, stacked: bool = False, height: int = 460
) -> go.Figure:
    """A plane of codes with the prior's circle; the circle enlarged, over ``told``; new codes (N, 2) as letters.

    Their images (N, h, w) stand in a square, with the same letters. ``stacked`` puts the three below one another, for
    phones.
    """
    side, title_height = math.isqrt(len(images)), 3.2 * theme.font_size
    wide, square, around = (0.0, 1.0), (1, side, 1, side), (-ENLARGED, ENLARGED, -ENLARGED, ENLARGED)
    places = [((0.0, 0.37), wide), ((0.41, 0.71), wide), ((0.73, 1.0), wide)]
    if stacked:
        places = [(wide, (0.7, 1.0)), (wide, (0.37, 0.6)), (wide, (0.0, 0.24))]
    sheet: Any = plots.manifold(images, square, theme=theme, labels=("", ""))
    sheet.update_traces(hoverinfo="skip", hovertemplate=None)
    near: Any = _plane(replace(plane, extent=around), theme).add_trace(_lettered(new, theme))
    near.update_xaxes(constrain="domain", title_text="", tickvals=TICKS).update_yaxes(title_text="", tickvals=TICKS)
    sheet.update_xaxes(visible=False).update_yaxes(visible=False)
    for fig in (near, sheet):
        fig.update_yaxes(constrain="domain", constraintoward="top")
    placed = [
        _placed(fig, index, *place)
        for index, (fig, place) in enumerate(zip((_plane(plane, theme), near, sheet), places, strict=True))
    ]
    axes: dict[str, Any] = {name: each for _, _, found in placed for name, each in found.items()}
    corner = {"xref": "x3", "yref": "y3", "xanchor": "left", "yanchor": "top", "showarrow": False}
    return empty(
        theme,
        height,
        traces=[trace for traces, _, _ in placed for trace in traces],
        images=[image for _, images, _ in placed for image in images],
        shapes=[_prior(theme, "") | {"fillcolor": tint(theme.paper, 0.6)}, _prior(theme, "2")],
        annotations=[
            _title(theme, f"{plane.name}<br>{_classes(plane, theme)}", ""),
            _title(theme, f"The circle, enlarged, and new<br>codes a to {LETTERS[-1]} from N(0, I)", "2"),
            _title(theme, "These new codes, decoded", "3"),
            _prior_name(theme, "", "circle: 95 % of<br>new codes fall in it"),
            _below(theme, told, "2"),
            *(
                corner
                | {"text": LETTERS[index], "font": theme.font(small=True, bold=True)}
                | {"x": 0.5 + index % side, "y": side + 0.5 - index // side}
                for index in range(len(images))
            ),
        ],
        showlegend=False,
        margin={"t": title_height},
        **axes,
    )


def _lettered(new: Array, theme: Theme) -> Trace:
    """New codes as letters: digits are classes."""
    marker = {"size": 19 * theme.scale, "color": theme.paper, "line": {"width": 1.5, "color": theme.ink}}
    look = {"text": [*LETTERS], "textfont": theme.font(small=True, bold=True)}
    return scatter(*new.T, mode="markers+text", marker=marker, name="new codes", hoverinfo="skip", **look)


def _below(theme: Theme, words: str, suffix: str) -> dict[str, Any]:
    """Words on the prior's circle, below the middle of a panel."""
    place = {"xref": f"x{suffix} domain", "yref": f"y{suffix}", "x": 0.5, "y": -ENLARGED, "yanchor": "top"}
    place["yshift"] = -1.6 * theme.font_size
    return {
        "text": words,
        "showarrow": False,
        "font": theme.font(small=True, bold=True, color=theme.text(theme.prior)),
        **place,
    }


def _frame(plane: Plane, theme: Theme) -> dict[str, Any]:
    """The frame of an enlarged plane in the second panel."""
    left, right, bottom, top = plane.extent
    place = {"xref": "x2", "yref": "y2", "x0": left, "x1": right, "y0": bottom, "y1": top}
    return {"type": "rect", "line": theme.line(theme.ink, 1.5), **place}


def _plane(plane: Plane, theme: Theme) -> Any:
    """The codes of a plane, on decoded images where there are some."""
    if plane.images is not None:
        overlay = (plane.codes, plane.labels)
        return plots.manifold(plane.images, plane.extent, theme=theme, overlay=overlay, keep_proportions=False)
    drawn = plots.latent_scatter(plane.codes, plane.labels, theme=theme, extent=plane.extent)
    return drawn.update_yaxes(scaleanchor="x", scaleratio=1, constrain="domain", constraintoward="top").update_xaxes(
        constrain="domain"
    )


def _prior(theme: Theme, suffix: str) -> dict[str, Any]:
    """The circle of `PRIOR_SD` standard deviations of the prior."""
    ends = {"x0": -PRIOR_SD, "x1": PRIOR_SD, "y0": -PRIOR_SD, "y1": PRIOR_SD}
    line = theme.line(theme.text(theme.prior), 2.5)
    return {"type": "circle", "xref": f"x{suffix}", "yref": f"y{suffix}", "line": line, **ends}


def _prior_name(theme: Theme, suffix: str, name: str) -> dict[str, Any]:
    """The name of the circle, below it and to the right, with a line to it."""
    color, edge = theme.text(theme.prior), PRIOR_SD / np.sqrt(2)
    look = {"font": theme.font(small=True, color=color), "bgcolor": tint(theme.paper, 0.85), "arrowcolor": color}
    place = {"x": edge, "y": -edge, "ax": 30, "ay": 76, "arrowhead": 0, "arrowwidth": 1.5 * theme.scale}
    anchors = {"xanchor": "right", "xref": f"x{suffix}", "yref": f"y{suffix}"}
    return {"text": name, **anchors, **look, **place}


def _classes(plane: Plane, theme: Theme) -> str:
    """The classes in their colours, as a legend in one line of text."""
    digits = (int(label) for label in np.unique(plane.labels))
    return " ".join(f'<span style="color:{theme.text(theme.classes[each])}">{each}</span>' for each in digits)


def _placed(fig: Any, index: int, across: Range, up: Range) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """Traces, images and axes of a figure with one pair of axes, moved to the pair ``index`` at a place."""
    suffix = "" if index == 0 else str(index + 1)
    x, y = f"x{suffix}", f"y{suffix}"
    traces = [trace.to_plotly_json() | {"xaxis": x, "yaxis": y} for trace in fig.data]
    images = [image.to_plotly_json() | {"xref": x, "yref": y} for image in fig.layout.images]
    horizontal = fig.layout.xaxis.to_plotly_json() | {"domain": list(across), "anchor": y}
    vertical = fig.layout.yaxis.to_plotly_json() | {"domain": list(up), "anchor": x}
    if "scaleanchor" in vertical:
        vertical["scaleanchor"] = x
    return traces, images, {f"xaxis{suffix}": horizontal, f"yaxis{suffix}": vertical}


def _title(theme: Theme, text: str, suffix: str) -> dict[str, Any]:
    """The title of a panel, above its left corner."""
    place = {"x": 0, "xanchor": "left", "xref": f"x{suffix} domain", "yanchor": "bottom", "yref": f"y{suffix} domain"}
    return {"text": text, "font": theme.font(bold=True), "showarrow": False, "y": 1, "align": "left", **place}


def taxonomy(*, theme: Theme = LIGHT, height: int = 380) -> go.Figure:
    """Generative models by what they know of p(x): explicit and exact, explicit and approximate, implicit."""
    fig = empty(
        theme,
        height,
        xaxis=axis(theme, limits=(0.0, 12.0), visible=False),
        yaxis=axis(theme, limits=(0.0, 7.0), visible=False),
        showlegend=False,
    )
    top, known = "generative models", "explicit density p(x)"
    places = {
        top: (6.0, 6.4, theme.ink, ""),
        known: (3.6, 4.6, theme.ink, top),
        "implicit: samples only": (10.0, 4.6, theme.ink, top),
        "tractable": (1.7, 2.8, theme.ink, known),
        "approximate": (5.6, 2.8, theme.ink, known),
        "autoregressive,<br>flows": (1.7, 1.0, theme.muted, "tractable"),
        "variational:<br><b>VAE</b>": (4.4, 1.0, theme.mean, "approximate"),
        "Markov chain:<br>Boltzmann machines": (7.4, 1.0, theme.muted, "approximate"),
        "adversarial:<br>GANs": (10.0, 2.8, theme.muted, "implicit: samples only"),
    }
    for text, (x, y, color, above) in places.items():
        if above:
            ends = {"x0": places[above][0], "y0": places[above][1] - 0.4, "x1": x, "y1": y + 0.5}
            fig.add_shape(type="line", line=theme.line(theme.dropped, 1.5), **ends)
        fig.add_annotation(
            x=x,
            y=y,
            text=text,
            font=theme.font(color=theme.text(color)),
            bgcolor=tint(theme.paper, 1),
            bordercolor=color,
            borderwidth=2 if color == theme.mean else 1,
            borderpad=5,
            showarrow=False,
        )
    return fig
