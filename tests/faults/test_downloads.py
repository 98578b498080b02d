"""Downloads from a server that stalls, breaks off, alters files or never ends: each gives one sentence."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from bdlviz.data import downloads
from bdlviz.data.fetching import fetch_missing
from bdlviz.data.remote import Remote
from bdlviz.errors import InvalidInput
from tests.mirror import Mirror, published
from tests.patience import limit

ROOT = Path(__file__).resolve().parents[2]
DEADLINE = limit(60.0)
FILES = {"co2/months.gz": bytes(range(256)) * 400}


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    with Mirror(FILES) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.over.set()
        made.shutdown()
        thread.join()


def remote(server: Mirror) -> Remote:
    return published("The CO₂ record", (server.url,), FILES)


def is_kept(tmp_path: Path) -> bool:
    return (tmp_path / "cache" / "co2" / "months.gz").read_bytes() == FILES["co2/months.gz"]


ALTERED = "The download of The CO₂ record broke off or was altered on the way: try again"


@pytest.mark.parametrize(
    ("way", "sentence"),
    [
        *((way, ALTERED) for way in ("cut off", "half", "too long", "altered")),
        ("stalls", r"The CO₂ record could not be downloaded \(ReadTimeoutError\): check the connection"),
        ("trickles", "The download of The CO₂ record was given up, since it took longer than 0 minutes: try again"),
        ("endless", "The download of The CO₂ record was given up, since more than 102,400 bytes arrived"),
        ("busy", "The CO₂ record could not be downloaded, since the server did not answer as usual: try again later"),
    ],
)
def test_what_goes_wrong_is_one_sentence_and_the_next_try_works(
    server: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, sentence: str
):
    monkeypatch.setattr(downloads, "SILENCE_LIMIT_S", 0.5)
    monkeypatch.setattr(downloads, "TIME_LIMIT_S", 2.0 if way == "trickles" else DEADLINE)
    server.way = way
    with pytest.raises(InvalidInput, match=f"^{sentence}") as caught:
        fetch_missing(remote(server))
    assert "\n" not in str(caught.value) and str(tmp_path) not in str(caught.value)
    assert not list((tmp_path / "cache").rglob("*"))
    server.way = "well"
    assert fetch_missing(remote(server)) and is_kept(tmp_path)


def test_a_refusal_leaves_no_connection_open(server: Mirror):
    server.way = "busy"
    with pytest.raises(InvalidInput) as caught:
        fetch_missing(remote(server))
    refusal = caught.value.__cause__
    assert isinstance(refusal, requests.HTTPError) and refusal.response is not None
    assert refusal.response.raw.closed


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="ends a process in the way of POSIX")
def test_killed_in_the_middle_of_a_download(server: Mirror, tmp_path: Path):
    server.way = "stalls"
    lines = (
        "from bdlviz.data.fetching import fetch_missing",
        "from bdlviz.data.remote import Remote, RemoteFile",
        f"fetch_missing({remote(server)!r})",
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", "\n".join(lines)], env=environment)
    assert server.is_asked.wait(DEADLINE)
    process.kill()
    process.wait()
    assert not list((tmp_path / "cache").rglob("*"))
    server.over.set()
    server.way = "well"
    assert fetch_missing(remote(server)) and is_kept(tmp_path)


def test_two_downloads_at_once_do_not_disturb_each_other(server: Mirror, tmp_path: Path):
    ended: list[bool] = []
    threads = [threading.Thread(target=lambda: ended.append(fetch_missing(remote(server)))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert ended == [True] * 3 and is_kept(tmp_path)
