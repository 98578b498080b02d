"""What an exercise is: a choice, a number, or a setting of the page; and whether an answer to it is right.

An exercise knows nothing of the app. A number is computed by the library when it is checked, never written down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """One of several answers is right.

    ``question``, ``options``, ``hint`` and ``because`` are Markdown with $LaTeX$; ``right`` counts from 0.
    """

    question: str
    options: tuple[str, ...]
    right: int
    because: str
    hint: str = ""

    def is_right(self, option: str) -> bool:
        """Is that option, as text, the right one?"""
        return option == self.options[self.right]

    @property
    def solution(self) -> str:
        """The right option."""
        return self.options[self.right]


@dataclass(frozen=True)
class Number:
    """A number is asked for. ``answer`` computes it; an answer counts within ``tolerance``, a share of it.

    With ``absolute`` the tolerance is in the unit of the number itself, for answers that may be 0.
    """

    question: str
    answer: Callable[[], float]
    tolerance: float
    because: str
    hint: str = ""
    unit: str = ""
    absolute: bool = False

    def is_right(self, given: float) -> bool:
        """Is the given number near enough?"""
        answer = self.answer()
        reach = self.tolerance if self.absolute else self.tolerance * abs(answer)
        return math.isfinite(given) and abs(given - answer) <= reach

    @property
    def solution(self) -> str:
        """The answer with three digits and its unit."""
        return f"{self.answer():.3g} {self.unit}".strip()


@dataclass(frozen=True)
class Setting:
    """The page is to be set so that something holds.

    Args:
        is_met: whether it holds, given the option of every control of the page by its key.
        solution_options: one assignment that meets it; controls not named are at their defaults.
    """

    question: str
    is_met: Callable[[Mapping[str, str]], bool]
    solution_options: Mapping[str, str]
    because: str
    hint: str = ""


Exercise = Choice | Number | Setting


@dataclass(frozen=True)
class Prediction:
    """Predict first: a question that a scene asks before it shows its picture.

    ``before`` are the control values that are shown while the question is open; None: the scene's picture is covered.
    """

    choice: Choice
    before: Mapping[str, str] | None = None

    @property
    def is_covered(self) -> bool:
        """Is the picture itself the answer?"""
        return self.before is None
