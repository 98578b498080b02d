"""Several programs and one folder: every entry is kept, and whoever reads meanwhile always finds something whole."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from bdlviz import writing
from bdlviz.errors import InvalidInput
from bdlviz.fitted import bundles, checkpoints, shelf
from tests.faults.many_writers import put
from tests.patience import limit
from tests.ui.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = limit(120.0)
NUM_WRITERS, NUM_NAMES = 3, 12


@contextmanager
def writers(folder: Path, way: str, starts: list[int], each: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Programs that write to ``folder/shelf``, all from the same moment on."""
    program = [sys.executable, str(Path(__file__).with_name("many_writers.py")), str(folder), way]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    running = [subprocess.Popen([*program, str(start), str(start + each)], env=environment) for start in starts]
    try:
        marks = [folder / f"ready-{start}" for start in starts]
        wait_until(lambda: all(mark.exists() for mark in marks), "A writer did not start.", DEADLINE)
        (folder / "go").touch()
        yield running
    finally:
        for process in running:
            process.kill()
            process.wait()


def test_programs_that_write_at_once_lose_no_entry(tmp_path: Path):
    with writers(tmp_path, "many", [number * NUM_NAMES for number in range(NUM_WRITERS)], NUM_NAMES) as running:
        assert [process.wait(DEADLINE) for process in running] == [0] * NUM_WRITERS
    names = {f"bundle_{number}": number for number in range(NUM_WRITERS * NUM_NAMES)}
    assert shelf.manifest(tmp_path / "shelf").keys() == names.keys()
    for name, number in names.items():
        bundles.shipped(name, {"number": number}, tmp_path / "shelf")
    files = {f"{name}.safetensors" for name in names}
    assert set(os.listdir(tmp_path / "shelf")) == files | {"manifest.json", ".lock"}


def test_a_reader_never_finds_half_of_a_change(tmp_path: Path):
    """Before, whoever read between the two files of a change was told that the checkpoint was altered."""
    folder = tmp_path / "shelf"
    put("again", 0, folder)
    reads = 0
    with writers(tmp_path, "again", [1], 100) as (writer,):
        while writer.poll() is None:
            sha256, found = shelf.verified("again", folder, lambda path, sha256, stamp: (sha256, path.name))
            content = shelf.verified("again", folder, lambda path, sha256, stamp: shelf.verified_bytes(path, sha256))
            assert sha256 and found and content
            reads += 1
        assert writer.returncode == 0
    assert reads > 10
    bundles.shipped("again", {"number": 100}, folder)


def test_two_changes_within_one_tick_of_the_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shelf, "stamp_of", lambda path: (0, 0, 0, 0) if path.exists() else None)
    for number in (1, 2):
        put("again", number, tmp_path)
        assert shelf.verified("again", tmp_path, lambda path, sha256, stamp: shelf.verified_bytes(path, sha256))
    (tmp_path / "again.safetensors").write_bytes(b"altered")
    with pytest.raises(checkpoints.CheckpointError, match="altered or is incomplete"):
        shelf.verified("again", tmp_path, lambda path, sha256, stamp: shelf.verified_bytes(path, sha256))


def test_threads_write_one_after_another(tmp_path: Path):
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: put(f"bundle_{number}", number, tmp_path), range(8)))
    assert shelf.manifest(tmp_path).keys() == {f"bundle_{number}" for number in range(8)}


def test_a_folder_that_stays_locked_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(writing, "LOCK_TIMEOUT_S", 0.1)
    put("one", 1, tmp_path)
    with (
        writing.alone_in(tmp_path),
        pytest.raises(InvalidInput, match=f"^Another program keeps writing to the folder {tmp_path.name}: try again"),
    ):
        put("two", 2, tmp_path)
    put("two", 2, tmp_path)
    assert set(shelf.manifest(tmp_path)) == {"one", "two"}


def test_files_of_one_name_written_at_once(tmp_path: Path):
    """A writer removes unfinished files, and possibly that of another writer, which then starts again."""
    path = tmp_path / "fit.safetensors"
    contents = [bytes([number]) * 100_000 for number in range(8)]

    def write(content: bytes) -> None:
        for _ in range(10):
            writing.write_atomically(path, content)

    with ThreadPoolExecutor(8) as threads:
        running = [threads.submit(write, content) for content in contents]
        while not all(each.done() for each in running):
            assert not path.exists() or path.read_bytes() in contents
        for each in running:
            each.result()
    assert path.read_bytes() in contents
    assert os.listdir(tmp_path) == [path.name]


def test_a_damaged_manifest_is_set_aside_by_the_next_writer(tmp_path: Path):
    """Before, the command that its message names failed with the same message."""
    put("one", 1, tmp_path)
    (tmp_path / shelf.MANIFEST).write_text("{ not JSON")
    put("two", 2, tmp_path)
    assert set(shelf.manifest(tmp_path)) == {"two"}
    assert (tmp_path / shelf.DAMAGED_MANIFEST).read_text() == "{ not JSON"
    assert (tmp_path / "one.safetensors").exists()


@pytest.mark.parametrize("name", [".fit.safetensors.swp", "fit.safetensors.unfinished", ".other.abc.unfinished"])
def test_only_what_a_writer_left_is_removed(tmp_path: Path, name: str):
    (tmp_path / name).touch()
    (tmp_path / ".fit.safetensors.ab_12345.unfinished").touch()
    writing.write_atomically(tmp_path / "fit.safetensors", b"content")
    assert set(os.listdir(tmp_path)) == {name, "fit.safetensors"}
