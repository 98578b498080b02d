"""Actions of the browser tests: open a page, wait until it rests, move a slider, look at the picture.

Every helper takes a Playwright ``Page``. Those that act wait until the page rests again, unless told not to.
Controls, buttons, scenes and pictures are found by their keys, so that all words of the pages can change.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Error, FloatRect, Locator, Page, expect

from bdlviz.ui.places.navigation import OF_PAGE, path_of
from tests.patience import limit

# A fit off the shipped grid: a first look within seconds, an end only after a minute or more, a picture drawn at once.
LONG = {"method": "deep_ensemble", "width": 256, "depth": 3, "num_steps": 20000}
TIMEOUT = limit(120_000)  # milliseconds: a first request imports everything
PHONE, LAPTOP = 390, 1440  # widths of a window in pixels
expect.set_options(timeout=TIMEOUT)
TICK = 25  # milliseconds between two looks at a page that should come to rest
CONFIRMED = 12  # looks in a row at which it must be at rest; a slider waits 200 ms before it asks for a run
UNANSWERED = 200  # the same, where it has asked for a run and none has begun; two requests may get one run

# Runs before the page's own code: notes when the page last asked the server for a run, and when a run last began.
# A request for a run is the field 11 of Streamlit's BackMsg, so its first byte is 90; other messages bring about none.
NOTE_RUNS = """
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, 1)[0] === 90) {
      window.__askedAt = performance.now();
      window.__asked = (window.__asked ?? 0) + 1;
    }
    return send.call(this, data);
  };
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target.dataset.testScriptState === 'running')) window.__ranAt = performance.now();
  }).observe(document, { subtree: true, attributeFilter: ['data-test-script-state'] });
