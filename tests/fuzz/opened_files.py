"""A program that shows pages and calls parsers with names from somebody else, and prints what it opened or started.

``python -m tests.fuzz.opened_files CANARY`` where the canary is a file that nothing may open. What is printed is a JSON
object: ``before``, the events of the same pages and parsers with innocent input; ``after``, those with paths; and
``on_purpose``, those of opening the canary, which shows that the program would notice.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

WATCHED = "open os.listdir os.scandir subprocess.Popen os.system os.exec os.posix_spawn os.rename os.remove os.mkdir"
WATCHED += " shutil.copyfile socket.connect urllib.Request ctypes.dlopen"
PAGE_WORDS = 2  # of the paths, how many pages get; the parsers get all
SHOWN = (
    ("function_draws", ("data", "origin", "picture", "other", "method", "scene", "tab", "hide", "lecture")),
    ("mc_dropout", ("images", "method", "digit", "unseen", "order")),
    ("decode", ("images", "codes", "start", "z", "axes")),
    ("latent_space", ("images", "codes", "classes", "chosen_images")),
    ("errata", ("tab", "erratum")),
    ("home", ("lecture", "step")),
)


def events() -> tuple[list[tuple[str, str]], Callable[[bool], None]]:
    """The list that file and process events are noted in, and the switch that turns noting on and off."""
    noted: list[tuple[str, str]] = []
    is_on = [False]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if is_on[0] and event in WATCHED.split():
            noted.append(
                (event, os.fsdecode(arguments[0]) if isinstance(arguments[0], str | bytes) else repr(arguments))
            )

    sys.addaudithook(hook)
    return noted, lambda on: is_on.__setitem__(0, on)


def paths_to(canary: str) -> tuple[str, ...]:
    """A file's path in the ways that people try."""
    up, bare = "../" * 12, canary.lstrip("/")
    return (
        *(up + bare, canary, f"....//....//{bare}", f"file://{canary}", f"{canary}\0.csv"),
        *(f"x/../../../../../../../../{bare}", canary.removesuffix(".safetensors")),
        *(up + bare.removesuffix(".safetensors"), "CON", "nul", "~/.ssh/id_rsa", "/etc/passwd"),
    )


def show_pages(words: tuple[str, ...]) -> None:
    """Pages with these words for everything that an address can name, and a table uploaded under such a name."""
    from tests.ui.harness import open_page, rested

    for name, keys in SHOWN:
        for word in words:
            open_page(name, dict.fromkeys(keys, word.replace("\0", "")))
    app = open_page("function_draws", {"data": "own", "num_steps": "100"})
    for word in words:
        app.file_uploader(key="uploaded").set_value((word, b"1,2\n3,4\n", "text/csv"))
        rested(app.run())


def call_parsers(words: tuple[str, ...]) -> None:
    """The library's own look-ups by name, and files that name other files."""
    from PIL import Image

    from bdlviz import data, lectures
    from bdlviz.errors import InvalidInput
    from bdlviz.fitted import bundles, shelf
    from bdlviz.topics.shared import own_digit

    stream = io.BytesIO()
    Image.new("L", (9, 9)).save(stream, "EPS")
    for word in words:
        lookups: tuple[Callable[[], Any], ...] = (
            lambda word=word: data.load(word),
            lambda word=word: data.available(word),
            lambda word=word: shelf.shipped(word),
            lambda word=word: bundles.shipped(word, {}),
            lambda word=word: lectures.read_lecture("title: t\nsteps: []", word),
            lambda word=word: lectures.read_lecture(f"title: !!python/name:os.system '{word}'\nsteps: []", "mine"),
            lambda word=word: data.parse_table(word),
            lambda word=word: own_digit.read_image(word.encode()),
            lambda: own_digit.read_image(stream.getvalue()),
        )
        for look_up in lookups:
            with suppress(InvalidInput):
                look_up()


@contextmanager
def _noting(switch: Callable[[bool], None]) -> Iterator[None]:
    switch(True)
    try:
        yield
    finally:
        switch(False)


def main(canary: str) -> None:
    """Run everything with innocent words, then with paths, and print what was opened in both."""
    noted, switch = events()
    found: dict[str, list[tuple[str, str]]] = {}
    words = paths_to(canary)
    for part, run in {
        "before": lambda: (show_pages(("x",)), call_parsers(("x",))),
        "after": lambda: (show_pages(words[:PAGE_WORDS]), call_parsers(words)),
        "on_purpose": lambda: Path(canary).read_bytes(),
    }.items():
        noted.clear()
        with _noting(switch):
            run()
        found[part] = sorted(set(noted))
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
