"""The points that a visitor has entered, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from bdlviz.checks import digest
from bdlviz.types import Array


@dataclass(frozen=True, eq=False)
class OwnPoints:
    """The points (N, 2) that the visitor has entered; ``origin`` is the built-in set that was edited, if any."""

    points: Array
    labels: tuple[str, str] = ("x", "y")
    origin: str | None = None

    @cached_property
    def key(self) -> str:
        """Changes with every byte of the points, and with the labels and the origin, which are drawn, too."""
        return digest(self.points, self.labels, self.origin)
