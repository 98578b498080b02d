"""A page as values: what it asks, which controls and views it has, what a view needs, and what it draws.

A file under pages/ builds one `Page`; `bdlviz.ui.frame.page.show` draws it. Nothing in this file draws anything. A view
is a function of three arguments, ``draw(setting, screen, study)``: the values of the controls, the size and theme of
the picture, and what was obtained for it. It returns a `Result`, so a test can call it without Streamlit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from plotly.graph_objects import Figure as PlotlyFigure

from bdlviz.lectures.derivation import Derivation
from bdlviz.lectures.exercise import Exercise, Prediction
from bdlviz.plots.theme import Theme
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control
from bdlviz.ui.controls.data_choice import OwnPoints
from bdlviz.ui.places import navigation

Found = TypeVar("Found")
Choice = TypeVar("Choice")
Function = Callable[..., Any]
LOOK = "look"  # the key of the menu of views, in links


# What a view is given -------------------------------------------------------------------------------------------------


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


# What a view returns --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Figure:
    """A plotly figure with its description in words.

    ``on_select`` is called after a click on one of its points; "rerun" only draws the page again.
    """

    key: str
    figure: PlotlyFigure
    alt: str
    on_select: Callable[[], None] | Literal["rerun"] | None = None
    selection_mode: str = "points"


@dataclass(frozen=True, eq=False)
class Sheet:
    """Pictures (n, h, w), 0 (paper) to 1 (ink), in rows of ``columns``; every pixel is ``scale`` wide."""

    images: Array
    columns: int
    alt: str
    scale: int = 2
    width: Literal["content", "stretch"] = "content"


@dataclass(frozen=True)
class Words:
    """Markdown under or above a picture."""

    text: str
    kind: Literal["caption", "markdown", "info", "warning", "error"] = "caption"


@dataclass(frozen=True)
class Numbers:
    """At most four numbers that matter: (label with unit, value, help)."""

    values: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Table:
    """A table of cells that are HTML already, written by the page itself; never a visitor's words."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Below:
    """The place of the view's ``live`` controls among the parts; without one they stand after the first picture."""


@dataclass(frozen=True, eq=False)
class Widget:
    """A part with Streamlit code of its own, such as a pad to draw on; ``show`` may note pictures for the exports."""

    show: Callable[[], Any]


@dataclass(frozen=True, eq=False)
class Folded:
    """Parts behind a heading, closed at first."""

    title: str
    parts: Sequence[Part]


@dataclass(frozen=True, eq=False)
class Columns:
    """Parts in columns side by side; ``widths`` are relative, equal where none are given. On a phone they stack."""

    columns: Sequence[Sequence[Part]]
    widths: Sequence[float] = ()
    gap: Literal["small", "medium", "large"] = "medium"
    align: Literal["top", "center", "bottom"] = "top"


@dataclass(frozen=True)
class Field:
    """A value of this visit only: no control of the page, and not in the link.

    ``options`` may follow from the values of the fields before it. Without a ``default`` the first one is chosen.
    """

    key: str
    label: str
    options: Sequence[Any] | Callable[..., Sequence[Any]]
    default: Any = None
    kind: Literal["slider", "number"] = "slider"


@dataclass(frozen=True, eq=False)
class Chooser:
    """Fields side by side, and below them the parts that follow from their values."""

    fields: Sequence[Field]
    parts: Callable[..., Sequence[Part]]


@dataclass(frozen=True)
class Stops:
    """A slider over numbers that only the study knows, such as its epochs; the last one is the default.

    It stands in the link under its key unless it is at the default. `bdlviz.ui.frame.render.stop_in_session` among the
    controls of the view puts its value into the setting.
    """

    key: str
    label: str
    stops: Sequence[int]

    def chosen(self, setting: Setting) -> int:
        """The stop that is nearest to what the setting says."""
        said = setting.text(self.key)
        wanted = int(said) if said.isdigit() else self.stops[-1]
        return min(self.stops, key=lambda stop: abs(stop - wanted))


@dataclass(frozen=True, eq=False)
class Later:
    """Parts that are computed when the parts before them are on the page already, such as scores under a picture."""

    parts: Callable[[], Sequence[Part]]


@dataclass(frozen=True, eq=False)
class Obtained:
    """Parts that need a result of their own, which is obtained when they are shown, such as in a tab."""

    need: Need[Any]
    parts: Callable[[Any], Sequence[Part]]


Shown = Figure | Sheet | Words | Numbers | Table | Control
Part = Shown | Later | Folded | Columns | Below | Widget | Chooser | Stops | Obtained
Tab = Callable[[], "Sequence[Part]"]  # what a tab holds; computed only while it is open


