"""The page of lectures: choose one, see its steps, open one of them."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from bdlviz.lectures import Lecture, lectures, problems
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import lecture as under_way
from bdlviz.ui.frame import mode
from bdlviz.ui.frame.steps import ABOUT, speaker_address
from bdlviz.ui.model import Custom, Note, Result, Says, Screen, Setting, Widget
from bdlviz.ui.places import link, navigation

TITLES = {name: lecture.title for name, lecture in lectures().items()}
LECTURE = Control("story", "Lecture", tuple(TITLES), next(iter(TITLES)), "menu", "", TITLES)
MENU = (LECTURE,) if len(TITLES) > 1 else ()
KEYS = (
    "Keys: **N** next step, **P** previous step, **S** speaker view, **F** presenter mode, **Esc** leave presenter "
    "mode. A presentation remote works, too. For further reading, see [all sources](glossary?look=sources)."
)
STYLE = """
<style>
.st-key-steps [data-testid="stVerticalBlock"] { gap: 0.3rem; }
.st-key-steps button { min-height: 2.1rem; padding: 0.2rem 0.6rem; justify-content: flex-start; }
.st-key-steps button > div { width: 100%; justify-content: flex-start; }
.st-key-steps button p { line-height: 1.3; text-align: left; }
</style>
"""


def chosen(setting: Setting) -> Lecture:
    """The lecture of the menu."""
    return lectures()[setting[LECTURE]]


def about(setting: Setting) -> str:
    """The description of the lecture, as Markdown."""
    return chosen(setting).about


def _show_problems() -> None:
    """A warning for each file of a lecture that cannot be read."""
    for problem in problems():
        st.warning(problem)


CONTROLS = (*MENU, Note(about, "markdown"), Note(lambda _: KEYS), Custom(_show_problems))


def steps(setting: Setting, _: Screen, __: object) -> Result:
    """The buttons that start the lecture, and its timetable, in which every step can be opened."""
    found = chosen(setting)
    return Result([Says(length(found)), Widget(lambda: _show_start(found)), Widget(lambda: _show_steps(found))])


def length(found: Lecture) -> str:
    """How long the lecture is, and where it begins and ends."""
    first, last = found.steps[0].title, found.steps[-1].title
    return f"{len(found.steps)} slides in {found.minutes:g} minutes, from “{first}” to “{last}”."


def begins(found: Lecture) -> list[str]:
    """When each step begins, in minutes and seconds: 12:30."""
    starts = [sum(step.minutes for step in found.steps[:index]) for index in range(len(found.steps))]
    return [f"{int(start)}:{round(60 * (start % 1)):02d}" for start in starts]


def _show_start(found: Lecture) -> None:
    with st.container(horizontal=True, key="start"):
        if st.button("Present from slide 1", key="start_presenting", type="primary"):
            link.of_visit()[mode.PRESENT] = "1"
            under_way.go(found, 0)
        if st.button("Open slide 1 with all controls", key="start_lecture"):
            under_way.go(found, 0)
        st.link_button("Open the speaker view", speaker_address(found), key="open_speaker", help=ABOUT)


def _show_steps(found: Lecture) -> None:
    """Two columns of steps with their times, under the sections of the navigation and the minutes that they take."""
    st.html(STYLE)
    times, half = begins(found), len(found.steps) / 2
    with st.container(key="steps"):
        columns = st.columns(2, gap="medium")
        for section, group in groupby(enumerate(found.steps), lambda each: navigation.OF_PAGE.get(each[1].page, "")):
            steps = [*group]
            with columns[steps[0][0] >= half]:
                minutes = f"{sum(step.minutes for _, step in steps):g} min"
                st.caption(" · ".join(filter(None, (section, minutes))))
                for index, step in steps:
                    words = f"{times[index]} &nbsp; **{index + 1}. {link.plain(step.title)}**"
                    if st.button(words, key=f"open_step_{index}", width="stretch", wrap=True):
                        under_way.go(found, index)