"""

# True once the script has stopped, no progress is shown, nothing is stale or still a skeleton, and all this at so many
# looks in a row. Looks are chained timers, so that a page that was busy fires the timers of its sliders between them.
IS_IDLE = """([confirmed, unanswered]) => {
  const app = document.querySelector('[data-testid="stApp"]');
  const resting = app
    && ['notRunning', 'stopped'].includes(app.dataset.testScriptState)
    && app.dataset.testConnectionState === 'CONNECTED'
    && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stAppSkeleton"]')
    && !document.querySelector('[data-testid="stProgress"]');
  window.__rested = resting ? (window.__rested ?? 0) + 1 : 0;
  const answered = !window.__askedAt || window.__ranAt >= window.__askedAt;
  return window.__rested > (answered ? confirmed : unanswered);
}"""

# Frames of a dragged slider are drawn on overlays. Plotly marks these as figures, too, but they are not the page's own.
OWN_FIGURE = ".js-plotly-plot:not(.drag-overlay)"

# A figure that is redrawn is another element each time, so every look at it has to find it anew and find it drawn.
# One in a tab that is not open has no size. Gives what the expression gives, in a list, or null.
OF_FIGURE = """([index, given]) => {
  const plot = [...document.querySelectorAll('OWN_FIGURE')].filter((each) => each.clientHeight > 50)[index];
  const isDrawn = plot?.calcdata?.length && plot._fullLayout && plot.querySelector('.main-svg');
  const found = isDrawn ? (EXPRESSION)(plot, given) : null;
  return found === null ? null : [found];
}""".replace("OWN_FIGURE", OWN_FIGURE)

FIGURE = """(plot) => ({
  traces: plot._fullData.map((trace) => ({ name: trace.name, type: trace.type })),
  x_range: plot._fullLayout.xaxis?.range ?? null,
  y_range: plot._fullLayout.yaxis?.range ?? null,
})"""


PLACE_IN_FIGURE = """(plot, [x, y]) => {
  const box = plot.querySelector('.nsewdrag').getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  return [box.x + xaxis.c2p(x), box.y + yaxis.c2p(y)];
}"""

PLACE_OF_POINT = f"""(plot, [name, point]) => {{
  const points = plot.calcdata.filter(([first]) => first.trace.name === name).sort((a, b) => b.length - a.length)[0];
  return ({PLACE_IN_FIGURE})(plot, [points[point].x, points[point].y]);
}}"""

# Opens what is closed around an element: an expander, or the tab of a list of tabs.
OPEN_AROUND = """(element) => {
  const box = element.closest('details');
  if (box && !box.open) box.querySelector('summary').click();
  const panel = element.closest('[data-testid="stTabPanel"]');
  if (!panel) return;
  const panels = [...panel.parentElement.children].filter((each) => each.matches('[data-testid="stTabPanel"]'));
  panel.closest('[data-testid="stTabs"]').querySelectorAll('[role="tab"]')[panels.indexOf(panel)].click();
}"""

# The colour behind a figure, or the outermost pixel of a canvas.
GROUND = """(picture) => picture.getContext
  ? `rgb(${[...picture.getContext('2d').getImageData(1, 1, 1, 1).data].slice(0, 3).join(', ')})`
  : getComputedStyle(picture.querySelector('.main-svg')).backgroundColor"""

# Where a slider's handle is and where its track begins and ends. Streamlit hides the input and draws the handle with
# the element around it, positioned on a track; a plain range input is its own track, less half a handle at both ends.
TRACK = """(input) => {
  const share = (input.value - input.min) / (input.max - input.min);
  let box = input.getBoundingClientRect();
  let y = box.y + box.height / 2;
  let margin = 8;
  if (input.parentElement.clientWidth <= 1) {
    const handle = input.closest('[style*="left"]');
    const at = handle.getBoundingClientRect();
    y = at.y + at.height / 2;
    box = handle.parentElement.getBoundingClientRect();
    margin = 0;
  }
  const [left, right] = [box.left + margin, box.right - margin];
  return { left, right, y, handle: left + share * (right - left) };
}"""


def open_page(page: Page, path: str = "/", query: Mapping[str, object] | None = None) -> None:
    """Go to a page of the app, with settings in its URL, and wait until it rests."""
    address = "/" + path.lstrip("/")
    page.goto(f"{address}?{urlencode(query)}" if query else address, wait_until="commit")
    wait_until_idle(page)


def wait_until_idle(page: Page, timeout: float = TIMEOUT) -> None:
    """Wait until the script has run to its end and the browser has taken everything in."""
    page.evaluate("window.__rested = 0")
    page.wait_for_function(IS_IDLE, arg=[CONFIRMED, UNANSWERED], timeout=timeout, polling=TICK)


def wait_for_figure(page: Page, index: int = 0, timeout: float = TIMEOUT) -> Locator:
    """Wait until Plotly has drawn the visible figure with this number; return it."""
    of_figure(page, "() => true", index=index, timeout=timeout)
    return page.locator(f"{OWN_FIGURE}:visible").nth(index)


def main_picture(page: Page, timeout: float = TIMEOUT) -> Locator:
    """Wait until the main picture of a page is drawn, a figure or the canvas of a view that moves; return it."""
    frame = page.locator(".st-key-frame")
    view, plot = frame.locator(".scrub[data-ready] canvas:visible"), frame.locator(f"{OWN_FIGURE}:visible")
    view.or_(plot).first.wait_for(timeout=timeout)
    return view.first if view.count() else wait_for_figure(page, timeout=timeout)


def box_of(element: Locator) -> FloatRect:
    """Where an element lies in the window. One that is being redrawn has no place: it is looked up again."""
    deadline = time.monotonic() + TIMEOUT / 1000
    while (box := element.bounding_box()) is None:
        assert time.monotonic() < deadline, f"{element} is never in sight for long enough to be measured."
    return box


def of_figure(page: Page, expression: str, given: object = None, index: int = 0, timeout: float = TIMEOUT) -> Any:
    """What a JavaScript function of a drawn figure, and of what is given besides, returns once that is not null."""
    script = OF_FIGURE.replace("EXPRESSION", expression)
    [found] = page.wait_for_function(script, arg=[index, given], timeout=timeout).json_value()
    return found


def figure(page: Page, index: int = 0) -> dict[str, Any]:
    """What a drawn figure holds: ``traces`` (name and type), ``x_range`` and ``y_range``."""
    return of_figure(page, FIGURE, index=index)


def place_of_point(page: Page, trace: str, point: int, index: int = 0) -> tuple[float, float]:
    """Where in the window a figure has drawn a point of the trace with this name."""
    x, y = of_figure(page, PLACE_OF_POINT, [trace, point], index)
    return x, y


def place_in_figure(page: Page, x: float, y: float, index: int = 0) -> tuple[float, float]:
    """Where in the window a figure has these data coordinates."""
    left, top = of_figure(page, PLACE_IN_FIGURE, [x, y], index)
    return left, top


def picture(locator: Locator) -> str:
    """A short word that changes with the pixels of a figure, canvas or image: equal words, equal pictures.

    Taken when two looks in a row agree, because a late redraw may still be under way.
    """
    deadline, last = time.monotonic() + TIMEOUT / 1000, ""
    while True:
        try:
            pixels = locator.screenshot(animations="disabled")
        except Error as error:
            if "not attached" not in str(error) or time.monotonic() > deadline:
                raise
            continue  # it was redrawn as another element
        shown = hashlib.sha256(pixels).hexdigest()[:16]
        if shown == last:
            return shown
        assert time.monotonic() < deadline, "The picture never comes to rest."
        last = shown


def wait_for_picture(locator: Locator, *, like: str | None = None, other_than: str | None = None) -> str:
    """Wait until a figure, canvas or image looks like one picture, or other than one; return how it looks."""
    deadline = time.monotonic() + TIMEOUT / 1000
    while (shown := picture(locator)) == other_than or (like is not None and shown != like):
        assert time.monotonic() < deadline, "It looks as before." if like is None else "It never looks as expected."
        locator.page.wait_for_timeout(100)
    return shown


def wait_for_ground(page: Page, color: str, timeout: float = TIMEOUT) -> None:
    """Wait until page and main picture have this colour (``rgb(...)``) as their ground."""
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", color)
    deadline = time.monotonic() + timeout / 1000
    while (ground := main_picture(page).evaluate(GROUND)) != color:
        assert time.monotonic() < deadline, f"The picture stands on {ground}, the page on {color}."
        page.wait_for_timeout(100)


def keyed(page: Page, key: str) -> Locator:
    """What has a key: an element of Streamlit, or one inside a view that runs in the browser."""
    return page.locator(f'.st-key-{key}, [data-key="{key}"]')


def reveal(page: Page, key: str) -> None:
    """Open the expander or the tab in which the control with this key is."""
    keyed(page, key).first.evaluate(OPEN_AROUND)
    keyed(page, key).first.wait_for()
    wait_until_idle(page)


def slider(page: Page, key: str, index: int = 0) -> Locator:
    """The visible handle of the slider with this key; index 1 ends a range."""
    return keyed(page, key).get_by_role("slider").nth(index)


def slider_value(page: Page, key: str, index: int = 0) -> str:
    """The value a slider shows, as text."""
    value = slider(page, key, index).get_attribute("aria-valuetext")
    assert value is not None, f"The slider {key!r} shows no value."
    return value


def set_slider(page: Page, key: str, presses: str | Sequence[str], wait: bool = True) -> str:
    """Press keys on a slider ("End", or "Home" and three times "ArrowRight"); return the value it then shows."""
    slider(page, key).focus()
    for press_of in [presses] if isinstance(presses, str) else presses:
        page.keyboard.press(press_of)
    if wait:
        wait_until_idle(page)
    return slider_value(page, key)


def drag_slider(page: Page, key: str, to: float, steps: int = 20, release: bool = True, wait: bool = True) -> None:
    """Drag a slider's handle to a fraction of its track, 0 to 1, in steps.

    With ``release=False`` the button stays down, to look at what happens during the drag; end it with
    ``page.mouse.up()``. Works on Streamlit's sliders and on a component's plain range input.
    """
    handle = slider(page, key)
    handle.scroll_into_view_if_needed()
    place = handle.evaluate(TRACK)
    page.mouse.move(place["handle"], place["y"])
    page.mouse.down()
    page.mouse.move(place["left"] + to * (place["right"] - place["left"]), place["y"], steps=steps)
    if release:
        page.mouse.up()
        if wait:
            wait_until_idle(page)


def button(page: Page, key: str) -> Locator:
    """The button with this key."""
    return page.locator(f'.st-key-{key} button, button[data-key="{key}"]').first


def press(page: Page, key: str, wait: bool = True) -> None:
    """Click the button with this key."""
    button(page, key).click()
    if wait:
        wait_until_idle(page)


def open_tab(page: Page, title: str) -> None:
    """Open one of the tabs under the picture (`bdlviz.ui.frame.tabs` has their titles)."""
    page.get_by_role("tab", name=title, exact=True).click()
    wait_until_idle(page)


def choose_option(page: Page, key: str, place: int) -> None:
    """Choose among the buttons of a control, by place."""
    page.locator(f".st-key-{key} [role=radiogroup] button").nth(place).click()
    wait_until_idle(page)


def choose_scene(page: Page, name: str) -> None:
    """Click the button of one of the first scenes."""
    press(page, f"scene_{name}")


def choose_picture(page: Page, key: str) -> None:
    """Choose the other picture in which something has this key: the entries of the menu are tried, the last first."""
    menu, entries = button(page, "pictures"), page.get_by_role("menuitem")
    place = -1
    while not keyed(page, key).count():
        menu.scroll_into_view_if_needed()  # scrolling would close the open menu
        page.wait_for_timeout(300)
        menu.click()
        entries.first.wait_for()
        assert -place <= entries.count(), f"No other picture has {key!r}."
        entries.nth(place).click()
        wait_until_idle(page)
        place -= 1


def go_to(page: Page, name: str) -> None:
    """Go to a page by the navigation at the top, without loading the app again."""
    place = '[data-testid="stHeader"] a'
    if section := OF_PAGE[name]:
        page.get_by_test_id("stHeader").get_by_text(section, exact=True).click()
        place = '[role="menuitem"]'
    page.locator(f'{place}[href$="/{path_of(name)}"]').click()
    wait_until_idle(page)


def numbers(page: Page) -> list[str]:
    """The values in the row of key numbers."""
    return page.locator(".st-key-numbers").get_by_test_id("stMetricValue").all_inner_texts()


def answer(page: Page, option: int = 0) -> None:
    """Guess an answer to the open question of a scene, by its place, and have the scene shown."""
    page.locator(".st-key-guess [role=radiogroup] label").nth(option).click()
    wait_until_idle(page)
    press(page, "commit_guess")


def choose_file(page: Page, name: str, content: bytes) -> None:
    """Choose a CSV file in the page's upload field, and wait for nothing: the browser may refuse it."""
    page.locator('input[type="file"]').set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})


