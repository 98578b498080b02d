"""The function picture that redraws during a drag: the data that it gets, and its events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from plotly.graph_objects import Figure

from bdlviz import plots
from bdlviz.plots.functions import Reference
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.cache import memoised
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import mode, on_page
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.scrub import base, grids

MAX_VALUE, LARGEST = 100, 10**15  # limits of the values of an event: characters, and whole numbers
SCRIPTS = ("surface", "layers", "panel", "sliders", "player", "pad", "difference", "coverage", "told", "view", "main")


@dataclass(frozen=True, eq=False)
class Side:
    """One panel: the fit of a setting, and the blocks of the grid over which sliders can move it."""

    predictive: Predictive
    at: Mapping[str, str]  # the setting, key -> option
    title: str = ""
    label: str = ""  # "A" or "B" in a comparison
    is_active: bool = True
    grid: bytes | None = None
    film: bytes | None = None
    reference: Reference | None = None  # outlined over this panel


@dataclass(frozen=True)
class Slider:
    """A slider of the view: key, label, stops as text, the committed one, and the usual one, which sentences name."""

    key: str
    label: str
    stops: tuple[str, ...]
    value: str
    usual: str = ""

    @classmethod
    def of(cls, control: Control) -> Slider:
        """The slider of a control of the page. The control keeps the value."""
        return cls(control.key, control.label, control.options, control.present(), control.default)


def show(
    sides: Sequence[Side],
    dataset: Dataset,
    sliders: Sequence[Slider],
    on_commit: Callable[[dict[str, Any]], None],
    *,
    key: str,
    unit: str = "",
    **settings: Any,
) -> None:
    """Put the picture on the page; ``settings`` are further fields of the data of the view."""
    blocks: dict[str, bytes] = {}
    told = []
    for side in sides:
        cell = _cell(side.predictive, dataset, side.reference and side.reference.predictive)
        block = {"cell": cell.block, "grid": side.grid, "film": side.film}
        blocks |= {f"{kind}{side.label}": content for kind, content in block.items() if content is not None}
        names = {"cell": cell.name} | {kind: block[kind] and _name(block[kind]) for kind in ("grid", "film")}
        _note(side, dataset, cell.words)
        told.append({"label": side.label, "title": side.title, "at": dict(side.at), "isActive": side.is_active} | names)
        if side.reference is not None:
            told[-1]["reference"] = {"name": side.reference.name, "isExact": side.reference.is_exact}
    hidden = mode.hidden()
    data = {
        "name": key,
        "theme": base.tokens(present_theme()),
        "axes": {
            "x": {"label": dataset.x_label, "range": list(dataset.x_range)},
            "y": {"label": dataset.y_label, "range": list(dataset.y_range)},
        },
        # As tuples, since Streamlit would try to read a list as a table.
        "sides": tuple(told),
        "sliders": tuple(vars(slider) | {"isHidden": slider.key in hidden} for slider in sliders),
        "unit": unit,
        **settings,
    }
    view, own = base.component("picture", SCRIPTS), {slider.key for slider in sliders}
    base.mount(view, key, data, blocks, on_commit, stands_for=own)


@dataclass(frozen=True)
class Cell:
    """A fit for the view: its block, the name of the block, and a description of the picture."""

    block: bytes
    name: str
    words: str


@memoised()
def _cell(predictive: Predictive, dataset: Dataset, reference: Predictive | None) -> Cell:
    """Computed once for the two runs that follow an event: of the picture, and of the page."""
    block = grids.cell_block(predictive, dataset, reference)
    return Cell(block, base.block_name(block), plots.describe_function_draws(predictive, dataset))


@memoised()
def _name(block: bytes) -> str:
    return base.block_name(block)


def _note(side: Side, dataset: Dataset, words: str) -> None:
    """Record a panel for the exports, which draw it as a figure."""

    def still() -> Figure:
        reference = side.reference
        return plots.function_draws(side.predictive, dataset, theme=present_theme(), reference=reference)

    on_page.note_figure(f"functions {side.label}".strip(), still, words)


def commit_values(event: Mapping[str, Any], controls: Sequence[Control]) -> dict[str, Any]:
    """Set the controls that an event names, each to one of its options; returns all values of the event."""
    said = event.get("values")
    values = said if isinstance(said, dict) else {}
    for control in controls:
        said = values.get(control.key)
        if isinstance(said, str | float) or (type(said) is int and abs(said) < LARGEST):
            st.session_state[control.key] = control.read(str(said)[:MAX_VALUE])[0]
    return values
