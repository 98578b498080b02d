"""Installs the peers of requirements/peers.txt beside bdlviz and names those that do not work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import distributions

from benchmarks.record import ROOT
from benchmarks.report import PEERS

LIST = ROOT / "requirements" / "peers.txt"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
ENTRY = {"lightning_uq_box": "lightning_uq_box.uq_methods"}  # what is imported where the package itself holds nothing
SECONDS_TO_IMPORT = 180


def main() -> int:
    """Install all at once, or one by one where something cannot be had; keep what can be imported."""
    pins = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    if not _install(pins):
        for pin in pins:
            if not _install([pin]):
                print(f"{pin} cannot be installed and is left out.")
    here = {name_of(found.name) for found in distributions()}
    for module, package in PEERS.items():
        if name_of(package) in here and (reason := why_not_imported(ENTRY.get(module, module))):
            print(f"{package} does not work here and is left out: {reason}.")
            subprocess.run([*PIP, "uninstall", "--quiet", "--yes", package], check=True)
    return 0


def name_of(package: str) -> str:
    """One spelling for torch_uncertainty and torch-uncertainty."""
    return package.lower().replace("_", "-")


def _install(pins: Sequence[str]) -> bool:
    return subprocess.run([*PIP, "install", "-qq", "--no-deps", *pins]).returncode == 0


def why_not_imported(module: str) -> str:
    """What an import in a process of its own complained of, or nothing."""
    program = f"from benchmarks.peers import imported; raise SystemExit(imported({module!r}) is None)"
    command = [sys.executable, "-W", "ignore", "-c", program]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS_TO_IMPORT)
    except subprocess.TimeoutExpired:
        return f"no import within {SECONDS_TO_IMPORT} s"
    said = done.stderr.strip().splitlines() or ["it ended without a word"]
    return said[-1].partition("left out, ")[2].rstrip(".") or said[-1] if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main())
