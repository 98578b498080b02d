"""Published files that are not part of the package, and the progress of their download."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


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
    """The progress of a download: received bytes, and bytes of all files."""

    num_bytes: int
    total: int


OnProgress = Callable[[Progress], object]  # the download stops when this returns False
