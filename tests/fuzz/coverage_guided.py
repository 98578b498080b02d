"""Fuzzing led by coverage, with atheris, of formats in which every byte counts: points, tables, fits, pictures.

``python -m tests.fuzz.coverage_guided TARGET [--seconds 300] [--runs 0] [--corpus FOLDER]``. It needs atheris, which is
no dependency of the project (``pip install atheris==3.0.0``), and says so where it is missing. A crash ends the run and
leaves the input in a file; without one it ends after so many seconds or runs.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

TARGETS = ("points", "tables", "fits", "compact", "pictures", "idx", "lectures")


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Fuzz one format, led by coverage.")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=300, help="after which to stop")
    parser.add_argument("--runs", type=int, default=0, help="after which to stop; 0: whatever the time allows")
    parser.add_argument("--corpus", type=Path, help="folder that keeps interesting inputs between runs")
    return parser.parse_args(arguments)


def load(target: str) -> tuple[Callable[[bytes], object], list[bytes]]:
    """What takes the bytes of that format, and some valid ones to begin with."""
    import numpy as np

    from bdlviz.ui.controls import data_choice
    from tests import idx_files
    from tests.fuzz import checkpoint_files, files, links

    first_points = [data_choice.encode_points(np.eye(2) * size).encode() for size in (1, 1e12)]
    return {
        "points": (lambda content: links.read_points(content.decode("latin-1")), first_points),
        "tables": (files.read_table, [b"x,y\n1,2\n3,4\n", b"1;2,5\n", "1\t2\n".encode("utf-16")]),
        "fits": (checkpoint_files.load_fit, list(checkpoint_files.SAVED)),
        "compact": (checkpoint_files.read_compact, [checkpoint_files.COMPACT]),
        "pictures": (files.read_picture, list(files.PICTURES)),
        "idx": (files.read_idx, [idx_files.pack(idx_files.encode(files.ARRAY))]),
        "lectures": (lambda content: files.read_scenes(content.decode("utf-8", "replace")), [files.LECTURE.encode()]),
    }[target]


def main(arguments: list[str] | None = None) -> None:
    """Fuzz until the time is over, or something is found."""
    given = parse(arguments)
    if importlib.util.find_spec("atheris") is None:
        sys.exit("atheris is not installed, so there is nothing to lead by coverage: pip install atheris==3.0.0.")
    atheris: Any = importlib.import_module("atheris")  # not installed wherever types are checked
    with atheris.instrument_imports(include=["bdlviz", "safetensors", "yaml", "PIL", "csv", "json"]):
        call, valid = load(given.target)
    from tests.fuzz.guard import survives

    corpus = given.corpus or Path(tempfile.mkdtemp(prefix="bdlviz-corpus-"))
    corpus.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(valid):
        (corpus / f"valid-{number}").write_bytes(content)
    limits = [f"-max_total_time={given.seconds}", f"-runs={given.runs or -1}", "-timeout=30", "-rss_limit_mb=4000"]
    atheris.Setup([sys.argv[0], str(corpus), "-max_len=20000", *limits], lambda content: survives(call, content))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
