"""Downloads from a server that stalls, cuts off, lies or never ends: one sentence each, and the next try works."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from bdlviz.data import openml
from bdlviz.errors import InvalidInput
from bdlviz.types import Array

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = 60.0
COLUMNS = ("year", "month", "co2")
ROWS = "\n".join(f"{1958 + month // 12},{1 + month % 12},{315 + month / 10}" for month in range(48))
ARFF = ("@RELATION co2\n" + "".join(f"@ATTRIBUTE {name} REAL\n" for name in COLUMNS) + f"@DATA\n{ROWS}\n").encode()

# scikit-learn says on standard error that it tries again.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")


class Openml(ThreadingHTTPServer):
    """Answers as openml.org does, and sends the data in the way that ``way`` says."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.way, self.is_asked, self.over = "well", threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answers(self) -> dict[str, Any]:
        features = [
            {"index": str(index), "name": name, "data_type": "numeric", "is_target": str(name == "co2").lower()}
            | {"is_ignore": "false", "is_row_identifier": "false", "number_of_missing_values": "0"}
            for index, name in enumerate(COLUMNS)
        ]
        description = {"id": "41187", "name": "co2", "version": "1", "status": "active", "format": "ARFF"} | {
            "description": "Monthly means.",
            "url": f"{self.url}/data",
            "md5_checksum": hashlib.md5(b"other" if self.way == "another sum" else ARFF).hexdigest(),
        }
        qualities = [{"name": "NumberOfInstances", "value": "48.0"}]
        return {
            "/info/41187": {"data_set_description": description},
            "/features/41187": {"data_features": {"feature": features}},
            "/qualities/41187": {"data_qualities": {"quality": qualities}},
        }


class Handler(BaseHTTPRequestHandler):
    @property
    def openml(self) -> Openml:
        assert isinstance(self.server, Openml)
        return self.server

    def do_GET(self) -> None:
        if self.path == "/data":
            self._data()
        else:
            self._send(json.dumps(self.openml.answers()[self.path]).encode())

    def _send(self, content: bytes, announced: int | None = None) -> None:
        self.send_response(200)
        if announced is not None:
            self.send_header("Content-Length", str(announced))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def _data(self) -> None:
        way, is_over = self.openml.way, self.openml.over
        if way == "busy":
            self.send_error(503)
            return
        half = ARFF[: len(ARFF) // 2]
        lengths = {"well": len(ARFF), "cut off": len(ARFF), "too long": 20, "another sum": len(ARFF)}
        self._send(ARFF if way in ("well", "too long", "another sum") else half, lengths.get(way))
        self.openml.is_asked.set()
        while way in ("stalls", "trickles", "endless") and not is_over.wait({"trickles": 0.05}.get(way, 0)):
            if way == "stalls":
                is_over.wait()
            try:
                self.wfile.write(b"%" * (1 if way == "trickles" else 100_000))
            except OSError:
                return

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Openml]:
    with Openml() as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        for name, path in (("_DATA_INFO", "info"), ("_DATA_FEATURES", "features"), ("_DATA_QUALITIES", "qualities")):
            monkeypatch.setattr(f"sklearn.datasets._openml.{name}", f"{made.url}/{path}/{{}}")
        monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda seconds: None)  # between its own tries
        monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("BDLVIZ_DATA", raising=False)
        yield made
        made.over.set()
        made.shutdown()
        thread.join()


def fetch() -> Array:
    """The months that the server sends."""
    return openml.fetch(41187, "The CO₂ record")[1]


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        ("cut off", "The download of The CO₂ record broke off or was altered on the way: try again"),
        ("half", "The download of The CO₂ record broke off or was altered on the way: try again"),
        ("too long", "The download of The CO₂ record broke off or was altered on the way: try again"),
        ("another sum", "The download of The CO₂ record broke off or was altered on the way: try again"),
        ("stalls", "The CO₂ record could not be downloaded .TimeoutError.: check the connection"),
        (
            "trickles",
            "The download of The CO₂ record was given up, since it took longer than 0 minutes: try again later",
        ),
        ("endless", "The download of The CO₂ record was given up, since more than 1,000,000 bytes arrived"),
        ("busy", "The CO₂ record could not be downloaded, since openml.org did not answer as usual: try again later"),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_the_next_try_works(
    server: Openml, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, sentence: str
):
    monkeypatch.setattr(openml, "SILENCE_LIMIT", 0.5)
    monkeypatch.setattr(openml, "TIME_LIMIT", 2.0 if way == "trickles" else DEADLINE)
    monkeypatch.setattr(openml, "MAX_BYTES", 1_000_000)
    server.way = way
    with pytest.raises(InvalidInput, match=f"^{sentence}") as caught:
        fetch()
    assert "\n" not in str(caught.value) and str(tmp_path) not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*"))
    server.way = "well"
    assert len(fetch()) == 48


def test_a_refusal_leaves_no_connection_open(server: Openml):
    server.way = "busy"
    with pytest.raises(InvalidInput) as caught:
        fetch()
    refusal = caught.value.__cause__
    assert isinstance(refusal, HTTPError) and refusal.fp is not None
    assert refusal.fp.closed


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="ends a process in the way of POSIX")
def test_killed_in_the_middle_of_a_download(server: Openml, tmp_path: Path):
    server.way = "stalls"
    lines = (
        "from sklearn.datasets import _openml",
        *(f"_openml._DATA_{name.upper()} = '{server.url}/{name}/{{}}'" for name in ("info", "features", "qualities")),
        "from bdlviz.data import openml",
        "openml.fetch(41187, 'The CO2 record')",
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", "\n".join(lines)], env=environment)
    assert server.is_asked.wait(DEADLINE)
    process.kill()
    process.wait()
    assert not list((tmp_path / "cache").rglob("*"))
    server.over.set()
    server.way = "well"
    assert len(fetch()) == 48


def test_two_downloads_take_turns(server: Openml):
    """Each bounds the requests of scikit-learn, and gives them back as they were."""
    from sklearn.datasets import _openml

    before = getattr(_openml, "urlopen")  # noqa: B009
    threads = [threading.Thread(target=openml.fetch, args=(41187, "A set")) for _ in range(3)]
    for thread in threads:
        thread.start()
    start = time.monotonic()
    for thread in threads:
        thread.join(DEADLINE)
    assert time.monotonic() - start < DEADLINE
    assert getattr(_openml, "urlopen") is before  # noqa: B009
