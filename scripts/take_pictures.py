"""Take the README's pictures from the real app: `python -m scripts.take_pictures` (needs what `make test` installs).

With names of pictures, only these are taken; ``drag`` is the animation of a slider that is dragged.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser import chromium, driver
from tests.browser.conftest import FLAGS, start_app

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1280, 800
# Picture -> address of what it shows.
PICTURES = {
    "effect_of_lambda": "/effect_of_lambda",
    "manifold": "/manifold",
    "latent_space": "/latent_space",
    "concrete_dropout": "/concrete_dropout",
    "mc_dropout": "/mc_dropout",
    "scoreboard": "/scoreboard",
    "sparsity": "/sparsity?done=100",
    "signal_to_noise": "/signal_to_noise",
    "in_between": "/in_between?look=gap",
    "variational_or_mcmc": "/variational_or_mcmc?scene=good",
    "presenter": "/?lecture=one_story&step=3&present=1",
    "question": "/function_draws?scene=tanh",
}


DRAG, DRAGGED = "drag", "dropout_rate"
PATH = (*range(0, 90, 3), *range(90, 0, -3))  # per cent of the slider's track, frame by frame
FRAME_MILLISECONDS = 60
DRAG_WIDTH = 760  # pixels of the animation


def main(wanted: list[str]) -> None:
    """Save the wanted pictures under docs/images/."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    log = Path(tempfile.mkdtemp()) / "output.txt"
    app = start_app(ROOT, log)
    try:
        with sync_playwright() as playwright:
            sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=chromium.find(), args=[*FLAGS, *sandbox])
            context = browser.new_context(
                base_url=app.url, viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce"
            )
            context.add_init_script(driver.NOTE_RUNS)
            page = context.new_page()
            for name in wanted:
                if name == DRAG:
                    animate_drag(page, FOLDER / f"{name}.webp")
                else:
                    take(page, name)
            browser.close()
    finally:
        app.stop()


def take(page: Page, name: str) -> None:
    """A screenshot of one page."""
    driver.open_page(page, PICTURES[name])
    driver.main_picture(page)
    driver.screenshot(page, FOLDER / f"{name}.png", width=WIDTH, height=HEIGHT)


def animate_drag(page: Page, path: Path) -> None:
    """An animation of the function picture while a slider is dragged, from screenshots only."""
    page.set_viewport_size({"width": WIDTH, "height": 1100})
    driver.open_page(page, "/function_draws")
    driver.main_picture(page)
    view = page.locator(".st-key-frame .scrub")
    driver.drag_slider(page, DRAGGED, PATH[0] / 100, release=False)
    place = driver.slider(page, DRAGGED).evaluate(driver.TRACK)
    frames = []
    for share in PATH:
        page.mouse.move(place["left"] + share / 100 * (place["right"] - place["left"]), place["y"])
        frames.append(Image.open(io.BytesIO(view.screenshot())).convert("RGB"))
    page.mouse.up()
    height = round(frames[0].height * DRAG_WIDTH / frames[0].width)
    first, *others = (frame.resize((DRAG_WIDTH, height), Image.Resampling.LANCZOS) for frame in frames)
    first.save(path, save_all=True, append_images=others, duration=FRAME_MILLISECONDS, loop=0, quality=70)


if __name__ == "__main__":
    main(sys.argv[1:] or [*PICTURES, DRAG])
