"""The page of lectures: choose one, see its slides, open one of them."""

from __future__ import annotations

from collections import defaultdict

import streamlit as st

from bdlviz.lectures import Lecture, lectures, problems
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import lecture as under_way
from bdlviz.ui.frame import mode
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.frame.mode import LEFT
from bdlviz.ui.frame.steps import ABOUT, speaker_address
from bdlviz.ui.model import Result, Says, Screen, Setting, Widget, Words
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
.st-key-steps { display: grid !important; grid-template-columns: repeat(auto-fill, minmax(min(15.5rem, 100%), 1fr));
  gap: 0.5rem !important; }
.st-key-steps > * { width: auto !important; }
.st-key-steps button { height: 100%; min-height: 4.6rem; padding: 0.3rem 0.5rem 0.3rem 7.1rem; position: relative;
  justify-content: flex-start; background-repeat: no-repeat !important; background-position: 0.35rem center !important;
  background-size: 6.2rem 3.9rem !important; }
.st-key-steps button > div { width: 100%; justify-content: flex-start; }
.st-key-steps button p { line-height: 1.3; text-align: left; }
"""
# In place of a picture, which would be the answer.
QUESTION = """ button::before {
  content: "?"; position: absolute; left: 0.35rem; width: 6.2rem; text-align: center; font-size: 2.4rem; color: MEAN;
}
"""


def chosen(setting: Setting) -> Lecture:
    """The lecture of the menu."""
    return lectures()[setting[LECTURE]]


def _show_problems() -> None:
    """A warning for each file of a lecture that cannot be read."""
    for problem in problems():
        st.warning(problem)


def steps(setting: Setting, _: Screen, __: object) -> Result:
    """The button that starts the lecture, and its slides, each of which can be opened."""
    found = chosen(setting)
    shown = [Widget(show) for show in (_show_problems, lambda: _show_start(found), lambda: _show_steps(found))]
    return Result([Says(length(found)), *shown, Words(found.about), Words(KEYS)])


def length(found: Lecture) -> str:
    """How many slides the lecture has, how long they take, and how to read their list."""
    return f"{len(found.steps)} slides in {found.minutes:g} minutes; the title of each says what it shows."


def begins(found: Lecture) -> list[str]:
    """When each step begins, in minutes and seconds: 12:30."""
    starts = [sum(step.minutes for step in found.steps[:index]) for index in range(len(found.steps))]
    return [f"{int(start)}:{round(60 * (start % 1)):02d}" for start in starts]


def _show_start(found: Lecture) -> None:
    with st.container(horizontal=True, key="start"):
        if st.button(f"Start the lecture ({found.minutes:g} min)", key="start_presenting", type="primary"):
            link.of_visit()[mode.PRESENT] = "1"
            under_way.go(found, 0)
        if st.button("Open slide 1 with all controls", key="start_lecture", type="tertiary"):
            under_way.go(found, 0)
        words = "Open the speaker view"
        st.link_button(words, speaker_address(found), key="open_speaker", help=ABOUT, type="tertiary")


def _show_steps(found: Lecture) -> None:
    """The slides in rows, each with a picture of its page or the sign of a question, its title and its time."""
    st.html(_style(found))
    with st.container(key="steps"):
        for index, (step, time) in enumerate(zip(found.steps, begins(found), strict=True)):
            words = f"**{index + 1}. {link.plain(step.title)}** :gray[{time}&nbsp;·&nbsp;{step.minutes:g}&nbsp;min]"
            if st.button(words, key=f"open_step_{index}", width="stretch", wrap=True):
                under_way.go(found, index)


def _style(found: Lecture) -> str:
    """The style sheet with one picture for all slides of a page; a title with a question mark has this sign instead."""
    theme, places = present_theme(), defaultdict[str, list[str]](list)
    for index, step in enumerate(found.steps):
        picture = "" if step.title.endswith("?") else navigation.thumbnail(step.page, theme.name)
        places[picture].append(f".st-key-open_step_{index}")
    questions = f":is({', '.join(places.pop('', ['.none']))})"
    rules = (
        f":is({', '.join(each)}) button {{ background-image: url({url}) !important; }}" for url, each in places.items()
    )
    hidden = "" if MENU else f"{LEFT} {{ display: none; }}"
    return f"{STYLE}{questions}{QUESTION.replace('MEAN', theme.mean)}{''.join(rules)}{hidden}</style>"
