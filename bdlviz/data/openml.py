"""Downloads from openml.org through scikit-learn, only ever on explicit demand."""

from __future__ import annotations

import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array

SECONDS_BETWEEN_LOOKS = 0.3


class Progress(NamedTuple):
    """How far a download is: bytes that have arrived, and whether more still come (else they are being unpacked)."""

    num_bytes: int
    is_arriving: bool


OnProgress = Callable[[Progress], object]


def fetch(data_id: int, title: str, on_progress: OnProgress | None = None) -> tuple[Array, Array]:
    """Features (N, D) and target (N,) of a data set on openml.org; `InvalidInput` where that fails.

    scikit-learn compares what arrived with the MD5 sum that openml.org states. ``on_progress`` is called a few times a
    second, from another thread.
    """
    from sklearn.datasets import fetch_openml

    try:
        with tempfile.TemporaryDirectory(prefix="bdlviz-") as folder, _watched(Path(folder), on_progress):
            # The parser that needs no pandas.
            bunch: Any = fetch_openml(data_id=data_id, as_frame=False, parser="liac-arff", data_home=folder)
    except (OSError, HTTPException, EOFError, zlib.error, ValueError, LookupError) as error:
        raise InvalidInput(_sentence(title, error)) from error
    return np.asarray(bunch.data), np.asarray(bunch.target)


def _sentence(title: str, error: BaseException) -> str:
    """What went wrong with a download, and what to do."""
    instead = "or put the files into the folder named by BDLVIZ_DATA."
    if isinstance(error, IncompleteRead | EOFError | zlib.error) or "md5" in str(error):
        return f"The download of {title} broke off or was altered on the way: try again, {instead}"
    if isinstance(error, OSError) and not isinstance(error, HTTPError):
        return f"{title} could not be downloaded ({type(error).__name__}): check the connection, {instead}"
    return f"{title} could not be downloaded, since openml.org did not answer as usual: try again later, {instead}"


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
