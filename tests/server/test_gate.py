"""The gate: what is refused before Streamlit sees it, and what must not be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketState
from streamlit import config

from bdlviz.errors import InvalidInput
from bdlviz.ops.gate import MAX_UPLOADS, POLICY_VIOLATION, Access, Gate, is_same_site
from tests.asynchronous import finish
from tests.server.conftest import Ask

FILE = "/_stcore/upload_file/{}/{}"


@pytest.fixture
def gate() -> Gate:
    """A gate before an application that answers "inside" to everything, and 204 to uploads."""

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        status = 204 if scope["method"] in ("PUT", "DELETE") else 200
        await PlainTextResponse("" if status == 204 else "inside", status)(scope, receive, send)

    return Gate(inside)


COUNTERS = ("/metrics", "/metrics/", "/_stcore/metrics", "/demo/_stcore/metrics")


@pytest.mark.parametrize("path", COUNTERS)
@pytest.mark.parametrize(
    ("access", "client", "headers", "status"),
    [
        ("", "127.0.0.1", {}, 200),
        ("local", "::1", {}, 200),
        ("local", "::ffff:127.0.0.1", {}, 200),
        ("local", "192.168.1.7", {}, 200),
        ("local", "::ffff:8.8.8.8", {}, 403),
        ("local", "8.8.8.8", {}, 403),
        ("local", "127.0.0.1", {"X-Forwarded-For": "8.8.8.8"}, 403),
        ("local", "127.0.0.1", {"Forwarded": "for=8.8.8.8"}, 403),
        ("local", "127.0.0.1", {"X-Real-IP": "10.0.0.1"}, 403),
        ("local", "unix", {}, 403),
        ("off", "127.0.0.1", {}, 404),
        ("on", "8.8.8.8", {"X-Forwarded-For": "8.8.8.8"}, 200),
    ],
)
def test_counters_are_for_local_clients(
    path: str,
    access: str,
    client: str,
    headers: Mapping[str, str],
    status: int,
    gate: Gate,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("BDLVIZ_METRICS", access)
    assert ask(Gate(gate.app), path, client=client, headers=headers).status == status


def test_pages_are_for_everybody(gate: Gate, ask: Ask):
    for path in ("/", "/function_draws", "/healthz", "/_stcore/health", "/static/js/metrics.js"):
        assert ask(gate, path, client="8.8.8.8", headers={"X-Forwarded-For": "8.8.8.8"}).body == "inside"


def test_an_unknown_access_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BDLVIZ_METRICS", "sometimes")
    with pytest.raises(InvalidInput, match="off, local, on"):
        Access.present()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/_stcore/agent/openapi.json", 200),
        ("HEAD", "/", 200),
        ("OPTIONS", FILE.format("a", "b"), 200),
        ("POST", "/_stcore/agent/interact", 405),
        ("POST", FILE.format("a", "b"), 405),
        ("PUT", "/", 405),
        ("DELETE", "/function_draws", 405),
        ("TRACE", "/", 405),
        ("PUT", FILE.format("a", "b"), 204),
        ("DELETE", FILE.format("a", "b"), 204),
    ],
)
def test_only_what_pages_do_is_let_through(method: str, path: str, status: int, gate: Gate, ask: Ask):
    assert ask(gate, path, method).status == status


def test_uploads_are_bounded_for_each_visitor(gate: Gate, ask: Ask):
    def put(visitor: str, file: int) -> int:
        return ask(gate, FILE.format(visitor, file), "PUT").status

    assert {put("one", file) for file in range(MAX_UPLOADS)} == {204}
    assert put("one", MAX_UPLOADS) == 429
    assert put("one", 0) == 204, "A file may be replaced."
    assert put("another", 0) == 204
    assert ask(gate, FILE.format("one", 0), "DELETE").status == 204
    assert put("one", MAX_UPLOADS) == 204


def admitted(gate: Gate, headers: Mapping[str, str]) -> str | None:
    """The host that Streamlit would see for a WebSocket with these headers; None where it is refused."""
    seen: list[str] = []
    sent: list[Any] = []

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(dict(scope["headers"])[b"host"].decode())

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    gate.app = inside
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    finish(gate({"type": "websocket", "path": "/_stcore/stream", "headers": raw}, receive, send))
    assert not sent or sent == [{"type": "websocket.close", "code": POLICY_VIOLATION}]
    assert bool(sent) != bool(seen)
    return seen[0] if seen else None


@pytest.mark.parametrize(
    ("origin", "host", "forwarded", "seen"),
    [
        ("http://demo.example", "demo.example", "", "demo.example"),
        ("https://demo.example:8443", "demo.example:8443", "", "demo.example:8443"),
        ("https://DEMO.example", "demo.example", "", "DEMO.example"),
        ("https://demo.example:8443", "demo.example", "", "demo.example:8443"),  # a proxy left out the port
        ("https://demo.example", "app:8501", "demo.example", "demo.example"),
        ("https://demo.example", "app:8501", "demo.example, inner.example", "demo.example"),
        ("https://evil.example", "demo.example", "", None),
        ("https://evil.example", "app:8501", "demo.example", None),
        ("http://localhost:3000", "demo.example", "", None),
        ("http://demo.example:3000", "demo.example:8501", "", None),
        ("http://demo.example.evil.example", "demo.example", "", None),
        ("http://evil.example@demo.example.evil", "demo.example", "", None),
        ("null", "demo.example", "", None),
        ("file://demo.example", "demo.example", "", None),
        ("http://[::1", "demo.example", "", None),
        ("", "demo.example", "", None),
    ],
)
def test_a_page_of_another_site_opens_no_connection(
    origin: str, host: str, forwarded: str, seen: str | None, gate: Gate
):
    headers = {"Origin": origin, "Host": host} | ({"X-Forwarded-Host": forwarded} if forwarded else {})
    assert admitted(gate, headers) == seen


def test_a_program_that_is_no_browser_says_no_origin(gate: Gate):
    assert admitted(gate, {"Host": "demo.example"}) == "demo.example"


@pytest.mark.parametrize(
    ("option", "value"), [("server.enableCORS", False), ("server.corsAllowedOrigins", ["https://other.example"])]
)
def test_streamlits_own_options_open_the_gate(option: str, value: object, gate: Gate):
    before = config.get_option(option)
    headers = {"Origin": "https://other.example", "Host": "demo.example"}
    assert admitted(gate, headers) is None
    config.set_option(option, value)
    try:
        assert admitted(gate, headers) == "demo.example"
    finally:
        config.set_option(option, before)


def test_same_site_needs_a_name():
    assert not is_same_site("http://", "")
    assert not is_same_site("http://:80", "")


def test_a_closed_connection_is_no_error(gate: Gate):
    """Streamlit reads on after the browser has closed the connection; starlette says so with an exception."""

    async def receive() -> Any:
        return {"type": "websocket.disconnect"}

    async def send(message: Any) -> None:
        """Nobody listens."""

    async def reads_on(scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        socket.client_state = socket.application_state = WebSocketState.CONNECTED
        await socket.receive()
        await socket.receive()

    async def fails(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("something else")

    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": [(b"host", b"demo.example")]}
    gate.app = reads_on
    finish(gate(scope, receive, send))
    gate.app = fails
    with pytest.raises(RuntimeError, match="something else"):
        finish(gate(scope, receive, send))
