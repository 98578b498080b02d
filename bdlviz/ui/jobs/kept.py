"""The last results of all kinds of work, within a bound on their bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

MAX_RESULTS = 64
MAX_RESULT_BYTES = 300_000_000


class Results:
    """What was last computed, by key; what was not looked at for longest is forgotten first, the last one never."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()  # the result and its bytes
        self._num_bytes = 0

    def find(self, key: Hashable) -> Any | None:
        """The result of that key, if it is still remembered."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def keep(self, key: Hashable, result: Any) -> None:
        """Remember a result, and forget others where there are too many."""
        self._forget(key)
        size = num_bytes(result)
        self._kept[key] = (result, size)
        self._num_bytes += size
        while len(self._kept) > 1 and (len(self._kept) > MAX_RESULTS or self._num_bytes > MAX_RESULT_BYTES):
            self._forget(next(iter(self._kept)))

    def _forget(self, key: Hashable) -> None:
        _, size = self._kept.pop(key, (None, 0))
        self._num_bytes -= size


def num_bytes(value: Any) -> int:
    """Bytes of all arrays in a value: in dataclasses, mappings and sequences, at any depth, each counted once."""
    seen: set[int] = set()

    def weigh(part: Any) -> int:
        if id(part) in seen:
            return 0
        seen.add(id(part))
        if isinstance(part, np.ndarray):
            return part.nbytes
        if isinstance(part, Mapping):
            return sum(map(weigh, part.values()))
        if isinstance(part, list | tuple):
            return sum(map(weigh, part))
        if is_dataclass(part):
            return sum(weigh(getattr(part, each.name)) for each in fields(part))
        return 0

    return weigh(value)
