"""What an erratum is: a wrong formula and the right one as functions, and a live example that measures the effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bdlviz.errata.figures import Comparison, Maps


def written(value: float, spec: str = ".3g") -> str:
    """A number in a format of Python's, with a true minus sign."""
    return format(value, spec).replace("-", "−")


@dataclass(frozen=True)
class Number:
    """A labelled number. ``spec`` is how Python writes it, ``help`` says what the short label leaves out."""

    label: str
    value: float
    spec: str = ".3g"
    help: str = ""

    @property
    def text(self) -> str:
        """The value as a page shows it."""
        return written(self.value, self.spec)


@dataclass(frozen=True, eq=False)
class Effect:
    """What a live example measures: the wrong and the right number in the same unit, what follows, and a picture."""

    wrong: Number
    right: Number
    more: Sequence[Number]  # at most two
    says: str  # one sentence with the numbers
    picture: Comparison | Maps
    remark: str = ""  # what could not be measured, such as on a shipped fit that is missing

    @property
    def numbers(self) -> tuple[Number, ...]:
        """All numbers, the wrong one first."""
        return self.wrong, self.right, *self.more


@dataclass(frozen=True)
class Erratum:
    """A formula that a lecture prints wrongly, or that is easily read so.

    ``wrong`` and ``right`` hold their LaTeX in their docstrings; ``why`` is Markdown. ``page`` (under pages/) and
    ``query`` lead to where the app uses the right one.
    """

    name: str
    title: str
    where: str
    why: str
    wrong: Callable[..., Any]
    right: Callable[..., Any]
    measure: Callable[[], Effect]
    page: str
    link: str  # what the link says
    query: tuple[tuple[str, str], ...] = ()
    related: tuple[Callable[..., Any], ...] = ()  # functions of the library that hold the right formula, too
