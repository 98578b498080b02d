"""The derivation of a bound on the page: steps to open, each linked to a term of the picture above."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from bdlviz import plots
from bdlviz.lectures.derivation import Derivation, Step
from bdlviz.ui.controls.control import set_controls
from bdlviz.ui.frame import tabs
from bdlviz.ui.places import link

if TYPE_CHECKING:
    from bdlviz.ui.model import Page

STEP = "derivation_step"  # the key of the widget that selects the open step
OF_PAGE = "derivation_of_page"  # session state
DIMS = "derivation_dims"  # session state: True if a figure of this run has dimmed traces outside the open step
SIGNS = {"=": "=", "<=": "≤", "≈": "≈"}


def begin(derivation: Derivation | None) -> None:
    """Record the derivation of the page, before its pictures are drawn."""
    st.session_state[OF_PAGE] = derivation
    st.session_state[DIMS] = False


def show(derivation: Derivation, page: Page) -> None:
    """Show a row of steps, the open step, and the previous lines."""
    st.markdown(f"**{derivation.title}**")
    present = link.settings(page.controls)
    if any(present.get(key) != value for key, value in derivation.state.items() if value != _default(page, key)):
        words = "Show the picture of this step"
        st.button(words, key="set_derivation", on_click=set_controls, args=(derivation.state, page.controls))
    titles = [f"{index + 1}. {step.title}" for index, step in enumerate(derivation.steps)]
    chosen = st.pills("Steps", titles, default=titles[0], key=STEP, required=True)
    index = titles.index(chosen) if chosen in titles else 0
    for place, step in enumerate(derivation.steps[: index + 1]):
        with st.container(key=f"derived_{place}", border=place == index):
            st.latex(step.latex)
            if place == index:
                _show_step(step)
    if index == len(derivation.steps) - 1:
        st.success(derivation.claim)
    st.caption(f"Source: {derivation.source}")


def _show_step(step: Step) -> None:
    st.markdown(step.because)
    if step.where:
        # A picture drawn in the browser is no plotly figure, and cannot be dimmed.
        dimmed = " The other lines are dimmed while this step is open." if st.session_state.get(DIMS) else ""
        st.markdown(f"**In the picture**: {step.where}{dimmed}")
    # Some checks need torch, which takes seconds to load. So they run only on request.
    if step.sides is not None and st.button("Check in numbers", key="check_step"):
        left, right, error = step.sides()
        within = f" (Monte Carlo, ± {error:.2g})" if error else ""
        st.caption(
            f"On a small case, both sides computed separately: {left:.6g} {SIGNS[step.relation]} {right:.6g}{within}."
        )


def focus(fig: Any) -> None:
    """Dim the traces of a figure that do not belong to the open step."""
    if plots.focus(fig, traces_in_focus()):
        st.session_state[DIMS] = True


def traces_in_focus() -> tuple[str, ...]:
    """Names of the traces of the open step; empty if no derivation is open."""
    derivation: Derivation | None = st.session_state.get(OF_PAGE)
    if derivation is None or not tabs.is_open(tabs.MATHS):
        return ()
    chosen = str(st.session_state.get(STEP) or "1.")
    index = int(chosen.partition(".")[0]) - 1
    return derivation.steps[index].traces if index < len(derivation.steps) else ()


def _default(page: Page, key: str) -> str:
    return next(control.default for control in page.controls if control.key == key)
