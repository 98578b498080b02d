"""The real server: headers on every answer, health, counters, connections from other sites, and what it logs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from bdlviz import __version__
from bdlviz.fitted import shelf
from tests.browser.conftest import App
from tests.patience import limit

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
ANSWERS = [
    ("GET", "/", 200),
    ("GET", "/function_draws?data=own", 200),
    ("GET", "/healthz", 200),
    ("GET", "/metrics", 200),
    ("GET", "/_stcore/health", 200),
    ("GET", "/_stcore/host-config", 200),
    ("GET", "/favicon.png", 200),
    ("GET", "/media/nothing.png", 404),
    ("GET", "//evil.example", 400),
    ("GET", "/..%2f..%2fetc/passwd", 400),
    ("POST", "/_stcore/agent/interact", 405),
    ("PUT", "/_stcore/upload_file/nobody/nothing", 403),
]
SECRETS = ("s3cretname", "31415.92653", "hidden-words")


def ask(app: App, path: str, method: str = "GET", headers: Mapping[str, str] | None = None) -> tuple[HTTPResponse, str]:
    """One request to the server."""
    place = urlsplit(app.url)
    connection = HTTPConnection(str(place.hostname), place.port, timeout=limit(60))
    try:
        connection.request(method, path, headers=dict(headers or {}))
        answer = connection.getresponse()
        return answer, answer.read().decode(errors="replace")
    finally:
        connection.close()


def visit(app: App, page: str, query: str, origin: str | None = None) -> list[ForwardMsg]:
    """What the server sends a browser that opens a page with this query, until the page's script has run once."""
    received = []
    stream = f"{app.url.replace('http', 'ws', 1)}/_stcore/stream"
    with connect(stream, origin=Origin(origin or app.url), max_size=None, subprotocols=None, proxy=None) as socket:
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_name = page
        socket.send(message.SerializeToString())
        while True:
            answer = ForwardMsg.FromString(bytes(socket.recv(timeout=limit(120))))  # type: ignore[arg-type]
            received.append(answer)
            if answer.WhichOneof("type") == "script_finished":
                return received


@pytest.mark.parametrize(("method", "path", "status"), ANSWERS)
def test_every_answer_carries_the_headers(method: str, path: str, status: int, app: App):
    answer, _ = ask(app, path, method)
    assert answer.status == status
    assert {name: answer.getheader(name) for name in HEADERS} == HEADERS
    assert "camera=()" in str(answer.getheader("Permissions-Policy"))
    policy = str(answer.getheader("Content-Security-Policy"))
    assert "frame-ancestors" not in policy, "Slides and courses embed the explorer: docs/lectures.md."
    assert answer.getheader("X-Frame-Options") is None
    if path.startswith("/media/"):
        assert "default-src 'none'" in policy and policy.endswith("sandbox")
    else:
        scripts = next(rule for rule in policy.split("; ") if rule.startswith("script-src"))
        assert "'unsafe-inline'" not in scripts and "'unsafe-eval'" not in scripts and "http" not in policy
        assert "object-src 'none'" in policy


def test_no_answer_is_open_to_other_origins(app: App):
    for path in ("/", "/healthz", "/metrics", "/_stcore/health", "/_stcore/host-config"):
        answer, _ = ask(app, path, headers={"Origin": "https://evil.example"})
        assert answer.getheader("Access-Control-Allow-Origin") is None, path


def test_health_names_versions_and_files(app: App):
    answer, body = ask(app, "/healthz")
    assert answer.getheader("Content-Type") == "application/json"
    assert answer.getheader("Cache-Control") == "no-store"
    told = json.loads(body)
    assert told["status"] == "ok"
    assert told["versions"]["bdlviz"] == __version__
    assert {"python", "streamlit", "torch", "numpy"} <= told["versions"].keys()
    assert told["checkpoints"] == len(shelf.manifest()) and told["checkpoints_missing"] == []
    assert told["jobs_running"] == told["jobs_waiting"] == 0
    assert told["memory_bytes"] > 10_000_000


def test_counters_are_text_for_prometheus(app: App):
    answer, body = ask(app, "/metrics")
    assert answer.status == 200 and str(answer.getheader("Content-Type")).startswith("text/plain; version=")
    assert "# TYPE bdlviz_jobs_running gauge" in body
    forwarded, _ = ask(app, "/metrics", headers={"X-Forwarded-For": "127.0.0.1"})
    assert forwarded.status == 403


def test_connections_of_another_site_are_refused(app: App):
    for origin in ("https://evil.example", "http://localhost:1"):
        with pytest.raises(InvalidStatus) as refused:
            visit(app, "", "", origin)
        assert refused.value.response.status_code == 403
    kinds = {message.WhichOneof("type") for message in visit(app, "", "")}
    assert "delta" in kinds


def test_the_log_holds_events_and_no_visitors_words(app: App):
    name, number, words = SECRETS
    query = f"data={name}&noise={number}&scene={words}&points={name}&lecture={words}&{name}={number}&present={words}"
    for page in ("function_draws", "compare", "active_learning", f"no_page_{name}"):
        messages = visit(app, page, query)
        assert any(message.WhichOneof("type") == "delta" for message in messages)
    ask(app, f"/{name}?{query}")
    ask(app, f"/_stcore/upload_file/{name}/{words}", "PUT")
    ask(app, f"/media/{name}.png")
    for garbage in (b"\xff" * 40, f"{name} {words}", b""):
        with connect(
            f"{app.url.replace('http', 'ws', 1)}/_stcore/stream", origin=Origin(app.url), proxy=None
        ) as socket:
            socket.send(garbage)
            try:
                socket.recv(timeout=1)
            except Exception:  # it was closed, or has nothing to say; only the log matters here
                continue
    log = app.output()
    assert not [secret for secret in SECRETS if secret in log], log[-3000:]
    events = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert events[0]["event"] == "The server has started."
    assert events[0]["fields"]["bdlviz"] == __version__
    assert all({"time", "level", "logger", "event"} <= event.keys() for event in events)
    assert any(event["level"] in ("warning", "error") for event in events), "The garbage should have been noted."
    told: list[Any] = [line for line in log.splitlines() if line and not line.startswith("{")]
    assert not [line for line in told if "Traceback" in line or "Error" in line], told
