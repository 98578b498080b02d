"""Downloads from openml.org through scikit-learn, only ever on explicit demand."""

from __future__ import annotations

import errno
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, HTTPResponse, IncompleteRead
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array

SECONDS_BETWEEN_LOOKS = 0.3
MAX_BYTES = 200_000_000  # of one answer; the largest set here arrives as some 35 million
SILENCE_LIMIT = 30.0  # seconds in which nothing arrives
TIME_LIMIT = 1800.0  # seconds for all of a data set, however slowly it trickles in
DISK_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)

_downloading = threading.Lock()


class _OverLimit(OSError):
    """More arrives, or for longer, than any data set takes."""


class Progress(NamedTuple):
    """How far a download is: bytes that have arrived, and whether more still come (else they are being unpacked)."""

    num_bytes: int
    is_arriving: bool


OnProgress = Callable[[Progress], object]


def fetch(data_id: int, title: str, on_progress: OnProgress | None = None) -> tuple[Array, Array]:
    """Features (N, D) and target (N,) of a data set on openml.org; `InvalidInput` where that fails.

    scikit-learn compares what arrived with the MD5 sum that openml.org states. Size, silence and time are bounded.
    ``on_progress`` is called a few times a second, from another thread.
    """
    from sklearn.datasets import fetch_openml

    try:
        with (
            _bounded(),
            tempfile.TemporaryDirectory(prefix="bdlviz-") as folder,
            _watched(Path(folder), on_progress),
        ):
            # The parser that needs no pandas.
            bunch: Any = fetch_openml(data_id=data_id, as_frame=False, parser="liac-arff", data_home=folder)
    except (OSError, HTTPException, EOFError, zlib.error, ValueError, LookupError) as error:
        raise InvalidInput(_sentence(title, error)) from error
    return np.asarray(bunch.data), np.asarray(bunch.target)


def _sentence(title: str, error: BaseException) -> str:
    """What went wrong with a download, and what to do."""
    instead = "or put the files into the folder named by BDLVIZ_DATA."
    if isinstance(error, _OverLimit):
        return f"The download of {title} was given up, since {error}: try again later, {instead}"
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        return f"{title} could not be downloaded ({error.strerror}): make room for temporary files, {instead}"
    if isinstance(error, IncompleteRead | EOFError | zlib.error) or "md5" in str(error):
        return f"The download of {title} broke off or was altered on the way: try again, {instead}"
    if isinstance(error, OSError) and not isinstance(error, HTTPError):
        return f"{title} could not be downloaded ({type(error).__name__}): check the connection, {instead}"
    return f"{title} could not be downloaded, since openml.org did not answer as usual: try again later, {instead}"


class _BoundedAnswer:
    """What a server answers, read in pieces as they arrive, until it is too much or too late."""

    def __init__(self, answer: HTTPResponse, deadline: float) -> None:
        self._answer, self._deadline = answer, deadline
        self._num_bytes = 0

    def read(self, size: int) -> bytes:
        """The next piece, of at most ``size`` bytes; empty at the end.

        Raises:
            IncompleteRead: the connection was closed before all that was announced had arrived.
        """
        piece = self._answer.read1(size)
        self._num_bytes += len(piece)
        _check_time(self._deadline)
        if self._num_bytes > MAX_BYTES:
            raise _OverLimit(f"more than {MAX_BYTES:,} bytes arrived")
        announced = self._answer.headers.get("Content-Length", "")
        if not piece and announced.isdecimal() and self._num_bytes < int(announced):
            raise IncompleteRead(b"", int(announced) - self._num_bytes)
        return piece

    def info(self) -> Any:
        """The headers."""
        return self._answer.headers

    def close(self) -> None:
        """Hang up."""
        self._answer.close()


def _check_time(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise _OverLimit(f"it took longer than {TIME_LIMIT / 60:.0f} minutes")


@contextmanager
def _bounded() -> Iterator[None]:
    """Bound every request of `fetch_openml`, which has no such settings: it waits, and writes to the disk, for ever.

    scikit-learn's requests all go through one name in one module, which stands for our function inside. One download
    at a time, therefore.
    """
    module: Any = import_module("sklearn.datasets._openml")
    with _downloading:
        deadline, unbounded = time.monotonic() + TIME_LIMIT, module.urlopen

        def open_bounded(request: Request) -> _BoundedAnswer:
            _check_time(deadline)
            try:
                return _BoundedAnswer(urlopen(request, timeout=SILENCE_LIMIT), deadline)
            except HTTPError as error:
                error.close()  # it carries the connection, and lives as long as whoever keeps the error
                raise

        module.urlopen = open_bounded
        try:
            yield
        finally:
            module.urlopen = unbounded


@contextmanager
def _watched(folder: Path, on_progress: OnProgress | None) -> Iterator[None]:
    """Report the size of what arrives in a folder while anything happens inside."""
    if on_progress is None:
        yield
        return
    done = threading.Event()

    def watch() -> None:
        before = 0
        while not done.wait(SECONDS_BETWEEN_LOOKS):
            size = _size(folder)
            on_progress(Progress(size, size > before or not size))
            before = size

    watcher = threading.Thread(target=watch, name="bdlviz-download", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _size(folder: Path) -> int:
    """Bytes of all files below a folder; files come and go meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:
            continue
    return total
