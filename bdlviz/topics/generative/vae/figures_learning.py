"""A VAE after one of its epochs: images with their reconstructions, and what their codes gain and cost."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import nats
from bdlviz.plots.codes import latent_scatter
from bdlviz.plots.images import image_grid
from bdlviz.plots.theme import LIGHT, Range, Theme, axis, empty, tint
from bdlviz.plots.traces import Trace, line_bundle, scatter
from bdlviz.topics.generative.vae.figures import History
from bdlviz.types import Array

PRIOR_RADII = (1, 2)  # of the circles in a plane of codes, in standard deviations of the prior
REACH = 4.0  # of the axes of a plane of codes
MNIST_SIDE = 28  # pixels
SCALE = 3  # pixels of a picture for each pixel of an image
TERMS = {"reconstruction": "reconstruction", "elbo": "ELBO", "kl": "KL"}
EPOCHS = (1, 3, 10, 30, 100)  # ticks
NUM_ROWS = 3  # of images
ASIDE = 1.15  # where the bracket stands, relative to the last epoch
Place = tuple[Range, Range]


@dataclass(frozen=True, eq=False)
class Average:
    """The average training image (h, w), and the mean log-likelihood of images if the decoder gives it for all."""

    image: Array
    log_likelihood: float


def learning(
    history: History,
    average: Average | None,
    rows: Mapping[str, Array],
    *,
    num_epochs: int,
    epoch: float,
    theme: Theme = LIGHT,
    stacked: bool = False,
    height: int = 560,
) -> go.Figure:
    """Rows of images (N, h, w) by name, `NUM_ROWS` at most, beside the bound and its KL term with one ``epoch`` marked.

    ``stacked`` puts the bound below the images, for phones.
    """
    whole, left, right = (0.0, 1.0), (0.0, 0.6), (0.67, 1.0)
    place, place_of_terms = ((whole, (0.6, 1.0)), (whole, (0.0, 0.5))) if stacked else ((left, whole), (right, whole))
    axes, pictures = _image_axes(rows, place, theme)
    first = max(float(history.epoch[0]), 1.0)
    limits = _limits([*_finite(history, "reconstruction"), *_finite(history, "elbo")], average)
    across, up = place_of_terms
    dashed = {"type": "line", "line": theme.line(theme.muted, 1.5, "dash")}
    levels = [] if average is None else [average.log_likelihood]
    ticks = {
        "tickvals": [at for at in EPOCHS if at <= num_epochs],
        "domain": across,
        "anchor": "y",
        "type": "log",
    }
    wide = np.log10([0.6 * first, 6 * max(num_epochs, 2 * first)]).tolist()  # room for the number beside the bracket
    return empty(
        theme,
        height,
        traces=[*_curves(history, theme), *_marks(history, average, epoch, theme)],
        images=pictures,
        shapes=[{"xref": "x domain", "x0": 0, "x1": 1} | dashed | {"y0": y, "y1": y} for y in levels],
        annotations=[
            _title(theme, "Unseen images, rebuilt by epoch", "3", stacked),
            _title(theme, "Bound on log p(x) (nats)", "", stacked),
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


# The bound ------------------------------------------------------------------------------------------------------------


def _finite(history: History, name: str) -> list[float]:
    values = np.asarray(history.values[name])
    return values[np.isfinite(values)].tolist()


def _limits(values: list[float], average: Average | None) -> Range:
    """Limits of the y axis, with room for words above the curves."""
    values = [*values, *([average.log_likelihood] if average is not None else [])] or [0.0, 1.0]
    low, high = min(values), max(values)
    room = 0.1 * (high - low) or 0.05 * max(abs(high), 1.0)
    return low - 1.5 * room, high + 2 * room


def _curves(history: History, theme: Theme) -> list[Trace]:
    """The bound, and above it the KL term as a band: it ends at the reconstruction term."""
    kl = theme.text(theme.prior)
    looks = {
        "elbo": {"line": theme.line(theme.mean, 3)},
        "reconstruction": {"line": theme.line(kl, 1), "fill": "tonexty", "fillcolor": tint(kl, 0.3)},
    }
    return [
        line_bundle(history.epoch, history.values[name][None], look["line"], TERMS[name])
        | {"hoverinfo": None, "hovertemplate": f"epoch %{{x}}: {TERMS[name]} %{{y:.1f}} nats<extra></extra>"}
        | look
        for name, look in looks.items()
    ]


def _marks(history: History, average: Average | None, epoch: float, theme: Theme) -> list[Trace]:
    """At one epoch: a dot on the bound, the KL term above it, and beside them the way to the bound of the average."""
    rebuilt, elbo = (float(history.values[name][history.at(epoch)]) for name in ("reconstruction", "elbo"))
    dot = {"size": 12 * theme.scale, "line": {"width": 2, "color": theme.paper}, "color": theme.mean}
    end, aside = elbo if average is None else average.log_likelihood, ASIDE * float(history.epoch[-1])
    lines = {
        "gain": ([epoch, aside, aside], [elbo, elbo, end], theme.line(theme.ink, 2, "dot")),
        "price": ([epoch] * 2, [elbo, rebuilt], theme.line(theme.text(theme.prior), 5)),
    }
    look = {"mode": "lines", "hoverinfo": "skip"}
    pairs = [scatter(x, y, line=line, name=name, **look) for name, (x, y, line) in lines.items()]
    return [*pairs, scatter([epoch], [elbo], mode="markers", marker=dot, name="this epoch", hoverinfo="skip")]


def _values(history: History, average: Average | None, epoch: float, theme: Theme) -> list[dict[str, Any]]:
    """The bound and how far it is from that of the average image at the bracket, and what codes cost at the band."""
    elbo, over, kl = account(history, average, epoch)
    plain = {"showarrow": False, "align": "left", "bgcolor": theme.paper}
    beside = plain | {"x": float(np.log10(ASIDE * history.epoch[-1]))}
    found = [(f"bound<br>{nats(elbo)}", theme.mean, beside | {"y": elbo, "xanchor": "left", "xshift": 6})]
    if average is not None:
        y = average.log_likelihood
        sides = ["bottom", "top"] if over > 0 else ["top", "bottom"]  # of the line
        end = {"xref": "x domain", "x": 1, "xanchor": "right", "y": y, "yanchor": sides[1]}
        found.insert(0, (f"average {nats(y)}", theme.muted, plain | end))
        foot = {"y": y, "xanchor": "right", "xshift": -6, "yanchor": sides[0]}
        found.append((from_average(over), theme.ink, beside | foot))
    start = {"ax": float(np.log10(history.epoch[0])), "ay": max(_finite(history, "reconstruction"), default=elbo)}
    band = start | {"axref": "x", "ayref": "y", "xanchor": "left", "yanchor": "bottom", "arrowhead": 0, "arrowwidth": 1}
    band |= {"x": float(np.log10(epoch)), "y": elbo + kl, "arrowcolor": theme.text(theme.prior)}
    found.append((f"the codes cost {nats(kl)} (KL)", theme.prior, band))
    font = {"small": True, "bold": True}
    return [at | {"text": text, "font": theme.font(**font, color=theme.text(color))} for text, color, at in found]


def account(history: History, average: Average | None, epoch: float) -> tuple[float, float, float]:
    """At an epoch: the bound, how far it is above that of the average image, and the KL term, in tenths of a nat."""
    kl, elbo = (round(float(history.values[term][history.at(epoch)]), 1) for term in ("kl", "elbo"))
    return elbo, elbo - (round(average.log_likelihood, 1) if average is not None else 0.0), kl


def from_average(over: float) -> str:
    """How far a bound is from that of the average image, in words."""
    return f"{nats(abs(over))} {'above' if over >= 0 else 'below'}"


# The images -----------------------------------------------------------------------------------------------------------


def _image_axes(rows: Mapping[str, Array], place: Place, theme: Theme) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The axes of rows of images, with the name of each, and the picture of all."""
    columns = max(map(len, rows.values()), default=1)
    pictures = []
    if rows:
        images = np.concatenate([*rows.values()])
        if images.shape[1] < MNIST_SIDE:  # small images have no margin of their own
            images = np.pad(images, ((0, 0), (1, 1), (1, 1)))
        sheet = base64.b64encode(image_grid(images, columns, theme=theme, gap=0, scale=SCALE)).decode()
        pictures.append({"source": f"data:image/png;base64,{sheet}", "x": 0, "y": 0, "sizex": columns})
        pictures[0] |= {"sizey": len(rows), "xref": "x3", "yref": "y3", "layer": "below", "sizing": "stretch"}
    across, up = place
    hidden = {"showgrid": False, "zeroline": False, "showline": False, "ticks": ""}
    x = axis(theme, "", (0, columns), domain=across, anchor="y3", visible=False, constrain="domain")
    x["constraintoward"] = "left"
    look = {"domain": up, "anchor": "x3", "scaleanchor": "x3", "constrain": "domain", "constraintoward": "top"}
    look |= {"tickvals": [-0.5 - row for row in range(len(rows))], "ticktext": list(rows)}
    look["tickfont"] = theme.font(small=True)
    return {"xaxis3": x, "yaxis3": axis(theme, "", (-NUM_ROWS, 0), **look, **hidden)}, pictures


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
