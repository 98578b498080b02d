"""Files that are replaced whole or not at all, whatever ends the writer, and folders in which one writes at a time.

Readers need neither a lock nor the right to write.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bdlviz.errors import InvalidInput

UNFINISHED = ".unfinished"  # how the name of a file ends while it is written
LOCK = ".lock"  # in a folder that several programs write to; it stays there, empty
PATIENCE = 60.0  # seconds to wait for another writer, whose turn takes well under one


def write_atomically(path: Path, content: bytes) -> None:
    """Replace a file in one step: a reader sees the old or the new one, never a piece.

    What a writer that was killed left behind beside the file is removed.

    Raises:
        InvalidInput: the disk is full or may not be written to; the old file is as it was.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        while not _replace(path, content):
            pass
        remove_unfinished(path.parent, path.name)
    except OSError as error:
        raise _not_written(path, error) from None


def move(source: Path, target: Path) -> None:
    """Let a whole file take another one's name, in one step and for good.

    Raises:
        InvalidInput: the folder may not be written to; both files are as they were.
    """
    try:
        os.replace(source, target)
    except OSError as error:
        raise _not_written(target, error) from None
    _sync_folder(target.parent)


def remove_unfinished(folder: Path, name: str | None = None) -> None:
    """Remove what killed writers left in a folder: of the file called ``name``, or of every file.

    Should its writer be alive after all, it begins again.
    """
    wanted = re.compile(rf"\.{'.+' if name is None else re.escape(name)}\.[a-z0-9_]+{re.escape(UNFINISHED)}")
    for entry in os.scandir(folder):
        if wanted.fullmatch(entry.name):
            with suppress(OSError):  # somebody else removed it, or it is open where open files cannot be removed
                os.unlink(entry.path)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let one program and one thread at a time go on, for this folder; a writer that is killed leaves no lock.

    Raises:
        InvalidInput: somebody else has been at it for a minute, or the folder may not be written to.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, timeout=PATIENCE)
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
    """Write a file beside ``path`` and let it take that name.

    False where the unfinished file was taken away: another writer of ``path`` has just finished, and tidied up.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=UNFINISHED)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # mkstemp makes files that only their owner may read
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
    """Let the names in a folder outlast a power cut, where the system can do that; files do so by themselves."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _not_written(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"{path.name} cannot be written ({error.strerror or error}); what was there before is as it was."
    )
