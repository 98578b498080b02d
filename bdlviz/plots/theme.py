"""Colours, fonts and line widths of all figures: one colour per meaning, on every page.

A `Theme` holds one colour per meaning. `figure` and `axis` make plotly layouts with all values explicit, because pages
show figures with ``theme=None``, and no default of plotly or Streamlit may apply.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import plotly.graph_objects as go

from bdlviz.digits import significant

Range = tuple[float, float]
ThemeName = Literal["light", "dark"]

BARE = {"data": {"scatter": [{"type": "scatter"}]}}  # plotly's template "none"
LONG = 6  # digits of a tick label; with more, labels are written out, and there are fewer of them
GRID_INK = 0.07  # fraction of ink in a grid line; the visual language allows 8 %
MODEBAR: dict[str, Any] = {  # the ``config`` of every chart: one button, which saves the picture
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "responsive": True,
    "scrollZoom": False,
    "toImageButtonOptions": {"format": "png", "scale": 3, "filename": "bdlviz"},
}


def rgb(color: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of a colour written ``#RRGGBB``."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def tint(color: str, opacity: float) -> str:
    """The same colour with an opacity."""
    red, green, blue = rgb(color)
    return f"rgba({red},{green},{blue},{opacity:g})"


def mix(color: str, other: str, share: float) -> str:
    """A mix of ``color`` and ``other``; ``share`` (0 to 1) is the fraction of ``other``."""
    mixed = (round((1 - share) * a + share * b) for a, b in zip(rgb(color), rgb(other), strict=True))
    return "#" + "".join(f"{channel:02X}" for channel in mixed)


def luminance(color: str) -> float:
    """Relative luminance, 0 (black) to 1 (white), as WCAG 2 defines it."""
    linear = ((c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in (v / 255 for v in rgb(color)))
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(color: str, other: str) -> float:
    """WCAG contrast ratio, 1 to 21. Text needs 4.5, lines and points 3."""
    low, high = sorted((luminance(color), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@dataclass(frozen=True)
class Theme:
    """Colours by meaning, and the sizes of text and lines. Every colour is ``#RRGGBB``."""

    name: ThemeName
    paper: str
    ink: str
    muted: str  # secondary text: tick labels, remarks
    grid: str
    data: str
    mean: str
    draws: str
    epistemic: str
    aleatoric: str
    truth: str
    prior: str
    exact: str
    warning: str
    dropped: str  # units and weights that a mask removes
    setting_a: str
    setting_b: str
    classes: tuple[str, ...]
    font_family: str = '"Source Sans", "Source Sans 3", "Source Sans Pro", system-ui, sans-serif'
    font_size: int = 16  # axis titles and direct labels, px
    small_size: int = 14  # tick labels and legends, px
    scale: float = 1.0  # of lines and points
    draws_opacity: float = 0.35  # of a bundle of draws

    def font(self, *, small: bool = False, color: str | None = None, bold: bool = False) -> dict[str, Any]:
        """A complete plotly font."""
        return {
            "family": self.font_family,
            "size": self.small_size if small else self.font_size,
            "color": color or self.ink,
            "weight": 600 if bold else 400,
        }

    def line(self, color: str, width: float, dash: str = "solid") -> dict[str, Any]:
        """A plotly line; ``width`` in px, thicker in presenter mode."""
        return {"color": color, "width": width * self.scale, "dash": dash}

    def text(self, color: str) -> str:
        """``color`` mixed with ink until its contrast to paper is at least 4.5, as text needs."""
        shades = (mix(color, self.ink, step / 20) for step in range(21))
        return next(shade for shade in shades if contrast(shade, self.paper) >= 4.5)

    @property
    def removed(self) -> str:
        """The pale colour of weights and units that are removed, beside the strong one of those that are kept."""
        return mix(self.dropped, self.paper, 0.55)

    @property
    def colorscale(self) -> list[list[Any]]:
        """A colour scale from paper (0) to the colour of the mean (1)."""
        return [[0.0, self.paper], [1.0, self.mean]]


LIGHT = Theme(
    name="light",
    paper="#FFFFFF",
    ink="#1B1E23",
    muted="#5A616B",
    grid=mix("#FFFFFF", "#1B1E23", GRID_INK),
    data="#1B1E23",
    mean="#0072B2",
    draws="#56B4E9",
    epistemic="#0072B2",
    aleatoric="#E69F00",
    truth="#757575",
    prior="#009E73",
    exact="#CC79A7",
    warning="#D55E00",
    dropped="#878D95",
    setting_a="#1B1E23",
    setting_b="#1B1E23",
    classes=(
        *("#2B6CB0", "#D9730D", "#2E8540", "#C4314B", "#6B46C1"),
        *("#7A4A2B", "#D6409F", "#7E7A14", "#0E8C93", "#3D4451"),
    ),
)

