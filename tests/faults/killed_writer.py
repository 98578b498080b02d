"""Writes a checkpoint again and again, each time killed one line of the program later, and looks at what is left.

Run by `test_killed_while_writing.py`, in a process of its own since it forks. Prints what it saw as JSON.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from bdlviz.fitted import checkpoints, load, shelf

OLD, NEW, OTHER = "beside_map_blundell", "beside_map_two_clusters", "compare_x_sin_x_gaussian_process"
TRACED = (
    "bdlviz/writing.py",
    "bdlviz/fitted/shelf.py",
    "bdlviz/fitted/checkpoints.py",
    "/tempfile.py",
    "/filelock/_unix.py",
)
BYTES_BETWEEN_KILLS = 150
CONFIGS = {name: shelf.manifest()[name]["config"] for name in (OLD, NEW, OTHER)}


def content(shipped: str) -> bytes:
    return (shelf.folder() / f"{shipped}.safetensors").read_bytes()


def put(name: str, shipped: str, folder: Path) -> None:
    shelf.put(name, content(shipped), {"config": CONFIGS[shipped]}, folder)


def put_new(folder: Path) -> None:
    put("one", NEW, folder)


def save_new(folder: Path) -> None:
    checkpoints.save(load(shelf.folder() / f"{NEW}.safetensors"), folder / "one.safetensors")


def kill_at_line(number: int) -> None:
    """Let this process be killed before the so-many-th line that it runs of the code that writes."""
    left = number

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.endswith(TRACED):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


def kill_at_byte(number: int) -> None:
    """Let the system end this process when a file grows beyond so many bytes, in the middle of a write."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def killed(work: Callable[[Path], None], folder: Path, arrange: Callable[[int], None], number: int) -> bool:
    """Work in a child process that may be killed; was it?"""
    child = os.fork()
    if child == 0:
        arrange(number)
        work(folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status) != 0:
        sys.exit("The writer failed, where it should have been killed or done.")
    return os.WIFSIGNALED(status)


def after_put(folder: Path) -> str:
    """Which content the shelf gives for the name, all else being well; then what the next writer leaves."""
    for name in ("one", "two"):
        shelf.check(name, folder)
        assert (folder / f"{name}.safetensors").is_file(), "a shipped file is lost"
    found = shelf.verified("one", folder, lambda path, sha256, stamp: shelf.verified_bytes(path, sha256))
    put("three", OTHER, folder)
    for name in ("one", "two", "three"):
        shelf.check(name, folder)
        sha256 = shelf.manifest(folder)[name]["sha256"]
        shelf.verified_bytes(folder / f"{name}.safetensors", sha256)
    expected = {".lock", "manifest.json", *(f"{name}.safetensors" for name in ("one", "two", "three"))}
    assert set(os.listdir(folder)) == expected, os.listdir(folder)
    return {content(OLD): "old", content(NEW): "new"}[found]


def after_save(folder: Path) -> str:
    """Which fit the file holds; then what the next writer leaves."""
    found = load(folder / "one.safetensors").config
    save_new(folder)
    assert set(os.listdir(folder)) == {"one.safetensors"}, os.listdir(folder)
    return {load(shelf.folder() / f"{name}.safetensors").config: word for name, word in ((OLD, "old"), (NEW, "new"))}[
        found
    ]


def outcomes(folder: Path, way: str, arrange: Callable[[int], None], step: int) -> Iterator[str]:
    """What is found after a kill at each point, until one lies behind the end."""
    before = folder / "before"
    before.mkdir(parents=True)
    if way == "put":
        put("one", OLD, before)
        put("two", OTHER, before)
    else:
        (before / "one.safetensors").write_bytes(content(OLD))
    work, look = {"put": (put_new, after_put), "save": (save_new, after_save)}[way]
    number = 1
    while True:
        place = folder / str(number)
        shutil.copytree(before, place)
        if not killed(work, place, arrange, number):
            return
        yield look(place)
        shutil.rmtree(place)
        number += step


def main(folder: str, way: str) -> None:
    by_line = list(outcomes(Path(folder) / "lines", way, kill_at_line, 1))
    by_byte = list(outcomes(Path(folder) / "bytes", way, kill_at_byte, BYTES_BETWEEN_KILLS))
    print(json.dumps({"lines": by_line, "bytes": by_byte}))


if __name__ == "__main__":
    main(*sys.argv[1:])
