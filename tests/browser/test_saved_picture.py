"""A saved PNG looks like the screen: the same pixels, with the fonts of the page."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page

from tests.browser.driver import download, open_page

PICTURE = ".st-key-export_figure .js-plotly-plot"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_picture_has_the_pixels_of_the_screen(page: Page, tmp_path: Path, scheme: str):
    page.emulate_media(color_scheme=scheme)  # pyright: ignore[reportArgumentType]
    open_page(page, "/effect_of_lambda", {"tab": "Export"})
    shown = Image.open(io.BytesIO(page.locator(PICTURE).screenshot())).convert("RGB")
    saved = Image.open(download(page, "PNG", tmp_path)).convert("RGB")
    assert saved.width == 3 * shown.width and abs(saved.height - 3 * shown.height) <= 3  # half pixels on the screen
    difference = np.abs(np.subtract(saved.resize(shown.size), shown, dtype=float)).max(-1)
    # Text in another font would differ in several per cent of the pixels; edges differ by how they are smoothed.
    assert (difference > 60).mean() < 0.012
