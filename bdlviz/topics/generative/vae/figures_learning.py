"""A VAE after one of its epochs: images with their reconstructions, and what their codes gain and cost."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.plots.codes import latent_scatter
from bdlviz.plots.images import image_grid
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, tint
from bdlviz.plots.traces import Trace, line_bundle, scatter
from bdlviz.topics.generative.vae.figures import History
from bdlviz.types import Array

BETWEEN = 0.3  # gap between two pairs of rows of images, in rows
PRIOR_RADII = (1, 2)  # of the circles in a plane of codes, in standard deviations of the prior
REACH = 4.0  # of the axes of a plane of codes
MNIST_SIDE = 28  # pixels
SCALE = 3  # pixels of a picture for each pixel of an image
TERMS = {"reconstruction": "reconstruction", "elbo": "ELBO", "kl": "KL"}
EPOCHS = (1, 2, 5, 10, 20, 50, 100, 200)  # ticks
Place = tuple[Range, Range]


@dataclass(frozen=True, eq=False)
class Rows:
    """A row of images, and below it a row of their reconstructions, both (N, h, w)."""

    originals: Array
    restored: Array


@dataclass(frozen=True, eq=False)
class Average:
    """The average training image (h, w), and the mean log-likelihood of images if the decoder gives it for all."""

    image: Array
    log_likelihood: float


def learning(
    history: History,
    average: Average | None,
    rows: Sequence[Rows],
    *,
    num_epochs: int,
    epoch: float,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int = 560,
) -> go.Figure:
    """Images with their reconstructions at one ``epoch``, beside the bound: the reconstruction term minus the KL term.

    ``stacked`` puts the terms below the images, for phones.
    """
    whole, left, right = (0.0, 1.0), (0.0, 0.46), (0.54, 1.0)
    place, place_of_terms = ((whole, (0.66, 1.0)), (whole, (0.0, 0.56))) if stacked else ((left, whole), (right, whole))
    axes, pictures = _image_axes(rows, place, theme)
    first = max(float(history.epoch[0]), 1.0)
    limits = _limits([*_finite(history, "reconstruction"), *_finite(history, "elbo")], average, 6 if stacked else 3)
    across, up = place_of_terms
    ticks = {
        "tickvals": [at for at in EPOCHS if at <= num_epochs],
        "domain": across,
        "anchor": "y",
        "type": "log",
    }
    wide = np.log10([0.5 * first, 2.2 * max(num_epochs, 2 * first)]).tolist()  # room for numbers on both sides
    return empty(
        theme,
        height,
        traces=[*_curves(history, theme), *_marks(history, average, epoch, theme)],
        images=[*pictures, *([_average_picture(average, theme)] if average is not None else [])],
        shapes=[_average_line(average, theme)] if average is not None else [],
        annotations=[
            _title(theme, "Images not trained on, rebuilt below", "3", stacked),
            _title(theme, "Log-likelihood (nats per image)", "", stacked),
            *_names(history, average, theme),
            *_values(history, average, epoch, theme),
        ],
        margin={"t": 1.9 * theme.font_size, "b": 8},
        xaxis=axis(theme, "Epoch", (wide[0], wide[1]), **ticks),
        yaxis=axis(theme, "", limits, domain=up, anchor="x", nticks=6),
        **axes,
        showlegend=False,
    )


def _title(theme: Theme, text: str, suffix: str, is_small: bool) -> dict[str, Any]:
    """The title of a panel, above its left corner."""
    place = {"x": 0, "xanchor": "left", "xref": f"x{suffix} domain", "yanchor": "bottom", "yref": f"y{suffix} domain"}
    return {"text": text, "font": theme.font(bold=True, small=is_small), "showarrow": False, "y": 1, **place}


# The terms ------------------------------------------------------------------------------------------------------------


def _finite(history: History, name: str) -> list[float]:
    values = np.asarray(history.values[name])
    return values[np.isfinite(values)].tolist()


def _limits(values: list[float], average: Average | None, rows: int) -> Range:
    """Limits with ``rows`` tenths of the height above the curves, and room for the average image below its line."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    low = low if average is None else min(low, average.log_likelihood)
    room = 0.1 * (high - low) or 0.05 * max(abs(high), 1.0)
    if average is not None:
        low = min(low, average.log_likelihood - 2 * room)
    return low - room, high + rows * room


