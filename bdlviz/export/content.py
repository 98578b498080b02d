"""The content of a page in one state, as plain data, from which all exports are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import plotly.graph_objects as go

from bdlviz.plots.theme import ThemeName
from bdlviz.types import Array

Picture = Array | bytes  # uint8 (h, w), (h, w, 3) or (h, w, 4); or a PNG as it is


@dataclass(frozen=True, eq=False)
class Content:
    """A page in one state. Sentences may hold the Markdown that `bdlviz.export.markdown` reads; nothing is HTML.

    Args:
        title: section and name of the page.
        question: the question that the page asks.
        says: what to see in this state, one sentence.
        figures: by name, each with a description in words.
        images: by name, each with a description in words.
        numbers: the page's key numbers: (label with unit, value, help).
        formulas: (caption, LaTeX).
        snippet: Python that gives the same numbers.
        try_this: what to try, a sentence each.
        caveat: a limitation of the page's result.
        papers: (citation, link); the link may be "".
        address: the link to this state of the page; "" if there is none.
        theme: ``light`` or ``dark``; the figures are expected to be of the same.
        versions: of the software that made the numbers, by name.
        made_on: a date as text.
    """

    title: str
    question: str
    says: str = ""
    figures: Mapping[str, tuple[go.Figure, str]] = field(default_factory=dict)
    images: Mapping[str, tuple[Picture, str]] = field(default_factory=dict)
    numbers: Sequence[tuple[str, str, str]] = ()
    formulas: Sequence[tuple[str, str]] = ()
    snippet: str = ""
    try_this: Sequence[str] = ()
    caveat: str = ""
    papers: Sequence[tuple[str, str]] = ()
    address: str = ""
    theme: ThemeName = "light"
    versions: Mapping[str, str] = field(default_factory=dict)
    made_on: str = ""

    @property
    def made_with(self) -> str:
        """One line: the software and the day."""
        software = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return " · ".join(part for part in (software, self.made_on) if part)
