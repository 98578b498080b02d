"""The peak memory of a process."""

from __future__ import annotations

import sys
from pathlib import Path

STATUS, PEAK = Path("/proc/self/status"), "VmHWM:"
KILOBYTES = 1024  # in a megabyte


def peak_megabytes() -> float:
    """The peak memory of this process. On Linux getrusage is not used: it starts with the peak of the parent."""
    if STATUS.exists():
        lines = (line.split() for line in STATUS.read_text().splitlines())
        return next(float(words[1]) for words in lines if words[0] == PEAK) / KILOBYTES
    import resource

    scale = KILOBYTES**2 if sys.platform == "darwin" else KILOBYTES
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
