"""Next and previous, by button and by key: between scenes, or between steps of a lecture."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.components.v2 import component

from bdlviz.ui.frame import lecture, mode, prediction, scenes

if TYPE_CHECKING:
    from bdlviz.lectures import Lecture
    from bdlviz.ui.model import Page

CLIENT = Path(__file__).resolve().parents[1] / "client"
PREVIOUS, NEXT, PRESENT, NOTES = "P", "N", "F", "S"  # keys, as in other presentation programs
ABOUT = "Open the speaker view in a second window: notes, next step and clock."


@cache
def _remote() -> Callable[..., Any]:
    """The script for a presentation remote, for Esc, and for the speaker view in another window."""
    return component("bdlviz_remote", js=(CLIENT / "remote.js").read_text(encoding="utf-8"))


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
            st.link_button(
                "Notes", speaker_address(under_way[0]), key="notes_button", type="tertiary", shortcut=NOTES, help=ABOUT
            )
            if not mode.is_presenting():
                words = "End lecture"
                st.button(words, key="leave_lecture", type="tertiary", on_click=lecture.leave, help="Keep this page.")
        _show_exit()
    if under_way is not None or mode.is_presenting():
        _remote()(key="remote", data=_place(page))


def _show_exit() -> None:
    """Show the button that starts presenter mode, or the one that leaves it."""
    if mode.is_presenting():
        words, about = "Exit", "Leave presenter mode. The Esc key does the same."
    else:
        words, about = "Present", "Presenter mode: larger, with only the controls that are needed."
    st.button(words, key="present", type="tertiary", shortcut=PRESENT, on_click=mode.toggle_presenting, help=about)


def speaker_address(shown: Lecture) -> str:
    """The address of the speaker view, relative to every page."""
    return f"speaker?lecture={shown.name}"


def _place(page: Page) -> dict[str, Any]:
    """What the script announces to the speaker view: the step, and whether its question is open."""
    under_way = lecture.present()
    place = None if under_way is None else {"lecture": under_way[0].name, "step": under_way[1] + 1}
    return {"presents": mode.is_presenting(), "asks": prediction.is_open(page) is not None, "place": place}


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
