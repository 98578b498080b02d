"""Finds a Chromium for the browser tests, and installs one where there is none.

``python tests/browser/chromium.py`` prints its path; with ``--install`` it fetches one first if need be:
Debian's package when run as root, else Playwright's own build. ``BDLVIZ_CHROMIUM`` names one by hand.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
APPLICATIONS = ("Google Chrome", "Chromium", "Microsoft Edge")  # macOS
PROGRAMS = (r"Google\Chrome\Application\chrome.exe", r"Microsoft\Edge\Application\msedge.exe")  # Windows
PROGRAM_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")


def find() -> str | None:
    """The path of a Chromium that starts, or None."""
    return next((str(path) for path in candidates() if starts(path)), None)


def install() -> str | None:
    """`find`, after fetching a Chromium if there is none."""
    return find() or install_with_apt() or install_with_playwright()


def candidates() -> Iterator[Path]:
    """Places to look at, the best first; Playwright's own build last, because asking for it takes a moment."""
    if named := os.environ.get("BDLVIZ_CHROMIUM"):
        yield Path(named)
    yield from (Path(found) for name in NAMES if (found := shutil.which(name)))
    if sys.platform == "darwin":
        for folder in (Path("/Applications"), Path.home() / "Applications"):
            yield from (folder / f"{name}.app" / "Contents" / "MacOS" / name for name in APPLICATIONS)
    if sys.platform == "win32":
        for folder in filter(None, map(os.environ.get, PROGRAM_FOLDERS)):
            yield from (Path(folder) / program for program in PROGRAMS)
    yield from playwright_build()


def playwright_build() -> Iterator[Path]:
    """Where Playwright keeps the Chromium it has downloaded, whether or not it has."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return
    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    yield path


def starts(path: Path) -> bool:
    """Does this browser run here? A snap cannot see a test's temporary files, so it does not count."""
    if not path.is_file():
        return False
    if sys.platform == "win32":
        return True  # there, --version would open a window
    with path.open("rb") as file:
        if b"/snap/" in file.read(4096) or "/snap/" in str(path.resolve()):
            return False
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def install_with_playwright() -> str | None:
    """Download Playwright's Chromium."""
    print("Downloading Playwright's Chromium for the browser tests (about 150 MB).", flush=True)
    return find() if succeeds([sys.executable, "-m", "playwright", "install", "chromium"], timeout=900) else None


def install_with_apt() -> str | None:
    """Install Debian's Chromium; needs root."""
    if not (shutil.which("apt-get") and os.geteuid() == 0):
        return None
    print("No Chromium found: installing Debian's for the browser tests.", flush=True)
    apt = ["apt-get", "-qq", "-o", "Acquire::Retries=3"]
    succeeds([*apt, "update"], timeout=300)
    succeeds([*apt, "install", "--yes", "--no-install-recommends", "chromium", "fonts-liberation"], timeout=900)
    return find()


def succeeds(command: list[str], timeout: float) -> bool:
    """Run a command quietly; print the end of what it said if it fails."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)}: no answer in {timeout:.0f} s", file=sys.stderr)
        return False
    if done.returncode:
        print(f"{' '.join(command)} failed:\n{done.stdout[-600:]}", file=sys.stderr)
    return done.returncode == 0


def main() -> int:
    """The command line."""
    path = install() if "--install" in sys.argv[1:] else find()
    if path is None:
        print(
            "No Chromium could be found or installed: install Chromium or Chrome, or set BDLVIZ_CHROMIUM to its path.",
            file=sys.stderr,
        )
        return int("CI" in os.environ)
    print(f"Browser tests use {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
