"""Take the thumbnails of all pages from the real app: `python -m scripts.take_thumbnails [SECTION/PAGE ...]`.

Each is the main picture of the page, in the light and in the dark theme, of `SIZE` and at most `MAX_BYTES`.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps
from playwright.sync_api import Browser, FloatRect, Page, sync_playwright

from bdlviz.ui.places import navigation
from tests.browser import chromium, driver
from tests.browser.conftest import FLAGS, start_app

ROOT = Path(__file__).resolve().parents[1]
VIEWPORT = {"width": 1280, "height": 860}
SIZE, MAX_BYTES = (480, 300), 15_000
NAVIGATION, LEAST = 58, 60  # px: the navigation at the top, and the height of the smallest picture
# Pages whose first view is better shown by another address.
ADDRESSES = {
    "foundations/variational_or_mcmc": "variational_or_mcmc?scene=good",
    "generative/vae": "vae?shown_epoch=100",
    "generative/autoencoder": "autoencoder?kl_weight=1",
    "weights/sparsity": "sparsity?done=50",
}
RIGHT = ("foundations/noise_or_ignorance",)  # of two panels the right one is enough
OF_WORDS = ("start/lecture", "start/glossary", "results/figure_index", "results/status")  # shown as a whole
WHOLE = ".stMainBlockContainer"
# The first of these that is on another page is its main picture.
PICTURES = (
    ".st-key-frame .scrub.decoder",
    ".st-key-frame .scrub .panels",
    ".st-key-frame .chains .ground",
    ".st-key-frame .stPlotlyChart",
    ".st-key-frame .stImage img",
    ".stPlotlyChart",
    WHOLE,
)


def main(wanted: list[str]) -> None:
    """Save the thumbnails of the wanted pages, by their files' names under pages/."""
    if unknown := set(wanted) - set(navigation.TITLES):
        raise SystemExit(
            f"There is no page {', '.join(sorted(unknown))}; a name is SECTION/PAGE, such as generative/vae."
        )
    navigation.THUMBNAILS.mkdir(parents=True, exist_ok=True)
    app = start_app(ROOT, Path(tempfile.mkdtemp()) / "output.txt")
    try:
        with sync_playwright() as playwright:
            sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=[*FLAGS, *sandbox])
            for kind in ("light", "dark"):
                take_all(browser, app.url, wanted, kind)
            browser.close()
    finally:
        app.stop()


def take_all(browser: Browser, url: str, wanted: list[str], kind: str) -> None:
    """The thumbnails in one theme."""
    context = browser.new_context(base_url=url, viewport=VIEWPORT, color_scheme=kind, reduced_motion="reduce")  # type: ignore[arg-type]
    context.add_init_script(driver.NOTE_RUNS)
    page = context.new_page()
    for name in wanted:
        page.goto(f"/{ADDRESSES.get(name, navigation.path_of(name))}", wait_until="commit")
        driver.wait_until_idle(page)
        page.wait_for_timeout(1500)
        picture = take(page, (WHOLE,) if name in OF_WORDS else PICTURES)
        if name in RIGHT:
            picture = picture.crop((int(0.53 * picture.width), 0, *picture.size))
        navigation.thumbnail_path(name, kind).write_bytes(small(picture))
    context.close()


def take(page: Page, selectors: Sequence[str]) -> Image.Image:
    """A picture of one element of an open page: the one that the first matching selector finds."""
    place = next(box for selector in selectors if (box := box_of(page, selector)) is not None)
    top = max(place["y"], NAVIGATION)
    clip: FloatRect = {
        "x": max(place["x"], 0),
        "y": top,
        "width": min(place["width"], VIEWPORT["width"]),
        "height": max(min(place["y"] + place["height"], VIEWPORT["height"]) - top, 60),
    }
    return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")


def box_of(page: Page, selector: str) -> FloatRect | None:
    """The box of the first element of a selector that is high enough for a picture."""
    for each in page.locator(selector).all():
        each.evaluate("(element) => element.scrollIntoView({ block: 'nearest' })")
        box = each.bounding_box()
        if box is not None and box["height"] > LEAST:
            return box
    return None


def small(picture: Image.Image) -> bytes:
    """A picture as WebP of the thumbnail's size: cropped in the middle if it is much wider, else with a margin."""
    paper: Any = picture.getpixel((1, 1))
    fitted = ImageOps.pad(picture, SIZE, Image.Resampling.LANCZOS, color=paper)
    for quality in range(80, 10, -5):
        with io.BytesIO() as file:
            fitted.save(file, "WEBP", quality=quality, method=6)
            if file.tell() <= MAX_BYTES:
                return file.getvalue()
    raise ValueError("The picture has too much detail for a thumbnail.")


if __name__ == "__main__":
    every = [name for name in navigation.TITLES if name != navigation.HOME]
    main(sys.argv[1:] or every)
