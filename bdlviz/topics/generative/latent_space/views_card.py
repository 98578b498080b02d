"""The images of the code under the pointer and of its nearest codes, drawn in the browser without a run of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from streamlit.components import v2

from bdlviz.predictive.surface import pack
from bdlviz.topics.shared.autoencoders import NUM_NEIGHBOURS, Autoencoder
from bdlviz.types import Array
from bdlviz.ui.cache import remembered
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.model import Widget
from bdlviz.ui.scrub import base

CLIENT = Path(__file__).resolve().parent / "client"
KEY = "code_card"


def card(model: Autoencoder, part: str, map_key: str, row: int, is_chosen: bool) -> Widget:
    """The card of a map with that key. While no code is under the pointer it shows the image of a row."""
    return Widget(lambda: _show(model, part, map_key, row, is_chosen))


def _show(model: Autoencoder, part: str, map_key: str, row: int, is_chosen: bool) -> None:
    stale = f'.st-key-{map_key}[data-stale="true"], .st-key-{map_key} [data-stale="true"]'
    st.html(f"<style>{stale} {{ opacity: 1 !important; }}</style>")
    block = remembered(model.fit, ("card", part), lambda: _block(model, part))
    data = {
        "name": KEY,
        "theme": base.tokens(present_theme()),
        "map": map_key,
        "shape": list(model.shape),
        "images": base.block_name(block),
        "pinned": row,
        "near": NUM_NEIGHBOURS,
        "is_chosen": is_chosen,
    }
    base.mount(_component(), KEY, data, {"images": block}, lambda event: None)


def _block(model: Autoencoder, part: str) -> bytes:
    """The images of a part, their classes and the rows of the nearest other codes."""
    images: Array = np.rint(255 * np.clip(model.originals(part), 0, 1)).astype(np.uint8)
    nearest = model.nearest_others(part).astype(np.float32)
    return pack({}, {"images": images, "labels": model.labels(part).astype(np.uint8), "nearest": nearest})


@cache
def _component() -> Callable[..., Any]:
    scripts = [*(base.CLIENT / "base" / f"{name}.js" for name in base.BASE_SCRIPTS)]
    scripts += [CLIENT / "card.js", CLIENT / "main.js"]
    styles = (base.CLIENT / "base" / "base.css", CLIENT / "card.css")
    return v2.component(
        "bdlviz_code_card", html=_joined([CLIENT / "card.html"]), css=_joined(styles), js=_joined(scripts)
    )


def _joined(files: Sequence[Path]) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in files)
