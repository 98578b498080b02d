"""Without a network: the app starts, works, and asks nobody for anything.

The server runs under a guard that refuses and notes whatever would leave this computer: every connection and every
name that any thread or worker process of it asks for. Where the system lets a test do so, the same runs once more in
a network namespace that has nothing but loopback, browser included.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from bdlviz.ui.frame import tabs
from tests.browser.conftest import App
from tests.browser.driver import main_picture, no_traceback, open_page, open_tab
from tests.patience import limit

# Python reads this module at the start of every process that has its folder on the path. An audit hook sees what all
# libraries ask of sockets, whichever function they call, and cannot be taken off again.
GUARD = """
import ipaddress
import os
import sys


def is_here(place):
    if not isinstance(place, tuple):
        return True  # a socket of this computer's own kind
    return is_near(place[0])


def is_near(name):
    if name in (None, "", "localhost", b"localhost"):
        return True
    try:
        text = name.decode() if isinstance(name, bytes) else str(name)
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def refuse(event, given):
    if event in ("socket.connect", "socket.sendto"):
        fine = is_here(given[1])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        fine = is_near(given[0])
    else:
        return
    if not fine:
        with open(os.environ["OUTBOUND"], "a") as notes:
            notes.write(f"{event} {given[1:] if event.startswith('socket.c') else given}\\n")
        raise OSError(101, "Network is unreachable")


sys.addaudithook(refuse)
"""


@pytest.fixture
def guarded_app(fresh_app: Callable[..., App], tmp_path: Path) -> Callable[..., tuple[App, Path]]:
    """Start the app under the guard; gives it, and the file with what it tried to reach."""
    folder, notes = tmp_path / "guard", tmp_path / "outbound.txt"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(GUARD, encoding="utf-8")

    def start(**environment: str) -> tuple[App, Path]:
        path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
        return fresh_app(PYTHONPATH=path, OUTBOUND=str(notes), **environment), notes

    return start


def test_the_guard_notes_and_refuses(tmp_path: Path):
    (tmp_path / "sitecustomize.py").write_text(GUARD, encoding="utf-8")
    lines = """
import socket, urllib.request
for attempt in (
    lambda: urllib.request.urlopen("http://example.org", timeout=1),
    lambda: socket.create_connection(("192.0.2.1", 80), 1),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("8.8.8.8", 1)),
    lambda: socket.getaddrinfo("127.0.0.1", 80),
):
    try:
        attempt()
        print("fine")
    except OSError as error:
        print(error.__class__.__name__)
"""
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "OUTBOUND": str(tmp_path / "notes")}
    done = subprocess.run(
        [sys.executable, "-c", lines], env=environment, capture_output=True, text=True, timeout=limit(60)
    )
    assert done.stdout.split() == ["URLError", "OSError", "OSError", "fine"], done.stderr
    assert len((tmp_path / "notes").read_text().splitlines()) == 3


def test_no_thread_of_the_server_asks_for_anything(
    guarded_app: Callable[..., tuple[App, Path]], new_page: Callable[..., Page], tmp_path: Path
):
    app, notes = guarded_app(BDLVIZ_DATA=str(tmp_path / "nothing"))
    page = new_page(app)
    open_page(page)
    main_picture(page)
    open_page(page, "function_draws", {"num_steps": 500, "data": "own", "picture": "figure"})  # trains in a worker
    main_picture(page)
    open_tab(page, tabs.EXPORT)
    no_traceback(page)
    for name in ("mc_dropout", "latent_space"):
        open_page(page, name)
        no_traceback(page)
    assert not notes.exists(), notes.read_text()
    assert "external IP" not in app.output()


def in_a_namespace() -> bool:
    """May this process make a network namespace of its own, with loopback up?"""
    if not (shutil.which("unshare") and shutil.which("ip")):
        return False
    return subprocess.run(["unshare", "-rn", "ip", "link", "set", "lo", "up"], capture_output=True).returncode == 0


@pytest.mark.skipif(not in_a_namespace(), reason="This system lets no test make a network namespace (unshare -rn).")
def test_a_machine_with_nothing_but_loopback(root: Path):
    """The test above again, with its browser, where no network exists at all."""
    this = f"{Path(__file__).relative_to(root)}::test_no_thread_of_the_server_asks_for_anything"
    inside = f"ip link set lo up && exec {sys.executable} -m pytest -q -p no:cacheprovider {this}"
    done = subprocess.run(
        ["unshare", "-rn", "sh", "-c", inside], cwd=root, capture_output=True, text=True, timeout=limit(900)
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
