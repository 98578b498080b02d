"""The message on a page that fails: one sentence, never a traceback."""

from __future__ import annotations

import logging

import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.ui.places import link

FAILED_PAGE = "This page failed because of an error in bdlviz. Press Reset or reload; the address keeps your settings."
log = logging.getLogger(__name__)


def apologise(error: Exception) -> bool:
    """Show the message of an invalid input; for other errors log them and show a general message. Returns True."""
    if isinstance(error, InvalidInput):
        st.error(link.plain(str(error)))
    else:
        log.error("A page failed.", exc_info=error)
        st.error(FAILED_PAGE)
    return True
