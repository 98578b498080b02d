"""Every page in the hand: nothing scrolls sideways, what can be pressed is large enough, and a finger moves sliders.

A target is what answers, not what is drawn: the middle of a control and 11 px to each side of it have to lead to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from bdlviz.ui.places.routes import SECTIONS, path_of
from tests.browser.driver import PHONE, open_page, slider, slider_value, wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

    from tests.browser.conftest import App

NAMES = [name for entries in SECTIONS.values() for name, _ in entries]
WINDOW = {"width": PHONE, "height": 844}

WIDER_THAN_THE_WINDOW = """() => ['html', 'body', '[data-testid="stMain"]']
  .map((name) => [name, document.querySelector(name)])
  .filter(([, box]) => box.scrollWidth > box.clientWidth || box.getBoundingClientRect().right > innerWidth)
  .map(([name, box]) => `${name}: ${box.scrollWidth}`)"""

# The input of a switch or of one of Streamlit's sliders is hidden: its label, or the handle around it, is what is seen.
TOO_SMALL = """async () => {
  const within = (root) => [...root.querySelectorAll('*')]
    .flatMap((each) => (each.shadowRoot ? [each, ...within(each.shadowRoot)] : [each]));
  const kinds = 'a[href], button, input, select, textarea, summary, .scrub canvas[tabindex], [role="tab"]';
  const drawn = (element) => {
    if (element.matches('[type="range"]') && element.parentElement.clientWidth <= 1) {
      return element.closest('[style*="left"]');
    }
    return element.closest('label') ?? element.closest('[data-baseweb="input"]') ?? element;
  };
  const answers = (target, x, y) => {
    const root = target.getRootNode();
    for (let hit = root.elementFromPoint(x, y); hit; hit = hit.parentElement) if (hit === target) return true;
    return false;
  };
  const problems = [];
  for (const element of within(document).filter((each) => each.matches(kinds) && !each.disabled)) {
    const target = drawn(element);
    const isInText = target.matches('p a, li a'); // a link in a sentence is as high as its line
    const isAside = target.matches('[class*="skip" i]') || target.closest('[data-testid="stSidebar"]'); // not in sight
    if (isInText || isAside || !target.checkVisibility({ visibilityProperty: true })) continue;
    target.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const isTab = element.matches('[role="tab"]'); // over one at the end lies an arrow, until the list has scrolled
    if (isTab) await new Promise((resolve) => setTimeout(resolve, 100));
    const box = target.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue; // for readers of the screen only
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const around = box.width >= 24 && box.height >= 24 ? [[0, 0]] : [[0, 0], [-11, 0], [11, 0], [0, -11], [0, 11]];
    const missed = around.filter(([dx, dy]) => !answers(target, x + dx, y + dy));
    if (missed.length) {
      const name = element.getAttribute('aria-label') ?? (element.textContent.trim() || element.outerHTML.slice(0, 99));
      problems.push(`${name}: ${Math.round(box.width)} x ${Math.round(box.height)}, misses ${JSON.stringify(missed)}`);
    }
  }
  return problems;
}"""


@pytest.fixture
def phone(app: App, new_page: Callable[..., Page]) -> Page:
    """A phone's window on the shared app, touched instead of clicked."""
    return new_page(app, viewport=WINDOW, has_touch=True, is_mobile=True, device_scale_factor=2)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_fits_a_hand(name: str, phone: Page):
    open_page(phone, path_of(name))
    assert phone.evaluate(WIDER_THAN_THE_WINDOW) == [], "The page scrolls sideways."
    assert phone.evaluate(TOO_SMALL) == []
    assert phone.evaluate(WIDER_THAN_THE_WINDOW) == [], "The page scrolls sideways further down."


HANDLE = """(input) => {
  const handle = input.parentElement.clientWidth <= 1 ? input.closest('[style*="left"]') : input;
  const box = handle.getBoundingClientRect();
  const share = handle === input ? (input.value - input.min) / (input.max - input.min) : 0.5;
  return [box.x + 8 + share * (box.width - 16), box.y + box.height / 2];
}"""


@pytest.mark.parametrize(
    ("path", "label"),
    [
        pytest.param("/effect_of_lambda", "Dropout rate", id="a slider of Streamlit"),
        pytest.param("/function_draws", "Dropout rate", id="a slider of a view"),
    ],
)
def test_a_finger_moves_a_slider(path: str, label: str, phone: Page):
    open_page(phone, path)
    handle = slider(phone, label)
    handle.evaluate("(input) => input.scrollIntoView({ block: 'center', behavior: 'instant' })")
    before = slider_value(phone, label)
    x, y = handle.evaluate(HANDLE)
    drag_by_touch(phone.context.new_cdp_session(phone), x, y, 90)
    wait_until_idle(phone)
    assert slider_value(phone, label) != before
    assert "dropout_rate=" in phone.url


def drag_by_touch(session: CDPSession, x: float, y: float, by: float, steps: int = 10) -> None:
    """Put a finger down, move it to the right and lift it: Playwright itself only knows taps."""
    for step in range(steps + 1):
        kind = "touchMove" if step else "touchStart"
        points = [{"x": x + by * step / steps, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