def upload(page: Page, name: str, content: bytes) -> None:
    """Choose a CSV file in the page's upload field, and wait until the page has taken it in.

    While a file is on its way the page rests, and it rests a second time where it first lets go of an earlier file.
    It asks for the run that counts at once when the server has answered.
    """
    with page.expect_response(lambda answer: answer.request.method == "PUT", timeout=TIMEOUT) as sent:
        choose_file(page, name, content)
    sent.value.finished()
    wait_until_idle(page)


def download(page: Page, key: str, folder: Path) -> Path:
    """Click the download button with this key and return the file it gave, under the name it gave."""
    return _saved(page, button(page, key), folder)


def download_picture(page: Page, kind: str, folder: Path) -> Path:
    """Save the picture of the Export tab as "png" or "svg"; returns the file."""
    return _saved(page, page.locator(f'.st-key-save_as button[data-format="{kind}"]'), folder)


def _saved(page: Page, pressed: Locator, folder: Path) -> Path:
    with page.expect_download(timeout=TIMEOUT) as started:
        pressed.click()
    target = folder / started.value.suggested_filename
    started.value.save_as(target)
    return target


def no_traceback(page: Page) -> None:
    """Fail if the page shows an exception or a traceback."""
    shown = page.get_by_test_id("stException").all_inner_texts()
    assert not shown, f"{page.url} shows an exception: {shown}"
    expect(page.get_by_text(re.compile(r"Traceback \(most recent call last\)"))).to_have_count(0)


