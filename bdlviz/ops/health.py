"""The health of the server: versions, uptime, jobs, memory, shipped files. It contains nothing about visitors."""

from __future__ import annotations

import os
import platform
import sys
import time
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from bdlviz import __version__
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.ops import counters

LIBRARIES = ("streamlit", "torch", "numpy", "plotly")
FILE_CHECK_INTERVAL_S = 10.0  # between two checks of the shipped files
_STARTED = time.monotonic()


@dataclass(frozen=True)
class Health:
    """The state of the server at one moment."""

    status: Literal["ok", "degraded"]  # degraded: a shipped file is missing, so its page trains instead
    uptime_seconds: int
    versions: dict[str, str]
    jobs_running: int
    jobs_waiting: int
    memory_bytes: int | None  # resident memory of the server process; None if unknown
    checkpoints: int  # files that the manifest lists
    checkpoints_missing: tuple[str, ...]  # files that are missing or have the wrong size


def look(folder: Path | None = None) -> Health:
    """The current health of the server, with the shipped files in a folder."""
    listed, missing = _shipped_files(
        shelf.folder() if folder is None else folder, int(time.monotonic() / FILE_CHECK_INTERVAL_S)
    )
    return Health(
        status="degraded" if missing else "ok",
        uptime_seconds=int(time.monotonic() - _STARTED),
        versions=versions(),
        jobs_running=_now("bdlviz_jobs_running"),
        jobs_waiting=_now("bdlviz_jobs_waiting"),
        memory_bytes=resident_bytes(),
        checkpoints=listed,
        checkpoints_missing=missing,
    )


def _now(gauge: str) -> int:
    """The current value of a gauge."""
    return int(counters.REGISTRY.get_sample_value(gauge) or 0)


@cache
def versions() -> dict[str, str]:
    """The versions of Python and the libraries, read without importing them."""
    return {"bdlviz": __version__, "python": platform.python_version()} | {name: _version(name) for name in LIBRARIES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


@lru_cache(maxsize=1)
def _shipped_files(folder: Path, moment: int) -> tuple[int, tuple[str, ...]]:
    """The number of shipped files, and those that are missing or have the wrong size.

    Only sizes are checked. Hashes are compared when a page reads a file.
    """
    try:
        entries = shelf.manifest(folder)
    except CheckpointError:
        return 0, ("manifest.json",)
    missing = [name for name, entry in entries.items() if _size(folder / f"{name}.safetensors") != entry.get("bytes")]
    return len(entries), tuple(missing)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def resident_bytes() -> int | None:
    """The resident memory of this process in bytes; on systems without /proc, its maximum so far."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
