"""Exports of a page: the picture, its numbers, the whole page, and code that gives the state again; all offline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bdlviz.ui.page import Page


@dataclass(frozen=True, eq=False)
class Given:
    """What the page hands over besides its pictures."""

    page: Page
    formulas: Sequence[Callable[..., Any]]
    snippet: str
    present: str


def show(given: Given) -> None:
    """The exports of what the page shows at present."""
