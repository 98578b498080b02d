"""Next and previous, by button and by key: between scenes, or between steps of a lecture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st
from streamlit.components.v2 import component

from bdlviz.ui.frame import lecture, mode, prediction, scenes

if TYPE_CHECKING:
    from bdlviz.ui.model import Page

NOTES = "shows_notes"  # session state
PREVIOUS, NEXT, PRESENT, SHOW_NOTES = "P", "N", "F", "S"  # keys, as in other presentation programs

# A presentation remote sends PageDown and PageUp. Outside presenter mode these keys scroll the page.
REMOTE = """
const BUTTONS = { PageDown: '.st-key-next_step button', PageUp: '.st-key-previous_step button' };

export default function () {
  const press = (event) => {
    const button = document.querySelector(BUTTONS[event.key]);
    if (!button || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    button.click();
  };
  document.addEventListener('keydown', press, true);
  return () => document.removeEventListener('keydown', press, true);
}
"""


def is_bar() -> bool:
    """True if the buttons are in a separate bar, with the position in the lecture."""
    return lecture.present() is not None or mode.is_presenting()


def show_bar(page: Page) -> None:
    """Show the position in the lecture, and the buttons: previous, next, presenter mode."""
    under_way = lecture.present()
    with st.container(
        key="lecture" if is_bar() else "onward",
        horizontal=True,
        vertical_alignment="center",
        width="stretch" if is_bar() else "content",
    ):
        if under_way is not None:
            lecture.show_place(*under_way)
        elif is_bar():
            shown = scenes.shown(page)
            own = "Your own setting" if page.scenes else page.title
            st.markdown(f"**{shown.title}**" if shown else own, width="stretch")
        if under_way is not None or page.scenes:
            _show_steps(page)
        if under_way is not None:
            words = "Hide notes" if st.session_state.get(NOTES) else "Notes"
            st.button(words, key="notes_button", type="tertiary", shortcut=SHOW_NOTES, on_click=_toggle_notes)
            st.button("Leave", key="leave_lecture", type="tertiary", on_click=lecture.leave, help="End the lecture.")
        words = "Leave presenter mode" if mode.is_presenting() else "Present"
        about = "Presenter mode: controls hidden, everything larger."
        st.button(words, key="present", type="tertiary", shortcut=PRESENT, on_click=mode.toggle_presenting, help=about)
    if mode.is_presenting():
        component("bdlviz_remote", js=REMOTE)(key="remote")
    if under_way is not None and st.session_state.get(NOTES):
        lecture.show_notes(*under_way)


def _toggle_notes() -> None:
    st.session_state[NOTES] = not st.session_state.get(NOTES)


def _show_steps(page: Page) -> None:
    is_asked = prediction.is_open(page) is not None
    start, end = _ends(page)
    back = st.button("Previous", key="previous_step", type="tertiary", shortcut=PREVIOUS, disabled=start)
    words = "Answer" if is_asked else "Next"
    on = st.button(words, key="next_step", type="tertiary", shortcut=NEXT, disabled=end and not is_asked)
    if back == on:
        return  # none was pressed, or both, which cancel each other
    if on and is_asked:
        prediction.commit(page)
        st.rerun()
    _go(page, 1 if on else -1)


def _ends(page: Page) -> tuple[bool, bool]:
    """Whether the current step or scene is the first, and whether it is the last."""
    under_way = lecture.present()
    if under_way is None:
        shown = scenes.shown(page)
        return shown is page.scenes[0], shown is page.scenes[-1]
    found, index = under_way
    is_here = lecture.is_here(found.steps[index])
    return is_here and index == 0, is_here and index == len(found.steps) - 1


def _go(page: Page, by: int) -> None:
    under_way = lecture.present()
    if under_way is not None:
        found, index = under_way
        lecture.go(found, index + by if lecture.is_here(found.steps[index]) else index)
    shown = scenes.shown(page)
    at = page.scenes.index(shown) if shown is not None else (-1 if by > 0 else len(page.scenes))
    scenes.choose(page, page.scenes[min(max(at + by, 0), len(page.scenes) - 1)])
    st.rerun()
