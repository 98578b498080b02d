"""Write the software bill of materials, build/sbom.json, in CycloneDX's format: `make sbom`.

It is made from the lock files, so it is the same on every machine and contains no local paths.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = ("requirements/locked/packages.txt", "requirements/locked/torch.txt")
TARGET = ROOT / "build" / "sbom.json"


def main() -> int:
    """The command line."""
    program = shutil.which("cyclonedx-py", path=str(Path(sys.executable).parent)) or "cyclonedx-py"
    TARGET.parent.mkdir(exist_ok=True)
    locked = "".join((ROOT / file).read_text(encoding="utf-8") for file in FILES)
    command = [program, "requirements", "--output-reproducible", "--of", "JSON", "--pyproject", "pyproject.toml"]
    # A lock file is a list without dependencies between packages; the warning about that is expected.
    quiet = os.environ | {"PYTHONWARNINGS": "ignore::UserWarning"}
    command += ["--output-file", str(TARGET), "-"]
    subprocess.run(command, cwd=ROOT, env=quiet, input=locked, text=True, check=True)
    print(TARGET.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
