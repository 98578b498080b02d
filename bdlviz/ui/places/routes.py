"""Navigation: all pages with their sections and URLs."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page

from bdlviz.ui.frame import access, window
from bdlviz.ui.jobs.queue import QUEUE
from bdlviz.ui.jobs.watch import leave_unwanted, visitor
from bdlviz.ui.places.navigation import HOME, SECTIONS, TITLES, path_of

PRESENT = "present_page"  # session state: the path of the page that is shown
PAGES = frozenset(TITLES)


def run(folder: Path) -> None:
    """Show the navigation and run the chosen page."""
    # Copies, since Streamlit marks in a page object that this run may show it.
    pages = {name: copy(page) for name, page in _pages(folder).items()}
    sections = {section: [pages[name] for name, _ in entries] for section, entries in SECTIONS.items()}
    st.session_state["pages"] = pages
    page = st.navigation(sections, position="top")
    st.set_page_config(page_title="bdlviz" if page.url_path == "" else f"{page.title} · bdlviz")
    if st.session_state.get(PRESENT) != page.url_path:
        # Cancels jobs that only a page wanted that the visitor has left.
        st.session_state[PRESENT] = page.url_path
        for waiting in QUEUE.names_of(visitor()):
            QUEUE.leave(waiting)
    access.help_everybody()
    page.run()
    leave_unwanted(QUEUE)
    window.follow()


@cache
def _pages(folder: Path) -> dict[str, Page]:
    """All pages by their file names under ``folder``, shared by all visitors."""
    return {name: _page(folder, name, title) for entries in SECTIONS.values() for name, title in entries}


def _page(folder: Path, name: str, title: str) -> Page:
    return st.Page(folder / f"{name}.py", title=title, url_path=path_of(name) or None, default=name == HOME)


def is_present(name: str) -> bool:
    """True if this page is shown. Without navigation, when a page runs alone, always True."""
    return st.session_state.get(PRESENT) in (None, path_of(name))


def open_page(name: str, query: Mapping[str, str]) -> None:
    """Go to a page with these settings in its link; does not return."""
    st.switch_page(st.session_state["pages"][name], query_params=dict(query))


def link(name: str, label: str, query: Mapping[str, str] | None = None) -> None:
    """A link to a page, by its file's name under pages/, in the state of ``query``."""
    st.page_link(st.session_state["pages"][name], label=label, query_params=query)
