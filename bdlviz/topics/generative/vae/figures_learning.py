"""A VAE after one of its epochs: images with their reconstructions, and what they gain and cost over the epochs."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.codes import latent_scatter
from bdlviz.plots.images import image_grid
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty
from bdlviz.plots.traces import Trace, line_bundle, scatter
from bdlviz.topics.generative.vae.figures import History
from bdlviz.types import Array

BETWEEN = 0.3  # gap between two pairs of rows of images, in rows
PRIOR_RADII = (1, 2)  # of the circles in a plane of codes, in standard deviations of the prior
REACH = 4.0  # of the axes of a plane of codes
MNIST_SIDE = 28  # pixels
SCALE = 3  # pixels of a picture for each pixel of an image
TERMS = {"reconstruction": "reconstruction", "elbo": "ELBO", "kl": "KL"}
TITLES = {"reconstruction": "How well images are rebuilt", "kl": "Price of the code (KL)"}
Place = tuple[Range, Range]


@dataclass(frozen=True, eq=False)
class Rows:
    """Images (N, h, w) and their reconstructions, one row each; those that ``are_alike`` (N,) get a frame."""

    originals: Array
    restored: Array
    are_alike: Array


def learning(
    train: History,
    test: History | None,
    rows: Sequence[Rows],
    title: str,
    *,
    num_epochs: int,
    epoch: float,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int = 560,
) -> go.Figure:
    """Images with their reconstructions at one ``epoch`` under a ``title``, beside both terms of the bound.

    ``stacked`` puts everything in one column, for phones.
    """
    places = _places(stacked)
    axes, pictures = _image_axes(rows, places["images"], theme)
    titles = {"": TITLES["reconstruction"], "2": TITLES["kl"], "3": title}
    return empty(
        theme,
        height,
        traces=[*_curves(train, test, theme), *_marks(train, epoch, theme)],
        images=pictures,
        shapes=[*_epoch_lines(epoch, theme), *_frames(rows, theme)],
        annotations=[
            *(_title(theme, text, suffix, stacked) for suffix, text in titles.items()),
            _epoch_name(epoch, num_epochs, theme),
            *(_value(train, name, epoch, num_epochs, theme) for name in TITLES),
            _names([train] if test is None else [train, test], epoch < num_epochs / 2, theme),
        ],
        margin={"t": 2.9 * theme.font_size, "b": 8},
        **_curve_axes(train, test, num_epochs, places, theme),
        **axes,
        showlegend=False,
    )


def _places(stacked: bool) -> dict[str, Place]:
    """The place of every panel, as fractions of the figure: from left to right, from bottom to top."""
    if stacked:
        full = (0.0, 1.0)
        return {"images": (full, (0.63, 1.0)), "reconstruction": (full, (0.31, 0.54)), "kl": (full, (0.0, 0.21))}
    left, right = (0.0, 0.55), (0.67, 1.0)
    return {"images": (left, (0.0, 1.0)), "reconstruction": (right, (0.54, 1.0)), "kl": (right, (0.0, 0.4))}


def _title(theme: Theme, text: str, suffix: str, is_small: bool) -> dict[str, Any]:
    """The title of a panel, above its left corner."""
    place = {"x": 0, "xanchor": "left", "xref": f"x{suffix} domain", "yanchor": "bottom", "yref": f"y{suffix} domain"}
    return {
        "text": text,
        "font": theme.font(bold=True, small=is_small),
        "showarrow": False,
        "y": 1,
        "align": "left",
        **place,
    }


# The terms ------------------------------------------------------------------------------------------------------------


def _curve_axes(
    train: History, test: History | None, num_epochs: int, places: Mapping[str, Place], theme: Theme
) -> dict[str, Any]:
    whole = (-0.02 * num_epochs, 1.02 * num_epochs)  # a dot at either end is whole
    histories = [train] if test is None else [train, test]
    gain = _limits(_finite(histories, "reconstruction"))
    price = _limits([0.0, *_finite(histories, "kl")])
    (across, up), (across_2, up_2) = places["reconstruction"], places["kl"]
    return {
        "xaxis": axis(theme, "", whole, domain=across, anchor="y", showticklabels=False),
        "yaxis": axis(theme, "nats per image", gain, domain=up, anchor="x", nticks=6),
        "xaxis2": axis(theme, "Epoch", whole, domain=across_2, anchor="y2"),
        "yaxis2": axis(theme, "nats", price, domain=up_2, anchor="x2", nticks=4),
    }


def _finite(histories: Sequence[History], name: str) -> list[float]:
    values = np.concatenate([history.values[name] for history in histories])
    return values[np.isfinite(values)].tolist()


def _limits(values: Sequence[float]) -> Range:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = 0.08 * (high - low) or 0.05 * max(abs(high), 1.0)
    return low - room, high + 3 * room  # above the last values there is room for their names


def _looks(theme: Theme) -> dict[str, dict[str, Any]]:
    """The colour and the axes of both terms."""
    return {
        "reconstruction": {"color": theme.ink, "axes": {}},
        "kl": {"color": theme.text(theme.prior), "axes": {"xaxis": "x2", "yaxis": "y2"}},
    }


def _curves(train: History, test: History | None, theme: Theme) -> list[Trace]:
    """Both terms: of training images solid, of new ones dashed."""
    traces: list[Trace] = []
    for history, dash, said in ((train, "solid", "training"), (test, "dash", "new images")):
        if history is None:
            continue
        for name, look in _looks(theme).items():
            hover = f"epoch %{{x}}: {TERMS[name]} %{{y:.1f}} nats, {said}<extra></extra>"
            more = {"hoverinfo": None, "hovertemplate": hover, **look["axes"]}
            line = theme.line(look["color"], 2.5, dash)
            traces.append(line_bundle(history.epoch, history.values[name][None], line, TERMS[name], **more))
    return traces


def _marks(train: History, epoch: float, theme: Theme) -> list[Trace]:
    """A dot on both training curves at one epoch."""
    row, ring = train.at(epoch), {"width": 2, "color": theme.paper}
    dot = {"mode": "markers", "hoverinfo": "skip", "name": "this epoch"}
    return [
        scatter(
            [epoch],
            [float(train.values[name][row])],
            marker={"size": 10 * theme.scale, "line": ring, "color": look["color"]},
            **look["axes"],
        )
        | dot
        for name, look in _looks(theme).items()
    ]


def _epoch_lines(epoch: float, theme: Theme) -> list[dict[str, Any]]:
    line = {"type": "line", "x0": epoch, "x1": epoch, "y0": 0, "y1": 1, "line": theme.line(theme.muted, 1.5, "dot")}
    return [line | {"xref": f"x{suffix}", "yref": f"y{suffix} domain"} for suffix in ("", "2")]


def _epoch_name(epoch: float, num_epochs: int, theme: Theme) -> dict[str, Any]:
    """The name of the dotted line in the upper panel, where no curve is: at its upper end first, then at its lower."""
    side = {"xanchor": "right", "xshift": -6, "y": 0, "yanchor": "bottom"}
    if epoch < num_epochs / 2:
        side = {"xanchor": "left", "xshift": 6, "y": 1, "yanchor": "top"}
    place = {"x": epoch, "yref": "y domain", **side}
    return {"text": f"epoch {epoch:.3g}", "font": theme.font(small=True), "showarrow": False, **place}


def _value(train: History, name: str, epoch: float, num_epochs: int, theme: Theme) -> dict[str, Any]:
    """A term at the epoch, beside its dot: below the rising curve at first, above its end later."""
    value, look = float(train.values[name][train.at(epoch)]), _looks(theme)[name]
    side = {"xanchor": "left", "xshift": 14, "yanchor": "top", "yshift": 4}
    if epoch >= num_epochs / 2:
        side = {"xanchor": "right", "yanchor": "bottom", "yshift": 6}
    suffix = look["axes"].get("xaxis", "x")[1:]
    place = {"x": epoch, "y": value, "xref": f"x{suffix}", "yref": f"y{suffix}", **side}
    font = theme.font(small=True, bold=True, color=look["color"])
    return {"text": f"{nats(value)} nats", "font": font, "showarrow": False, **place}


def _names(histories: Sequence[History], is_early: bool, theme: Theme) -> dict[str, Any]:
    """Which line is of training images and which of new ones, in the upper panel: below, where no other name is."""
    lowest = min(float(history.values["reconstruction"][-1]) for history in histories)
    place = {"x": 1, "xref": "x domain", "xanchor": "right", "y": lowest, "yanchor": "top", "yshift": -4, "xshift": -12}
    if is_early:
        place |= {"y": 0, "yref": "y domain", "yanchor": "bottom", "yshift": 0}
    words = ["solid: training images", "dashed: new images"][: len(histories)]
    return {"text": "<br>".join(words), "align": "right", "font": theme.font(small=True), "showarrow": False, **place}


def nats(value: float) -> str:
    """A term of the bound, to a tenth of a nat as all of them, so that they add up: −110.6."""
    return f"{value:,.1f}".replace("-", "−")


def _frames(rows: Sequence[Rows], theme: Theme) -> list[dict[str, Any]]:
    """A frame around each reconstruction that is like its image."""
    look = {"type": "rect", "xref": "x3", "yref": "y3", "line": theme.line(theme.mean, 2.5)}
    places = [
        (column, -index * (2 + BETWEEN) - 1)
        for index, pair in enumerate(rows)
        for column in np.flatnonzero(pair.are_alike)
    ]
    return [look | {"x0": x + 0.04, "x1": x + 0.96, "y0": y - 0.96, "y1": y - 0.04} for x, y in places]


# The images -----------------------------------------------------------------------------------------------------------


def _image_axes(rows: Sequence[Rows], place: Place, theme: Theme) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Pairs of rows, the images above their reconstructions: the axes and the pictures."""
    columns = max((len(pair.originals) for pair in rows), default=1)
    pictures, ticks, names, y = [], [], [], 0.0
    for pair in rows:
        images = np.concatenate([pair.originals, pair.restored])
        if images.shape[1] < MNIST_SIDE:  # small images have no margin of their own
            images = np.pad(images, ((0, 0), (1, 1), (1, 1)))
        sheet = image_grid(images, columns, theme=theme, gap=0, scale=SCALE)
        source = f"data:image/png;base64,{base64.b64encode(sheet).decode()}"
        pictures.append({"source": source, "x": 0, "y": y, "sizex": columns, "sizey": 2, "sizing": "stretch"})
        pictures[-1] |= {"xref": "x3", "yref": "y3", "layer": "above"}
        ticks += [y - 0.5, y - 1.5]
        names += ["new", "rebuilt"]
        y -= 2 + BETWEEN
    across, up = place
    hidden = {"showgrid": False, "zeroline": False, "showline": False, "ticks": ""}
    x = axis(theme, "", (0, columns), domain=across, anchor="y3", visible=False, constrain="domain")
    x["constraintoward"] = "left"
    look = {"domain": up, "anchor": "x3", "scaleanchor": "x3", "constrain": "domain", "constraintoward": "top"}
    return {
        "xaxis3": x,
        "yaxis3": axis(theme, "", (y + BETWEEN if rows else -1, 0), tickvals=ticks, ticktext=names, **look, **hidden),
    }, pictures


# The codes ------------------------------------------------------------------------------------------------------------


def plane(positions: Array, labels: Array, *, theme: Theme = LIGHT, height: int = 480) -> go.Figure:
    """Codes in the plane (N, 2), coloured by their classes (N,), with circles of the prior."""
    extent = (-REACH, REACH, -REACH, REACH)
    fig = latent_scatter(positions, labels, theme=theme, extent=extent, marks="digits", height=height)
    line = theme.line(theme.text(theme.prior), 1.5, "dot")
    for radius in PRIOR_RADII:
        fig.add_shape(type="circle", x0=-radius, x1=radius, y0=-radius, y1=radius, line=line)
    look = {"showarrow": False, "font": theme.font(small=True, bold=True, color=theme.text(theme.prior))}
    fig.add_annotation(text="prior, 1 and 2 sd", x=0, y=-PRIOR_RADII[-1], yanchor="top", **look)
    return fig.update_yaxes(scaleanchor="x", constrain="domain").update_xaxes(constrain="domain")
