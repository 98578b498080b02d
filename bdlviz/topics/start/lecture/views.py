"""The page of lectures: choose one, see its steps, start anywhere."""

from __future__ import annotations

import streamlit as st

from bdlviz.lectures import Lecture, lectures, problems
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import lecture as under_way
from bdlviz.ui.frame import mode
from bdlviz.ui.frame.walk import NOTES
from bdlviz.ui.places import link

TITLES = {name: lecture.title for name, lecture in lectures().items()}
LECTURE = Control("story", "Lecture", tuple(TITLES), next(iter(TITLES)), "menu", "", TITLES)
CONTROLS = (LECTURE,) if len(TITLES) > 1 else ()


def choose() -> Lecture:
    """Draw the menu, what the lecture is about, and the buttons that start it."""
    found = lectures()[LECTURE.show() if CONTROLS else LECTURE.default]
    st.markdown(f"**{found.title}** · {found.minutes:g} minutes, {len(found.steps)} steps")
    st.markdown(found.about)
    if st.button("Start presenting", key="start_presenting", type="primary"):
        link.of_visit()[mode.PRESENT] = "1"
        under_way.go(found, 0)
    if st.button("Start with notes", key="start_lecture"):
        st.session_state[NOTES] = True
        under_way.go(found, 0)
    st.caption(
        "Keys: **N** goes on, **P** goes back, **S** shows the notes, **F** is presenter mode, in which Page Down and "
        "Page Up lead, too. A lecture is one small file: docs/lectures.md says how to write your own."
    )
    for problem in problems():
        st.warning(problem)
    return found


def show_steps(found: Lecture) -> None:
    """All steps with their words; each can be opened."""
    begun = 0.0
    for index, step in enumerate(found.steps):
        with st.container(border=True, key=f"step_{index}"):
            with st.container(horizontal=True, vertical_alignment="center"):
                if st.button(f"{index + 1}. {step.title}", key=f"open_step_{index}"):
                    under_way.go(found, index)
                st.caption(f"minute {begun:g}, {step.minutes:g} min")
            st.markdown(step.say)
        begun += step.minutes
