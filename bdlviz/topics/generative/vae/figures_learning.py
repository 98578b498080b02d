"""A VAE after one of its epochs: the terms of its bound, images with their reconstructions, and its codes."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.codes import latent_scatter
from bdlviz.plots.images import image_grid
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, tint
from bdlviz.plots.traces import Trace, band, line_bundle, scatter
from bdlviz.predictive.latent import COLLAPSED
from bdlviz.topics.generative.vae.figures import History
from bdlviz.types import Array

BETWEEN = 0.3  # gap between two pairs of rows of images, in rows
PRIOR_RADII = (1, 2)  # of the circles in a plane of codes, in standard deviations of the prior
MNIST_SIDE = 28  # pixels
SCALE = 3  # pixels of a picture for each pixel of an image
TERMS = {"reconstruction": "reconstruction", "elbo": "ELBO", "kl": "KL"}
Place = tuple[Range, Range]


@dataclass(frozen=True, eq=False)
class Rows:
    """Images (N, h, w) and their reconstructions, with the name of the part of the data."""

    name: str
    originals: Array
    restored: Array


@dataclass(frozen=True, eq=False)
class Codes:
    """Codes in the plane (N, 2) and their classes (N,); the axes reach from -``reach`` to ``reach``."""

    positions: Array
    labels: Array
    reach: float


@dataclass(frozen=True, eq=False)
class Dimensions:
    """The KL term of every code dimension (Z,), on an axis that ends at ``top``."""

    kl: Array
    top: float


def learning(
    train: History,
    test: History | None,
    rows: Sequence[Rows],
    space: Codes | Dimensions,
    *,
    num_epochs: int,
    epoch: float,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int = 560,
) -> go.Figure:
    """The terms of the bound over the epochs, and at one ``epoch`` the images, their reconstructions and the codes.

    The distance between the curves of the reconstruction and of the ELBO is the KL term, which has a panel of its own.
    ``stacked`` puts everything in one column, for phones.
    """
    places = _places(stacked)
    at = _values_at(train, epoch)
    axes, pictures = _image_axes(rows, places["images"], theme)
    traces, more, shapes, labels = _space(space, places["space"], theme)
    titles = {
        "": f"Epoch {epoch:g}: {_in_colours(at, theme)}",
        "2": "KL: cost of the code",
        "3": "Images and reconstructions",
        "4": "Codes (dotted: 1, 2 sd of prior)" if isinstance(space, Codes) else "Cost (KL) of each code dimension",
    }
    return empty(
        theme,
        height,
        traces=[*_curves(train, test, theme), *_marks(at, epoch, theme), *traces],
        images=pictures,
        shapes=[*_epoch_lines(epoch, theme), *shapes],
        annotations=[*(_title(theme, text, suffix, stacked) for suffix, text in titles.items() if text), *labels],
        margin={"t": 2.9 * theme.font_size, "b": 8},
        **_curve_axes(train, test, num_epochs, places, theme),
        **axes,
        **more,
        showlegend=False,
    )


def _places(stacked: bool) -> dict[str, Place]:
    """The place of every panel, as fractions of the figure: from left to right, from bottom to top."""
    if stacked:
        full = (0.0, 1.0)
        spans = {"images": (0.87, 1.0), "terms": (0.58, 0.8), "kl": (0.43, 0.53), "space": (0.0, 0.33)}
        return {name: (full, span) for name, span in spans.items()}
    left, right = (0.0, 0.36), (0.47, 1.0)
    return {
        "terms": (left, (0.4, 1.0)),
        "kl": (left, (0.0, 0.28)),
        "images": (right, (0.5, 1.0)),
        "space": (right, (0.0, 0.38)),
    }


def _in_colours(at: Mapping[str, float], theme: Theme) -> str:
    """The terms and the bound in the colours of their curves, which needs no legend."""
    colors = {"reconstruction": theme.ink, "kl": theme.text(theme.prior), "elbo": theme.text(theme.mean)}
    said = {
        name: f'<span style="color:{color}">{TERMS[name]} {nats(at[name])}</span>' for name, color in colors.items()
    }
    return f"{said['reconstruction']}<br>− {said['kl']} = bound, {said['elbo']}"


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
    bound = _limits([value for name in ("elbo", "reconstruction") for value in _finite(histories, name)])
    kl = _limits([0.0, *_finite(histories, "kl")])
    (across, up), (across_2, up_2) = places["terms"], places["kl"]
    label = "Epoch" if test is None else "Epoch (dashed: held out)"
    return {
        "xaxis": axis(theme, "", whole, domain=across, anchor="y", showticklabels=False),
        "yaxis": axis(theme, "nats per image", bound, domain=up, anchor="x"),
        "xaxis2": axis(theme, label, whole, domain=across_2, anchor="y2"),
        "yaxis2": axis(theme, "nats", kl, domain=up_2, anchor="x2", nticks=4),
    }


def _finite(histories: Sequence[History], name: str) -> list[float]:
    values = np.concatenate([history.values[name] for history in histories])
    return values[np.isfinite(values)].tolist()


def _limits(values: Sequence[float]) -> Range:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = 0.08 * (high - low) or 0.05 * max(abs(high), 1.0)
    return low - room, high + room


def _curves(train: History, test: History | None, theme: Theme) -> list[Trace]:
    """Both curves with the area between them, and the KL term below: training solid, held out dashed."""
    top, bottom = train.values["reconstruction"], train.values["elbo"]
    fill = tint(theme.prior, 0.18)
    area = band(train.epoch, (top + bottom) / 2, (top - bottom) / 2, fill, "KL between them")
    colors = {"reconstruction": theme.ink, "elbo": theme.mean, "kl": theme.text(theme.prior)}
    traces: list[Trace] = [area]
    for history, dash in ((train, "solid"), (test, "dash")):
        if history is None:
            continue
        for name, title in TERMS.items():
            said = "training" if dash == "solid" else "held out"
            look = {
                "hoverinfo": None,
                "hovertemplate": f"epoch %{{x}}: {title} %{{y:.1f}} nats, {said}<extra></extra>",
                **({"xaxis": "x2", "yaxis": "y2"} if name == "kl" else {}),
            }
            line = theme.line(colors[name], 2.5, dash)
            traces.append(line_bundle(history.epoch, history.values[name][None], line, title, **look))
    return traces


def _marks(at: Mapping[str, float], epoch: float, theme: Theme) -> list[Trace]:
    """A dot on every training curve at one epoch."""
    look = {"mode": "markers", "hoverinfo": "skip", "name": "this epoch"}
    marker = {"size": 10 * theme.scale, "line": {"width": 2, "color": theme.paper}}
    bound = scatter([epoch] * 2, [at["reconstruction"], at["elbo"]], marker=marker | {"color": [theme.ink, theme.mean]})
    kl = scatter([epoch], [at["kl"]], marker=marker | {"color": theme.text(theme.prior)}, xaxis="x2", yaxis="y2")
    return [bound | look, kl | look]


def _epoch_lines(epoch: float, theme: Theme) -> list[dict[str, Any]]:
    line = {"type": "line", "x0": epoch, "x1": epoch, "y0": 0, "y1": 1, "line": theme.line(theme.muted, 1.5, "dot")}
    return [line | {"xref": f"x{suffix}", "yref": f"y{suffix} domain"} for suffix in ("", "2")]


def _values_at(history: History, epoch: float) -> dict[str, float]:
    index = history.at(epoch)
    return {name: float(history.values[name][index]) for name in TERMS}


def nats(value: float) -> str:
    """A term of the bound, to a tenth of a nat as all of them, so that they add up: −110.6."""
    return f"{value:,.1f}".replace("-", "−")


# The images -----------------------------------------------------------------------------------------------------------


def _image_axes(rows: Sequence[Rows], place: Place, theme: Theme) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Two rows for every part of the data, the images above their reconstructions: the axes and the pictures."""
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
        names += [pair.name, "decoded"]
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


