"""Sliders are moved by touch."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import CDPSession, Page

from tests.browser.conftest import App
from tests.browser.driver import PHONE, open_page, slider, slider_value, wait_until_idle

WINDOW = {"width": PHONE, "height": 844}


@pytest.fixture
def phone(app: App, new_page: Callable[..., Page]) -> Page:
    """A phone's window on the shared app, touched instead of clicked."""
    return new_page(app, viewport=WINDOW, has_touch=True, is_mobile=True, device_scale_factor=2)


HANDLE = """(input) => {
  const handle = input.parentElement.clientWidth <= 1 ? input.closest('[style*="left"]') : input;
  const box = handle.getBoundingClientRect();
  const share = handle === input ? (input.value - input.min) / (input.max - input.min) : 0.5;
  return [box.x + 8 + share * (box.width - 16), box.y + box.height / 2];
}"""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/effect_of_lambda", id="a slider of Streamlit"),
        pytest.param("/function_draws", id="a slider of a view"),
    ],
)
def test_a_finger_moves_a_slider(path: str, phone: Page):
    open_page(phone, path)
    handle = slider(phone, "dropout_rate")
    handle.evaluate("(input) => input.scrollIntoView({ block: 'center', behavior: 'instant' })")
    before = slider_value(phone, "dropout_rate")
    x, y = handle.evaluate(HANDLE)
    drag_by_touch(phone.context.new_cdp_session(phone), x, y, 90)
    wait_until_idle(phone)
    assert slider_value(phone, "dropout_rate") != before
    assert "dropout_rate=" in phone.url


def drag_by_touch(session: CDPSession, x: float, y: float, by: float, steps: int = 10) -> None:
    """Put a finger down, move it to the right and lift it: Playwright itself only knows taps."""
    for step in range(steps + 1):
        kind = "touchMove" if step else "touchStart"
        points = [{"x": x + by * step / steps, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
