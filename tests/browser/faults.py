"""What may be wrong with a page in a browser, as functions that return the faults they find, in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_playwright_python

from bdlviz.plots import theme
from bdlviz.plots.theme import rgb
from bdlviz.ui.places.routes import HOME, SECTIONS
from tests.browser.driver import box_of, keyed, main_picture

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = [name for entries in SECTIONS.values() for name, _ in entries]
PLAIN = ("start/lecture", "start/glossary", "results/status", "results/figure_index")  # pages without a picture
TITLES = {name: title for entries in SECTIONS.values() for name, title in entries}
MOST_TABS = 200  # presses after which a page counts as a trap
# axe keeps to a document, so it is loaded into each. The rules are those of WCAG 2.0, 2.1 and 2.2, levels A and AA; no
# rule and no element is left out.
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")

FINDINGS = """() => axe.run(document, {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'],
}).then(({ violations }) => violations
  .filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .flatMap(({ id, impact, nodes }) => nodes.map(({ target, html, failureSummary }) =>
    `${id} (${impact}) at ${target.flat().join(' ')}: ${html.slice(0, 300)}. ${failureSummary}`)))"""

WIDER_THAN_THE_WINDOW = """() => ['html', 'body', '[data-testid="stMain"]']
  .map((name) => [name, document.querySelector(name)])
  .filter(([, box]) => box.scrollWidth > box.clientWidth || box.getBoundingClientRect().right > innerWidth)
  .map(([name, box]) => `${name}: ${box.scrollWidth}`)"""

CUT_OFF = """() => [...document.querySelectorAll('[data-testid="stMetric"] *, button *, label *')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== 'visible')
  .map((box) => box.textContent).filter((text) => text)"""

# A target is what answers, not what is drawn: the middle of a control and 11 px to each side of it have to lead to it.
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

# Everything that a mouse could press, and what shows that it has the focus. Of buttons of which one is chosen, and of
# tabs, the keyboard reaches one and arrow keys the others; a part of a control that is out of the order of Tab
# (tabindex -1) belongs to a neighbour which is in it.
PREPARE = """() => {
  const within = (root) => [...root.querySelectorAll('*')]
    .flatMap((each) => (each.shadowRoot ? [each, ...within(each.shadowRoot)] : [each]));
  const kinds = 'a[href], button, input, select, textarea, summary, .scrub canvas[tabindex], [role="tab"]';
  const group = (element) => element.closest('[role="tablist"], [data-testid="stButtonGroup"]');
  const isSeen = (element) => (element.closest('label') ?? element.parentElement).checkVisibility()
    && element.checkVisibility() && !element.closest('[data-testid="stSidebar"]');
  const isUnseen = (element) => element.matches('input')
    && (element.parentElement.clientWidth <= 1 || getComputedStyle(element).opacity === '0');
  const parent = (element) => element.parentElement ?? element.getRootNode().host;
  const look = (element) => {
    const style = getComputedStyle(element);
    return [style.outlineStyle === 'none' ? '' : style.outline, style.boxShadow, style.borderColor].join(' / ');
  };
  const shown = (element) => {
    const looks = isUnseen(element) ? [] : [look(element)];
    let around = element;
    for (let step = 0; step < 3 && parent(around); step += 1) looks.push(look(around = parent(around)));
    for (const each of parent(element).children) if (each !== element) looks.push(look(each)); // what stands for it
    return looks.join(' | ');
  };
  const name = (element) => (element.matches('main') ? 'main' : null) ?? element.getAttribute('aria-label')
    ?? (element.textContent.trim().slice(0, 60) || element.outerHTML.slice(0, 120));
  const focused = () => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element === document.body ? null : element;
  };
  const wanted = within(document).filter((each) => each.matches(kinds) && !each.disabled && isSeen(each));
  window.__keyboard = { wanted, group, shown, name, focused, visited: new Map() };
  document.body.tabIndex = -1; // Tab goes on from where the focus was last: let that be the beginning
  document.body.focus();
  document.body.removeAttribute('tabindex');
}"""

# One press of Tab later: what has the focus, or null once it has left the page or come round. In a table, Tab goes
# from cell to cell, which are inside a canvas for readers of the screen, and the canvas keeps the focus.
NOTE = """() => {
  const { focused, shown, visited, name } = window.__keyboard;
  const element = focused()?.closest('canvas') ?? focused();
  if (!element || (visited.has(element) && element !== [...visited.keys()].at(-1))) return null;
  visited.set(element, shown(element));
  return { name: name(element), href: element.href ?? null, tag: element.tagName };
}"""

MISSED = """() => {
  const { wanted, group, visited, name } = window.__keyboard;
  const groups = new Set([...visited.keys()].map(group));
  return wanted.filter((each) => each.isConnected && !visited.has(each))
    .filter((each) => (group(each) ? !groups.has(group(each)) : each.tabIndex >= 0))
    .map(name);
}"""

WITHOUT_RING = """() => {
  const { shown, visited, name, focused } = window.__keyboard;
  focused()?.blur();
  const isTable = (element) => element.matches('canvas:has(table)'); // draws a ring around the cell by itself
  return [...visited].filter(([element, look]) => element.isConnected && shown(element) === look && !isTable(element))
    .map(([element]) => name(element));
}"""


def title(name: str) -> str:
    """The title of a page's window."""
    return "bdlviz" if name == HOME else f"{TITLES[name]} · bdlviz"


def ground(name: str) -> str:
    """The ground of a theme, as a browser says it."""
    return "rgb({}, {}, {})".format(*rgb(theme(name).paper))


def axe_findings(page: Page) -> list[str]:
    """What axe calls serious or critical; its script must be loaded (`AXE`)."""
    return page.evaluate(FINDINGS)


def misfits(page: Page, has_picture: bool = True) -> list[str]:
    """What sticks out of the window, and words that are cut off."""
    found = [f"scrolls sideways: {each}" for each in page.evaluate(WIDER_THAN_THE_WINDOW)]
    found += [f"cut off: {each}" for each in page.evaluate(CUT_OFF)]
    if has_picture:
        width, box = page.viewport_size["width"] if page.viewport_size else 0, box_of(main_picture(page))
        if box["x"] < 0 or box["x"] + box["width"] > width:
            found.append(f"the picture lies at {box} in a window of {width} px")
    return found


def hard_to_touch(page: Page) -> list[str]:
    """Controls that are smaller than a fingertip, or lie under something else."""
    return page.evaluate(TOO_SMALL)


def tab_through(page: Page) -> Iterator[dict[str, Any]]:
    """Press Tab from the beginning of the page until it ends; what had the focus, one after the other."""
    page.evaluate(PREPARE)
    last = {}
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        found = page.evaluate(NOTE)
        if found is None:
            return
        last = found
        yield found
    raise AssertionError(f"Tab never leaves the page; it was last at {last}.")


def tab_into(page: Page, key: str) -> None:
    """Press Tab until something with this key has the focus."""
    inside = "(element) => element.contains(document.activeElement)"
    assert any(keyed(page, key).evaluate(inside) for _ in tab_through(page)), f"Tab never comes to {key}."


def out_of_reach(page: Page) -> list[str]:
    """What Tab never comes to, and what does not show that it has the focus."""
    came_to = [each["name"] for each in tab_through(page)]
    found = [f"Tab does not reach {each}, only {came_to}" for each in page.evaluate(MISSED)]
    return found + [f"nothing shows the focus of {each}" for each in page.evaluate(WITHOUT_RING)]
