"""The pages on generative models in a real browser: the decode pad, drawing a digit, images chosen in space."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from bdlviz.fits import GenerativeFit
from bdlviz.fitted import shelf
from bdlviz.topics.generative.latent_space.views_choice import NUMBERS
from bdlviz.topics.shared.autoencoders import Autoencoder
from tests.browser import driver
from tests.browser.conftest import App
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of

DECODE, SPACE = "/decode", "/latent_space"
ROOT = ".scrub.decoder[data-ready]"
PRESS_AT_ONCE = """(canvas) => {
  for (const [key, shiftKey] of [["ArrowRight", false], ["ArrowUp", true]]) {
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
  }
}"""  # two presses within one frame: the second must not start from where the first was not yet drawn
RUN_BEGAN = "() => window.__ranAt ?? null"


def pad(page: Page) -> Any:
    """The view, once it is drawn."""
    page.locator(ROOT).wait_for()
    return page.locator(ROOT)


def counts(page: Page) -> dict[str, float]:
    """What the view has done so far."""
    return pad(page).evaluate("(root) => ({ ...root.pad.counts })")


def drag(page: Page, steps: int = 60) -> None:
    """Press the pad in the middle and swing around it, one step for each frame; the button stays down."""
    box = driver.box_of(pad(page).locator(".plane canvas"))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(steps):
        angle = 2 * np.pi * step / steps
        page.mouse.move(x + 120 * np.cos(angle), y + 90 * np.sin(angle))


@pytest.mark.parametrize("codes", ["2d", "20d"])
def test_the_browser_decodes_as_python_does(codes: str, page: Page):
    fit = cast(GenerativeFit, shelf.shipped(f"vae_mnist_{codes}")[0])
    width = fit.model.network.latent_dim
    chosen = np.random.default_rng(0).normal(size=(12, width)).round(3)
    driver.open_page(page, DECODE, {"codes": codes})
    decode = "(root, codes) => codes.map((code) => Array.from(root.pad.decoder.decode(code)))"
    shown = np.array(pad(page).evaluate(decode, chosen.tolist()))
    np.testing.assert_allclose(shown, fit.decode(chosen), atol=1e-3)
    again, _ = fit.encode(shown)
    np.testing.assert_allclose(again, fit.encode(fit.decode(chosen))[0], atol=1e-2)


@pytest.mark.parametrize("codes", ["2d", "20d"])
def test_the_browser_says_far_out_by_the_same_density_as_python(codes: str, page: Page):
    fit, extra = shelf.shipped(f"vae_mnist_{codes}")
    model = Autoencoder("mnist", cast(GenerativeFit, fit), extra)
    chosen = 1.5 * np.random.default_rng(0).normal(size=(12, model.latent_dim)).round(3)
    driver.open_page(page, DECODE, {"codes": codes})
    density = "(root, codes) => codes.map((code) => { root.pad.code = code; return root.pad.logDensity(); })"
    shown = np.array(pad(page).evaluate(density, chosen.tolist()))
    np.testing.assert_allclose(shown, model.log_density(chosen), rtol=1e-3, atol=1e-3)
    assert pad(page).evaluate("(root) => root.pad.spec.rare") == pytest.approx(model.rare_density())


def test_the_browser_counts_the_nearest_codes_as_python_does(page: Page):
    driver.open_page(page, DECODE)
    near = "(root, code) => { root.pad.code = code; return root.pad.nearest().says; }"
    for x, y in ((1.5, -0.5), (0, 0), (-1, 1), (0.25, 2)):
        said = result_of("decode", {"z": f"{x},{y}"}).says
        told = numbers_in(pad(page).evaluate(near, [x, y]))
        assert told == numbers_in(said)[-len(told) :]


def test_a_drag_morphs_the_digit_without_a_run(page: Page):
    driver.open_page(page, DECODE)
    before, ran = counts(page), page.evaluate(RUN_BEGAN)
    digit = pad(page).locator(".digit canvas")
    looks = {digit.evaluate("(canvas) => canvas.toDataURL()")}
    drag(page)
    looks.add(digit.evaluate("(canvas) => canvas.toDataURL()"))
    after = counts(page)
    assert after["draws"] > before["draws"] and len(looks) == 2
    assert after["commits"] == before["commits"] and page.evaluate(RUN_BEGAN) == ran, "The drag asked the server."
    page.mouse.up()
    driver.wait_until_idle(page)
    assert counts(page)["commits"] == before["commits"] + 1
    expect(page).to_have_url(re.compile(r"z="))


def test_the_link_of_a_place_leads_back_to_it(page: Page):
    driver.open_page(page, DECODE, {"z": "1.5,-0.5"})
    assert pad(page).evaluate("(root) => root.pad.code") == [1.5, -0.5]
    driver.open_page(page, DECODE, {"codes": "20d", "z": "1.5,-0.5"})
    expect(page.get_by_test_id("stAlert")).to_contain_text("20")


def test_arrow_keys_move_the_pad(page: Page):
    driver.open_page(page, DECODE, {"start": "origin"})
    driver.main_picture(page)
    canvas = pad(page).locator(".plane canvas")
    canvas.focus()
    told = canvas.get_attribute("aria-label")
    canvas.evaluate(PRESS_AT_ONCE)
    driver.wait_until_idle(page)
    x, y = pad(page).evaluate("(root) => root.pad.code")
    assert 0 < x < y
    assert canvas.get_attribute("aria-label") not in (told, None), "Screen readers are told the new place."
    expect(page).to_have_url(re.compile(r"z="))


def test_a_slider_of_a_long_code_moves_the_digit(page: Page):
    driver.open_page(page, DECODE, {"codes": "20d"})
    driver.main_picture(page)
    slider = pad(page).locator(".knob input").first
    slider.focus()
    page.keyboard.press("Home")
    driver.wait_until_idle(page)
    assert float(slider.get_attribute("min") or "nan") in pad(page).evaluate("(root) => root.pad.code")


def test_a_finger_drags_on_a_phone_in_the_dark(app: App, new_page: Callable[..., Page]):
    page = new_page(app, viewport={"width": driver.PHONE, "height": 844}, color_scheme="dark", has_touch=True)
    driver.open_page(page, DECODE)
    driver.main_picture(page)
    canvas = pad(page).locator(".plane canvas")
    assert canvas.evaluate("(element) => getComputedStyle(element).touchAction") == "none"
    canvas.tap()
    driver.wait_until_idle(page)
    expect(page).to_have_url(re.compile(r"z="))


def test_reduced_motion_shows_the_last_state_at_once(app: App, new_page: Callable[..., Page]):
    page = new_page(app, reduced_motion="reduce")
    driver.open_page(page, DECODE)
    draws = counts(page)["draws"]
    driver.choose_scene(page, "middle")
    driver.answer(page)
    assert pad(page).evaluate("(root) => root.pad.code") == [0, 0]
    assert counts(page)["draws"] <= draws + 2


def test_a_drawn_digit_is_encoded(page: Page):
    driver.open_page(page, DECODE, {"images": "digits"})
    driver.choose_picture(page, "sketch")
    expect(driver.button(page, "take_code")).to_have_count(0)
    driver.draw_a_stroke(page)
    driver.press(page, "take_code")
    expect(page).to_have_url(re.compile(r"z="))


@pytest.mark.parametrize("by", ["number", "click"])
def test_a_chosen_image_shows_its_neighbours(by: str, page: Page):
    driver.open_page(page, SPACE, {"images": "digits"})
    if by == "click":
        driver.click_in_figure(page, *driver.place_of_point(page, "3", 17))
    else:
        page.locator(f".st-key-{NUMBERS} input").fill("7")
        page.keyboard.press("Enter")
        driver.wait_until_idle(page)
    expect(page.locator(".st-key-posterior_bars")).to_be_visible()


def test_a_lasso_shows_what_the_chosen_images_share(page: Page):
    driver.open_page(page, SPACE, {"images": "digits", "pick": "lasso"})
    x, y = driver.place_of_point(page, "8", 17)
    page.mouse.move(x - 60, y - 60)
    page.mouse.down()
    for right, down in ((60, -60), (60, 60), (-60, 60), (-60, -50)):
        page.mouse.move(x + right, y + down, steps=6)
    page.mouse.up()
    expect(page.locator(".st-key-posterior_bars")).to_be_visible()
    driver.wait_until_idle(page)
