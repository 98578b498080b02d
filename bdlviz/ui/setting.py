"""What a view is given: the values of the controls, and where its picture is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from bdlviz.plots.theme import Theme
from bdlviz.ui.controls.control import Control
from bdlviz.ui.controls.own_points import OwnPoints

Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Setting:
    """The values of a page's controls by key, as text; a control without a value is at its default.

    ``own`` holds the points that the visitor has entered, for pages with a data panel.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    own: OwnPoints | None = None

    def __getitem__(self, control: Control) -> str:
        """The chosen option of a control."""
        return self.values.get(control.key, control.default)

    def text(self, key: str) -> str:
        """A value that is chosen without a control (``more`` of a `Custom`); empty where there is none."""
        return self.values.get(key, "")

    def number(self, control: Control) -> float:
        """The chosen option of a control over numbers."""
        return float(self[control])

    def is_default(self, control: Control) -> bool:
        """True where the control stands at its default."""
        return self[control] == control.default


@dataclass(frozen=True)
class Screen:
    """Where the picture is drawn: colours, and whether everything stands in one narrow column.

    In presenter mode (``is_presenting``) the picture comes before tables and numbers: a room's screen does not scroll.
    """

    theme: Theme
    is_narrow: bool = False
    is_presenting: bool = False

    def by_width(self, wide: Choice, narrow: Choice) -> Choice:
        """The one of two values that suits the window."""
        return narrow if self.is_narrow else wide
