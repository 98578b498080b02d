"""Data sets that bdlviz computes itself, for which fits are shipped.

The fingerprint of such a set is of rounded values: the last bit of a sine depends on the processor, and shipped fits
are found on all of them. Every other set has a fingerprint of its exact bytes, which has another length. So nobody's
own data are taken for a built-in set or for somebody else's. ``dataclasses.replace`` makes a set that is not built-in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec

from bdlviz.types import Array, Dataset

Arguments = ParamSpec("Arguments")


def built_in(build: Callable[Arguments, Dataset]) -> Callable[Arguments, Dataset]:
    """A decorator of functions that compute a data set from settings alone, never from values of a user."""

    @wraps(build)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Dataset:
        return _marked(build(*args, **kwargs))

    return call


def part_of(whole: Dataset, rows: Array | slice = slice(None), **changes: Any) -> Dataset:
    """Some training rows of a data set, with other fields changed; built-in if the whole set is.

    ``changes`` cannot contain ``x`` or ``y``, so the values stay those of ``whole``.
    """
    part = replace(whole, x=whole.x[rows], y=whole.y[rows], **changes)
    return _marked(part) if whole.is_built_in else part


def _marked(dataset: Dataset) -> Dataset:
    object.__setattr__(dataset, "is_built_in", True)  # the class is frozen
    return dataset
