"""The sentence under the title: every view has one, computed, short, and it changes with what is drawn.

Views are called directly, at every stop of every primary slider whose result is shipped, from every scene. They draw
on paper that takes anything: figures cost most of the time, and tests/plots/test_every_figure.py looks at them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest

from bdlviz import plots
from bdlviz.digits import THIN
from bdlviz.ui.frame.drag_frames import result_at
from bdlviz.ui.model import Formula, Page, Result, Screen, Setting, Stops, View
from tests.ui.harness import PAGES, WITHOUT_PICTURE, definition

MOST_WORDS = 25
SYMBOLS = "αβλσ"  # a sentence may begin with one
SCREEN = Screen(plots.theme("light"))
CLAIMS = [name for name in PAGES if (page := definition(name)) is not None and page.claim]


class Paper(float):
    """Stands for a figure and everything that is read from it, and keeps nothing."""

    def __new__(cls, *values: object, **options: object) -> Paper:
        return super().__new__(cls)

    def __getattr__(self, name: str) -> Paper:
        return Paper()

    def __getitem__(self, index: object) -> Paper:
        return Paper()

    def __call__(self, *values: object, **options: object) -> Paper:
        return Paper()

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Paper]:
        return iter(())

    def __or__(self, other: object) -> Any:
        return other

    __add__ = __or__


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plotly's figures and traces keep nothing; its package looks up each of its classes by name."""
    monkeypatch.setattr(go, "__getattr__", lambda name: Paper)


def drawn(view: View, setting: Setting) -> Result | None:
    """What a view shows from shipped results; None where something would have to be computed."""
    return result_at(view, setting, SCREEN)


def states(page: Page) -> Iterator[tuple[View, Setting]]:
    """The first state, every view and every scene, each at every stop of its primary sliders; each state once."""
    defaults = {control.key: control.default for control in page.controls}
    seen: set[frozenset[tuple[str, str]]] = set()
    for view, setting in _stops(page):
        state = frozenset((defaults | dict(setting.values)).items())
        if state not in seen:
            seen.add(state)
            yield view, setting


def _stops(page: Page) -> Iterator[tuple[View, Setting]]:
    menu = page.menu
    starts = [dict(scene.values) for scene in page.scenes] or [{}]
    starts += [{menu.key: view.name} for view in page.views] if menu is not None else []
    for values in starts:
        setting = Setting(values)
        view = page.view(setting)
        yield view, setting
        sliders = {control.key: control.options for control in view.live_at(setting)}
        result = drawn(view, setting)
        stops = [part for part in result.parts if isinstance(part, Stops)] if result is not None else []
        sliders |= {part.key: tuple(map(str, part.stops)) for part in stops}
        for key, options in sliders.items():
            for option in options:
                yield view, replace(setting, values={**values, key: option})


@pytest.mark.usefixtures("paper")
@pytest.mark.parametrize("name", CLAIMS)
def test_every_state_has_one_short_sentence_and_three_formulas_at_most(name: str):
    """Each formula has its words."""
    page = definition(name)
    assert page is not None
    found: dict[str, set[str]] = {}
    for view, setting in states(page):
        if (result := drawn(view, setting)) is None:
            continue
        place = f"{name}, {view.name}, {dict(setting.values)}"
        assert result.says, f"No sentence: {place}"
        assert_is_short_and_plain(result.says, place)
        assert len(result.formulas) <= 3, place
        assert all(isinstance(formula, Formula) and formula.says for formula in result.formulas), place
        found.setdefault(view.name, set()).add(result.says)
    assert found, "Nothing of this page is shipped."


def assert_is_short_and_plain(sentence: str, place: str) -> None:
    """At most 25 words, a full stop, numbers in one format, no Markdown."""
    where = f"{place}: {sentence!r}"
    assert len(sentence.replace(THIN, "").replace(" · ", "·").split()) <= MOST_WORDS, where
    assert (sentence[0] == sentence[0].upper() or sentence[0] in SYMBOLS) and sentence.endswith((".", "?")), where
    assert not re.search(r"(?<![\w])-\d|\d ?%(?<! %)|nan|inf\b|e[+-]\d|\*\*|`|\$", sentence), where


@pytest.mark.parametrize("name", CLAIMS)
def test_a_page_has_six_scenes_at_most_and_three_short_paragraphs(name: str):
    page = definition(name)
    assert page is not None
    assert len(page.scenes) <= 6 and len(page.try_this) <= 2
    assert len(page.claim.split()) <= MOST_WORDS
    told = page.explanation
    assert told is not None or name in (*WITHOUT_PICTURE, "home")
    for paragraph in (told.sees, told.why, told.fails) if told is not None else ():
        assert 1 <= len(re.findall(r"[.?](?:\s|$)", paragraph)) <= 4, paragraph
