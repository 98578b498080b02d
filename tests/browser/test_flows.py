"""What a visitor does with controls, scenes and links, and with the browser's own Reload and Back."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from bdlviz.lectures.glossary import TERMS
from bdlviz.topics.regression.effect_of_lambda import study
from bdlviz.topics.results.figure_index.entries import ENTRIES
from bdlviz.ui.controls.control import text
from bdlviz.ui.places import link
from bdlviz.ui.places.navigation import title
from tests.browser import driver, faults

FUNCTION_DRAWS = "/function_draws"
CLICKED_TRACE = "(plot) => plot._fullData.find(({ mode, customdata }) => mode === 'lines+markers' && customdata).name"
A_MOMENT = 1000 * link.IN_FLIGHT + 200  # milliseconds before a person presses Back


def test_reload_keeps_every_kind_of_control(page: Page):
    chosen = {"method": "deep_ensemble", "weight_decay": "0.01", "follows": "length_scale", "data": "two_clusters"}
    driver.open_page(page, FUNCTION_DRAWS, chosen)
    driver.set_slider(page, "num_members", "Home")
    expect(page).to_have_url(re.compile("data=two_clusters.*num_members=2|num_members=2.*data=two_clusters"))
    address, shown = page.url, driver.picture(driver.main_picture(page))
    page.reload()
    driver.wait_until_idle(page)
    assert page.url == address
    assert driver.slider_value(page, "num_members") == "2" and driver.slider_value(page, "weight_decay") == "0.01"
    driver.wait_for_picture(driver.main_picture(page), like=shown)


def test_back_restores_what_was_shown_before(page: Page):
    driver.open_page(page, FUNCTION_DRAWS)
    first = driver.picture(driver.main_picture(page))
    driver.set_slider(page, "dropout_rate", "Home")
    second = driver.wait_for_picture(driver.main_picture(page), other_than=first)
    driver.choose_scene(page, "gap")
    expect(page).to_have_url(re.compile(r"\?data=two_clusters$"))
    for address, shown, value in ((r"\?dropout_rate=0$", second, "0"), (r"function_draws$", first, "0.1")):
        page.wait_for_timeout(A_MOMENT)
        page.go_back()
        expect(page).to_have_url(re.compile(address))
        driver.wait_until_idle(page)
        assert driver.slider_value(page, "dropout_rate") == value
        driver.wait_for_picture(driver.main_picture(page), like=shown)


def test_a_page_keeps_its_settings_while_another_is_open(page: Page):
    driver.open_page(page, FUNCTION_DRAWS, {"dropout_rate": "0.5"})
    for name in ("generative/manifold", "regression/function_draws"):
        driver.go_to(page, name)
        expect(page).to_have_title(faults.title(name))
        driver.wait_until_idle(page)
        driver.main_picture(page)
    assert driver.slider_value(page, "dropout_rate") == "0.5"
    expect(page).to_have_url(re.compile(r"/function_draws\?dropout_rate=0\.5$"))


def test_a_click_on_the_held_out_curve_chooses_its_weight_decay(page: Page):
    driver.open_page(page, "/effect_of_lambda")
    before = driver.picture(driver.wait_for_figure(page))
    driver.wait_for_figure(page, 1).scroll_into_view_if_needed()
    mean = driver.of_figure(page, CLICKED_TRACE, index=1)
    page.mouse.click(*driver.place_of_point(page, mean, 4, index=1))
    expect(page).to_have_url(re.compile(rf"\?weight_decay={text(study.LAMBDA_DECAYS[4])}$"))
    driver.wait_until_idle(page)
    driver.wait_for_picture(driver.wait_for_figure(page), other_than=before)


def test_the_glossary_opens_a_term_and_filters_while_a_visitor_types(page: Page):
    driver.open_page(page, "/glossary", {"term": "kl-divergence"})
    field, shown = page.locator(".search input"), page.locator(".search section:visible")
    expect(shown).to_have_count(len(TERMS))
    expect(shown.first.locator("h4")).to_have_text("KL divergence")
    field.fill("xyz")  # no term
    expect(shown).to_have_count(0)
    page.locator(".search nav a").nth(1).click()
    expect(page).to_have_url(re.compile(f"term={TERMS[1].key}$"))
    expect(field).to_have_value("")
    expect(shown.first.locator("h4")).to_have_text(TERMS[1].name)
    field.fill("drop")
    has_word = ["drop" in " ".join((term.name, term.meaning, *map(title, term.pages))).lower() for term in TERMS]
    expect(shown).to_have_count(sum(has_word))
    driver.wait_until_idle(page)
    expect(field).to_have_value("drop")
    field.fill("<img src=x onerror=alert(1)>")
    expect(shown).to_have_count(0)
    assert "<img src=x" not in page.content()


def test_the_figure_index_filters_figures_and_hides_pages_without_one(page: Page):
    driver.open_page(page, "/figure_index")
    page.locator(".search input").fill("histogram")
    found = [entry for entry in ENTRIES if "histogram" in (entry.title + entry.note).lower()]
    expect(page.locator(".search p:visible")).to_have_count(len(found))
    expect(page.locator(".search section:visible")).to_have_count(len({entry.page for entry in found}))
