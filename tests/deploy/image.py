"""What an image built from the Dockerfile holds and runs, without an engine that builds images.

`contents` reads the Dockerfile's last stage, `lay_out` copies exactly the files that its COPY lines would copy, and
`start` runs a command as little privileged as this computer allows.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.browser.conftest import App

PORT = "8501"  # the image's


@dataclass(frozen=True)
class Image:
    """The last stage of a Dockerfile; ``copies`` are sources and target of every COPY from the project's folder."""

    copies: list[tuple[list[str], str]]
    environment: dict[str, str]
    command: list[str]
    health_check: list[str]
    user: str


def instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile with their arguments, comments left out and continued lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [
        (word.upper(), rest.strip()) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)
    ]


def contents(dockerfile: Path) -> Image:
    """What the last stage of a Dockerfile says."""
    found = instructions(dockerfile.read_text(encoding="utf-8"))
    start = max(index for index, (word, _) in enumerate(found) if word == "FROM")
    stage = found[start + 1 :]
    single = dict(stage)  # of several, the last one counts, as in an image
    copies = [shlex.split(rest) for word, rest in stage if word == "COPY" and not rest.startswith("--from")]
    variables = [pair for word, rest in stage if word == "ENV" for pair in shlex.split(rest)]
    return Image(
        copies=[(words[:-1], words[-1]) for words in copies],
        environment=dict(pair.split("=", 1) for pair in variables),
        command=json.loads(single["CMD"]),
        health_check=json.loads(single["HEALTHCHECK"].partition("CMD")[2]),
        user=single["USER"],
    )


def is_sent(path: str, ignore: str) -> bool:
    """Whether the builder gets a file, by the lines of a .dockerignore: the last one that fits it or a folder of it."""
    parts = path.split("/")
    ancestors = ["/".join(parts[: length + 1]) for length in range(len(parts))]
    sent = True
    for line in ignore.splitlines():
        if line and not line.startswith("#"):
            pattern = _expression(line.removeprefix("!"))
            if any(pattern.fullmatch(each) for each in ancestors):
                sent = line.startswith("!")
    return sent


def _expression(pattern: str) -> re.Pattern[str]:
    """A line of a .dockerignore as a regular expression."""
    words = {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]", "[": "[", "]": "]"}
    return re.compile("".join(words.get(each) or re.escape(each) for each in re.findall(r"\*\*/|.", pattern)))


def lay_out(root: Path, image: Image, folder: Path) -> None:
    """Copy what the image would hold into an empty folder, and take away the right to write there."""
    ignore = (root / ".dockerignore").read_text(encoding="utf-8")
    for sources, target in image.copies:
        for source in sources:
            whole = root / source
            if whole.is_dir():  # COPY takes its content
                files = {path: folder / target / path.relative_to(whole) for path in whole.rglob("*") if path.is_file()}
            else:
                files = {whole: folder / target / whole.name}
            for path, copy in files.items():
                if is_sent(path.relative_to(root).as_posix(), ignore):
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, copy)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def without_privileges() -> list[str]:
    """What to put before a command so that file permissions bind it, though a test may run as root."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]


def on_port(command: Sequence[str], port: int) -> list[str]:
    """A command of the image for this computer: its own interpreter, another port, and no other computer let in."""
    local = [word.replace(PORT, str(port)).replace("0.0.0.0", "127.0.0.1") for word in command]
    return [sys.executable if word == "python" else word for word in local]


def start(image: Image, folder: Path, port: int, log: Path, **environment: str) -> App:
    """Run the image's command in a folder, with the image's environment, and wait until it answers."""
    own = {name: value for name, value in image.environment.items() if name != "PATH"}
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("BDLVIZ_", "STREAMLIT_", "PYTHON"))
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*without_privileges(), *on_port(image.command, port)],
            cwd=folder,
            env={**kept, **own, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    app = App(f"http://127.0.0.1:{port}", process, log)
    app.wait_until_healthy()
    return app


def files(folder: Path) -> Mapping[str, int]:
    """Every file below a folder with its size."""
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
