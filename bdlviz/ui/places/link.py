"""The link to the present state of a page: read on arrival, written at the end of a run.

Streamlit can bind a widget to the address line, but a menu then writes its label instead of its option, scenes and
resets leave one step of history for each control, and Back restores a part of them. So the page keeps its link itself:
one state is one step of history, and what a control holds at its default is left out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence

import streamlit as st

from bdlviz.ui.controls.control import Control

SCENE = "scene"
OF_VISIT = ("present", "hide")  # what holds on every page of a visit
LECTURE_KEYS = ("lecture", "step")  # where a lecture stands: a page that is entered again does not lead back there
IN_FLIGHT = 0.7  # seconds in which a browser may still send the link of one run before
MAX_KEYS, MAX_KEY, MAX_VALUE = 100, 60, 4000  # what is read of a link: keys, and characters of each and of its value
MARKDOWN = re.compile(r"([\\`*_~$:<>|#!\[\](){}])")  # what could begin something else than text


def arrive(page: str, controls: Sequence[Control]) -> dict[str, str] | None:
    """What the link asks for, if the visitor came to this state by a link, by Back, or from another page.

    None where a control, a button or nothing brought about this run: then the controls know best. A page that is
    entered without any settings shows what it showed last.
    """
    state, given = st.session_state, _given()
    links: dict[str, dict[str, str]] = state.setdefault("links", {})
    last, is_here = links.get(page), state.get("link_of") == page
    state["link_of"] = page
    state["arrived_with"] = {}
    state["more_in_link"] = {}
    if last is not None and is_here:
        was_moved = settings(controls) != {c.key: last[c.key] for c in controls if c.key in last}
        is_late = given == state.get("link_before") and time.monotonic() - state["link_written"] < IN_FLIGHT
        if given == last or was_moved or is_late:
            return None
    elif not given:
        given = {key: value for key, value in (last or {}).items() if key not in OF_VISIT + LECTURE_KEYS}
        given |= of_visit()
    state["arrived_with"] = given
    state["link_of_visit"] = {key: given[key] for key in OF_VISIT if key in given}
    return given


def _given() -> dict[str, str]:
    """The link of this run, no more of it than any link of ours has."""
    query = st.query_params.to_dict()
    return {key: query[key][:MAX_VALUE] for key in [*query][:MAX_KEYS] if len(key) <= MAX_KEY}


def of_visit() -> dict[str, str]:
    """What of the link holds on every page, to be read and changed."""
    return st.session_state.setdefault("link_of_visit", {})


def arrived_with(key: str) -> str | None:
    """The value of a key in the link that brought about this run, or None."""
    return st.session_state.get("arrived_with", {}).get(key)


def adopt(given: Mapping[str, str], controls: Sequence[Control]) -> list[str]:
    """Set every control to what a link says, else to its default; say what was not on offer."""
    remarks = []
    for control in controls:
        asked = given.get(control.key, control.default)
        option, is_on_offer = control.read(asked)
        st.session_state[control.key] = option
        if not is_on_offer:
            said, shown = f"{control.label} = {quoted(asked)}", control.name(option)
            remarks.append(f"The link asks for {said}, which is not on offer; showing {shown}.")
    return remarks


def settings(controls: Sequence[Control]) -> dict[str, str]:
    """The controls that are not at their defaults."""
    present = {control.key: control.present() for control in controls}
    return {control.key: present[control.key] for control in controls if present[control.key] != control.default}


def add(key: str, value: str) -> None:
    """Put something besides the controls into the link of this run."""
    st.session_state["more_in_link"][key] = value


def write(page: str, controls: Sequence[Control]) -> None:
    """Make the address line the link to what the page shows."""
    state = st.session_state
    link = state["links"][page] = settings(controls) | state["more_in_link"] | of_visit()
    if link != st.query_params.to_dict():
        state["link_before"], state["link_written"] = _given(), time.monotonic()
        st.query_params.from_dict(link)


# What stands in a link may come from anybody, and a page's sentences are Markdown.


def whole_number(said: object, most: int) -> int | None:
    """The number from 0 to ``most`` that a visitor says, as such or in plain digits; None where it is none."""
    if isinstance(said, str):
        said = int(said) if len(said) <= 20 and said.isascii() and said.isdigit() else None
    return said if type(said) is int and 0 <= said <= most else None


def quoted(words: object, length: int = 40) -> str:
    """The beginning of what a link says, as Markdown that shows it as it is: a span of code."""
    shown = "".join(c if c.isprintable() and c != "`" else " " for c in str(words)[:length]).strip()
    return f"`{shown}`" if shown else "“”"


def plain(sentence: str) -> str:
    """A sentence that repeats a visitor's words, as Markdown that shows it as it is."""
    return MARKDOWN.sub(r"\\\1", "".join(c if c.isprintable() else " " for c in sentence))
