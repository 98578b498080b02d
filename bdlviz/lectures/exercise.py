"""Exercises: a choice, a number, or a setting of the page, with a check of the answer.

They are independent of the app. Numbers are computed by the library when they are checked, not written down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """A question with several answers, one of which is right.

    ``question``, ``options``, ``hint`` and ``because`` are Markdown with $LaTeX$; ``right`` counts from 0.
    """

    question: str
    options: tuple[str, ...]
    right: int
    because: str
    hint: str = ""

    def is_right(self, option: str) -> bool:
        """True if that option, as text, is the right one."""
        return option == self.options[self.right]

    @property
    def solution(self) -> str:
        """The right option."""
        return self.options[self.right]


@dataclass(frozen=True)
class Number:
    """A question for a number. ``answer`` computes it; answers within the relative ``tolerance`` are right.

    With ``absolute`` the tolerance is in the unit of the number, for answers that may be 0.
    """

    question: str
    answer: Callable[[], float]
    tolerance: float
    because: str
    hint: str = ""
    unit: str = ""
    absolute: bool = False

    def is_right(self, given: float) -> bool:
        """True if the given number is within the tolerance."""
        answer = self.answer()
        reach = self.tolerance if self.absolute else self.tolerance * abs(answer)
        return math.isfinite(given) and abs(given - answer) <= reach

    @property
    def solution(self) -> str:
        """The answer with three digits and its unit."""
        return f"{self.answer():.3g} {self.unit}".strip()


@dataclass(frozen=True)
class Setting:
    """A task to find a setting of the page that satisfies a condition.

    Args:
        is_met: whether the condition holds, given the option of every control of the page by its key.
        solution_options: one setting that satisfies it; controls not named are at their defaults.
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

    ``before`` are the control values that are shown while the question is open; if None, the picture is hidden.
    """

    choice: Choice
    before: Mapping[str, str] | None = None

    @property
    def is_covered(self) -> bool:
        """True if the picture is the answer, so that it is hidden."""
        return self.before is None
