"""The lecture that a visitor follows: the current step, and the bar that leads from step to step."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bdlviz.lectures import Lecture, Step, lectures
from bdlviz.ui.frame import mode
from bdlviz.ui.places import link, routes

LECTURE, STEP = link.LECTURE_KEYS
AT = "lecture_at"  # session state: (name of the lecture, index of the step)


def present() -> tuple[Lecture, int] | None:
    """The current lecture and the index of its current step; None without a lecture."""
    name, index = st.session_state.get(AT, ("", 0))
    found = lectures().get(name)
    return None if found is None else (found, index)


def arrive(given: Mapping[str, str]) -> tuple[Step | None, list[str]]:
    """The step of a link, and sentences about parts that cannot be applied; opens the page of the step if needed."""
    name = given.get(LECTURE)
    if name is None:
        return None, []
    found = lectures().get(name)
    if found is None:
        known = ", ".join(lectures())
        return None, [f"There is no lecture {link.quoted(name)}; the lectures are {known}."]
    asked = given.get(STEP, "1")
    is_step = asked.isascii() and asked.isdigit() and 1 <= int(asked[:4]) <= len(found.steps)
    index = int(asked[:4]) - 1 if is_step else 0
    if found.steps[index].page not in routes.PAGES:
        page = found.steps[index].page
        told = f"Step {index + 1} of this lecture asks for the page “{page}”, which does not exist: correct its file."
        return None, [told]
    if not is_here(found.steps[index]):
        go(found, index)
    st.session_state[AT] = (name, index)
    if is_step:
        return found.steps[index], []
    return found.steps[index], [f"The lecture has no step {link.quoted(asked)}; it has 1 to {len(found.steps)}."]


def is_here(step: Step) -> bool:
    """True if the current page is that of the step."""
    return routes.is_present(step.page)


def go(lecture: Lecture, index: int) -> None:
    """Open a step of a lecture; does not return. If the page of the step does not exist, the first page says so."""
    index = min(max(index, 0), len(lecture.steps) - 1)
    page = lecture.steps[index].page
    query = link.of_visit() | {LECTURE: lecture.name, STEP: str(index + 1)}
    routes.open_page(page if page in routes.PAGES else routes.HOME, query)


def note_in_link() -> None:
    """Put the step into the link while the visitor is on the page of the step."""
    under_way = present()
    if under_way is not None and is_here(under_way[0].steps[under_way[1]]):
        link.add(LECTURE, under_way[0].name)
        link.add(STEP, str(under_way[1] + 1))


def show_place(lecture: Lecture, index: int) -> None:
    """Show the position in the lecture: step, title and minutes."""
    step = lecture.steps[index]
    begun = sum(each.minutes for each in lecture.steps[:index])
    words = f"{index + 1} of {len(lecture.steps)} · **{step.title}** · minute {begun:g} of {lecture.minutes:g}"
    st.markdown(words, width="stretch")


def leave() -> None:
    """End the lecture (for use in a callback); the page keeps its state."""
    st.session_state.pop(AT, None)
    link.of_visit().pop(mode.PRESENT, None)
