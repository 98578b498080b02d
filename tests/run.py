"""Runs the tests: ``python -m tests.run`` those for every change, ``python -m tests.run --all`` all of them.

First the tests without a browser, on one process more than cores, because some of them wait; then those with one, on
two processes a core, because a browser mostly waits. Browser tests that failed run once more, alone and in one process.
Those that pass then are listed as FLAKY in the last lines. More than `MOST_FLAKY` failures are final, and no other test
is ever repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".pytest_cache" / "browser"  # of the browser tests alone; the others keep pytest's own
MOST_FLAKY = 3
MOST_FAILURES = 10  # end a run
# Every process and server of a run would compile all modules again if Python were not allowed to keep them.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def pytest(*arguments: str) -> int:
    """Run pytest in the project's folder; its exit status. It lists what failed, was skipped, and was slow."""
    command = [sys.executable, "-m", "pytest", "-q", "-rfEs", f"--maxfail={MOST_FAILURES}"]
    command += ["--durations=10", "--durations-min=10", *arguments]
    return subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, check=False).returncode


def failed(cache: Path) -> list[str]:
    """The tests that failed in the last run with this cache folder."""
    path = cache / "v" / "cache" / "lastfailed"
    return sorted(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else []


def run_browser_tests(markers: str, num_processes: int, folders: Sequence[str] = ("tests/browser",)) -> int:
    """Run the browser tests, and those that fail once more, alone; the exit status."""
    shutil.rmtree(CACHE, ignore_errors=True)
    cache = ["-o", f"cache_dir={CACHE}"]
    status = pytest(*folders, *cache, "-m", markers, "-n", str(num_processes))
    first = failed(CACHE)
    if status != 1 or not 0 < len(first) <= MOST_FLAKY:
        return status
    print(f"\nOnce more, one after the other: {len(first)} browser tests that failed.", flush=True)
    status = pytest(*folders, *cache, "--last-failed", "-n", "0")
    for test in sorted(set(first) - set(failed(CACHE))):
        print(f"FLAKY {test} failed once and passed alone.")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; the exit status is 0 if everything passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.run", description=__doc__)
    parser.add_argument("--all", action="store_true", help="run every test, not only those for every change")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="cores to use")
    chosen = parser.parse_args(arguments)
    tier, begin = ("" if chosen.all else "not rest and "), time.monotonic()
    plain = pytest("-m", f"{tier}not browser", "-n", str(chosen.jobs + 1))
    browser = run_browser_tests(f"{tier}browser", 2 * chosen.jobs)
    print(f"{(time.monotonic() - begin) / 60:.1f} minutes", flush=True)
    return plain or browser


if __name__ == "__main__":
    sys.exit(main())
