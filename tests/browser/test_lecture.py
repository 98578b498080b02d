"""One lecture in a real browser: a scene opened cold, every step by keyboard in presenter mode, and every export."""

from __future__ import annotations

import csv
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from playwright.sync_api import Browser, Page, expect

from bdlviz.lectures import lectures
from bdlviz.topics.regression.effect_of_lambda.controls import CHOSEN
from bdlviz.ui.frame import tabs
from tests.browser import driver, faults
from tests.browser.conftest import App, new_context
from tests.patience import limit
from tests.ui.harness import definition, scenes

[(NAME, STORY)] = lectures().items()
PICTURES, FILES = ("png", "svg"), ("csv", "html", "py", "ipynb")
NUM_ASKED = "window.__asked ?? 0"  # runs that the page has asked for
IN_FOCUS = """() => {
  let active = document.activeElement;
  const around = active?.closest('[class*="st-key-save_"]')?.className ?? '';
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active?.dataset.format ?? around.match(/st-key-save_(\\w+)/)?.[1] ?? '';
}"""
# The lines of a figure that its legend names, by name: x and y.
LINES_OF_FIGURE = """(plot) => Object.fromEntries(plot._fullData
  .filter(({ mode, fill, name }) => mode === 'lines' && fill === 'none' && name)
  .map(({ name, x, y }) => [name, [...x.keys()].filter((i) => Number.isFinite(y[i])).map((i) => [x[i], y[i]])])
  .filter(([, line]) => line.length))"""


def place_of(index: int) -> re.Pattern[str]:
    """How a step is counted among all steps."""
    return re.compile(rf"\b{index + 1}\b.*\b{len(STORY.steps)}\b")


@pytest.mark.first
def test_a_scene_link_opens_its_picture_on_a_cold_server(fresh_app: Callable[..., App], new_page: Callable[..., Page]):
    page = new_page(fresh_app())
    driver.open_page(page, "effect_of_lambda", {"scene": "too-small-lambda"})
    driver.main_picture(page)
    scene = scenes("effect_of_lambda")["too-small-lambda"]
    expect(page.locator(".st-key-says").get_by_text(re.compile(r"\S")).first).to_be_visible()
    assert driver.slider_value(page, "weight_decay") == CHOSEN.name(scene.values["weight_decay"])


def test_the_whole_lecture_by_keyboard_in_presenter_mode(page: Page):
    driver.open_page(page, "/lecture")
    faults.tab_into(page, "start_presenting")
    page.keyboard.press("Enter")
    for index, step in enumerate(STORY.steps):
        place = page.locator(".st-key-lecture")
        expect(place).to_contain_text(place_of(index))
        expect(place).to_contain_text(step.title)
        driver.wait_until_idle(page)
        assert page.url.split("?")[0].endswith("/" + step.page.split("/")[-1])
        if page.locator(".st-key-prediction").count():
            page.keyboard.press("n")
            expect(page.locator(".st-key-prediction")).to_have_count(0)
            driver.wait_until_idle(page)
        expect(page.locator("header[data-testid=stHeader]")).to_be_hidden()
        expect(page.get_by_test_id("stTabs")).to_have_count(0)
        expect(page.locator(".js-plotly-plot:visible, canvas:visible").first).to_be_visible()
        driver.no_traceback(page)
        page.keyboard.press("PageDown" if index % 2 else "n")
    page.keyboard.press("PageUp")
    expect(page.locator(".st-key-lecture")).to_contain_text(place_of(len(STORY.steps) - 2))
    driver.wait_until_idle(page)
    page.keyboard.press("Escape")
    expect(page.locator("header[data-testid=stHeader]")).to_be_visible()
    driver.wait_until_idle(page)
    expect(driver.button(page, "leave_lecture")).to_be_visible()


def test_the_speaker_view_and_the_lecture_window_show_the_same_step(page: Page):
    first, second = STORY.steps[:2]
    driver.open_page(page, "/", {"lecture": NAME, "step": 1, "present": 1})
    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    speaker = opened.value
    expect(speaker.get_by_role("heading", name=first.title)).to_be_visible()
    expect(speaker.locator("#coming")).to_have_text(second.title)
    words = speaker.locator("#next").inner_text()
    expect(page.get_by_text(first.say[:40])).to_have_count(0)
    speaker.locator("#next").click()
    expect(page.locator(".st-key-prediction")).to_have_count(0)
    expect(speaker.locator("#next")).not_to_have_text(words)  # the next press goes on
    driver.wait_until_idle(page)
    speaker.locator("#next").click()
    expect(page.locator(".st-key-lecture")).to_contain_text(place_of(1))
    expect(speaker.get_by_role("heading", name=second.title)).to_be_visible()
    driver.wait_until_idle(page)
    page.bring_to_front()
    page.keyboard.press("PageUp")
    expect(speaker.get_by_role("heading", name=first.title)).to_be_visible()
    expect(speaker.locator("#lost")).to_be_hidden()
    page.close()
    expect(speaker.locator("#lost")).to_be_visible()


