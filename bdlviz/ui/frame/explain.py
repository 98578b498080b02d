"""Formulas and code on the page, read from the functions that compute, so that each formula is written once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import streamlit as st


def formulas(function: Callable[..., Any]) -> list[str]:
    """The ``$$`` blocks of a docstring, as LaTeX."""
    return [block.strip() for block in re.findall(r"\$\$(.+?)\$\$", inspect.getdoc(function) or "", re.DOTALL)]


SHAPE = re.compile(r" \((?:[A-Z]\w*|\.\.\.)(?:, ?(?:\w+|\.\.\.))*,?\)")  # " (S, P, out)"


def caption_of(function: Callable[..., Any]) -> str:
    """The first line of a docstring, without the shapes of arrays."""
    return SHAPE.sub("", (inspect.getdoc(function) or "").split("\n", 1)[0])


def show_formula(function: Callable[..., Any]) -> None:
    """Render the formulas of a function under the first line of its docstring."""
    st.caption(caption_of(function))
    for latex in formulas(function):
        st.latex(latex)


def show_code(*functions: Callable[..., Any]) -> None:
    """Show the source of the functions that computed the picture."""
    for function in functions:
        st.caption(f"`{function.__module__}.{function.__qualname__}`")
        st.code(inspect.getsource(function), language="python")
