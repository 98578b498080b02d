"""The page of lectures: choose one, see its steps, open one of them."""

from __future__ import annotations

import streamlit as st

from bdlviz.lectures import Lecture, Step, lectures, problems
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import lecture as under_way
from bdlviz.ui.frame import mode, window
from bdlviz.ui.frame.steps import ABOUT, speaker_address
from bdlviz.ui.model import Custom, Note, Result, Screen, Setting, Widget
from bdlviz.ui.places import link, navigation

TITLES = {name: lecture.title for name, lecture in lectures().items()}
LECTURE = Control("story", "Lecture", tuple(TITLES), next(iter(TITLES)), "menu", "", TITLES)
MENU = (LECTURE,) if len(TITLES) > 1 else ()
NUM_COLUMNS = 5
KEYS = (
    "Keys: **N** next step, **P** previous step, **S** speaker view, **F** presenter mode, **Esc** leave presenter "
    "mode. A presentation remote works, too. The file docs/lectures.md of the project says how to write a lecture. "
    "For further reading, see [all sources](glossary?look=sources)."
)
STYLE = """
<style>
.st-key-steps [data-testid="stVerticalBlock"] { gap: 0.3rem; }
.st-key-steps button { min-height: 3.6rem; padding: 0.3rem 0.6rem; justify-content: flex-start; }
.st-key-steps button > div { width: 100%; justify-content: flex-start; }
.st-key-steps button p { line-height: 1.3; text-align: left; }
.st-key-steps img { border-radius: 0.4rem; border: 1px solid rgba(128, 128, 128, 0.25); }
</style>
"""


def chosen(setting: Setting) -> Lecture:
    """The lecture of the menu."""
    return lectures()[setting[LECTURE]]


def about(setting: Setting) -> str:
    """Title, length and description of the lecture, as Markdown."""
    found = chosen(setting)
    return f"**{len(found.steps)} steps, {found.minutes:g} minutes.** {found.about}"


def _show_problems() -> None:
    """A warning for each file of a lecture that cannot be read."""
    for problem in problems():
        st.warning(problem)


CONTROLS = (*MENU, Note(about, "markdown"), Note(lambda _: KEYS), Custom(_show_problems))


def steps(setting: Setting, _: Screen, __: object) -> Result:
    """The buttons that start the lecture, and a preview of every step, which opens it."""
    found = chosen(setting)
    return Result([Widget(lambda: _show_start(found)), Widget(lambda: _show_steps(found))])


def _show_start(found: Lecture) -> None:
    with st.container(horizontal=True, key="start"):
        if st.button("Start presenting", key="start_presenting", type="primary"):
            link.of_visit()[mode.PRESENT] = "1"
            under_way.go(found, 0)
        if st.button("Start with all controls", key="start_lecture"):
            under_way.go(found, 0)
        st.link_button("Open the speaker view", speaker_address(found), key="open_speaker", help=ABOUT)


def _show_steps(found: Lecture) -> None:
    st.html(STYLE)
    with st.container(key="steps"):
        for first in range(0, len(found.steps), NUM_COLUMNS):
            row = found.steps[first : first + NUM_COLUMNS]
            columns = st.columns(NUM_COLUMNS, gap="small")[: len(row)]
            for index, (step, column) in enumerate(zip(row, columns, strict=True), first):
                with column:
                    if (file := navigation.thumbnail(step.page, window.theme_kind())) is not None:
                        st.image(file, width="stretch", alt=f"Picture of the page {navigation.title(step.page)}")
                    if st.button(_title(index, step), key=f"open_step_{index}", width="stretch", wrap=True):
                        under_way.go(found, index)


def _title(index: int, step: Step) -> str:
    return f"**{index + 1}. {link.plain(step.title)}** :small[{step.minutes:g} min]"