def _curves(history: History, theme: Theme) -> list[Trace]:
    """Two curves: the bound, and the reconstruction term, which is larger by the KL term."""
    kl = theme.text(theme.prior)
    looks = {"elbo": {"color": theme.mean}, "reconstruction": {"color": theme.ink, "fill": "tonexty"}}
    return [
        line_bundle(history.epoch, history.values[name][None], theme.line(look.pop("color"), 2.5), TERMS[name])
        | {"hoverinfo": None, "hovertemplate": f"epoch %{{x}}: {TERMS[name]} %{{y:.1f}} nats<extra></extra>"}
        | look
        | {"fillcolor": tint(kl, 0.3)}
        for name, look in looks.items()
    ]


def _marks(history: History, average: Average | None, epoch: float, theme: Theme) -> list[Trace]:
    """At one epoch: a dot on both curves, the KL term between them, and the way from the average image."""
    at = {name: float(history.values[name][history.at(epoch)]) for name in ("reconstruction", "elbo")}
    start = at["reconstruction"] if average is None else average.log_likelihood
    ring = {"width": 2, "color": theme.paper}
    dots = {"size": 10 * theme.scale, "line": ring, "color": [theme.ink, theme.mean]}
    lines = {
        "gain": ([start, at["reconstruction"]], theme.line(theme.ink, 2.5, "dot")),
        "price": (list(at.values()), theme.line(theme.text(theme.prior), 5)),
    }
    pairs = [
        scatter([epoch] * 2, ends, mode="lines", line=line, name=name, hoverinfo="skip")
        for name, (ends, line) in lines.items()
    ]
    ends = list(at.values())
    return [*pairs, scatter([epoch] * 2, ends, mode="markers", marker=dots, name="this epoch", hoverinfo="skip")]


def _average_line(average: Average, theme: Theme) -> dict[str, Any]:
    ends = {"x0": 0, "x1": 1, "xref": "x domain", "y0": average.log_likelihood, "y1": average.log_likelihood}
    return {"type": "line", "yref": "y", "line": theme.line(theme.muted, 1.5, "dash"), **ends}


def _average_picture(average: Average, theme: Theme) -> dict[str, Any]:
    """The average image, below the right end of its line."""
    source = _png(average.image[None], 1, theme)
    place = {"xref": "x domain", "x": 1, "xanchor": "right", "yref": "y domain", "y": 0.01, "yanchor": "bottom"}
    return {"source": source, "sizex": 0.3, "sizey": 0.15, "layer": "above", **place}


def _names(history: History, average: Average | None, theme: Theme) -> list[dict[str, Any]]:
    """The names of both curves at their ends, where no mark covers them, and of the line of the average image."""
    last = {"xref": "x", "x": float(np.log10(max(history.epoch[-1], 1))), "showarrow": False}
    ends = [
        ("reconstruction", {"xanchor": "right", "yanchor": "bottom", "yshift": 8}, theme.ink),
        ("elbo", {"xanchor": "left", "yanchor": "top", "xshift": 8}, theme.text(theme.mean)),
    ]
    found = [
        {"text": TERMS[name], "y": y, "font": theme.font(small=True, color=color), **last, **place}
        for name, place, color in ends
        for y in _finite(history, name)[-1:]
    ]
    if average is not None:
        font = theme.font(small=True, color=theme.muted)
        place = {"y": average.log_likelihood, "yanchor": "top", "yshift": -3}
        found.append({"text": "average image for all", "font": font, **place})
    end = {"xref": "x domain", "x": 1, "xanchor": "right", "xshift": -12, "showarrow": False}
    return [end | each for each in found]


