"""A disk without room: one sentence, and the previous file is unchanged."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bdlviz.data import files
from bdlviz.errors import InvalidInput
from bdlviz.fitted import bundles, checkpoints, shelf
from tests.faults.many_writers import put

ROOT = Path(__file__).resolve().parents[2]
LARGE = os.urandom(200_000)
NO_ROOM = "No space left on device"


def put_large(folder: Path) -> None:
    shelf.put("one", LARGE, {"settings": {}}, folder)


def save_large(folder: Path) -> None:
    checkpoints.write_atomically(folder / "one.safetensors", LARGE)


def keep_large(folder: Path) -> None:
    os.environ["BDLVIZ_CACHE"] = str(folder)
    files.save("one.safetensors", LARGE)


WRITERS: dict[str, Callable[[Path], None]] = {f.__name__: f for f in (put_large, save_large, keep_large)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A shelf with one entry, which is the cache folder too."""
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path / "shelf"))
    put("one", 1, tmp_path / "shelf")
    return tmp_path / "shelf"


def assert_as_it_was(folder: Path) -> None:
    bundles.shipped("one", {"number": 1}, folder)
    assert set(os.listdir(folder)) == {"one.safetensors", shelf.MANIFEST, ".lock"}


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("way", WRITERS)
def test_every_step_may_find_the_disk_full(folder: Path, monkeypatch: pytest.MonkeyPatch, way: str, step: str):
    def fail(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, NO_ROOM)

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        sentence = rf"cannot be written \({NO_ROOM}\); the previous file is unchanged\.$"
        with pytest.raises(InvalidInput, match=sentence) as caught:
            WRITERS[way](folder)
    assert "\n" not in str(caught.value) and str(folder) not in str(caught.value)
    assert_as_it_was(folder)


def test_a_disk_that_fills_between_file_and_manifest(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """The new file lies there, but nobody means it; the next writer removes it."""
    write = shelf.write_atomically

    def fail_later(path: Path, content: bytes) -> None:
        if path.name == shelf.MANIFEST:
            raise InvalidInput("full")
        write(path, content)

    with monkeypatch.context() as patch:
        patch.setattr(shelf, "write_atomically", fail_later)
        with pytest.raises(InvalidInput, match="full"):
            put_large(folder)
    bundles.shipped("one", {"number": 1}, folder)
    put("one", 1, folder)
    assert_as_it_was(folder)


RUN = "import sys; from pathlib import Path; from tests.faults import test_disk_full as here; {}"
WRITE = "here.WRITERS[sys.argv[2]](Path(sys.argv[1]))"


def run(lines: str, *arguments: str, prefix: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    program = [*prefix, sys.executable, "-c", RUN.format(lines), *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(program, env=environment, capture_output=True, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="limits files in the way of POSIX")
@pytest.mark.parametrize("way", ["put_large", "keep_large"])
def test_a_file_that_may_not_grow(folder: Path, way: str):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); "
    done = run(limit + WRITE, str(folder), way)
    assert done.returncode != 0
    sentence = "cannot be written (File too large); the previous file is unchanged."
    assert done.stderr.splitlines()[-1].endswith(sentence)
    assert_as_it_was(folder)


def can_mount() -> bool:
    """May this user mount a file system, in a name space of its own?"""
    trial = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return bool(shutil.which("unshare")) and subprocess.run(trial, capture_output=True).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="nobody may mount a small file system here")
@pytest.mark.parametrize("way", ["put_large", "save_large", "keep_large"])
def test_a_disk_that_really_is_full(tmp_path: Path, way: str):
    """The file system has room for the old files, and not for the new one."""
    lines = (
        "folder = Path(sys.argv[1]); here.put('one', 1, folder); exec('''try: " + WRITE + "\n"
        "except here.InvalidInput as error: print(error)\n'''); here.assert_as_it_was(folder)"
    )
    mount = ("unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=100k none "$0" && exec "$@"', str(tmp_path))
    done = run(lines, str(tmp_path), way, prefix=mount)
    assert done.returncode == 0, done.stderr
    assert f"cannot be written ({NO_ROOM}); the previous file is unchanged." in done.stdout
