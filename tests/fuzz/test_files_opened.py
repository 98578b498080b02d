"""No path from a visitor reaches the file system: what a process opens and starts while it is given paths for names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bdlviz.data import files


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file that would be read wherever a name is taken for a path."""
    path = tmp_path / "secret.safetensors"
    path.write_text("1,2\n3,4\n")
    return path


def events(canary: Path, root: Path) -> dict[str, set[tuple[str, str]]]:
    """What a process opened and started: before it was given paths, after that, and on purpose."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.fuzz.opened_files", str(canary)],
        cwd=root,
        env={**os.environ, "BDLVIZ_WORKERS": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(found.stdout.splitlines()[-1])
    return {part: {(event, what) for event, what in noted} for part, noted in told.items()}


def test_nothing_outside_is_opened_or_started(canary: Path, root: Path):
    noted = events(canary, root)
    assert ("open", str(canary)) in noted["on_purpose"]
    new = noted["after"] - noted["before"]
    assert not [what for _, what in noted["after"] if "secret" in what or "passwd" in what or "id_rsa" in what]
    homes = [root, Path(sys.prefix), Path(sys.base_prefix), files.cache_folder()]
    homes += [Path(folder) for folder in [os.environ.get("BDLVIZ_DATA")] if folder]
    assert {event for event, _ in new} <= {"open", "os.listdir", "os.scandir"}
    for _, what in new:
        path = Path(what).resolve()
        assert any(path.is_relative_to(home.resolve()) for home in homes), what
