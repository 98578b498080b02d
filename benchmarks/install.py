"""Installs the peers of requirements/peers.txt into the environment of bdlviz and prints those that do not work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import distributions

from benchmarks.record import ROOT
from benchmarks.report import PEERS

LIST = ROOT / "requirements" / "peers.txt"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
ENTRY = {"lightning_uq_box": "lightning_uq_box.uq_methods"}  # the module to import, if the package itself is empty
SECONDS_TO_IMPORT = 180


def main() -> int:
    """Install all peers together, or one by one if that fails; remove those that cannot be imported."""
    pins = [line for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    if not _install(pins):
        for pin in pins:
            if not _install([pin]):
                print(f"{pin} cannot be installed and is left out.")
    installed = {name_of(distribution.name) for distribution in distributions()}
    for module, package in PEERS.items():
        if name_of(package) in installed and (reason := why_not_imported(ENTRY.get(module, module))):
            print(f"{package} does not work here and is left out: {reason}.")
            subprocess.run([*PIP, "uninstall", "--quiet", "--yes", package], check=True)
    return 0


def name_of(package: str) -> str:
    """The normalised name of a package: lower case, with hyphens."""
    return package.lower().replace("_", "-")


def _install(pins: Sequence[str]) -> bool:
    return subprocess.run([*PIP, "install", "-qq", "--no-deps", *pins]).returncode == 0


def why_not_imported(module: str) -> str:
    """The error of an import in a separate process, or ""."""
    program = f"from benchmarks.peers import imported; raise SystemExit(imported({module!r}) is None)"
    command = [sys.executable, "-W", "ignore", "-c", program]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS_TO_IMPORT)
    except subprocess.TimeoutExpired:
        return f"no import within {SECONDS_TO_IMPORT} s"
    errors = done.stderr.strip().splitlines() or ["it ended without a message"]
    return errors[-1].partition("left out, ")[2].rstrip(".") or errors[-1] if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main())
