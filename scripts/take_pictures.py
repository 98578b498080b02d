"""Take the README's pictures from the real app: `python -m scripts.take_pictures` (needs what `make test` installs)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser import chromium, driver
from tests.browser.conftest import FLAGS, start_app

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1280, 800
# Picture -> address of what it shows.
PICTURES = {
    "function_draws": "/function_draws",
    "effect_of_lambda": "/effect_of_lambda",
    "manifold": "/manifold",
    "latent_space": "/latent_space",
    "concrete_dropout": "/concrete_dropout",
}


def main() -> None:
    """Save every picture under docs/images/."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    log = Path(tempfile.mkdtemp()) / "output.txt"
    app = start_app(ROOT, log)
    try:
        with sync_playwright() as playwright:
            sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=[*FLAGS, *sandbox])
            context = browser.new_context(base_url=app.url, viewport={"width": WIDTH, "height": HEIGHT})
            context.add_init_script(driver.NOTE_RUNS)
            page = context.new_page()
            for name, address in PICTURES.items():
                driver.open_page(page, address)
                driver.wait_for_figure(page)
                driver.screenshot(page, FOLDER / f"{name}.png", width=WIDTH, height=HEIGHT)
            browser.close()
    finally:
        app.stop()


if __name__ == "__main__":
    main()