@dataclass(frozen=True)
class Exported:
    """What one visit to a page's Export tab gave: files by their kind, and what the page showed."""

    files: dict[str, Path]
    numbers: dict[str, str]
    lines: dict[str, list[list[float]]]  # name -> (points, 2)
    snippet: str
    address: str
    by_keyboard: set[str]
    num_runs: int


@pytest.fixture(scope="module")
def exported(app: App, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exported]:
    folder = tmp_path_factory.mktemp("exports")
    context = new_context(browser, base_url=app.url, viewport={"width": driver.LAPTOP, "height": 900})
    page = context.new_page()
    driver.open_page(
        page, "function_draws", {"tab": tabs.EXPORT, "num_steps": "500", "width": "32", "picture": "figure"}
    )
    lines = driver.of_figure(page, LINES_OF_FIGURE)
    asked = page.evaluate(NUM_ASKED)
    files = {kind: driver.download_picture(page, kind, folder) for kind in PICTURES}
    files |= {kind: driver.download(page, f"save_{kind}", folder) for kind in FILES}
    driver.wait_until_idle(page)
    num_runs = page.evaluate(NUM_ASKED) - asked
    numbers, address, reached = metrics(page), page.url.split("?")[0], tabbed(page)
    driver.open_tab(page, tabs.CODE)
    snippet = page.get_by_test_id("stCode").first.inner_text()
    yield Exported(files, numbers, lines, snippet, address, reached, num_runs)
    context.close()


def tabbed(page: Page) -> set[str]:
    """The kinds of files whose buttons Tab reaches after the list of tabs."""
    reached = set()
    page.get_by_role("tab", name=tabs.EXPORT).focus()
    for _ in range(14):
        page.keyboard.press("Tab")
        reached.add(page.evaluate(IN_FOCUS))
    return reached


def metrics(page: Page) -> dict[str, str]:
    """The key numbers under the picture, by label."""
    found = page.get_by_test_id("stMetric")
    labels = found.get_by_test_id("stMetricLabel").all_inner_texts()
    values = found.get_by_test_id("stMetricValue").all_inner_texts()
    return dict(zip([label.strip() for label in labels], [value.strip() for value in values], strict=True))


def test_the_picture_as_png_and_svg(exported: Exported):
    png = exported.files["png"].read_bytes()
    assert png.startswith(b"\x89PNG")
    width, height = (int.from_bytes(png[start : start + 4], "big") for start in (16, 20))
    assert width > 1500 and height > 900, "Sharp enough for a slide."
    root = ET.fromstring(exported.files["svg"].read_text(encoding="utf-8"))
    assert root.tag.endswith("svg")
    texts = {"".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")}
    assert exported.lines and {"x", "y", *exported.lines} <= texts


def test_the_numbers_as_csv(exported: Exported):
    with exported.files["csv"].open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for name, drawn in exported.lines.items():
        line = [(float(row["x"]), float(row["y"])) for row in rows if row["series"] == name]
        np.testing.assert_allclose(line, drawn, rtol=1e-6)
    told = {row["series"]: f"{float(row['y']):.3g}" for row in rows if row["kind"] == "number"}
    assert told == exported.numbers


@pytest.mark.first
def test_the_page_as_one_html_file(exported: Exported, new_page: Callable[..., Page], app: App):
    shown = definition("function_draws")
    assert shown is not None
    alone = new_page(app, offline=True)
    alone.goto(exported.files["html"].as_uri())
    expect(alone.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(alone.get_by_role("heading", level=1)).to_have_text(shown.question)
    for value in exported.numbers.values():
        expect(alone.get_by_text(value, exact=True).first).to_be_visible()


def test_the_notebook_runs_and_gives_the_numbers_of_the_page(exported: Exported, root: Path):
    notebook: Any = nbformat.read(exported.files["ipynb"], as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    NotebookClient(
        notebook, timeout=int(limit(600)), kernel_name="python3", resources={"metadata": {"path": str(root)}}
    ).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    printed = " ".join(output.text for output in outputs if "text" in output)
    found = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", printed)]
    assert found == [float(value) for value in exported.numbers.values()]


def test_the_script_is_the_snippet_of_the_page(exported: Exported):
    script = exported.files["py"].read_text(encoding="utf-8")
    assert re.sub(r"\s+", "", exported.snippet) in re.sub(r"\s+", "", script)
    assert exported.address in script


def test_exports_are_reached_by_keyboard_and_run_no_page(exported: Exported):
    """A run of the page during a download changes the file's address, and the browser may then save nothing."""
    assert {*PICTURES, *FILES} <= exported.by_keyboard and exported.num_runs == 0


def test_a_page_in_a_frame_of_another_site(app: App, new_page: Callable[..., Page]):
    """As in slides or a learning platform: the picture is drawn, and what is hidden stays hidden."""
    outer = new_page(app)
    address = f"{app.url}/effect_of_lambda?embed=true&hide=controls,tabs,scenes&scene=good"
    frame = f'<iframe src="{address}" width="1000" height="700" title="bdlviz"></iframe>'
    outer.set_content(f"<!DOCTYPE html><html lang='en'><body>{frame}</body></html>")
    inside = outer.frame_locator("iframe")
    expect(inside.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(inside.get_by_test_id("stHeader")).to_be_hidden()
    expect(inside.get_by_role("slider").first).to_be_hidden()
