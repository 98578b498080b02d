"""The scripts of the view in the browser, joined to two texts: the engine, and the view with its style sheet.

``ui/scrub/client`` holds what views in the browser share: canvas, layers and sliders of the function picture, and in
``live`` settings and links, one training, its picture with bands and samples, points under the pointer, and the board
that connects them. The page adds scripts of its own, the last of which exports ``Board``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bdlviz import ui
from bdlviz.live import engine

OWN = Path(__file__).resolve().parent / "client"
SHARED = Path(ui.__file__).resolve().parent / "scrub" / "client"
# Each file stands after those that it uses.
SHARED_SCRIPTS = (
    *("base/elements", "base/canvas", "base/pointer", "picture/layers", "picture/sliders"),
    *("live/options", "live/presets", "live/state", "live/moments", "live/training", "live/curve", "live/points"),
    *("live/side", "live/controls", "live/board"),
)
SCRIPTS = ("code", "table", "plane", "inside", "challenges", "drawers", "tools")


@cache
def view() -> str:
    """The view as one ES module."""
    return _joined([*(SHARED / f"{name}.js" for name in SHARED_SCRIPTS), *(OWN / f"{name}.js" for name in SCRIPTS)])


@cache
def css() -> str:
    """The style sheets of the view."""
    return _joined([SHARED / "base" / "base.css", SHARED / "picture" / "picture.css", OWN / "playground.css"])


@cache
def module() -> str:
    """The module that Streamlit loads: it holds engine and view as texts, from which an offline page is made, too."""
    sources = {"engine": engine(), "view": view(), "css": css()}
    return f"const SOURCES = {json.dumps(sources)};\n{_joined([SHARED / 'live' / 'main.js'])}"


def read(name: str) -> str:
    """A file of the view."""
    return (OWN / name).read_text(encoding="utf-8")


def _joined(files: Sequence[Path]) -> str:
    return "\n".join(file.read_text(encoding="utf-8") for file in files)
