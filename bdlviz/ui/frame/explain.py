"""Formulas and code on the page, read from the functions that compute, so that each formula is written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import streamlit as st

from bdlviz.plots.theme import Theme
from bdlviz.ui.model import Formula, Function


def formulas(function: Callable[..., Any]) -> list[str]:
    """The ``$$`` blocks of a docstring, as LaTeX."""
    return [block.strip() for block in re.findall(r"\$\$(.+?)\$\$", inspect.getdoc(function) or "", re.DOTALL)]


def as_formula(formula: Formula | Function) -> Formula:
    """A formula without words for a function."""
    return formula if isinstance(formula, Formula) else Formula(formula, "")


def show_formula(formula: Formula, theme: Theme) -> None:
    """Render a formula: what it gives, the equation, and its symbols in words, in the colours of their curves."""
    if formula.says:
        st.markdown(formula.says)
    for latex in formulas(formula.of):
        st.latex(latex)
    if formula.symbols:
        st.caption(" · ".join(f"{_symbol(formula, latex, theme)} {told}" for latex, told in formula.symbols.items()))


def _symbol(formula: Formula, latex: str, theme: Theme) -> str:
    meaning = formula.colors.get(latex)
    return f"${latex}$" if meaning is None else rf"$\textcolor{{{theme.text(getattr(theme, meaning))}}}{{{latex}}}$"


def show_code(*functions: Callable[..., Any]) -> None:
    """Show the source of the functions that computed the picture."""
    for function in functions:
        st.caption(f"`{function.__module__}.{function.__qualname__}`")
        st.code(inspect.getsource(function), language="python")
