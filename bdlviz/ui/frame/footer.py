"""The tabs under the picture: explanation, maths, code, exercises, exports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from bdlviz.lectures.glossary import terms_of
from bdlviz.ui.frame import derivation, details, exercise, export, mode, tabs
from bdlviz.ui.frame.explain import as_formula, show_code, show_formula
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.model import Page, Result


def show(page: Page, result: Result, has_tries: bool) -> None:
    """Show the tabs for a result; with what to try where it does not stand beside the picture."""
    given = export.Given(page, result.formulas, result.call, result.present)
    contents = _contents(page, result, given, has_tries)
    if mode.is_presenting():
        tabs.show_to_a_room(contents)
    else:
        tabs.show(contents, elsewhere=details.of_page(page, result))


def _contents(page: Page, result: Result, given: export.Given, has_tries: bool) -> dict[str, Callable[[], Any]]:
    """The tabs by title. The first one is open at first; only the open one is drawn."""
    contents: dict[str, Callable[[], Any]] = {}
    if page.explanation or page.try_this or page.caveat or page.papers:
        contents[tabs.EXPLAIN] = lambda: _show_explanation(page, has_tries)
    if result.formulas or result.present or page.derivation is not None:
        contents[tabs.MATHS] = lambda: _show_maths(page, result)
    if result.code or result.call:
        contents[tabs.CODE] = lambda: _show_code(result)
    if page.exercises:
        contents[tabs.EXERCISES] = lambda: exercise.show(page)
    return contents | {tabs.EXPORT: lambda: export.show(given)}


def show_exports(page: Page, call: str) -> None:
    """Show only the exports, for a page without tabs."""
    with st.expander("Export", key="export_box", on_change="rerun") as box:
        if box.open:
            export.show(export.Given(page, (), call, ""))


def show_tries(page: Page) -> None:
    """Show what to try on a page, a question each."""
    if page.try_this:
        with st.container(key="tries"):
            st.markdown("**Try this**\n\n" + "\n".join(f"- {line}" for line in page.try_this))


def _show_explanation(page: Page, has_tries: bool) -> None:
    if (told := page.explanation) is not None:
        paragraphs = (("What you see", told.sees), ("Why", told.why), ("When it fails", told.fails))
        st.markdown("\n\n".join(f"**{title}.** {text}" for title, text in paragraphs))
    if has_tries:
        show_tries(page)
    if found := terms_of(page.name):
        links = (f"[{term.name}](glossary?term={term.key})" for term in found)
        st.markdown("**Terms.** " + " · ".join(links))
    if page.papers:
        st.markdown("**Sources**\n\n" + "\n".join(f"- {paper.as_markdown}" for paper in page.papers))
    if page.caveat:
        with st.expander("Limits of this implementation"):
            st.markdown(page.caveat)


def _show_maths(page: Page, result: Result) -> None:
    """Show the formulas and the derivation; to a room only the derivation, if there is one."""
    if not (mode.is_presenting() and page.derivation is not None):
        for formula in result.formulas:
            show_formula(as_formula(formula), present_theme())
        if result.present:
            st.latex(result.present)
    if page.derivation is not None:
        derivation.show(page.derivation, page)


def _show_code(result: Result) -> None:
    if result.call:
        st.caption("Python that gives the same numbers in a notebook")
        st.code(result.call, language="python")
    if result.code:
        st.caption("Source of the functions that computed the picture")
        show_code(*result.code)