def screenshot(
    page: Page, path: Path | str, width: int = LAPTOP, dark: bool = False, height: int | None = None
) -> Path:
    """Save the page as a picture: all of it, or the part a window of this height shows; PHONE is a phone's width."""
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.set_viewport_size({"width": width, "height": height or 900})
    settle(page)
    if height is None:  # the page scrolls inside a frame of its own, so the window has to grow
        content = page.evaluate("document.querySelector('[data-testid=\"stMain\"]')?.scrollHeight ?? 900")
        page.set_viewport_size({"width": width, "height": max(900, min(int(content), 8000))})
        settle(page)
    page.mouse.move(0, 0)  # nothing hovered
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, animations="disabled")
    return path


def settle(page: Page) -> None:
    """Wait out what a new window size or theme sets off: a resize, a rerun, a figure drawn anew."""
    page.wait_for_timeout(300)
    wait_until_idle(page)
    for index in range(page.locator(f"{OWN_FIGURE}:visible").count()):
        wait_for_figure(page, index)


def click_in_figure(page: Page, x: float, y: float) -> None:
    """Click a place of the window that lies in a figure, which knows what is under the pointer a moment later."""
    page.mouse.move(x, y)
    page.wait_for_timeout(300)
    page.mouse.click(x, y)
    wait_until_idle(page)


def draw_a_stroke(page: Page) -> None:
    """Draw a vertical stroke on the sheet for a digit of one's own."""
    sheet = page.locator(".scrub.sketch[data-ready] canvas")
    sheet.scroll_into_view_if_needed()
    box = box_of(sheet)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 40, steps=8)
    page.mouse.up()
    wait_until_idle(page)


def start_long_fit(page: Page, seed: int) -> None:
    """Open *Function draws* on a fit that takes long, and wait until it shows how far it is. It never rests meanwhile.

    Every test has a seed of its own, so that none finds what another has trained.
    """
    page.goto(f"/function_draws?{urlencode(LONG | {'seed': seed})}", wait_until="commit")
    wait_for_steps(page)


def wait_for_steps(page: Page) -> None:
    """Wait until the page shows how many of the steps of a `LONG` fit are done."""
    expect(page.locator(".st-key-training")).to_contain_text(f"{LONG['num_steps']:,}")
