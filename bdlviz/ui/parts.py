"""What a view returns: a result, made of parts in the order of the page. Values only; nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from plotly.graph_objects import Figure as PlotlyFigure

from bdlviz.types import Array
from bdlviz.ui.controls.control import Control
from bdlviz.ui.needs import Need
from bdlviz.ui.setting import Setting

Function = Callable[..., Any]


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
class Says:
    """One sentence, at most 25 words, that says what the picture shows at this setting; computed from what is drawn.

    The frame shows it under the title, and changes it while a slider is dragged. It is plain text.
    """

    text: str


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
    """A part with Streamlit code of its own, such as a pad to draw on; ``show`` may note pictures for the exports.

    ``is_picture`` is False for a part that shows nothing by itself, such as a script.
    """

    show: Callable[[], Any]
    is_picture: bool = True


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
    """A slider over numbers that only the study knows, such as its epochs. It begins at ``start``, or else at the last.

    It stands in the link under its key unless it is at the start. Its value is in the setting if a control of the view
    has its key, or `bdlviz.ui.frame.render.stop_in_session` is among the controls.
    """

    key: str
    label: str
    stops: Sequence[int]
    start: int | None = None

    def chosen(self, setting: Setting) -> int:
        """The stop that is nearest to what the setting says."""
        said = setting.text(self.key)
        wanted = int(said) if said.isdigit() else self.stops[-1] if self.start is None else self.start
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


Shown = Figure | Sheet | Says | Words | Numbers | Table | Control
Part = Shown | Later | Folded | Columns | Below | Widget | Chooser | Stops | Obtained
Tab = Callable[[], "Sequence[Part]"]  # what a tab holds; computed only while it is open


@dataclass(frozen=True)
class Formula:
    """A formula with its symbols in words.

    Args:
        of: the function that computes it; its docstring holds the equation.
        says: one line: what the formula gives, or how it follows.
        symbols: LaTeX of a symbol -> what it is, with its unit or shape in words.
        colors: LaTeX of a symbol -> the meaning of its curve, the name of a colour of `plots.theme.Theme`.
    """

    of: Function
    says: str
    symbols: Mapping[str, str] = field(default_factory=dict)
    colors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Result:
    """What a view shows, in the order of the page, and what stands in the tabs under it.

    ``formulas`` are the equations, ``code`` functions whose source computes the picture, ``call`` Python that gives
    the same numbers, ``present`` LaTeX with the present values, ``tabs`` further pictures by title.
    """

    parts: Sequence[Part]
    formulas: Sequence[Formula | Function] = ()
    code: Sequence[Function] = ()
    call: str = ""
    present: str = ""
    tabs: Mapping[str, Tab] = field(default_factory=dict)

    @property
    def says(self) -> str:
        """The sentence of what is shown; "" without one."""
        return sentence_of(self.parts)

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


def sentence_of(parts: Sequence[Part]) -> str:
    """The sentence among the parts of a picture; "" without one."""
    return next((part.text for part in parts if isinstance(part, Says)), "")


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
