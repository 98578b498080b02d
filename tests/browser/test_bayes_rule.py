"""Points clicked into the page on Bayes' rule: the posterior follows, and only clicks beside the data count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bdlviz.topics.foundations.bayes_rule.figures import PREDICTION
from tests.browser.driver import no_traceback, of_figure, open_page, wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

DATA = "(plot) => plot.calcdata.find(([first]) => first.trace.name === 'Data').map(({ x, y }) => [x, y])"
PLACE = """(plot, [panel, x, y]) => {
  const { xaxis, yaxis } = plot._fullLayout._plots[`x${panel}y${panel}`];
  const box = plot.querySelector(`.x${panel}y${panel} .nsewdrag, .nsewdrag[data-subplot="x${panel}y${panel}"]`);
  const { x: left, y: top } = box.getBoundingClientRect();
  return [left + xaxis.c2p(x), top + yaxis.c2p(y)];
}"""


def click(page: Page, panel: int, x: float, y: float) -> None:
    """Click at these coordinates of a panel, counted from 1."""
    left, top = of_figure(page, PLACE, [panel, x, y])
    page.mouse.move(left, top)
    page.wait_for_timeout(200)  # the figure looks for the point under the pointer first
    page.mouse.click(left, top)
    wait_until_idle(page)


def test_a_click_beside_the_data_adds_a_point_and_another_removes_it(page: Page):
    open_page(page, "/bayes_rule", {"data": "own"})
    before = of_figure(page, DATA)
    click(page, PREDICTION + 1, 2.0, -3.0)
    added = of_figure(page, DATA)
    assert len(added) == len(before) + 1
    assert abs(added[-1][0] - 2) < 0.2 and abs(added[-1][1] + 3) < 0.2
    click(page, PREDICTION + 1, *added[-1])
    assert len(of_figure(page, DATA)) == len(before)
    no_traceback(page)


def test_a_click_into_the_posterior_adds_nothing(page: Page):
    open_page(page, "/bayes_rule", {"data": "own"})
    before = of_figure(page, DATA)
    click(page, PREDICTION, 0.22, 0.3)
    assert of_figure(page, DATA) == before
