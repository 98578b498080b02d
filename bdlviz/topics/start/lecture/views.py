"""The page of lectures: choose one, see its slides, open one of them."""

from __future__ import annotations

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
STYLE = f"""
<style>
.st-key-steps {{ display: grid !important; gap: 0.8rem !important;
  grid-template-columns: repeat(auto-fit, minmax(min(15.5rem, 100%), 1fr)); }}
.st-key-steps [class*="st-key-part_"] {{ gap: 0.35rem !important; }}
.st-key-steps h3 {{ min-height: calc(2.6em + 1rem); padding: 0 0 1rem; font-size: 1rem; line-height: 1.3; }}
.st-key-steps button {{ min-height: 2.3rem; padding: 0.2rem 0.6rem; justify-content: flex-start; }}
.st-key-steps button > div {{ width: 100%; justify-content: flex-start; }}
.st-key-steps button p {{ line-height: 1.3; text-align: left; }}
{"" if MENU else f"{LEFT} {{ display: none; }}"}
</style>
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
    """How many slides the lecture has, how long they take, and what to click."""
    count = len(parts_of(found))
    parts = f": {count} parts, each with one claim" if count > 1 else ""
    return f"Press Start for {len(found.steps)} slides in {found.minutes:g} minutes{parts}. Or click a slide."


def parts_of(found: Lecture) -> list[tuple[str, list[int]]]:
    """The claim of each part, "" for steps before the first one, and the places of its steps."""
    parts: list[tuple[str, list[int]]] = []
    for index, step in enumerate(found.steps):
        if step.part or not parts:
            parts.append((step.part, []))
        parts[-1][1].append(index)
    return parts


def begins(found: Lecture) -> list[str]:
    """When each step begins, in minutes and seconds: 12:30."""
    starts = [sum(step.minutes for step in found.steps[:index]) for index in range(len(found.steps))]
    return [f"{int(start)}:{round(60 * (start % 1)):02d}" for start in starts]


def _show_start(found: Lecture) -> None:
    with st.container(horizontal=True, key="start"):
        if st.button(f"Start the lecture ({found.minutes:g} min)", key="start_presenting", type="primary"):
            link.of_visit()[mode.PRESENT] = "1"
            under_way.go(found, 0)
        if st.button("Study it alone: slide 1 with all controls", key="start_lecture", type="tertiary"):
            under_way.go(found, 0)
        words = "Speaker view: notes in a second window"
        st.link_button(words, speaker_address(found), key="open_speaker", help=ABOUT, type="tertiary")


def _show_steps(found: Lecture) -> None:
    """The parts side by side: the picture of the first page, the claim with its time, and the titles of the slides."""
    st.html(STYLE)
    times, kind = begins(found), present_theme().name
    with st.container(key="steps"):
        for number, (claim, indices) in enumerate(parts_of(found)):
            with st.container(key=f"part_{number}"):
                if claim:
                    picture = navigation.thumbnail(found.steps[indices[0]].page, kind)
                    st.image(picture, width="stretch", alt=f"Picture of slide {indices[0] + 1}")
                    st.subheader(f"{number + 1}. {link.plain(claim)}", anchor=False)
                    minutes = sum(found.steps[index].minutes for index in indices)
                    st.caption(f"Starts at {times[indices[0]]}, takes {minutes:g} minutes")
                for index in indices:
                    step = found.steps[index]
                    words = f"{index + 1}. {link.plain(step.title)}"
                    if st.button(words, key=f"open_step_{index}", width="stretch", wrap=True):
                        under_way.go(found, index)
