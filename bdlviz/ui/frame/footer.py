"""The tabs under the picture: equation, derivation, code, exercises, sources, exports."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from bdlviz.ui.frame import derivation, exercise, export, tabs
from bdlviz.ui.frame.explain import formulas as formulas_of
from bdlviz.ui.frame.explain import show_code, show_formula
from bdlviz.ui.frame.render import show_parts
from bdlviz.ui.model import Page, Result, Tab


def show(page: Page, result: Result, equation: Any) -> None:
    """Show the tabs for a result; ``equation`` is the container of the first equation in presenter mode."""
    given = export.Given(page, result.formulas, result.call, result.present)
    contents = _contents(page, result, given)
    if equation is None:
        tabs.show(contents)
        return
    tabs.show_to_a_room(contents)
    if result.present or result.formulas:
        with equation:
            st.latex(_first_statement(result.present or formulas_of(result.formulas[0])[0]))


def _contents(page: Page, result: Result, given: export.Given) -> dict[str, Callable[[], Any]]:
    # The equation tab is open first. It is drawn at once, so a slider does not wait for more figures.
    contents: dict[str, Callable[[], Any]] = {}
    if result.formulas or result.present:
        contents["Equation"] = lambda: _show_equations(result.formulas, result.present)
    contents |= {title: _parts_of(tab) for title, tab in {**result.tabs, **page.tabs}.items()}
    if (steps := page.derivation) is not None:
        contents[derivation.TAB] = lambda: derivation.show(steps, page)
    if result.code:
        contents["Code"] = lambda: show_code(*result.code)
    if result.call:
        contents["Reproduce"] = lambda: st.code(result.call, language="python")
    if page.exercises:
        contents["Exercises"] = lambda: exercise.show(page)
    if page.try_this:
        contents["Try this"] = lambda: st.markdown("\n".join(f"- {line}" for line in page.try_this))
    if page.caveat or page.papers:
        contents["Caveat and paper"] = lambda: _show_caveat(page)
    return contents | {"Export": lambda: export.show(given)}


def _parts_of(tab: Tab) -> Callable[[], None]:
    return lambda: show_parts(tab())


def show_exports(page: Page, call: str) -> None:
    """Show only the exports, for a page without tabs."""
    with st.expander("Export", key="export_box", on_change="rerun") as box:
        if box.open:
            export.show(export.Given(page, (), call, ""))


def _show_caveat(page: Page) -> None:
    st.markdown(page.caveat)
    for paper in page.papers:
        st.markdown(f"- [{paper.citation}]({paper.link})" if paper.link else f"- {paper.citation}")


def _show_equations(formulas: Sequence[Callable[..., Any]], present: str) -> None:
    for function in formulas:
        show_formula(function)
    if present:
        st.latex(present)


def _first_statement(latex: str) -> str:
    """The first of several statements in a row; in presenter mode a line has no space for more."""
    return latex if r"\begin" in latex else re.split(r"[,;]?\s*\\qquad", latex, maxsplit=1)[0]
