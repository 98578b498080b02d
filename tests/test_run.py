"""What the runner of the tests makes of browser tests that fail: once more alone, listed as flaky, or final."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import run

ONCE = """
from pathlib import Path
def test_{name}():
    file = Path(__file__).with_suffix(".{name}")
    if not file.exists():
        file.touch()
        raise AssertionError("This fails once.")
"""
ALWAYS = "def test_{name}():\n    assert False\n"
FINE = "def test_{name}():\n    pass\n"


@pytest.mark.parametrize(
    ("tests", "status", "flaky"),
    [
        ({"fine": FINE}, 0, []),
        ({"fine": FINE, "once": ONCE}, 0, ["once"]),
        ({"once": ONCE, "always": ALWAYS}, 1, ["once"]),
        ({name: ONCE for name in "abcd"}, 1, []),
    ],
    ids=["passes", "flaky", "fails again", "too many"],
)
def test_failed_browser_tests_run_once_more(
    tests: dict[str, str],
    status: int,
    flaky: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(run, "CACHE", tmp_path / "cache")
    (tmp_path / "test_example.py").write_text("".join(text.format(name=name) for name, text in tests.items()))
    assert run.run_browser_tests("", 0, folders=[str(tmp_path)]) == status
    lines = [line for line in capfd.readouterr().out.splitlines() if line.startswith("FLAKY")]
    assert [line.split("::test_")[1].split()[0] for line in lines] == flaky
