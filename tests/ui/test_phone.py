"""Figures on a phone: the legend of every scene fits its width, in few rows."""

from __future__ import annotations

import re

import pytest

from bdlviz import plots
from bdlviz.plots import legend
from bdlviz.ui.frame.drag_frames import result_at
from bdlviz.ui.model import Screen, Setting
from tests.ui.harness import PAGES, definition

PHONE = Screen(plots.theme("light"), is_narrow=True)
MOST_ROWS = 4


@pytest.mark.parametrize("name", [name for name in PAGES if definition(name) is not None])
def test_the_legend_of_every_scene_fits(name: str):
    page = definition(name)
    assert page is not None
    for values in [dict(scene.values) for scene in page.scenes] or [{}]:
        setting = Setting(values)
        result = result_at(page.view(setting), setting, PHONE)
        for part in [] if result is None else result.figures:
            before = len(part.figure.layout.annotations)
            legend.in_words(part.figure, PHONE.theme)
            for note in part.figure.layout.annotations[before:]:
                rows = re.sub(r"</?span[^>]*>", "", note.text).split("<br>")
                place = f"{name}, {values}, {part.key}: {rows}"
                assert len(rows) <= MOST_ROWS, place
                assert all(len(row) <= legend.LETTERS for row in rows), place
