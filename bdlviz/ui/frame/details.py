"""Further pictures of a page. The chosen one takes the place of the main picture; the menu is in `scenes`."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bdlviz.ui.model import Page, Result, Tab
from bdlviz.ui.places import link

DETAIL = "detail"  # in the link and in the session state: the title of the chosen picture, "" for the main one


def ask_for(title: str) -> None:
    """Choose a further picture by its title; "" is the main picture."""
    st.session_state[DETAIL] = title


def asked() -> str:
    """The title that was chosen last, also while the result is computed; "" for the main picture."""
    return st.session_state.get(DETAIL, "")


def of_page(page: Page, result: Result | None) -> Mapping[str, Tab]:
    """The further pictures by title: those of the result and those of the page."""
    return {**(result.tabs if result is not None else {}), **page.tabs}


def chosen(page: Page, result: Result | None) -> Tab | None:
    """The chosen further picture; None for the main picture."""
    return of_page(page, result).get(asked())


def note_in_link(page: Page, result: Result | None) -> None:
    """Put the chosen picture into the link."""
    if asked() in of_page(page, result):
        link.add(DETAIL, asked())
