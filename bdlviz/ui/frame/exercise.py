"""Exercises on the page: a question, an answer, and immediate feedback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from bdlviz.data.layout import read_number
from bdlviz.errors import InvalidInput
from bdlviz.lectures.exercise import Choice, Exercise, Number, Setting
from bdlviz.ui.controls.control import set_controls
from bdlviz.ui.places import link

if TYPE_CHECKING:
    from bdlviz.ui.model import Page

ANSWERS = "answers"  # session state: (page, index) -> whether the answer is right, or why it cannot be checked
SHOWN = "shown_answers"  # session state: (page, index) of exercises whose answer is shown


def show(page: Page) -> None:
    """Show all exercises of a page."""
    for index, exercise in enumerate(page.exercises):
        with st.container(key=f"exercise_{index}", border=True):
            st.markdown(f"**{index + 1}.** {exercise.question}")
            _show_answer(page, index, exercise)
            _show_verdict((page.title, index), exercise)


def _show_answer(page: Page, index: int, exercise: Exercise) -> None:
    key = f"answer_{index}"
    if isinstance(exercise, Choice):
        st.radio("Your answer", exercise.options, index=None, key=key, label_visibility="collapsed")
    elif isinstance(exercise, Number):
        unit = f" in {exercise.unit}" if exercise.unit else ""
        # As text: a field for numbers would read 1,5 as 15 in some browsers.
        st.text_input(f"Your answer{unit}", key=key, placeholder="such as 0.5 or 1e-3", max_chars=40, width=260)
    with st.container(horizontal=True):
        st.button("Check", key=f"check_{index}", on_click=_check, args=(page, index, exercise))
        st.button(
            "Show the answer", key=f"solve_{index}", type="tertiary", on_click=_give_away, args=(page, index, exercise)
        )


def _check(page: Page, index: int, exercise: Exercise) -> None:
    given: str | None = st.session_state.get(f"answer_{index}")
    if isinstance(exercise, Setting):
        verdict = exercise.is_met({control.key: control.present() for control in page.controls})
    elif not given:
        verdict = "Give an answer first."
    elif isinstance(exercise, Number):
        verdict = _check_number(exercise, given)
    else:
        verdict = exercise.is_right(given)
    st.session_state.setdefault(ANSWERS, {})[(page.title, index)] = verdict


def _check_number(exercise: Number, given: str) -> bool | str:
    try:
        return exercise.is_right(read_number(given))
    except InvalidInput as error:
        return link.plain(str(error))


def _give_away(page: Page, index: int, exercise: Exercise) -> None:
    """Show the answer; if the answer is a setting, apply it to the page (callback)."""
    if isinstance(exercise, Setting):
        set_controls(exercise.solution_options, page.controls)
    st.session_state.setdefault(SHOWN, set()).add((page.title, index))


def _show_verdict(which: tuple[str, int], exercise: Exercise) -> None:
    answers = st.session_state.get(ANSWERS, {})
    if which in st.session_state.get(SHOWN, ()):
        st.info(f"{_answer_of(exercise)} {exercise.because}")
    elif isinstance(verdict := answers.get(which), str):
        st.warning(verdict)
    elif verdict:
        st.success(f"Right. {exercise.because}")
    elif verdict is not None:
        st.warning(f"Not yet. {exercise.hint}".strip())


def _answer_of(exercise: Exercise) -> str:
    if isinstance(exercise, Setting):
        return "The page now has this setting."
    return f"**{exercise.solution}**"
