"""Build the pages of the programming interface from the docstrings with pdoc: `make docs` writes build/docs.

pdoc runs in the environment of the tools and imports bdlviz, so it uses the packages of the environment of bdlviz.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "build" / "docs"
# The library; pages, server and studies are not part of its interface.
MODULES = (
    "bdlviz",
    "bdlviz.fits",
    "bdlviz.settings",
    "bdlviz.types",
    "bdlviz.errors",
    "bdlviz.fitted",
    "bdlviz.methods",
    "bdlviz.training",
    "bdlviz.predictive",
    "bdlviz.models",
    "bdlviz.data",
    "bdlviz.plots",
    "bdlviz.sweeps",
)


def packages_of(environment: Path) -> Path:
    """The folder of the packages in a virtual environment of this Python."""
    return Path(sysconfig.get_path("purelib", vars={"base": str(environment), "platbase": str(environment)}))


def main() -> None:
    """Write one page for each public module."""
    path = os.pathsep.join(map(str, (ROOT, packages_of(ROOT / ".venv"))))
    options = ["--docformat", "google", "--math", "--footer-text", "bdlviz", "--output-directory", str(OUTPUT)]
    command = [sys.executable, "-P", "-W", "ignore", "-m", "pdoc", *options, *MODULES]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": path})
    print(f"The pages are in {OUTPUT}: open index.html.")


if __name__ == "__main__":
    main()