def _space(
    space: Codes | Dimensions, place: Place, theme: Theme
) -> tuple[list[Any], dict[str, Any], list[dict[str, Any]], list[Any]]:
    """Traces, axes, shapes and labels of the panel of the codes."""
    across, up = place
    if isinstance(space, Dimensions):
        order = np.arange(1, len(space.kl) + 1)
        colors = [theme.prior if value > COLLAPSED else theme.dropped for value in space.kl]
        hover = "dimension %{x}: %{y:.2f} nats<extra></extra>"
        bars = {
            "type": "bar",
            "x": order,
            "y": np.asarray(space.kl, np.float32),
            "marker": {"color": colors},
            "hovertemplate": hover,
        }
        axes = {
            "xaxis4": axis(theme, "Code dimension", (0.3, len(order) + 0.7), domain=across, anchor="y4"),
            "yaxis4": axis(theme, "nats", (0.0, space.top), domain=up, anchor="x4"),
        }
        return [bars | {"xaxis": "x4", "yaxis": "y4"}], axes, [], []
    reach = space.reach
    drawn: Any = latent_scatter(space.positions, space.labels, theme=theme, extent=(-reach, reach, -reach, reach))
    look = {"xaxis": "x4", "yaxis": "y4"}
    traces = [trace.to_plotly_json() | look for trace in drawn.data]
    plain = {"xref": "x4", "yref": "y4", "borderwidth": 1, "borderpad": 0}
    labels = [note.to_plotly_json() | plain for note in drawn.layout.annotations]
    line = theme.line(theme.text(theme.prior), 1.5, "dot")
    circles = [
        {"type": "circle", "x0": -r, "x1": r, "y0": -r, "y1": r, "xref": "x4", "yref": "y4", "line": line}
        for r in PRIOR_RADII
    ]
    axes = {
        "xaxis4": axis(theme, "z₁", (-reach, reach), domain=across, anchor="y4"),
        "yaxis4": axis(theme, "z₂", (-reach, reach), domain=up, anchor="x4"),
    }
    return traces, axes, circles, labels
