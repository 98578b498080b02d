"""Pin all packages that requirements.txt installs, with hashes: `make lock` writes requirements/locked/.

Locked versions are kept while requirements.txt allows them; ``--upgrade`` takes the newest. torch is separate: its
build for Linux without CUDA is on its own index, from which its hashes are read.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.error import URLError
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "requirements" / "locked"
LOCKED, TORCH, TORCH_CPU = FOLDER / "packages.txt", FOLDER / "torch.txt", FOLDER / "torch-linux-cpu.txt"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
OLDEST_PYTHON = "3.11"
PYTHONS = ("cp311", "cp312", "cp313")
# Dependencies of PyPI's torch for Linux alone.
CUDA = ("cuda-", "nvidia-", "triton")
WITHOUT_HASHES = (
    "# Without hashes: the index could not be read when this file was made. `make lock` adds them where it can."
)
SECONDS_TO_ANSWER = 30


class Links(HTMLParser):
    """Every address that a page links to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the address of a link."""
        if tag == "a":
            self.found.extend(value for name, value in attrs if name == "href" and value)


def resolve(old: str, upgrade: bool) -> str:
    """The lock of requirements.txt as uv writes it, for every system; versions of ``old`` are preferred."""
    uv = shutil.which("uv", path=str(Path(sys.executable).parent)) or "uv"
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "locked.txt"
        output.write_text(old, encoding="utf-8")
        command = [uv, "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-header"]
        command += ["--no-annotate", "--python-version", OLDEST_PYTHON, "--output-file", str(output)]
        command += ["--upgrade"] if upgrade else []
        subprocess.run([*command, "requirements.txt"], cwd=ROOT, check=True)
        return output.read_text(encoding="utf-8")


def blocks(lock: str) -> list[str]:
    """The entries of a lock file: a package with its version, marker and hashes."""
    return [block for block in re.split(r"(?m)^(?=[A-Za-z])", lock) if block[:1].isalpha()]


def name_of(block: str) -> str:
    """The package of an entry."""
    return re.split(r"[=@ ]", block, maxsplit=1)[0]


def cpu_hashes(page: str, version: str) -> list[str]:
    """The SHA-256 of torch's CPU wheels for Linux in a page of the index, for the Pythons that are supported."""
    wheel = re.compile(rf"torch-{re.escape(version)}\+cpu-({'|'.join(PYTHONS)})-\1-manylinux\w+_(x86_64|aarch64)\.whl")
    parts = [urlsplit(link) for link in Links(page).found]
    fitting = (each for each in parts if wheel.fullmatch(unquote(each.path).rsplit("/", 1)[-1]))
    return sorted({each.fragment.removeprefix("sha256=") for each in fitting if each.fragment.startswith("sha256=")})


def hashes_of_cpu_build(version: str) -> list[str]:
    """The hashes that the CPU index gives for this version now; none if it cannot be read."""
    try:
        with urlopen(f"{CPU_INDEX}/torch/", timeout=SECONDS_TO_ANSWER) as answer:
            return cpu_hashes(answer.read().decode(), version)
    except (URLError, OSError, UnicodeDecodeError) as error:
        print(f"{CPU_INDEX} cannot be read ({error}).", file=sys.stderr)
        return []


def cpu_file(version: str, hashes: Sequence[str], old: str = "") -> str:
    """The lock of torch's CPU build; keeps the hashes of the same version if there are no new ones."""
    pin = f"torch=={version}+cpu"
    if not hashes and f"{pin} \\" in old:
        return old
    comment = f"# Linux: pip install --no-deps --index-url {CPU_INDEX} -r requirements/locked/torch-linux-cpu.txt\n"
    if not hashes:
        return f"{comment}{WITHOUT_HASHES}\n{pin}\n"
    return comment + " \\\n".join([pin, *(f"    --hash=sha256:{each}" for each in hashes)]) + "\n"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that requirements.txt allows")
    upgrade = parser.parse_args().upgrade
    FOLDER.mkdir(parents=True, exist_ok=True)
    old = LOCKED.read_text(encoding="utf-8") if LOCKED.exists() else ""
    entries = blocks(resolve(old, upgrade))
    [torch] = [block for block in entries if name_of(block) == "torch"]
    rest = [block for block in entries if name_of(block) != "torch" and not name_of(block).startswith(CUDA)]
    version = torch.split()[0].removeprefix("torch==")
    old_cpu = TORCH_CPU.read_text(encoding="utf-8") if TORCH_CPU.exists() else ""
    written = {
        LOCKED: "# Made by `make lock` from requirements.txt: everything but torch (../README.md says why).\n"
        + "".join(rest),
        TORCH: "# Made by `make lock`: torch as PyPI has it, for macOS and Windows.\n" + torch,
        TORCH_CPU: cpu_file(version, hashes_of_cpu_build(version), old_cpu),
    }
    for path, text in written.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    print(f"{len(rest) + 1} packages are pinned in {FOLDER.relative_to(ROOT)}/.")
    if "--hash" not in written[TORCH_CPU]:
        print(f"{TORCH_CPU.name} has no hashes: run make lock where {CPU_INDEX} can be reached.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
