"""A sheet on which a digit can be drawn with mouse, pen or finger; Python gets the drawing as grey values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bdlviz.types import Array
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.scrub import base

SCRIPTS = ("sheet", "main")
SIDE = 56  # pixels of the image that the browser sends: twice the side of an MNIST digit


def show(on_drawn: Callable[[Array | None], None], *, key: str) -> None:
    """Put the sheet on the page; ``on_drawn`` gets (56, 56) values from 0 to 1, or None after it was cleared."""
    data = {"name": key, "theme": base.tokens(present_theme()), "side": SIDE}
    view = base.component("sketch", SCRIPTS)
    base.mount(view, key, data, {}, lambda event: on_drawn(drawn(event)))


def drawn(event: dict[str, Any]) -> Array | None:
    """The grey values in an event; None if it has none."""
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
