"""The image holds all that the explorer needs and nothing else, runs read-only, says how it is, and ends when told."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.deploy import image as images
from tests.deploy.image import Image
from tests.patience import limit

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import App

UNSHIPPED = {"num_steps": 500, "seed": 4}  # so that the page trains
LONG = {"method": "deep_ensemble", "width": 256, "depth": 3, "num_steps": 20000}
SECONDS_UNTIL_KILLED = 10.0  # what container engines give a program between SIGTERM and SIGKILL
NEEDS_SETPRIV = pytest.mark.skipif(
    bool(images.without_privileges()) and shutil.which("setpriv") is None,
    reason="Run as root, this needs setpriv to give privileges up (apt-get install util-linux).",
)


@pytest.fixture
def laid_out(root: Path, image: Image, tmp_path: Path) -> Iterator[Path]:
    """A folder with what the image holds, read-only."""
    folder = tmp_path / "srv"
    images.lay_out(root, image, folder)
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(0o755)  # so that it can be removed
    shutil.rmtree(folder)


@NEEDS_SETPRIV
def test_it_runs_read_only_from_what_was_copied(
    image: Image,
    laid_out: Path,
    free_port: Callable[[], int],
    start_replica: Callable[..., App],
    new_page: Callable[..., Page],
):
    from tests.browser.driver import main_picture, no_traceback, open_page

    touch = [*images.without_privileges(), "touch", str(laid_out / "bdlviz" / "new")]
    assert subprocess.run(touch, capture_output=True).returncode, "The folder can be written to: nothing is tested."
    before, port = images.files(laid_out), free_port()
    app = start_replica(laid_out, port, HOME=str(laid_out))
    check = subprocess.run(images.on_port(image.health_check, port), capture_output=True, text=True)
    assert check.returncode == 0, check.stderr
    page = new_page(app)
    open_page(page, "/function_draws")
    main_picture(page)
    no_traceback(page)
    open_page(page, "/function_draws", UNSHIPPED)
    main_picture(page)
    page.get_by_test_id("stMetric").first.wait_for()  # only a whole fit has its numbers
    no_traceback(page)
    assert images.files(laid_out) == before
    assert "Traceback" not in app.output()


@NEEDS_SETPRIV
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM.")
def test_it_ends_when_told_though_a_fit_is_under_way(
    root: Path, free_port: Callable[[], int], start_replica: Callable[..., App], new_page: Callable[..., Page]
):
    from tests.browser.driver import wait_for_steps

    app = start_replica(root, free_port())
    page = new_page(app)
    settings = "&".join(f"{name}={value}" for name, value in LONG.items())
    page.goto(f"/function_draws?{settings}", wait_until="commit")
    wait_for_steps(page)
    processes = list(app.processor_seconds())
    began = time.monotonic()
    app.process.terminate()
    app.process.wait(timeout=limit(60))
    seconds = time.monotonic() - began
    print(f"ended {seconds:.2f} s after SIGTERM")
    assert seconds < SECONDS_UNTIL_KILLED
    assert app.process.returncode in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
    assert not [process for process in processes if runs(process)], "A process that trained has outlived the server."


def runs(process: int) -> bool:
    """Does the process of this number still run? On Linux only; one that ended and waits to be collected does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class AnyPage(BaseHTTPRequestHandler):
    """A server that answers every address with the same page, and logs nothing."""

    def log_message(self, format: str, *args: object) -> None: ...

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<!doctype html>")


def test_the_health_check_fails_where_no_explorer_answers(image: Image, free_port: Callable[[], int]):
    nobody = images.on_port(image.health_check, free_port())
    assert subprocess.run(nobody, capture_output=True).returncode
    with HTTPServer(("127.0.0.1", 0), AnyPage) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        somebody_else = images.on_port(image.health_check, server.server_address[1])
        assert subprocess.run(somebody_else, capture_output=True).returncode
        server.shutdown()


def test_it_is_an_ordinary_user_with_no_statistics(image: Image):
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", image.user), "A number lets a cluster check that it is not root's."
    assert image.environment["STREAMLIT_BROWSER_GATHER_USAGE_STATS"] == "false"
    assert image.environment["BDLVIZ_LOG"] == "json"
    assert "--server.address=0.0.0.0" in image.command


def test_the_builder_gets_sources_and_no_secrets(root: Path):
    ignore = (root / ".dockerignore").read_text(encoding="utf-8")
    sent = "app.py bdlviz/ui/main.py bdlviz/ui/client/base.js .streamlit/config.toml requirements/locked/packages.txt"
    kept = ".streamlit/secrets.toml .git/config .env bdlviz/.env bdlviz/ui/__pycache__/main.cpython-311.pyc"
    kept += " tests/conftest.py checkpoints/.half_written.safetensors.x1 requirements.txt Dockerfile"
    assert [path for path in sent.split() if not images.is_sent(path, ignore)] == []
    assert [path for path in kept.split() if images.is_sent(path, ignore)] == []


def test_every_source_of_the_library_is_in_the_image(root: Path, laid_out: Path):
    tracked = subprocess.run(
        ["git", "ls-files", "app.py", "bdlviz", "pages", "checkpoints"], cwd=root, capture_output=True
    )
    if tracked.returncode:
        pytest.skip("This folder is no git checkout, so what belongs to the project is not known.")
    wanted = {path for path in tracked.stdout.decode().splitlines() if (root / path).exists()}
    assert wanted <= images.files(laid_out).keys()
    assert os.path.isfile(laid_out / ".streamlit" / "config.toml")
