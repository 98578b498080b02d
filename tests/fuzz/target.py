"""What a target of fuzzing is: hostile cases, and the call that must survive them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis.strategies import SearchStrategy

MANY = "BDLVIZ_FUZZ" in os.environ  # set by `make fuzz`


@dataclass(frozen=True)
class Target:
    """One parser of what a visitor or a file says.

    Attributes:
        cases: hostile inputs, most of them damaged valid ones.
        call: takes a case; it may return, or raise `bdlviz.errors.InvalidInput` with one sentence.
        valid: a case that is accepted, run once before all others, so that lazy imports count for none of them.
        quick: number of cases in `make test-all`.
        many: number of cases in `make fuzz`.
        known: cases that would be hard to meet by chance, always run.
    """

    name: str
    cases: SearchStrategy[Any]
    call: Callable[[Any], Any]
    valid: Any
    quick: int
    many: int
    known: tuple[Any, ...] = ()
