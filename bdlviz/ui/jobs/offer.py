"""Jobs that start only when the visitor agrees: a text, a button, and the error of the last attempt."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import streamlit as st

from bdlviz.ui.jobs.queue import Job
from bdlviz.ui.jobs.watch import Watched
from bdlviz.ui.model import Need, Offer

ACCEPTED, PROBLEM = "accepted_offer", "problem_of_offer"  # session state: the key of a need, a sentence


def is_open(need: Need[Any]) -> bool:
    """True if the need has an offer that the visitor has not accepted."""
    return need.offer is not None and st.session_state.get(ACCEPTED) != need.key


def show(offer: Offer, key: Hashable) -> None:
    """Draw the offer of the need with that key."""
    with st.container(border=True, key=offer.key):
        st.markdown(offer.says)
        if problem := st.session_state.get(PROBLEM):
            st.error(problem)
        if offer.button:
            st.button(offer.button, key=f"start_{offer.key}", on_click=_accept, args=(key,))
        st.caption(offer.remark)


def watched(offer: Offer, need: Need[Any]) -> Watched[Any]:
    """How the page shows the job; after a failure or Stop the page shows the offer again."""
    tell = need.tell or _how_far
    return Watched(tell, lambda _: _withdraw(), lambda _: None, failed, box=offer.key, stop_key=f"stop_{offer.key}")


def failed(error: BaseException) -> bool:
    """Keep the error message for the offer, which is shown again."""
    _withdraw()
    st.session_state[PROBLEM] = str(error)
    return True


def _how_far(job: Job[Any]) -> tuple[float, str]:
    fraction = job.progress[0].fraction if job.progress is not None else 0.0
    return fraction, f"{fraction:.0%}"


def _accept(key: Hashable) -> None:
    st.session_state.pop(PROBLEM, None)
    st.session_state[ACCEPTED] = key


def _withdraw() -> None:
    st.session_state.pop(ACCEPTED, None)
