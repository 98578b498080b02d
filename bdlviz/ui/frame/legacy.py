"""The frame for pages that still draw themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from bdlviz.lectures.derivation import Derivation
from bdlviz.lectures.exercise import Exercise
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import footer
from bdlviz.ui.frame import page as frame
from bdlviz.ui.model import Paper, Result, Scene


@dataclass(frozen=True)
class Page:
    """The declaration of a page; ``with page.frame() as view`` gives its containers."""

    title: str
    question: str
    controls: Sequence[Control]
    scenes: Sequence[Scene] = ()
    try_this: Sequence[str] = ()
    caveat: str = ""
    papers: Sequence[Paper] = ()
    exercises: Sequence[Exercise] = ()
    derivation: Derivation | None = None
    tabs: Mapping[str, Any] = field(default_factory=dict)

    @contextmanager
    def frame(self) -> Iterator[View]:
        places = frame.open_frame(self)  # type: ignore[arg-type]
        yield View(self, places.controls, places.picture, places.equation, places.below)
        frame.close_frame(self)  # type: ignore[arg-type]


Choose = Callable[[], Any]
Draw = Callable[[], "Shown | None"]


@dataclass(frozen=True)
class Views:
    """The views of a page, chosen by a menu: key -> title, function that draws its controls, function that draws it."""

    views: Mapping[str, tuple[str, Choose, Draw]]
    default: str
    key: str = "look"
    label: str = "Look at"

    @property
    def control(self) -> Control:
        titles = {name: title for name, (title, _, _) in self.views.items()}
        return Control(self.key, self.label, tuple(self.views), self.default, "menu", "", titles)


@dataclass(frozen=True, eq=False)
class Shown:
    """The content of the tabs that a view returns; see `View.footer`."""

    formulas: tuple[Callable[..., Any], ...]
    code: tuple[Callable[..., Any], ...]
    snippet: str
    present: str = ""


@dataclass(frozen=True)
class View:
    """The containers of a page, to be used with ``with``."""

    page: Page
    controls: Any
    picture: Any
    equation: Any
    below: Any

    def show(self, views: Views, more: Mapping[str, Callable[[], None]] | None = None) -> None:
        with self.controls:
            _, choose, draw = views.views[views.control.show()]
            choose()
        with self.picture:
            shown = draw()
        if shown is not None:
            self.footer_of(shown, more)

    def footer_of(self, shown: Shown, more: Mapping[str, Callable[[], None]] | None = None) -> None:
        self.footer(formulas=shown.formulas, code=shown.code, snippet=shown.snippet, present=shown.present, more=more)

    def footer(
        self,
        *,
        formulas: Sequence[Callable[..., Any]],
        code: Sequence[Callable[..., Any]],
        snippet: str,
        present: str = "",
        more: Mapping[str, Callable[[], None]] | None = None,
    ) -> None:
        tabs = {title: (lambda show=show: (show(), [])[1]) for title, show in (more or {}).items()}
        with self.below:
            footer.show(self.page, Result((), formulas, code, snippet, present, tabs), self.equation)  # type: ignore

    def exports(self, snippet: str) -> None:
        with self.below:
            footer.show_exports(self.page, snippet)  # type: ignore[arg-type]
