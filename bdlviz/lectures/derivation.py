"""Derivations: steps from a definition to the expression that the code computes, linked to the page's picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Relation = Literal["=", "<=", "≈"]


class Sides(NamedTuple):
    """Both sides of a step in numbers, computed in two ways; ``error`` is a Monte Carlo standard error, if any."""

    left: float
    right: float
    error: float = 0.0


@dataclass(frozen=True)
class Step:
    """One line of a derivation.

    Args:
        title: what is done, in a few words.
        latex: the line itself.
        because: the rule that justifies it; Markdown with $LaTeX$.
        where: where the picture of the page shows it, as a phrase; "" if it does not.
        traces: names of the traces of that picture that show it.
        sides: both sides in numbers for a small case; None for a definition.
        relation: how the sides relate.
    """

    title: str
    latex: str
    because: str
    where: str = ""
    traces: tuple[str, ...] = ()
    sides: Callable[[], Sides] | None = None
    relation: Relation = "="


@dataclass(frozen=True)
class Derivation:
    """Steps to one claim; ``state`` are the control values of the picture to which they refer."""

    title: str
    claim: str
    steps: tuple[Step, ...]
    source: str
    state: Mapping[str, str] = field(default_factory=dict)
