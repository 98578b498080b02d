"""deploy/nginx.conf in front of servers on this computer."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.browser.conftest import App
from tests.patience import limit

NAMES = ("one", "two")  # of the replicas, as the cookie says them
COOKIE = "bdlviz_replica"
NEEDS_NGINX = pytest.mark.skipif(
    shutil.which("nginx") is None, reason="This needs nginx (apt-get install --no-install-recommends nginx-light)."
)


@dataclass(frozen=True)
class Rendered:
    """The project's configuration with other ports, and a folder of its own in the place of /tmp."""

    text: str

    @classmethod
    def of(cls, configuration: str, folder: Path, port: int, replicas: dict[str, int]) -> Rendered:
        """Put local ports in the place of the addresses of compose; every one of them has to be there."""
        text = configuration
        changes = {r"listen 8080;": f"listen 127.0.0.1:{port};", r"/tmp/": f"{folder}/"}
        changes |= {rf"explorer-{name}:8501": f"127.0.0.1:{number}" for name, number in replicas.items()}
        for pattern, replacement in changes.items():
            text, count = re.subn(pattern, replacement, text)
            assert count, f"nginx.conf has no {pattern} any more."
        return cls(text)


def start(root: Path, folder: Path, port: int, replicas: dict[str, int]) -> App:
    """Run nginx before these replicas (their ports by name); return once it listens."""
    configuration, log = folder / "nginx.conf", folder / "nginx.txt"
    own = (root / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    configuration.write_text(Rendered.of(own, folder, port, replicas).text, encoding="utf-8")
    # The tests' folder may be root's alone, and nginx gives root's rights up unless told otherwise.
    as_root = " user root;" if os.geteuid() == 0 else ""
    command = ["nginx", "-p", str(folder), "-c", str(configuration), "-e", "stderr", "-g", f"daemon off;{as_root}"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    app = App(f"http://127.0.0.1:{port}", process, log)
    while not (folder / "nginx.pid").exists():
        assert process.poll() is None, app.output()
        time.sleep(0.02)
    return app


def stop(app: App) -> None:
    """End nginx at once."""
    app.process.send_signal(signal.SIGTERM)
    app.process.wait(timeout=limit(30))
