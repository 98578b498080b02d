"""Declarations of shipped checkpoints, which study modules of topics list in `STUDIES` and `ARRAYS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bdlviz.fitted import Fit
from bdlviz.types import Array

Made = tuple[Fit, dict[str, Array]]  # a fit, and further arrays for its page


@dataclass(frozen=True)
class Study:
    """A shipped fit: its title, and the function that trains it.

    ``needs`` is the name of a data set that must be available. If ``half``, weights are stored in half precision. If
    ``keeps_weights`` is False, only the further arrays are shipped. `python -m bdlviz train GROUP` trains all studies
    of a ``group``.
    """

    title: str
    make: Callable[[], Made]
    needs: str | None = None
    half: bool = True
    keeps_weights: bool = True
    group: str = ""


@dataclass(frozen=True)
class ArrayStudy:
    """Shipped arrays without a fit: their title, and the function that computes them.

    ``settings``, as plain JSON, are stored with the arrays. A file with other settings is stale.
    """

    title: str
    make: Callable[[], dict[str, Array]]
    settings: Mapping[str, Any]
    group: str = ""
