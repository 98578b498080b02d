"""How much longer than on a quiet desktop a wait may take here.

A fixed piece of work is timed once, before the first test. Its duration gives a factor from 1 to 6 by which tests
multiply the upper limits of what they wait for. Fixed sleeps, and limits that the product promises, are not multiplied.
"""

from __future__ import annotations

import os
import time

QUIET_S = 0.11  # duration of `work` on an idle core of a desktop of 2023
MOST = 6.0
NAME = "BDLVIZ_TEST_PATIENCE"  # processes that a test run starts read the factor here


def work() -> int:
    """Count for a moment: about as much of the interpreter as drawing one page takes."""
    total = 0
    for number in range(2_000_000):
        total += number & 7
    return total


def measured() -> float:
    """The factor of this machine at this moment."""
    begin = time.perf_counter()
    work()
    return min(max((time.perf_counter() - begin) / QUIET_S, 1.0), MOST)


FACTOR = float(os.environ.setdefault(NAME, f"{measured():.2f}"))


def limit(seconds: float) -> float:
    """An upper limit for a wait, in the unit in which it is given."""
    return seconds * FACTOR
