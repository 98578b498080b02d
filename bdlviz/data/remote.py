"""Files that do not come with the package: where they are published, and their download."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from bdlviz.data import files


@dataclass(frozen=True)
class RemoteFile:
    """A published file: its name below the cache folder, its size, and the SHA-256 of its bytes."""

    name: str
    num_bytes: int
    sha256: str


@dataclass(frozen=True)
class Remote:
    """The published files of a data set; ``mirrors`` are the addresses of folders that hold all of them."""

    title: str
    mirrors: tuple[str, ...]
    files: tuple[RemoteFile, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the files below the cache folder."""
        return tuple(file.name for file in self.files)

    @property
    def num_bytes(self) -> int:
        """The size of all files together."""
        return sum(file.num_bytes for file in self.files)


class Progress(NamedTuple):
    """How far a download is: the bytes that have arrived, and the bytes of all files that are fetched."""

    num_bytes: int
    total: int


OnProgress = Callable[[Progress], object]  # the download stops when this returns False


def fetch_missing(remote: Remote, on_progress: OnProgress | None = None) -> bool:
    """Download the files of a data set that are not on this computer; returns whether all are there now.

    ``on_progress`` is called a few times a second; the download stops when it returns False.

    Raises:
        InvalidInput: the download failed; nothing of it is kept.
    """
    if all(map(files.is_available, remote.names)):
        return True
    from bdlviz.data import downloads  # takes half a second

    return downloads.fetch(remote, on_progress)
