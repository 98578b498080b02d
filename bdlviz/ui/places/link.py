"""The link to the current state of a page: read on arrival, written at the end of a run.

Streamlit can bind a widget to the address line. But then a menu writes its label instead of its option, and a scene or
Reset adds one entry to the browser's history for each control, so that Back restores only some of them. So the page
writes its link itself: one state is one entry of the history, and controls at their defaults are left out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence

import streamlit as st

from bdlviz.digits import THIN
from bdlviz.ui.controls.control import Control

SCENE = "scene"
OF_VISIT = ("present", "hide")  # keys that hold on every page of a visit
LECTURE_KEYS = ("lecture", "step")  # the step of a lecture; not restored when a page is opened again
WARNINGS = "link_warnings"  # session state: sentences on the link of this visit, by their place on the page
IN_FLIGHT = 0.7  # seconds in which a browser may still send the link of the previous run
MAX_KEYS, MAX_KEY, MAX_VALUE = 100, 60, 4000  # limits of a link: number of keys, characters of a key and of a value
MARKDOWN = re.compile(r"([\\`*_~$:<>|#!\[\](){}])")  # characters with a meaning in Markdown


def arrive(page: str, controls: Sequence[Control]) -> dict[str, str] | None:
    """The settings of the link, if the visitor came by a link, by Back, or from another page.

    None if another event caused this run, such as a control: then the controls keep their values. A page that is opened
    without settings shows its last state.
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
        if was_moved:
            state[WARNINGS] = {}
        if given == last or was_moved or is_late:
            return None
    elif not given:
        given = {key: value for key, value in (last or {}).items() if key not in OF_VISIT + LECTURE_KEYS}
        given |= of_visit()
    state["arrived_with"], state[WARNINGS] = given, {}
    state["link_of_visit"] = {key: given[key] for key in OF_VISIT if key in given}
    return given


def _given() -> dict[str, str]:
    """The link of this run, cut to the limits of links that the app writes."""
    query = st.query_params.to_dict()
    return {key: query[key][:MAX_VALUE] for key in [*query][:MAX_KEYS] if len(key) <= MAX_KEY}


def of_visit() -> dict[str, str]:
    """The part of the link that holds on every page of the visit; the dict may be changed."""
    return st.session_state.setdefault("link_of_visit", {})


def arrived_with(key: str) -> str | None:
    """The value of a key in the link that caused this run, or None."""
    return st.session_state.get("arrived_with", {}).get(key)


def warn(place: str, sentences: Sequence[str] = ()) -> None:
    """Show warnings about the link at one place of the page, now and in later runs, until a control is moved.

    A page may run again at once, when the browser reports its window; the warnings must not go with the first run.
    """
    warnings: dict[str, Sequence[str]] = st.session_state.setdefault(WARNINGS, {})
    if sentences:
        warnings[place] = sentences
    for sentence in warnings.get(place, ()):
        st.warning(sentence)


def adopt(given: Mapping[str, str], controls: Sequence[Control]) -> list[str]:
    """Set every control to its value in a link, else to its default; returns sentences on unavailable values."""
    remarks = []
    for control in controls:
        asked = given.get(control.key, control.default)
        option, is_on_offer = control.read(asked)
        st.session_state[control.key] = option
        if not is_on_offer:
            said, shown = f"{control.label} = {quoted(asked)}", control.name(option)
            remarks.append(f"The link asks for {said}, which is not available; showing {shown}.")
    return remarks


def settings(controls: Sequence[Control]) -> dict[str, str]:
    """The controls that are not at their defaults."""
    present = {control.key: control.present() for control in controls}
    return {control.key: present[control.key] for control in controls if present[control.key] != control.default}


def add(key: str, value: str) -> None:
    """Add a key that is not a control to the link of this run."""
    st.session_state["more_in_link"][key] = value


def write(page: str, controls: Sequence[Control]) -> None:
    """Write the link to the state of the page into the address line."""
    state = st.session_state
    link = state["links"][page] = settings(controls) | state["more_in_link"] | of_visit()
    if link != st.query_params.to_dict():
        state["link_before"], state["link_written"] = _given(), time.monotonic()
        st.query_params.from_dict(link)


# A link may come from anybody, and the sentences of a page are Markdown.


def whole_number(said: object, most: int) -> int | None:
    """The whole number from 0 to ``most`` in a visitor's input, a number or digits; None if it is not one."""
    if isinstance(said, str):
        said = int(said) if len(said) <= 20 and said.isascii() and said.isdigit() else None
    return said if type(said) is int and 0 <= said <= most else None


def quoted(words: object, length: int = 40) -> str:
    """The beginning of a text of a link as literal Markdown: a code span."""
    shown = "".join(c if c.isprintable() and c != "`" else " " for c in str(words)[:length]).strip()
    return f"`{shown}`" if shown else "“”"


def plain(sentence: str) -> str:
    """A sentence that contains a visitor's words, as Markdown with all special characters escaped."""
    return MARKDOWN.sub(r"\\\1", "".join(c if c.isprintable() or c == THIN else " " for c in sentence))
