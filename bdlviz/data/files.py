"""The places of data files: included files, the folder in BDLVIZ_DATA, the user's cache folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from bdlviz.errors import InvalidInput
from bdlviz.writing import write_atomically

INCLUDED = Path(__file__).with_name("included")  # files of the package; NOTICE names their sources


def cache_folder() -> Path:
    """The folder for downloaded data: BDLVIZ_CACHE if set, else the platform's usual place."""
    if chosen := os.environ.get("BDLVIZ_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "bdlviz"


def included(name: str) -> bytes:
    """The content of a file of the package; `InvalidInput` if it is missing."""
    return read(INCLUDED / name)


def is_available(name: str) -> bool:
    """True if the file ``name`` exists; its content is not checked."""
    return any(os.path.isfile(path) for path in _candidates(name))


def locate(name: str) -> Path:
    """The first existing file called ``name``; `InvalidInput` if there is none."""
    for path in _candidates(name):
        if os.path.isfile(path):
            return path
    raise InvalidInput(
        f"The file {name} was not found: put it in the folder named by BDLVIZ_DATA, or load it with download=True."
    )


def read(path: Path) -> bytes:
    """The content of a file; `InvalidInput` with its name if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"The file {path.name} cannot be read: {error.strerror}.") from None


def save(name: str, content: bytes) -> None:
    """Write a file to the cache folder atomically, so that no program reads an incomplete file.

    Raises:
        InvalidInput: the disk is full or not writable; an existing file of that name is unchanged.
    """
    try:
        write_atomically(cache_folder() / name, content)
    except InvalidInput as error:
        raise InvalidInput(f"The file cannot be written to the cache folder: {error}") from None


def _candidates(name: str) -> Iterator[Path]:
    """The possible places of the file ``name``, in the order in which they are tried."""
    if folder := os.environ.get("BDLVIZ_DATA"):
        yield Path(folder) / name
    yield cache_folder() / name
