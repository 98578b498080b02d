"""Frames per second while a slider of the function picture is dragged, and the seconds and bytes of a commit.

They are compared with the naive page, which draws one figure per move.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from playwright.sync_api import Page

from benchmarks.browser import KILOBYTE, Scene, along
from benchmarks.report import Row
from benchmarks.server import browser, received, server, window
from benchmarks.timing import Spread
from tests.browser import driver

SECONDS = 2.0  # duration of dragging in a round
COMMITS_PER_ROUND = 4
PAGE = "/function_draws"

# Moves a slider of the view back and forth, with one input event per frame; measures frames and the time of a redraw.
DRAG = """([key, seconds]) => new Promise((resolve) => {
  const inputs = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')]
    .flatMap((host) => [...host.shadowRoot.querySelectorAll(`[data-key="${key}"] input`)]);
  const input = inputs[0];
  const view = input.closest('.scrub');
  const [before, start, last] = [Number(view.dataset.draws), performance.now(), Number(input.max)];
  let [frames, busy] = [0, 0];
  const frame = () => {
    const now = performance.now();
    const share = ((now - start) / 1000) % 1;
    input.value = String(last * (share < 0.5 ? 2 * share : 2 - 2 * share));
    input.dispatchEvent(new Event('input'));
    busy += performance.now() - now;
    frames += 1;
    if (now - start < 1000 * seconds) requestAnimationFrame(frame);
    else {
      const passed = (performance.now() - start) / 1000;
      resolve({ fps: frames / passed, busy: busy / frames, redraws: (Number(view.dataset.draws) - before) / frames });
    }
  };
  requestAnimationFrame(frame);
})"""

# Reads in every frame which fit the first panel shows; records the time of its last change, and the time of the pointer
# event that caused it. The view may be mounted again in between.
WATCH = """() => {
  const fit = () => [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')]
    .map((host) => host.shadowRoot?.querySelector('.panel')).find(Boolean)?.dataset.cell;
  const watched = (window.__commit = { begun: null, stood: null });
  const begin = () => { watched.begun ??= performance.now(); };
  addEventListener('pointerup', begin, { capture: true, once: true });
  let before = fit();
  const look = () => {
    const now = fit();
    if (now && now !== before) {
      before = now;
      watched.stood = performance.now();
    }
    if (window.__commit === watched) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
STANDS = "() => window.__commit.stood !== null"
MILLISECONDS = "() => window.__commit.stood - window.__commit.begun"


@dataclass(frozen=True)
class Commit:
    """The seconds from a commit until its fit was in the picture, and until the page was idle."""

    milliseconds: float
    kilobytes: float


def pages(rounds: int, cores: int) -> list[Row]:
    """Rows for drags and commits on the page of function draws, and for moves on the naive page."""
    with ExitStack() as stack:
        app, naive = (stack.enter_context(server(script))[0] for script in ("app.py", "benchmarks/naive_page.py"))
        running = stack.enter_context(browser())
        page, slow = _open(window(running, app)), Scene(window(running, naive), "seed", along())
        drags = [_drag(page) | {"naive": 1000 / slow.move().milliseconds} for _ in range(rounds + 1)][1:]
        pad = [_drag_pad(window(running, app)) for _ in range(rounds)]
        page = _open(window(running, app))
        shipped = [_commit_by_release(page, share) for share in _to_and_fro(rounds * COMMITS_PER_ROUND)]
        driver.button(page, "edit").click()
        fresh = [_commit_by_click(page, place) for place in _places(rounds * COMMITS_PER_ROUND + 2)][2:]
    return [
        *_of_drags(drags),
        Row("decode pad: script time of one redraw", Spread.of(pad), "<= 20", "ms", note="50 redraws a second"),
        *_of_commits("shipped grid", shipped, 220),
        *_of_commits("a fresh fit after a click", fresh, 350),
    ]


def _drag_pad(page: Page) -> float:
    """Milliseconds of a redraw while the pad of decoded digits is dragged."""
    driver.open_page(page, "/decode")
    view = page.locator(".scrub.decoder[data-ready]")
    box = driver.box_of(view.locator(".plane canvas"))
    before = view.evaluate("(root) => ({ ...root.pad.counts })")
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] / 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 3 * box["width"] / 4, box["y"] + 3 * box["height"] / 4, steps=60)
    after = view.evaluate("(root) => ({ ...root.pad.counts })")
    page.mouse.up()
    page.context.close()
    return (after["milliseconds"] - before["milliseconds"]) / (after["draws"] - before["draws"])


def _of_drags(drags: list[dict[str, float]]) -> list[Row]:
    spread = {name: Spread.of([drag[name] for drag in drags]) for name in drags[0]}
    ratio = Spread.of([drag["fps"] / drag["naive"] for drag in drags])
    return [
        Row("scrub: frames per second, 50 draws x 200 points", spread["fps"], ">= 50", "/s"),
        Row("scrub: redraws for each input event", spread["redraws"], ">= 1", note="no server run"),
        Row("scrub: script time of one redraw", spread["busy"], unit="ms"),
        Row("scrub: sent during a drag", spread["sent"], "<= 0", "kB"),
        Row("pictures a second while a slider moves, naive page", spread["naive"], unit="/s", note="one a key press"),
        Row("pictures a second while a slider moves: bdlviz / naive page", ratio),
    ]


def _of_commits(what: str, commits: list[Commit], limit: int) -> list[Row]:
    milliseconds = Spread.of([commit.milliseconds for commit in commits])
    kilobytes = Spread.of([commit.kilobytes for commit in commits])
    return [
        Row(f"scrub: commit to picture, {what}", milliseconds, f"<= {limit}", "ms"),
        Row(f"scrub: sent for a commit, {what}", kilobytes, unit="kB", note="all of the page: picture, sliders, words"),
    ]


def _drag(page: Page) -> dict[str, float]:
    before = received(page)
    measured: dict[str, float] = page.evaluate(DRAG, ["dropout_rate", SECONDS])
    return measured | {"sent": (received(page) - before) / KILOBYTE}


def _open(page: Page) -> Page:
    driver.open_page(page, PAGE)
    page.locator(".scrub[data-ready]").wait_for()
    driver.wait_until_idle(page)
    return page


def _to_and_fro(count: int) -> list[float]:
    """Positions on a slider of thirteen stops, each a few stops from the last; the first is not the default."""
    return list(itertools.islice(itertools.cycle([6 / 12, 9 / 12, 5 / 12, 8 / 12, 2 / 12]), count))


def _places(count: int) -> list[tuple[float, float]]:
    """Positions in the picture, as shares of its width and height, that are not near each other."""
    return [(0.15 + 0.7 * ((0.618 * i) % 1), 0.2 + 0.5 * ((0.414 * i) % 1)) for i in range(count)]


def _commit_by_release(page: Page, share: float) -> Commit:
    return _commit(page, lambda: driver.drag_slider(page, "dropout_rate", share, steps=5, wait=False))


def _commit_by_click(page: Page, place: tuple[float, float]) -> Commit:
    box = page.locator(".panel canvas").bounding_box()
    assert box is not None
    x, y = (box["x"] + place[0] * box["width"], box["y"] + place[1] * box["height"])
    return _commit(page, lambda: page.mouse.click(x, y))


def _commit(page: Page, act: Callable[[], object]) -> Commit:
    page.evaluate(WATCH)
    before = received(page)
    act()
    page.wait_for_function(STANDS)
    driver.wait_until_idle(page)
    driver.no_traceback(page)
    return Commit(float(page.evaluate(MILLISECONDS)), (received(page) - before) / KILOBYTE)
