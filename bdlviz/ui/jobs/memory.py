"""Small results that take a moment to compute, kept by what they are of: never the fits themselves, which are large."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

from bdlviz.fits import Fit

Result = TypeVar("Result")
MAX_RESULTS = 400

_results: OrderedDict[Hashable, Any] = OrderedDict()
_lock = threading.Lock()


def remembered(fit: Fit, what: Hashable, compute: Callable[[], Result]) -> Result:
    """What ``compute`` gives for this fit as far as it is trained, computed once; ``what`` names it."""
    return remembered_by((fit.config, fit.num_steps_done, what), compute)


def remembered_by(key: Hashable, compute: Callable[[], Result]) -> Result:
    """What ``compute`` gives, kept for all visitors by what it is of."""
    with _lock:
        if key in _results:
            _results.move_to_end(key)
            return cast(Result, _results[key])
    result = compute()
    with _lock:
        _results[key] = result
        while len(_results) > MAX_RESULTS:
            _results.popitem(last=False)
    return result
