"""The function of the parameters under the pointer, drawn into the prediction by the browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components import v2

from bdlviz.plots.theme import Theme
from bdlviz.topics.foundations.bayes_rule.two_parameters import Family
from bdlviz.topics.shared.views_hover import LISTENER
from bdlviz.ui.model import Widget

SCRIPT = Path(__file__).resolve().parent / "client" / "pointer.js"


def function_under_pointer(figure: str, family: Family, theme: Theme) -> Widget:
    """Over a map of the figure with that key: rings in all maps, and the function of that place in the prediction."""
    data = {"figure": figure, "family": family.name, "ink": theme.ink, "paper": theme.paper}
    return Widget(lambda: _component()(key=f"pointer_{figure}", data=data), is_picture=False)


@cache
def _component() -> Callable[..., Any]:
    return v2.component("bdlviz_pointer", js="\n".join(file.read_text(encoding="utf-8") for file in (LISTENER, SCRIPT)))
