"""Downloads of published files through pooch, only on explicit request.

pooch fetches a file and compares its checksum. This module limits size and time, reports progress, and can stop a
download at any moment. Its import takes half a second, so it is imported when a download starts.
"""

from __future__ import annotations

import errno
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, wait
from pathlib import Path, PurePosixPath
from typing import Any, cast

import pooch
import requests
import urllib3.exceptions

from bdlviz.data import files
from bdlviz.data.remote import OnProgress, Progress, Remote, RemoteFile
from bdlviz.errors import InvalidInput

SECONDS_BETWEEN_REPORTS = 0.3
SILENCE_LIMIT_S = 30.0  # without any data from the server
TIME_LIMIT_S = 1800.0  # for all files of a data set
MAX_CHUNK_BYTES = 1 << 16
DISK_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
# pooch raises ValueError if a file is incomplete or its checksum differs.
DAMAGED = (urllib3.exceptions.ProtocolError, requests.exceptions.ChunkedEncodingError, ValueError)

pooch.get_logger().setLevel("WARNING")  # otherwise pooch prints a line for each file


class _GivenUp(Exception):
    """More data than expected arrived, or the download took too long."""


class _Stopped(Exception):
    """The download was stopped by its caller."""


def fetch(remote: Remote, on_progress: OnProgress | None = None) -> bool:
    """Download the missing files; see `bdlviz.data.fetching.fetch_missing`.

    The files are stored in the cache folder, after all of them have been checked.
    """
    missing = [file for file in remote.files if not files.is_available(file.name)]
    transfer = _Transfer(sum(file.num_bytes for file in missing))
    done: Future[None] = Future()
    work = threading.Thread(
        target=_complete, args=(done, remote, missing, transfer), name="bdlviz-download", daemon=True
    )
    work.start()
    try:
        # The download runs on its own thread, so that it can be stopped while the server sends nothing.
        while not wait([done], SECONDS_BETWEEN_REPORTS).done:
            if on_progress is not None and on_progress(transfer.progress) is False:
                return False
        done.result()
    except (_GivenUp, OSError, ValueError, urllib3.exceptions.HTTPError) as error:
        raise InvalidInput(_sentence(remote.title, error)) from error
    finally:
        transfer.is_wanted = False
    return True


class _Transfer:
    """The downloader that pooch calls for each file: it writes the file, and ends the download at its limits."""

    def __init__(self, total: int) -> None:
        self.is_wanted = True
        self.num_bytes = 0
        self._total = total
        self._deadline = time.monotonic() + TIME_LIMIT_S

    @property
    def progress(self) -> Progress:
        """The progress of the download."""
        return Progress(self.num_bytes, self._total)

    def __call__(self, url: str, path: str, _: object) -> None:
        """Write the content of ``url`` to the file ``path``."""
        with requests.get(url, stream=True, timeout=SILENCE_LIMIT_S) as answer, open(path, "wb") as file:
            answer.raise_for_status()
            # Unlike `iter_content`, `read1` returns what has arrived, so a slow server cannot delay the checks.
            while piece := answer.raw.read1(MAX_CHUNK_BYTES, decode_content=False):
                self.num_bytes += len(piece)
                self._check()
                file.write(piece)

    def _check(self) -> None:
        if not self.is_wanted:
            raise _Stopped
        if self.num_bytes > self._total:
            raise _GivenUp(f"more than {self._total:,} bytes arrived")
        if time.monotonic() > self._deadline:
            raise _GivenUp(f"it took longer than {TIME_LIMIT_S / 60:.0f} minutes")


def _complete(done: Future[None], remote: Remote, missing: Sequence[RemoteFile], transfer: _Transfer) -> None:
    try:
        _download(remote, missing, transfer)
        done.set_result(None)
    except BaseException as error:
        done.set_exception(error)


def _download(remote: Remote, missing: Sequence[RemoteFile], transfer: _Transfer) -> None:
    """Fetch files into a temporary folder, and move them to the cache folder when all have arrived."""
    with tempfile.TemporaryDirectory(prefix="bdlviz-") as folder:
        for file in missing:
            _retrieve(file, remote.mirrors, folder, transfer)
        for file in missing:
            files.save(file.name, Path(folder, file.name).read_bytes())


def _retrieve(file: RemoteFile, mirrors: Sequence[str], folder: str, transfer: _Transfer) -> None:
    """Fetch a file from the first mirror that works; raises the error of the last mirror if none does."""
    before = transfer.num_bytes
    for number, mirror in enumerate(mirrors, 1):
        transfer.num_bytes = before
        url = f"{mirror}/{PurePosixPath(file.name).name}"
        try:
            # The declared type of a downloader has other parameter names than those that pooch passes.
            downloader = cast(Any, transfer)
            pooch.retrieve(url, f"sha256:{file.sha256}", file.name, folder, downloader=downloader)
            return
        except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError):
            if number == len(mirrors):
                raise


def _sentence(title: str, error: BaseException) -> str:
    """The error of a download and a remedy, in words."""
    instead = "or put the files into the folder named by BDLVIZ_DATA."
    if isinstance(error, _GivenUp):
        return f"The download of {title} was given up, since {error}: try again later, {instead}"
    if isinstance(error, requests.HTTPError):
        return f"{title} could not be downloaded, since the server did not answer as usual: try again later, {instead}"
    if isinstance(error, DAMAGED):
        return f"The download of {title} broke off or was altered on the way: try again, {instead}"
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        return f"{title} could not be downloaded ({error.strerror}): make room for temporary files, {instead}"
    return f"{title} could not be downloaded ({type(error).__name__}): check the connection, {instead}"
