"""The lecture that comes with bdlviz: its steps stand on their pages, and what it says is true there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.data import available
from bdlviz.lectures import Step, lectures, read_lecture
from bdlviz.topics.shared import study_seeds
from bdlviz.ui.places import routes
from tests.ui import conftest as of_pages
from tests.ui.harness import controls, further_pictures, open_page, scenes

no_installed_components, plain_figures, queue = (
    of_pages.no_installed_components,
    of_pages.plain_figures,
    of_pages.queue,
)

ONE_STORY = lectures()["one_story"]
STEPS = [pytest.param(step, id=f"{index}-{step.page}") for index, step in enumerate(ONE_STORY.steps, 1)]
# What the presenter is told to change, by topic and scene: the numbers quoted stand on these states of the page.
# A "tab" is a place in the menu of further pictures.
MOVES: dict[str, list[dict[str, str]]] = {
    "bayes_rule/one": [{"points_seen": "20"}],
    "bayes_rule/network": [{"predict_by": "average"}],
    "function_draws/good": [{"dropout_rate": "0"}, {"dropout_rate": "0.5"}],
    "effect_of_lambda/good": [{"weight_decay": "0.1"}, {"dropout_rate": "0.05"}, {"tab": "0"}],
    "function_draws/": [{"length_scale": "2"}, {"weight_decay": "0.001"}, {"follows": "length_scale"}],
    "mc_dropout/ambiguous": [{"order": "disagreement"}],
    "concrete_dropout/mnist": [{"moment": "0"}, {"n_mnist": "10000"}],
    "concrete_dropout/settled": [{"authors_steps": "published"}],
    "bayes_by_backprop/paper": [{"prior_std": "7.39"}, {"prior_std": "0.0498"}],
    "bayes_by_backprop/idle": [{"weight_rank": "0"}, {"look": "prior"}],
    "sparsity/start": [
        {"done": "10"},
        {"done": "100"},
        {"look": "histograms", "threshold": "0"},
        {"look": "histograms", "threshold": "-8"},
    ],
    "vae/lecture": [{"shown_epoch": "100"}],
    "in_between/one-layer": [{"depth": "2", "length_scale": "2"}],
    "bayes_rule/four-wrong": [{"four_points": "3"}],
}
OVER_SEEDS = ("bayes_by_backprop/paper", "in_between/one-layer")  # they tell the range of several seeds


def place_of(step: Step) -> str:
    """Topic and scene of a step."""
    return f"{step.page.split('/')[1]}/{step.scene}"


def test_the_title_says_how_long_the_steps_take():
    assert set(numbers_in(ONE_STORY.title)) <= {ONE_STORY.minutes}
    assert len({step.title for step in ONE_STORY.steps}) == len(ONE_STORY.steps)


@pytest.mark.parametrize("step", STEPS)
def test_a_step_stands_on_its_page(step: Step):
    assert_stands_on_its_page(step)


def test_moves_are_moves_of_steps():
    assert {*MOVES, *OVER_SEEDS} <= {place_of(step) for step in ONE_STORY.steps}
    for step in ONE_STORY.steps:
        known = controls(step.page.split("/")[1])
        for move in MOVES.get(place_of(step), ()):
            assert all(key == "tab" or option in known[key].options for key, option in move.items())


def test_the_example_in_the_docs_is_a_lecture(root: Path):
    text = (root / "docs" / "lectures.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    for step in read_lecture(example, "example").steps:
        assert_stands_on_its_page(step)


@pytest.fixture(params=["with the full files", "without files"])
def files_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All of MNIST, where this computer has it; or neither a folder of data nor anything in the cache."""
    if request.param == "with the full files" and not available("mnist"):
        pytest.skip("MNIST's files are not here.")
    if request.param == "without files":
        monkeypatch.delenv("BDLVIZ_DATA", raising=False)
        monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))


@pytest.mark.rest
@pytest.mark.usefixtures("files_here")
@pytest.mark.parametrize("step", STEPS)
def test_every_number_quoted_stands_on_the_page(step: Step):
    assert not missing_numbers(step)


@pytest.mark.parametrize("step", [step for step in ONE_STORY.steps if place_of(step) in OVER_SEEDS], ids=place_of)
def test_ranges_over_training_seeds_stand_on_the_page(step: Step):
    """What a step says of several seeds is the range of at least ten, and the page shows it."""
    ranges = re.findall(r"[\d.]+\s+to\s+[\d.]+", step.say)
    assert ranges and f"{len(study_seeds.CURVE_SEEDS)} " in step.say and len(study_seeds.CURVE_SEEDS) >= 10
    assert not missing_numbers(step)


def missing_numbers(step: Step) -> set[float]:
    """The numbers a step quotes that stand on no state of its page."""
    shown: set[float] = set()
    for move in ({}, *MOVES.get(place_of(step), ())):
        asked = state(step) | move
        place, tab, page = asked.pop("tab", ""), step.tab, step.page.split("/")[1]
        if place:
            tab = further_pictures(open_page(page, asked))[int(place)]
        app = open_page(page, asked | ({"detail": tab} if tab else {}))
        shown |= {number for text in texts(app) for number in numbers_in(text)}
    quoted = {number for number in numbers_in(step.say) if number >= 10 or number % 1}
    # A network that trains anew on another processor may differ in the third digit.
    return {number for number in quoted if not any(abs(number - other) <= 0.005 * other for other in shown)}


def assert_stands_on_its_page(step: Step) -> None:
    """The page is in the navigation, and has the scene and the settings."""
    assert step.page in {name for entries in routes.SECTIONS.values() for name, _ in entries}
    page = step.page.split("/")[1]
    assert not step.scene or step.scene in scenes(page)
    for key, option in step.settings.items():
        assert option in controls(page)[key].options


def state(step: Step) -> dict[str, str]:
    """The controls of a step as a link says them."""
    page = step.page.split("/")[1]
    return (dict(scenes(page)[step.scene].values) if step.scene else {}) | dict(step.settings)


def texts(app: AppTest) -> Iterator[str]:
    """Everything on a page that can be read, descriptions of pictures and values of sliders included."""
    for kind in ("caption", "markdown", "latex"):
        yield from (element.value for element in app.get(kind))  # type: ignore[attr-defined]
    for metric in app.metric:
        yield f"{metric.label} {metric.value}"
    for slider in app.select_slider:
        yield str(slider.value)
    for chart in app.get("plotly_chart"):
        proto = chart.proto  # type: ignore[attr-defined]
        yield proto.alt
        yield from (each.get("text", "") for each in json.loads(proto.spec)["layout"].get("annotations", ()))


def numbers_in(text: str) -> Iterator[float]:
    """The numbers of a text, without their signs: 0.1, 1e-4, 5,000."""
    for found in re.findall(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?(?:e-?\d+)?", text):
        yield float(found.replace(",", ""))
