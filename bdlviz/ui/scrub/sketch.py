"""A sheet to draw a digit on with mouse, pen or finger; what was drawn arrives as grey values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bdlviz.types import Array
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.scrub import base

SCRIPTS = ("sheet", "main")
SIDE = 56  # pixels of what the browser sends: twice the side of an MNIST digit


def show(on_drawn: Callable[[Array | None], None], *, key: str) -> None:
    """Put the sheet on the page; ``on_drawn`` gets (56, 56) values from 0 to 1, or None once it was wiped."""
    data = {"name": key, "theme": base.tokens(present_theme()), "side": SIDE}
    view = base.component("sketch", SCRIPTS)
    base.mount(view, key, data, {}, lambda event: on_drawn(drawn(event)))


def drawn(event: dict[str, Any]) -> Array | None:
    """The grey values that a commit says; None where it says none."""
    said = event.get("ink")
    if not isinstance(said, list) or len(said) != SIDE * SIDE:
        return None
    try:
        ink = np.asarray(said, float)
    except (TypeError, ValueError, OverflowError):
        return None
    if ink.shape != (SIDE * SIDE,) or not np.isfinite(ink).all():
        return None
    return np.clip(ink.reshape(SIDE, SIDE) / 255, 0, 1)
