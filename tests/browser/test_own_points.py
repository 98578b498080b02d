"""The visitor's own points in a browser: uploads good and bad, and clicks into pictures; the posterior follows."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import bdlviz
from bdlviz.topics.foundations.bayes_rule.figures import PREDICTION
from bdlviz.types import Array
from bdlviz.ui.controls.data_choice import STARTING_POINTS, decode_points, encode_points
from tests.browser import driver

X = np.linspace(0, 6, 24)
GOOD = "\n".join(["hours,milk (l)", *(f"{x:.2f},{np.sin(x):.3f}" for x in X)])
BAD = {  # what is said of a bad table, which tests/ui/test_data_choice.py has more of
    "words.csv": (b"x,y\n1,2\n2,cheese\n", re.compile("3.*cheese")),  # row and cell
    "long.csv": (b"1,2\n" * 10**6, "2.0MB or smaller"),  # Streamlit's words: the browser refuses it
}
DATA = "(plot) => plot.calcdata.find(([first]) => first.trace.name === 'Data').map(({ x, y }) => [x, y])"
PLACE = """(plot, [panel, x, y]) => {
  const { xaxis, yaxis } = plot._fullLayout._plots[`x${panel}y${panel}`];
  const box = plot.querySelector(`.x${panel}y${panel} .nsewdrag, .nsewdrag[data-subplot="x${panel}y${panel}"]`);
  const { x: left, y: top } = box.getBoundingClientRect();
  return [left + xaxis.c2p(x), top + yaxis.c2p(y)];
}"""

CURVE = """(plot) => {
  const { xaxis4: across, yaxis4: up } = plot._fullLayout;
  const places = plot.querySelector("polyline").getAttribute("points").split(" ");
  return places.map((place) => place.split(",").map(Number)).map(([x, y]) => [across.p2l(x), up.p2l(y)]);
}"""


def points_of(page: Page) -> Array:
    """The points in the address line."""
    return decode_points(parse_qs(urlsplit(page.url).query)["points"][0])


def click(page: Page, x: float, y: float) -> None:
    """Click into the picture at data coordinates, and wait until the address has changed."""
    before = page.url
    driver.click_in_figure(page, *driver.place_in_figure(page, x, y))
    page.wait_for_function("before => location.href !== before", arg=before)
    driver.wait_until_idle(page)


def test_uploads_good_and_bad(page: Page):
    driver.open_page(page, "/function_draws", {"data": "own", "num_steps": 200, "picture": "figure"})
    driver.reveal(page, "uploaded")
    driver.upload(page, "good.csv", GOOD.encode())
    expect(page.get_by_text("milk (l)").first).to_be_visible()
    address = page.url
    assert len(points_of(page)) == len(X)
    for name, (content, says) in BAD.items():
        driver.choose_file(page, name, content)
        expect(page.get_by_text(says).first).to_be_visible()
        driver.wait_until_idle(page)
        assert page.url == address, f"{name}: the good points are gone."
    driver.upload(page, "utf16.csv", GOOD.replace("milk (l)", "tea (l)").encode("utf-16"))
    expect(page.get_by_text("tea (l)").first).to_be_visible()
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_a_click_adds_a_point_and_a_click_on_a_point_removes_it(page: Page):
    driver.open_page(page, "/function_draws", {"data": "own", "num_steps": 200, "picture": "figure"})
    np.testing.assert_allclose(points_of(page), STARTING_POINTS)
    click(page, 2.0, -1.5)
    added = points_of(page)
    assert len(added) == len(STARTING_POINTS) + 1
    np.testing.assert_allclose(added[-1], [2.0, -1.5], atol=0.15)
    click(page, *added[-1])
    np.testing.assert_allclose(points_of(page), STARTING_POINTS)
    click(page, *STARTING_POINTS[2])
    np.testing.assert_allclose(points_of(page), np.delete(STARTING_POINTS, 2, axis=0))
    page.reload()
    driver.wait_until_idle(page)
    assert len(points_of(page)) == len(STARTING_POINTS) - 1
    expect(page).to_have_url(re.compile("data=own"))


@pytest.mark.parametrize("query", [{"data": "own"}, {"points_seen": 3}], ids=["own", "made"])
def test_only_a_click_beside_the_data_changes_the_points_of_bayes_rule(query: dict[str, object], page: Page):
    driver.open_page(page, "/bayes_rule", query)
    before = driver.of_figure(page, DATA)
    driver.click_in_figure(page, *driver.of_figure(page, PLACE, [PREDICTION, 0.22, 0.3]))  # into the posterior
    assert driver.of_figure(page, DATA) == before
    driver.click_in_figure(page, *driver.of_figure(page, PLACE, [PREDICTION + 1, 2.0, -3.0]))
    added = driver.of_figure(page, DATA)
    assert len(added) == len(before) + 1
    np.testing.assert_allclose(added[-1], [2, -3], atol=0.2)
    driver.click_in_figure(page, *driver.of_figure(page, PLACE, [PREDICTION + 1, *added[-1]]))
    assert len(driver.of_figure(page, DATA)) == len(before)


@pytest.mark.parametrize(
    ("family", "function"),
    [("line", lambda a, b, x: a * x + b), ("network", lambda first, second, x: second * np.tanh(first * x))],
)
def test_the_place_under_the_pointer_is_a_curve_in_the_prediction(
    family: str, function: Callable[[float, float, np.ndarray], np.ndarray], page: Page
):
    driver.open_page(page, "/bayes_rule", {"family": family})
    driver.wait_for_figure(page)
    page.mouse.move(*driver.of_figure(page, PLACE, [PREDICTION, 0.6, -0.9]))  # in the posterior
    expect(page.locator(".st-key-belief_maps polyline")).to_have_count(2)  # a wide one below
    x, y = np.array(driver.of_figure(page, CURVE)).T
    np.testing.assert_allclose(y, function(0.6, -0.9, x), atol=0.15)  # the pointer snaps to a cell of the map
    page.mouse.move(*driver.of_figure(page, PLACE, [PREDICTION + 1, 2.0, -3.0]))
    expect(page.locator(".st-key-belief_maps polyline")).to_have_count(0)


def test_unix_seconds_in_the_moving_picture(page: Page):
    """A click lands where it is made, what is read there is exact to a second, and the other points stay."""
    points = np.column_stack([1.7e9 + np.arange(12), 1.4e9 + 80 * np.sin(np.arange(12) / 2)])
    query = {"data": "own", "num_steps": 200, "points": encode_points(points)}
    driver.open_page(page, "/function_draws", query)
    panel = page.locator(".panel canvas").first
    expect(panel).to_be_visible(timeout=60_000)
    driver.wait_until_idle(page)
    width, height = panel.evaluate("(canvas) => [canvas.clientWidth, canvas.clientHeight]")
    panel.hover(position={"x": width * 0.7, "y": height * 0.3})
    expect(page.locator(".readout")).to_contain_text("17000000")
    expect(page.locator(".readout")).to_contain_text(re.compile("1400000[0-9]{3}|1399999[0-9]{3}"))
    before = page.url
    panel.click(position={"x": width * 0.7, "y": height * 0.2})
    page.wait_for_function("before => location.href !== before", arg=before)
    driver.wait_until_idle(page)
    now = points_of(page)
    np.testing.assert_array_equal(now[:-1], points)
    shown = bdlviz.from_points(points[:, 0], points[:, 1])
    ranges = (shown.x_range, shown.y_range)
    place, value = ((at - low) / (high - low) for at, (low, high) in zip(now[-1], ranges, strict=True))
    assert abs(place - 0.67) < 0.04 and abs(value - 0.8) < 0.08  # of the plane, which is smaller than the canvas


def test_the_figure_of_unix_seconds_holds_every_point(page: Page):
    points = np.column_stack([1.7e9 + np.arange(12), 1.4e9 + np.arange(12)])
    query = {"data": "own", "num_steps": 200, "picture": "figure", "points": encode_points(points)}
    driver.open_page(page, "/function_draws", query)
    np.testing.assert_array_equal(driver.of_figure(page, DATA), points)
    texts = driver.of_figure(page, "(plot) => [...plot.querySelectorAll('.xtick')].map((tick) => tick.textContent)")
    assert len(set(texts)) == len(texts) >= 3 and all(re.fullmatch(r"1,(700|699)(,\d{3}){2}", text) for text in texts)
