"""The panels of a figure: in which one a trace is drawn, and the titles of its axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

NEAR = 0.12  # largest distance of a title above its panel, relative to the figure's height


class Panels:
    """The panels of a figure's layout; they are numbered in the order of their first use."""

    def __init__(self, layout: Mapping[str, Any]) -> None:
        self._layout = layout
        self._numbers: dict[tuple[str, str], int] = {}

    def of(self, trace: Mapping[str, Any]) -> dict[str, str]:
        """Title, or else number, of the panel of a trace, and the titles of its axes and of its colours."""
        x, y = trace.get("xaxis", "x"), trace.get("yaxis", "y")
        pair = self._below(x), self._below(y)
        number = self._numbers.setdefault(pair, len(self._numbers) + 1)
        labels = {"x_label": self._label(x), "y_label": self._label(y), "z_label": self._bar_label(trace)}
        return {"panel": self._title(*pair) or str(number)} | {key: text for key, text in labels.items() if text}

    def _axis(self, name: str) -> Mapping[str, Any]:
        """The layout of axis ``x2``."""
        return self._layout.get(f"{name[0]}axis{name[1:]}", {})

    def _below(self, name: str) -> str:
        """The axis over which this one lies, else itself."""
        over = self._axis(name).get("overlaying", "free")
        return name if over == "free" else over

    def _label(self, name: str) -> str:
        """The title of an axis; if it has none, of another with the same range, since such panels show it once."""
        axis = self._axis(name)
        own, limits = _text(axis.get("title")), _limits(axis)
        if own or not limits:
            return own
        others = [other for key, other in self._layout.items() if key.startswith(f"{name[0]}axis")]
        alike = (_text(other.get("title")) for other in others if _limits(other) == limits)
        return next(filter(None, alike), "")

    def _bar_label(self, trace: Mapping[str, Any]) -> str:
        """The title of the colours of a trace."""
        bar = trace.get("colorbar") or self._layout.get(trace.get("coloraxis", "coloraxis"), {}).get("colorbar", {})
        return _text(bar.get("title"))

    def _title(self, x: str, y: str) -> str:
        """The annotation above a pair of axes, or ""."""
        return next((text for _, text in sorted(self._above(x, y), key=lambda found: found[0])), "")

    def _above(self, x: str, y: str) -> Iterator[tuple[float, str]]:
        """Annotations above a pair of axes: how far above its top, in the figure's height, and the words."""
        left, right = self._axis(x).get("domain", (0, 1))
        bottom, top = self._axis(y).get("domain", (0, 1))
        for note in self._layout.get("annotations", ()):
            across, up, text = note.get("x", 0), note.get("y", 0), note.get("text", "")
            if note.get("showarrow", True) or not isinstance(across, int | float) or not isinstance(up, int | float):
                continue
            if (note.get("xref"), note.get("yref")) == (f"{x} domain", f"{y} domain"):
                across, up = left + across * (right - left), bottom + up * (top - bottom)
            elif (note.get("xref"), note.get("yref")) != ("paper", "paper"):
                continue
            if text and left - 0.01 <= across <= right + 0.01 and 0 <= up - top + 1e-6 <= NEAR:
                yield up - top, text


def _text(title: Any) -> str:
    """The text of a title, which is a string or a dictionary."""
    return (title.get("text") if isinstance(title, Mapping) else title) or ""


def _limits(axis: Mapping[str, Any]) -> tuple[Any, ...]:
    """The range and scale of an axis; empty if not given."""
    return (axis.get("type"), *axis["range"]) if axis.get("range") else ()
