"""A page as values: what it asks, which controls and views it has, what a view needs, and what it draws.

A file under pages/ builds one `Page`; `bdlviz.ui.frame.page.show` draws it. Nothing in this file draws anything. A view
is a function of three arguments, ``draw(setting, screen, study)``: the values of the controls, the size and theme of
the picture, and what was obtained for it. It returns a `Result`, so a test can call it without Streamlit.

The values of a page stand in four files: `bdlviz.ui.setting`, `bdlviz.ui.needs`, `bdlviz.ui.parts` and this one. Topics
import all of them from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from bdlviz.lectures.derivation import Derivation
from bdlviz.lectures.exercise import Exercise, Prediction
from bdlviz.ui.controls.control import Control
from bdlviz.ui.needs import Look, Need, Offer
from bdlviz.ui.parts import (
    Below,
    Chooser,
    Columns,
    Field,
    Figure,
    Folded,
    Formula,
    Function,
    Later,
    Numbers,
    Obtained,
    Part,
    Result,
    Says,
    Sheet,
    Shown,
    Stops,
    Tab,
    Table,
    Widget,
    Words,
    all_parts,
    sentence_of,
)
from bdlviz.ui.places import navigation
from bdlviz.ui.setting import Screen, Setting

__all__ = [
    "LOOK",
    "Below",
    "Chooser",
    "Columns",
    "Custom",
    "Draw",
    "Entry",
    "Explanation",
    "Field",
    "Figure",
    "Folded",
    "Formula",
    "Function",
    "Later",
    "Look",
    "Need",
    "Note",
    "Numbers",
    "Obtained",
    "Offer",
    "Page",
    "Panel",
    "Paper",
    "Part",
    "Result",
    "Says",
    "Scene",
    "Screen",
    "Setting",
    "Sheet",
    "Shown",
    "Stops",
    "Tab",
    "Table",
    "View",
    "When",
    "Widget",
    "Words",
    "all_parts",
    "controls_in",
    "customs_in",
    "sentence_of",
]
LOOK = "look"  # the key of the menu of views, in links


# Controls of a view ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class When:
    """Controls that are drawn only where ``holds(setting)``; elsewhere they keep their values."""

    holds: Callable[[Setting], bool]
    controls: Sequence[Entry]


@dataclass(frozen=True)
class Panel:
    """Controls behind a heading, closed at first unless ``is_open(setting)``."""

    title: str
    controls: Sequence[Entry]
    is_open: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class Custom:
    """A place for Streamlit code among the controls; ``controls`` are those that it draws.

    ``more`` reads what is chosen there without a control, as text by key: it joins the setting.
    """

    show: Callable[[], Any]
    controls: Sequence[Control] = ()
    more: Callable[[], Mapping[str, str]] = dict


@dataclass(frozen=True)
class Note:
    """Words among the controls that follow from their values; an empty text is not shown."""

    says: Callable[[Setting], str]
    kind: Literal["caption", "markdown"] = "caption"


Entry = Control | When | Panel | Custom | Note


def controls_in(entries: Sequence[Entry]) -> Iterator[Control]:
    """All controls of some entries, in the order of the page."""
    for entry in entries:
        if isinstance(entry, Control):
            yield entry
        elif not isinstance(entry, Note):
            yield from controls_in(entry.controls)


def customs_in(entries: Sequence[Entry]) -> Iterator[Custom]:
    """All places for Streamlit code among some entries."""
    for entry in entries:
        if isinstance(entry, Custom):
            yield entry
        elif isinstance(entry, When | Panel):
            yield from customs_in(entry.controls)


# The page -------------------------------------------------------------------------------------------------------------

Draw = Callable[[Setting, Screen, Any], Result]


@dataclass(frozen=True)
class View:
    """One picture of a page.

    Args:
        name: of the view in links.
        title: in the menu of views.
        draw: see the head of this file; ``study`` is None for a view that needs nothing.
        controls: the primary controls, drawn beside the picture.
        live: controls that stand under the picture; some of them only `When` a setting holds.
        inside: controls that stand among the parts of the result or of its tabs.
        advanced: controls in a panel that is closed at first.
        needs: what the view draws. ``study`` is its result, or a list of results for several needs. It returns None
            where there is nothing to draw, and may raise InvalidInput.
        about: what the tabs show while nothing is drawn yet.
        is_fragment: an event of the picture redraws the picture first, and then the rest of the page.
    """

    name: str
    title: str
    draw: Draw
    controls: Sequence[Entry] = ()
    live: Sequence[Control | When] = ()
    inside: Sequence[Control] = ()
    advanced: Sequence[Entry] = ()
    needs: Callable[[Setting], Need[Any] | Sequence[Need[Any]] | None] | None = None
    about: Callable[[Setting], Result] | None = None
    is_fragment: bool = False

    @property
    def all_controls(self) -> list[Control]:
        """All controls of the view."""
        return [
            *controls_in(self.controls),
            *controls_in(self.live),
            *controls_in(self.advanced),
            *self.inside,
        ]

    def live_at(self, setting: Setting) -> list[Control]:
        """The controls that stand under the picture at a setting."""
        return [*controls_in([each for each in self.live if isinstance(each, Control) or each.holds(setting)])]


@dataclass(frozen=True)
class Scene:
    """A named state of a page: a button, and a link with ``?scene=name``."""

    name: str
    title: str
    values: Mapping[str, str]  # controls not named are at their defaults
    says: str = ""  # one sentence: what to see, where the picture brings no sentence of its own
    ask: Prediction | None = None  # what the visitor is asked before the scene is shown


@dataclass(frozen=True)
class Paper:
    """A source: who, what, and where it is found."""

    citation: str
    link: str = ""

    @property
    def as_markdown(self) -> str:
        """The citation, as a link where there is one."""
        return f"[{self.citation}]({self.link})" if self.link else self.citation


@dataclass(frozen=True)
class Explanation:
    """Three short paragraphs under a picture: what one sees, why it is so, and when it fails."""

    sees: str
    why: str
    fails: str


@dataclass(frozen=True)
class Page:
    """A page of the explorer. Its name is its file under pages/, such as ``weights/sparsity``; the title, the section
    and the address follow from it (see `bdlviz.ui.places.navigation`).

    ``claim`` is one sentence that a student can repeat afterwards. ``tabs`` are further pictures, which every view has:
    title -> parts. The views are in the menu *Other pictures*, or with a ``look_label`` in a control of that label.
    """

    name: str
    question: str
    views: Sequence[View] = ()
    scenes: Sequence[Scene] = ()
    former: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # scenes of older links: name -> values
    claim: str = ""
    explanation: Explanation | None = None
    derivation: Derivation | None = None
    exercises: Sequence[Exercise] = ()
    try_this: Sequence[str] = ()
    caveat: str = ""
    papers: Sequence[Paper] = ()
    tabs: Mapping[str, Tab] = field(default_factory=dict)
    below: Callable[[Setting], Sequence[Part]] | None = None  # parts under the picture, over the whole width
    at_end: Callable[[Setting], Sequence[Part]] | None = None  # parts after the tabs, over the whole width
    look_key: str = LOOK  # the key of the menu of views
    default_view: str = ""  # the name of the view that a page opens with; "" for the first one
    look_label: str = ""

    @property
    def title(self) -> str:
        """Section and title, as the heading shows them."""
        return navigation.heading(self.name)

    @property
    def has_tabs(self) -> bool:
        """False for a page that only leads to others."""
        return bool(
            self.explanation or self.try_this or self.caveat or self.papers or self.exercises or self.tabs
            or self.derivation
        )  # fmt: skip

    @property
    def has_view_menu(self) -> bool:
        """True if the views are in the menu *Other pictures*."""
        return len(self.views) > 1 and not self.look_label

    @cached_property
    def menu(self) -> Control | None:
        """The choice of the view; None for a page with one."""
        if len(self.views) < 2:
            return None
        titles = {view.name: view.title for view in self.views}
        return Control(
            self.look_key, self.look_label or "Picture", tuple(titles), self._default.name, "menu", "", titles
        )

    @cached_property
    def controls(self) -> Sequence[Control]:
        """All controls of the page, each once, in the order of the page."""
        menu = [self.menu] if self.menu else []
        every = [*menu, *(control for view in self.views for control in view.all_controls)]
        return tuple({control.key: control for control in every}.values())

    def view(self, setting: Setting) -> View:
        """The view that a setting chooses."""
        menu = self.menu
        chosen = setting[menu] if menu else ""
        return next((view for view in self.views if view.name == chosen), self._default)

    @property
    def _default(self) -> View:
        return next((view for view in self.views if view.name == self.default_view), self.views[0])
