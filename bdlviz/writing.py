"""Atomic replacement of files, and folders in which one program writes at a time.

Readers need neither a lock nor write permission.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bdlviz.errors import InvalidInput

UNFINISHED = ".unfinished"  # suffix of a file that is being written
LOCK = ".lock"  # an empty, permanent file in a folder to which several programs write
LOCK_TIMEOUT_S = 60.0  # to wait for another writer, which usually takes well under a second


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file atomically: a reader sees the old or the new file, never a part.

    Unfinished files of killed writers are removed.

    Raises:
        InvalidInput: the disk is full or not writable; the old file is unchanged.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while not _replace(path, content):
            pass
        remove_unfinished(path.parent, path.name)
    except OSError as error:
        raise _not_written(path, error) from None


def move(source: Path, target: Path) -> None:
    """Rename a complete file over another one, atomically and durably.

    Raises:
        InvalidInput: the folder is not writable; both files are unchanged.
    """
    try:
        os.replace(source, target)
    except OSError as error:
        raise _not_written(target, error) from None
    _sync_folder(target.parent)


def remove_unfinished(folder: Path, name: str | None = None) -> None:
    """Remove unfinished files of killed writers from a folder: of the file called ``name``, or of all files.

    If the writer is still alive, it starts again.
    """
    wanted = re.compile(rf"\.{'.+' if name is None else re.escape(name)}\.[a-z0-9_]+{re.escape(UNFINISHED)}")
    for entry in os.scandir(folder):
        if wanted.fullmatch(entry.name):
            with suppress(OSError):  # another program removed it, or the system cannot remove open files
                os.unlink(entry.path)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """A lock for this folder, for one thread of one program at a time. It ends when its owner is killed.

    Raises:
        InvalidInput: another program held the lock for a minute, or the folder is not writable.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, timeout=LOCK_TIMEOUT_S)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise InvalidInput(
            f"Another program keeps writing to the folder {folder.name}: try again when it is done."
        ) from None
    except OSError as error:
        raise _not_written(folder, error) from None
    try:
        yield
    finally:
        lock.release()


def _replace(path: Path, content: bytes) -> bool:
    """Write an unfinished file next to ``path`` and rename it to ``path``.

    False if the unfinished file was removed, because another writer of ``path`` has just finished.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=UNFINISHED)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # mkstemp creates files that only their owner may read
        os.replace(temporary, path)
    except FileNotFoundError:
        return False
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(path.parent)
    return True


def _sync_folder(folder: Path) -> None:
    """Make the file names in a folder durable against a power failure, if the system supports it."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _not_written(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(f"{path.name} cannot be written ({error.strerror or error}); the previous file is unchanged.")
