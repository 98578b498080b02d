"""A writer that is killed at any line or byte leaves the old checkpoint or the new one, and nothing that is read."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills in the way of POSIX")


@pytest.mark.parametrize(("way", "fewest_lines"), [("put", 150), ("save", 50)])
def test_killed_at_every_line_and_within_a_write(tmp_path: Path, way: str, fewest_lines: int):
    """After every kill all entries are sound, and the next writer works and tidies up; see `killed_writer`."""
    program = [sys.executable, str(Path(__file__).with_name("killed_writer.py")), str(tmp_path), way]
    run = subprocess.run(program, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    seen = json.loads(run.stdout)
    assert len(seen["lines"]) >= fewest_lines and len(seen["bytes"]) >= 10
    # Once the new one is there, it stays; a kill in the middle of a write comes before that in any case.
    assert [word for word, _ in itertools.groupby(seen["lines"])] == ["old", "new"]
    assert "old" in seen["bytes"]