def _values(history: History, average: Average | None, epoch: float, theme: Theme) -> list[dict[str, Any]]:
    """The account at the epoch, above the beginning of the curves: from the average image to the bound."""
    gain, kl, elbo = account(history, average, epoch)
    told = [
        (f"− price of codes (KL) {nats(kl)}", theme.prior),
        (f"= bound (ELBO) {nats(elbo)}", theme.mean),
    ]
    if average is None:
        told.insert(0, (f"reconstruction {nats(gain)}", theme.ink))
    else:
        told.insert(0, (f"average image {nats(average.log_likelihood)}", theme.muted))
        told.insert(1, (f"{'+ rebuilt better' if gain >= 0 else '− rebuilt worse'} {nats(abs(gain))}", theme.ink))
    place = {"xref": "x domain", "x": 0.01, "xanchor": "left", "yref": "y domain", "y": 0.99, "yanchor": "top"}
    fonts = [theme.font(small=True, bold=True, color=theme.text(color)) for _, color in told]
    listed = [
        place | {"text": text, "font": font, "showarrow": False, "yshift": -1.4 * theme.small_size * row}
        for row, ((text, _), font) in enumerate(zip(told, fonts, strict=True))
    ]
    if average is None:
        return listed
    side = {"xanchor": "left", "xshift": 7} if gain >= 0 else {"xanchor": "right", "xshift": -7}
    beside = {"xref": "x", "x": float(np.log10(epoch)), "bgcolor": theme.paper, "borderpad": 0, "showarrow": False}
    ends = [average.log_likelihood, elbo + kl, elbo]
    marks = [(f"{'+' if gain >= 0 else '−'}{nats(abs(gain))}", ends[:2]), (f"−{nats(kl)}", ends[1:])]
    return listed + [
        beside | side | {"text": text, "font": font, "y": sum(pair) / 2}
        for (text, pair), font in zip(marks, fonts[1:], strict=False)
    ]


def account(history: History, average: Average | None, epoch: float) -> tuple[float, float, float]:
    """At an epoch: how much better images are rebuilt than by the average image, the KL term and the bound.

    In tenths of a nat, so that they add up. Without an average image the first one is the reconstruction term.
    """
    kl, elbo = (round(float(history.values[term][history.at(epoch)]), 1) for term in ("kl", "elbo"))
    return elbo + kl - (round(average.log_likelihood, 1) if average is not None else 0.0), kl, elbo


def nats(value: float) -> str:
    """A term of the bound, to a tenth of a nat as all of them, so that they add up: −110.6."""
    return f"{value:,.1f}".replace("-", "−")


# The images -----------------------------------------------------------------------------------------------------------


def _image_axes(rows: Sequence[Rows], place: Place, theme: Theme) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Pairs of rows, the images above their reconstructions: the axes and the pictures."""
    columns = max((len(pair.originals) for pair in rows), default=1)
    pictures, ticks, names, y = [], [], [], 0.0
    for pair in rows:
        images = np.concatenate([pair.originals, pair.restored])
        if images.shape[1] < MNIST_SIDE:  # small images have no margin of their own
            images = np.pad(images, ((0, 0), (1, 1), (1, 1)))
        pictures.append({"source": _png(images, columns, theme), "x": 0, "y": y, "sizex": columns, "sizey": 2})
        pictures[-1] |= {"xref": "x3", "yref": "y3", "layer": "above", "sizing": "stretch"}
        ticks += [y - 0.5, y - 1.5]
        names += ["image", "rebuilt"]
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


def _png(images: Array, columns: int, theme: Theme) -> str:
    sheet = image_grid(images, columns, theme=theme, gap=0, scale=SCALE)
    return f"data:image/png;base64,{base64.b64encode(sheet).decode()}"


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
