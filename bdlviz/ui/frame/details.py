"""Further pictures of a page: a menu beside the picture. The chosen one takes the place of the main picture."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bdlviz.ui.model import Page, Result, Tab
from bdlviz.ui.places import link

DETAIL = "detail"  # in the link: the title of the chosen picture
KEY = "detail"  # key of the menu; Streamlit forgets its value when a run does not draw the menu
CHOSEN = "chosen_detail"  # session state: the title chosen last, also while the result is computed
MAIN = "the picture"


def ask_for(title: str) -> None:
    """Choose a further picture by its title; "" is the main picture."""
    st.session_state[KEY] = st.session_state[CHOSEN] = title or MAIN


def of_page(page: Page, result: Result | None) -> Mapping[str, Tab]:
    """The further pictures by title: those of the result and those of the page."""
    return {**(result.tabs if result is not None else {}), **page.tabs}


def chosen(page: Page, result: Result | None) -> Tab | None:
    """The chosen further picture; None for the main picture."""
    return of_page(page, result).get(st.session_state.get(KEY, st.session_state.get(CHOSEN, MAIN)))


def show_menu(page: Page, result: Result | None) -> None:
    """Show the menu, if there is something to choose."""
    titles = [*of_page(page, result)]
    if not titles:
        return
    if st.session_state.get(KEY) not in (MAIN, *titles):
        chosen = st.session_state.get(CHOSEN)
        st.session_state[KEY] = chosen if chosen in titles else MAIN
    title = st.session_state[CHOSEN] = st.selectbox("Closer look", [MAIN, *titles], key=KEY)
    if title != MAIN:
        link.add(DETAIL, title)
