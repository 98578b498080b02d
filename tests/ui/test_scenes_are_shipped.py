"""A link to a scene, or to a step of a lecture, opens its picture at once: nothing trains for it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from bdlviz.errors import InvalidInput
from bdlviz.lectures import lectures
from bdlviz.ui.jobs import queue as jobs
from bdlviz.ui.scrub import switch
from tests.ui.harness import PAGES, open_page, scenes

SCENES = [pytest.param(page, name, id=f"{page}-{name}") for page in PAGES for name in scenes(page)]
STEPS = [
    pytest.param(name, index, step.page.split("/")[-1], id=f"{name}-{index}-{step.page.split('/')[-1]}")
    for name, lecture in lectures().items()
    for index, step in enumerate(lecture.steps, 1)
]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Hashable]:
    """What pages ask the queue for, which remembers nothing and trains nothing; the pictures are a visitor's."""
    found: list[Hashable] = []

    def refuse(queue: jobs.JobQueue, key: Hashable, *rest: Any) -> NoReturn:
        found.append(key)
        raise InvalidInput("Nothing trains in this test.")

    monkeypatch.setattr(jobs.JobQueue, "request", refuse)
    monkeypatch.setattr(jobs.JobQueue, "finished", lambda queue, key: None)
    monkeypatch.setattr(switch, "PICTURE", replace(switch.PICTURE, default=switch.SCRUB))
    return found


@pytest.mark.parametrize(("page", "scene"), SCENES)
def test_a_scene_trains_nothing(page: str, scene: str, asked: list[Hashable]):
    app = open_page(page, {"scene": scene, "guess": "no"})
    assert not asked
    assert not app.exception and not app.error


@pytest.mark.parametrize(("lecture", "index", "page"), STEPS)
def test_a_step_of_a_lecture_trains_nothing(lecture: str, index: int, page: str, asked: list[Hashable]):
    app = open_page(page, {"lecture": lecture, "step": str(index), "guess": "no"})
    assert not asked
    assert not app.exception and not app.error


def test_what_is_not_shipped_is_asked_for(asked: list[Hashable]):
    open_page("function_draws", {"seed": "7"})
    assert len(asked) == 1