@dataclass(frozen=True, eq=False)
class Result:
    """What a view shows, in the order of the page, and what stands in the tabs under it.

    ``formulas`` are functions whose docstrings hold the equations, ``code`` functions whose source computes the
    picture, ``call`` Python that gives the same numbers, ``present`` LaTeX with the present values, ``tabs`` further
    tabs.
    """

    parts: Sequence[Part]
    formulas: Sequence[Function] = ()
    code: Sequence[Function] = ()
    call: str = ""
    present: str = ""
    tabs: Mapping[str, Tab] = field(default_factory=dict)

    @property
    def figures(self) -> list[Figure]:
        """The plotly figures."""
        return [part for part in all_parts(self.parts) if isinstance(part, Figure)]

    @property
    def words(self) -> list[str]:
        """All sentences."""
        return [part.text for part in all_parts(self.parts) if isinstance(part, Words)]

    @property
    def numbers(self) -> dict[str, str]:
        """The key numbers by label."""
        found = [part for part in all_parts(self.parts) if isinstance(part, Numbers)]
        return {label: value for part in found for label, value, _ in part.values}


def all_parts(parts: Sequence[Part]) -> Iterator[Part]:
    """All parts, those in columns and behind headings too."""
    for part in parts:
        match part:
            case Columns():
                yield from (each for column in part.columns for each in all_parts(column))
            case Folded():
                yield from all_parts(part.parts)
            case Later():
                yield from all_parts(part.parts())
            case _:
                yield part


# What a view needs ----------------------------------------------------------------------------------------------------

Look = Callable[[Any], bool]  # takes a `bdlviz.types.Snapshot`; returns False when the work is to stop


@dataclass(frozen=True)
class Offer:
    """Asks the visitor before a job starts; without a ``button`` the job cannot be started here.

    ``key`` names the box, ``start_`` and ``stop_`` before it its buttons.
    """

    key: str
    says: str
    button: str
    remark: str


@dataclass(frozen=True, eq=False)
class Need(Generic[Found]):
    """A result that a view draws, and the ways to get it, tried in this order: shipped, remembered, computed.

    Args:
        key: names the result; visitors who need the same key share one job.
        shipped: reads it from the shelf; None where it is not there. A CheckpointError becomes a sentence on the page.
        work: computes it in the background, ``work(look, cancel)``; None where that takes too long for a visitor.
        read: turns what ``work`` gave, finished or not, into what the view draws.
        missing: one sentence for a result that is neither shipped nor computed here.
        streams: whether the view draws unfinished results as well.
        waits: whether the page first waits a moment for the result before it shows progress.
        name: "" for the main result of a page; a second one has a name, and neither ends the job of the other.
        kind: what counters call the job.
        tell: progress and words for a job; None for the usual words.
        num_steps: of the whole work, for the words after Stop; its unfinished result then has ``num_steps_done``.
        steps: what a step is called in the plural.
        title: of one among several results, for the words beside their progress.
        problem: makes what the view draws of the sentence that says why the work failed; None shows the sentence.
        offer: what the visitor is asked before the work starts; None for work that starts at once.
    """

    key: Hashable
    shipped: Callable[[], Found | None] | None = None
    work: Callable[[Look, threading.Event], Any] | None = None
    read: Callable[[Any], Found] = lambda result: result
    missing: str = ""
    streams: bool = True
    waits: bool = True
    name: str = ""
    kind: str = "fit"
    tell: Callable[[Any], tuple[float, str]] | None = None
    num_steps: int = 0
    steps: str = "steps"
    title: str = ""
    problem: Callable[[str], Found] | None = None
    offer: Offer | None = None


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
        live: controls that stand under the picture.
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
    live: Sequence[Control] = ()
    inside: Sequence[Control] = ()
    advanced: Sequence[Entry] = ()
    needs: Callable[[Setting], Need[Any] | Sequence[Need[Any]] | None] | None = None
    about: Callable[[Setting], Result] | None = None
    is_fragment: bool = False

    @property
    def all_controls(self) -> list[Control]:
        """All controls of the view."""
        return [*controls_in(self.controls), *self.live, *controls_in(self.advanced), *self.inside]


@dataclass(frozen=True)
class Scene:
    """A named state of a page: a button, and a link with ``?scene=name``."""

    name: str
    title: str
    values: Mapping[str, str]  # controls not named are at their defaults
    says: str = ""  # one sentence: what to see
    ask: Prediction | None = None  # what the visitor is asked before the scene is shown


@dataclass(frozen=True)
class Paper:
    """A source: who, what, and where it is found."""

    citation: str
    link: str = ""


@dataclass(frozen=True)
class Page:
    """A page of the explorer. Its name is its file under pages/, such as ``weights/sparsity``; the title, the section
    and the address follow from it (see `bdlviz.ui.places.navigation`).

    ``tabs`` are the page's own tabs, which every view has: title -> parts.
    """

    name: str
    question: str
    views: Sequence[View] = ()
    scenes: Sequence[Scene] = ()
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
    look_label: str = "Look at"

    @property
    def title(self) -> str:
        """Section and title, as the heading shows them."""
        return navigation.heading(self.name)

    @property
    def has_tabs(self) -> bool:
        """False for a page that only leads to others."""
        return bool(self.try_this or self.caveat or self.papers or self.exercises or self.tabs or self.derivation)

    @property
    def menu(self) -> Control | None:
        """The menu of views; None for a page with one."""
        if len(self.views) < 2:
            return None
        titles = {view.name: view.title for view in self.views}
        return Control(self.look_key, self.look_label, tuple(titles), self._default.name, "menu", "", titles)

    @property
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
