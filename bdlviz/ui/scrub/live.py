"""Views in the browser whose networks train there: their scripts, joined to one module for Streamlit.

``client/live`` holds what such views share: settings and links, one training, its picture with bands and samples,
points under the pointer, and the board that connects them. A view adds scripts of its own, the last of which exports
``Board``, or a class that extends it under this name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bdlviz.live import engine

CLIENT = Path(__file__).resolve().parent / "client"
# Canvas, layers and sliders of the function picture; then the modules of this folder, each after those that it uses.
SCRIPTS = (
    *("base/elements", "base/canvas", "base/pointer", "picture/layers", "picture/sliders"),
    *("live/options", "live/presets", "live/state", "live/moments", "live/training", "live/curve", "live/points"),
    *("live/side", "live/controls", "live/board"),
)
STYLES = ("base/base.css", "picture/picture.css")


def view(own: Sequence[Path]) -> str:
    """The shared scripts and those of a view as one ES module."""
    return _joined([*(CLIENT / f"{name}.js" for name in SCRIPTS), *own])


def css(own: Sequence[Path]) -> str:
    """The shared style sheets and those of a view."""
    return _joined([*(CLIENT / name for name in STYLES), *own])


def stand_in() -> str:
    """The script of a training that stands in for a fit of the server, with the engine that it loads when needed."""
    return f"const ENGINE = {json.dumps(engine())};\n{_joined([CLIENT / 'live' / 'stand_in.js'])}"


def module(view: str, css: str) -> str:
    """The module that Streamlit loads: it holds engine and view as texts, from which an offline page is made, too."""
    sources = {"engine": engine(), "view": view, "css": css}
    return f"const SOURCES = {json.dumps(sources)};\n{_joined([CLIENT / 'live' / 'main.js'])}"


def _joined(files: Sequence[Path]) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in files)
