"""A published number, and how far ours may be from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Within:
    """The mean over seeds may differ by so much from the published value."""

    distance: float

    def accepts(self, values: Sequence[float], published: float) -> bool:
        return bool(abs(np.mean(values) - published) <= self.distance)

    def __str__(self) -> str:
        return f"± {self.distance:g}"


@dataclass(frozen=True)
class AsOneRun(Within):
    """As `Within`; or the published value, which is one run's, lies within two standard deviations of single runs."""

    def accepts(self, values: Sequence[float], published: float) -> bool:
        is_usual = len(values) > 1 and abs(np.mean(values) - published) <= 2 * np.std(values, ddof=1)
        return super().accepts(values, published) or bool(is_usual)

    def __str__(self) -> str:
        return f"{super().__str__()}, or 2 sd of single runs"


@dataclass(frozen=True)
class AtLeast:
    """The mean over seeds may be better than published, which is larger, but not below a limit."""

    limit: float

    def accepts(self, values: Sequence[float], published: float) -> bool:
        return bool(np.mean(values) >= self.limit)

    def __str__(self) -> str:
        return f"≥ {self.limit:g}"


@dataclass(frozen=True)
class AtMost:
    """The mean over seeds may be better than published, which is smaller, but not above a limit."""

    limit: float

    def accepts(self, values: Sequence[float], published: float) -> bool:
        return bool(np.mean(values) <= self.limit)

    def __str__(self) -> str:
        return f"≤ {self.limit:g}"


@dataclass(frozen=True)
class Claim:
    """One published number. ``measurement`` names the function of `MEASUREMENTS` that measures it; "" if none does."""

    name: str
    source: str
    quantity: str
    published: float
    unit: str
    tolerance: Within | AtLeast | AtMost
    measurement: str = ""
    is_lecture: bool = False  # the lecture's own: may not stay unverified
