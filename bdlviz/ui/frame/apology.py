"""What a visitor reads when a page fails: one sentence, never a traceback."""

from __future__ import annotations

import logging

import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.ui.places import link

log = logging.getLogger(__name__)


def apologise(error: Exception) -> bool:
    """Say what is wrong (bad input) or that the mistake is ours, and log it; returns True: nothing else to show."""
    if isinstance(error, InvalidInput):
        st.error(link.plain(str(error)))
    else:
        log.error("A page failed.", exc_info=error)
        st.error("This page failed through a mistake of ours. Press Reset or reload; the address keeps your settings.")
    return True