DARK = Theme(
    name="dark",
    paper="#111418",
    ink="#F2F4F7",
    muted="#A9B1BC",
    grid=mix("#111418", "#F2F4F7", GRID_INK),
    data="#F2F4F7",
    mean="#2F9BE3",
    draws="#56B4E9",
    epistemic="#56B4E9",
    aleatoric="#FFB42E",
    truth="#A3A3A3",
    prior="#009E73",
    exact="#CC79A7",
    warning="#EF6C0F",
    dropped="#7E858F",
    setting_a="#F2F4F7",
    setting_b="#F2F4F7",
    classes=(
        *("#6CB0F5", "#FFA24C", "#6FCF7C", "#FF6B7A", "#A78BFA"),
        *("#C99A78", "#F58CD0", "#C9C23F", "#3FD0D4", "#C3CAD6"),
    ),
    draws_opacity=0.5,
)


def theme(name: str, presenter: bool = False) -> Theme:
    """The theme called ``light`` or ``dark``; ``presenter`` has text of 24 px and thicker lines."""
    base = {"light": LIGHT, "dark": DARK}[name]
    return replace(base, font_size=24, small_size=24, scale=1.6) if presenter else base


def axis(theme: Theme, label: str = "", limits: Range | None = None, **extra: Any) -> dict[str, Any]:
    """One plotly axis: thin grid, no zero line, explicit fonts, and a fixed range."""
    span: dict[str, Any] = {} if limits is None else {"range": limits}
    if limits is not None and significant(*limits) > LONG:
        span |= {"exponentformat": "none", "nticks": 6}  # 1,700,000,005, not 1.700000005B
    look = {
        "title": {"text": label, "font": theme.font(), "standoff": 8},
        "tickfont": theme.font(small=True, color=theme.muted),
        "fixedrange": True,
        "automargin": True,
        "gridcolor": theme.grid,
        "gridwidth": 1,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "ticklabelstandoff": 4,
        **span,
        **extra,
    }
    return {name: [*value] if isinstance(value, tuple) else value for name, value in look.items()}


def upright(x: float, line: Mapping[str, Any]) -> dict[str, Any]:
    """A shape for a layout: a line at ``x`` over the whole height of the first pair of axes."""
    ends = {"x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
    return {"type": "line", "line": line, **ends}


def overlaid(look: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """``look`` updated by ``more``; dictionaries in both are merged."""
    both = {name: {**look[name], **more[name]} for name in look.keys() & more if isinstance(more[name], dict)}
    return {**look, **more, **both}


def empty(
    theme: Theme,
    height: int,
    title: str | None = None,
    *,
    traces: Iterable[Mapping[str, Any]] = (),
    **layout: Any,
) -> go.Figure:
    """A figure without axes: paper, fonts, legend above the picture, narrow margins that suit a phone.

    ``layout`` overrides it; empty lists are left out. Traces and layout are passed to plotly in one call, since each
    later update takes about as long as a figure. Plotly's checks are off, because they take several times as long as
    all else; the tests run them.
    """
    legend = {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 1.01,
        "yanchor": "bottom",
        "font": theme.font(small=True),
        "bgcolor": tint(theme.paper, 0),
        "traceorder": "reversed",  # the front layer first
        "itemwidth": 30 * theme.scale,
    }
    ground: dict[str, Any] = {
        "template": BARE,
        "height": height,
        "paper_bgcolor": theme.paper,
        "plot_bgcolor": theme.paper,
        "font": theme.font(),
        "margin": {"l": 8, "r": 12, "t": 16 if title is None else 56, "b": 8},
        "legend": legend,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": theme.paper, "bordercolor": theme.muted, "font": theme.font(small=True)},
        "dragmode": False,
        "modebar": {"bgcolor": tint(theme.paper, 0), "color": theme.muted, "activecolor": theme.ink},
    }
    if title is not None:
        ground["title"] = {"text": title, "font": theme.font(bold=True), "x": 0, "xref": "paper"}
    known = {name: value for name, value in layout.items() if value != []}
    return go.Figure([*traces], overlaid(ground, known), _validate=False)


def figure(
    theme: Theme,
    *,
    x_label: str,
    y_label: str,
    x_range: Range | None = None,
    y_range: Range | None = None,
    height: int = 420,
    title: str | None = None,
    traces: Iterable[Mapping[str, Any]] = (),
    **layout: Any,
) -> go.Figure:
    """A figure with one pair of axes. Height in px; the width follows the page; ``layout`` overrides the rest."""
    axes = {"xaxis": axis(theme, x_label, x_range), "yaxis": axis(theme, y_label, y_range)}
    return empty(theme, height, title, traces=traces, **overlaid(axes, layout))
