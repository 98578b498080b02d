"""The fit and the chains in a browser: they play, pause, step and scrub, and say what they show."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from bdlviz.models import targets
from bdlviz.topics.foundations.variational_or_mcmc import views_chains
from bdlviz.topics.foundations.variational_or_mcmc.controls import FAMILY
from bdlviz.topics.foundations.variational_or_mcmc.views_fit import chain_of, history_of
from tests.browser.conftest import App
from tests.browser.driver import PHONE, choose_option, open_page
from tests.patience import limit
from tests.told import numbers_in

PAGE = "/variational_or_mcmc"
SECONDS = limit(60)
MOMENT = "(root) => root.view.moment"
PICTURE = "(canvas) => canvas.toDataURL()"


def view(page: Page) -> Locator:
    """The picture that plays, once it has all that it draws."""
    found = page.locator(".scrub.chains[data-ready=true]")
    expect(found).to_be_visible()
    return found


def facts(page: Page) -> list[str]:
    """The values beside the picture, in their order."""
    return view(page).locator("dl dd").all_inner_texts()


def course(page: Page) -> Locator:
    """The slider over the steps."""
    return view(page).locator(".course input")


def play(page: Page) -> Locator:
    """The button that plays, and pauses where it plays."""
    return view(page).locator(".tools button[aria-pressed]")


def step_button(page: Page) -> Locator:
    return view(page).locator(".tools button:not([aria-pressed])")


def until(page: Page, condition: str) -> None:
    """Wait for something that the picture's element can tell."""
    deadline = time.monotonic() + SECONDS
    while not view(page).evaluate(condition):
        assert time.monotonic() < deadline, f"Never came true: {condition}"
        page.wait_for_timeout(50)


def widths(page: Page) -> list[float]:
    """The step, and how wide q and the chain are after it, in per cent of the posterior."""
    return numbers_in(view(page).locator(".side canvas").get_attribute("aria-label") or "")


def test_q_and_the_chain_are_as_wide_as_the_server_computed(page: Page):
    open_page(page, PAGE)
    history, chain = history_of("line", "mean_field", "reverse", "left"), chain_of("line", "left", 100)
    variance = targets.grid_of("line").moments[1][0, 0]
    for step in (0, 1, 7, 30, 100):
        course(page).fill(str(step))
        found = history.covariance[step, 0, 0], chain.places[: step + 1, 0, 0].var()
        expected = 100 * np.sqrt(np.array(found) / variance)
        assert widths(page) == [step, *(pytest.approx(each, abs=0.51) for each in expected)]


def test_play_pause_and_step(page: Page):
    open_page(page, PAGE)
    found, canvas = view(page), view(page).locator(".ground canvas")
    until(page, f"(root) => ({MOMENT})(root) === 100")  # played by itself; on a slow machine that is over by now
    before = canvas.evaluate(PICTURE)
    play(page).click()
    expect(play(page)).to_have_attribute("aria-pressed", "true")
    until(page, f"(root) => ({MOMENT})(root) > 0 && ({MOMENT})(root) < 100")
    play(page).click()
    expect(play(page)).to_have_attribute("aria-pressed", "false")
    paused = found.evaluate(MOMENT)
    assert 0 < paused < 100 and canvas.evaluate(PICTURE) != before
    page.wait_for_timeout(200)
    assert found.evaluate(MOMENT) == paused
    step_button(page).click()
    until(page, f"(root) => ({MOMENT})(root) === {np.floor(paused) + 1}")


def test_the_chains_show_what_the_server_computed(page: Page):
    open_page(page, PAGE, {"scene": "good"})
    found = views_chains.diagnostics_of(views_chains.chains_of("banana", "hmc", 0.2, 20, "spread", 0))
    for step in (13, 120, 300):
        course(page).fill(str(step))
        verdict = list(views_chains.VERDICTS.values())[found["verdict"][step]]
        expect(view(page).locator(".verdict")).to_have_text(verdict)
        r_hat, ess, *_ = facts(page)
        if step < views_chains.WARM_UP:
            assert (r_hat, ess) == ("–", "–")
        else:
            np.testing.assert_allclose(float(r_hat), found["r_hat"][step], atol=6e-4)
            np.testing.assert_allclose(float(ess), found["ess"][step], atol=0.51)
    assert list(views_chains.VERDICTS)[found["verdict"][300]] == "agree"


def test_diverged_chains_are_named(page: Page):
    open_page(page, PAGE, {"scene": "large-step"})
    course(page).fill("300")
    expect(view(page).locator(".verdict.bad")).to_be_visible()
    assert "∞" in facts(page)


def test_keys_scrub_and_speed_can_be_chosen(page: Page):
    open_page(page, PAGE, {"scene": "good"})
    course(page).focus()
    page.keyboard.press("Home")
    assert view(page).evaluate(MOMENT) == 0
    page.keyboard.press("ArrowRight")
    assert view(page).evaluate(MOMENT) == 1
    said = course(page).get_attribute("aria-valuetext") or ""
    assert re.findall(r"\d+", said) == ["1", str(views_chains.NUM_STEPS)]
    view(page).locator(".tools select").select_option("16")
    play(page).click()
    until(page, "(root) => root.view.moment > 20")


def test_reduced_motion_on_a_phone(app: App, new_page: Callable[..., Page]):
    """With reduced motion a step is a jump, and playing goes from whole step to whole step."""
    page = new_page(app, viewport={"width": PHONE, "height": 844}, color_scheme="dark", reduced_motion="reduce")
    open_page(page, PAGE)
    assert view(page).evaluate(MOMENT) == 100, "With reduced motion nothing plays by itself."
    course(page).fill("4")
    step_button(page).click()
    assert view(page).evaluate(MOMENT) == 5
    play(page).click()
    until(page, f"(root) => ({MOMENT})(root) > 5")
    assert view(page).evaluate(MOMENT) % 1 == 0


def test_another_setting_computes_another_run(page: Page):
    open_page(page, PAGE)
    course(page).fill("100")
    _, before, chain = widths(page)
    choose_option(page, FAMILY.key, FAMILY.options.index("full"))
    until(page, f"(root) => root.view.show.spread('q', 100)[1] > {2 * before / 100} * root.view.spec.spread[1]")
    course(page).fill("100")
    full = history_of("line", "full", "reverse", "left").covariance[100, 0, 0]
    expected = 100 * np.sqrt(full / targets.grid_of("line").moments[1][0, 0])
    assert widths(page) == [100, pytest.approx(expected, abs=0.51), chain]
