"""Controls: every setting of a page as data, shown as widgets whose values live in the URL.

A control has a finite list of values, written as short text ("0.1", "1e-4", "relu"). The URL contains the same text, so
a link shows exactly one state of the page, and every value is one cache key.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

import streamlit as st

from bdlviz.digits import number
from bdlviz.types import Hyperparameter

Kind = Literal["slider", "menu", "buttons"]
LABEL_DIGITS = 6  # significant digits of a number as a label, more than any option has


@dataclass(frozen=True)
class Control:
    """One setting: its name in the URL, its label and the values it can take, as text.

    A slider ``plays`` if its values are moments of a story, such as epochs. Under a picture it has a button *Play*,
    and it plays once by itself where the page opens at its first value.
    """

    key: str
    label: str
    options: tuple[str, ...]
    default: str
    kind: Kind = "slider"
    help: str = ""
    names: Mapping[str, str] = field(default_factory=dict)  # labels of options that are not shown as themselves
    plays: bool = False

    def show(self) -> str:
        """Draw the widget and return the chosen option."""
        st.session_state.setdefault(self.key, self.default)
        common = {"format_func": self.name, "key": self.key, "help": self.help or None, "persist_state": "page"}
        if self.kind == "slider":
            return st.select_slider(self.label, self.options, **common)
        if self.kind == "menu":
            return st.selectbox(self.label, self.options, **common)
        return st.segmented_control(self.label, self.options, required=True, **common) or self.default

    def present(self) -> str:
        """The chosen option, also if the widget has not been drawn in this run."""
        return st.session_state.get(self.key, self.default)

    def name(self, option: str) -> str:
        """The label of an option; a number as in sentences."""
        return self.names.get(option, written(option))

    def read(self, given: str) -> tuple[str, bool]:
        """The option for a text in a link, and True if the text names an existing option.

        The text may be the option, its label, or a number equal to it. For another number the nearest option is
        returned, for any other text the default.
        """
        by_name = {self.name(option): option for option in self.options} | {option: option for option in self.options}
        if given in by_name:
            return by_name[given], True
        wanted = _number(given)
        gaps = {option: abs(number - wanted) for option in self.options if not math.isnan(number := _number(option))}
        nearest = min(gaps, key=gaps.__getitem__, default=self.default)
        return (self.default, False) if math.isnan(wanted) else (nearest, gaps.get(nearest) == 0)


def written(option: str) -> str:
    """An option to read: 10,000 for "10000" and 10⁻⁴ for "1e-4"; text that is no number as it is."""
    value = _number(option)
    return number(value, LABEL_DIGITS) if math.isfinite(value) else option


def _number(text: str) -> float:
    """The number in a text, or NaN."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def text(value: float) -> str:
    """A number as text for URLs and sliders: 0.1, 1e-4, 20."""
    if value != 0 and (abs(value) < 1e-3 or abs(value) >= 1e5):
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{float(mantissa):g}e{int(exponent)}"
    return f"{value:g}"


def number_control(
    key: str,
    label: str,
    values: Iterable[float],
    default: float,
    help: str = "",
    kind: Kind = "slider",
    plays: bool = False,
) -> Control:
    """A control over numbers."""
    return Control(key, label, tuple(text(value) for value in values), text(default), kind, help, plays=plays)


@cache
def hyperparameter_control(parameter: Hyperparameter) -> Control:
    """The slider of a hyper-parameter of a method, from its specification."""
    return number_control(parameter.name, parameter.label, parameter.values, parameter.default, parameter.help)


def set_controls(values: Mapping[str, str], controls: Iterable[Control]) -> None:
    """Set the named controls, and all others to their defaults (for use in a callback)."""
    for control in controls:
        st.session_state[control.key] = values.get(control.key, control.default)


def shown(controls: Iterable[Control], when: Callable[[Control], bool] = lambda control: True) -> dict[str, str]:
    """Draw the controls and return the chosen options by key; controls that are not drawn keep their values."""
    return {c.key: c.show() if when(c) else c.present() for c in controls}
