"""The page of lectures: choose one, see its steps, start at any of them."""

from __future__ import annotations

import streamlit as st

from bdlviz.lectures import Lecture, lectures, problems
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import lecture as under_way
from bdlviz.ui.frame import mode
from bdlviz.ui.frame.steps import NOTES
from bdlviz.ui.model import Custom, Note, Result, Screen, Setting, Widget
from bdlviz.ui.places import link

TITLES = {name: lecture.title for name, lecture in lectures().items()}
LECTURE = Control("story", "Lecture", tuple(TITLES), next(iter(TITLES)), "menu", "", TITLES)
MENU = (LECTURE,) if len(TITLES) > 1 else ()
KEYS = (
    "Keys: **N** next step, **P** previous step, **S** notes, **F** presenter mode, in which Page Down and Page Up "
    "change the step, too. A lecture is one small file: docs/lectures.md says how to write your own."
)


def chosen(setting: Setting) -> Lecture:
    """The lecture of the menu."""
    return lectures()[setting[LECTURE]]


def about(setting: Setting) -> str:
    """Title, length and description of the lecture, as Markdown."""
    found = chosen(setting)
    return f"**{found.title}** · {found.minutes:g} minutes, {len(found.steps)} steps\n\n{found.about}"


def _show_buttons() -> None:
    """The buttons that start the lecture."""
    found = lectures()[LECTURE.present()]
    if st.button("Start presenting", key="start_presenting", type="primary"):
        link.of_visit()[mode.PRESENT] = "1"
        under_way.go(found, 0)
    if st.button("Start with notes", key="start_lecture"):
        st.session_state[NOTES] = True
        under_way.go(found, 0)


def _show_problems() -> None:
    """A warning for each file of a lecture that cannot be read."""
    for problem in problems():
        st.warning(problem)


CONTROLS = (
    *MENU,
    Note(about, "markdown"),
    Custom(_show_buttons),
    Note(lambda _: KEYS),
    Custom(_show_problems),
)


def steps(setting: Setting, _: Screen, __: object) -> Result:
    """All steps with their words; each can be opened."""
    return Result([Widget(lambda: _show_steps(chosen(setting)))])


def _show_steps(found: Lecture) -> None:
    begun = 0.0
    for index, step in enumerate(found.steps):
        with st.container(border=True, key=f"step_{index}"):
            with st.container(horizontal=True, vertical_alignment="center"):
                if st.button(f"{index + 1}. {step.title}", key=f"open_step_{index}"):
                    under_way.go(found, index)
                st.caption(f"minute {begun:g}, {step.minutes:g} min")
            st.markdown(step.say)
        begun += step.minutes
