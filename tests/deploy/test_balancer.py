"""What deploy/nginx.conf does with each request, seen with replicas that only say who they are."""

from __future__ import annotations

import http.client
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.deploy.balancer import COOKIE, NAMES, NEEDS_NGINX
from tests.patience import limit

if TYPE_CHECKING:
    from tests.browser.conftest import App

pytestmark = NEEDS_NGINX
WINDOWS = 64  # visitors; all of them land on one replica once in 2^63 times


class Replica(BaseHTTPRequestHandler):
    """Answers with its own name and what it was asked; switches protocols where that is asked for."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None: ...

    def do_GET(self) -> None:
        size = int(self.headers.get("Content-Length", 0))
        self.rfile.read(size)
        name = NAMES[getattr(self.server, "number", 0)]
        text = json.dumps({"name": name, "headers": dict(self.headers), "size": size}).encode()
        if "missing" not in self.path and self.headers.get("Upgrade") == "websocket":
            self.close_connection = True
            return self.answer(101, Upgrade="websocket", Connection="Upgrade")
        self.answer(404 if "missing" in self.path else 200, Content_Type="application/json", Content_Length=len(text))
        self.wfile.write(text)

    do_PUT = do_GET

    def answer(self, status: int, **headers: object) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()


class Replicas:
    """Two servers, each of which can be ended."""

    def __init__(self) -> None:
        self.servers = [ThreadingHTTPServer(("127.0.0.1", 0), Replica) for _ in NAMES]
        self.ports = dict(zip(NAMES, (server.server_address[1] for server in self.servers), strict=True))
        for number, server in enumerate(self.servers):
            server.number = number  # type: ignore[attr-defined]
            Thread(target=server.serve_forever, args=[0.01], daemon=True).start()

    def end(self, name: str) -> None:
        """Let this one answer no more."""
        server = self.servers[NAMES.index(name)]
        server.shutdown()
        server.server_close()

    def close(self) -> None:
        """End both."""
        for name in NAMES:
            with suppress(OSError):
                self.end(name)


@pytest.fixture
def replicas() -> Iterator[Replicas]:
    running = Replicas()
    yield running
    running.close()


@pytest.fixture
def balancer(replicas: Replicas, start_balancer: Callable[..., App]) -> App:
    """Nginx in front of them."""
    return start_balancer(replicas.ports)


class Answer:
    """Status, headers and content of an answer."""

    def __init__(self, app: App, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> None:
        connection = http.client.HTTPConnection(urlsplit(app.url).netloc, timeout=limit(60))
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        self.status, self.headers = answer.status, answer.headers
        self.content = b"" if answer.status == 101 else answer.read()
        connection.close()

    @property
    def said(self) -> dict[str, dict[str, str]]:
        """What the replica said it was asked."""
        return json.loads(self.content)["headers"]

    @property
    def name(self) -> str:
        """The replica that answered."""
        return json.loads(self.content)["name"]

    @property
    def cookie(self) -> str:
        """The replica that the visitor's next requests go to."""
        return self.headers["Set-Cookie"].split(";")[0].removeprefix(f"{COOKIE}=")


def test_visitors_are_spread_over_replicas_and_stay(balancer: App):
    seen = Counter[str]()
    for _ in range(WINDOWS):
        first = Answer(balancer, "/function_draws")
        assert first.cookie == first.name
        seen[first.name] += 1
        for path in ("/_stcore/host-config", "/media/picture.png", "/function_draws?seed=3"):
            assert Answer(balancer, path, Cookie=f"{COOKIE}={first.cookie}").name == first.name
    assert seen.keys() == set(NAMES)


def test_a_browser_without_cookies_stays_with_one_replica(balancer: App):
    for browser in ("one browser", "another browser"):
        paths = ["/_stcore/stream", "/media/a.png", "/component/b.js", "/function_draws/_stcore/upload_file/1"] * 4
        assert len({Answer(balancer, path, User_Agent=browser).name for path in paths}) == 1
    many = {Answer(balancer, "/_stcore/stream", User_Agent=f"browser {number}").name for number in range(WINDOWS)}
    assert many == set(NAMES)


def test_an_invalid_cookie_is_ignored(balancer: App):
    for made_up in ("three", "one; two", "127.0.0.1:1", "$address", "%0d%0a"):
        assert Answer(balancer, "/", Cookie=f"{COOKIE}={made_up}").cookie in NAMES


def test_visitors_of_a_dead_replica_move_to_the_other(balancer: App, replicas: Replicas):
    mine = f"{COOKIE}=one"
    assert Answer(balancer, "/", Cookie=mine).name == "one"
    replicas.end("one")
    moved = Answer(balancer, "/", Cookie=mine)
    assert (moved.status, moved.name, moved.cookie) == (200, "two", "two")
    uploaded = Answer(balancer, "/_stcore/upload_file/1/2", "PUT", b"x" * 1000, Cookie=mine)
    assert (uploaded.status, uploaded.name) == (200, "two")
    assert json.loads(uploaded.content)["size"] == 1000
    assert {Answer(balancer, "/").cookie for _ in range(8)} == {"two"}
    replicas.end("two")
    assert Answer(balancer, "/", Cookie=mine).status == 502


def test_a_websocket_goes_through_and_names_its_replica(balancer: App, replicas: Replicas):
    asked: Any = {"Upgrade": "websocket", "Connection": "Upgrade", "Cookie": f"{COOKIE}=two"}
    opened = Answer(balancer, "/_stcore/stream", **asked)
    assert (opened.status, opened.cookie) == (101, "two")
    replicas.end("two")
    moved = Answer(balancer, "/_stcore/stream", **asked)
    assert (moved.status, moved.cookie) == (101, "one")


def test_an_error_of_the_app_is_passed_on(balancer: App):
    missing = Answer(balancer, "/media/missing.png", Cookie=f"{COOKIE}=one")
    assert (missing.status, missing.name) == (404, "one")


def test_a_replica_learns_who_asks_and_by_which_name(balancer: App):
    said = Answer(balancer, "/", Host="explorer.example:8443", X_Forwarded_Proto="https").said
    assert said["Host"] == said["X-Forwarded-Host"] == "explorer.example:8443"
    assert said["X-Forwarded-For"] == "127.0.0.1"
    behind_another = Answer(balancer, "/", Host="inner", X_Forwarded_Host="outer", X_Forwarded_For="192.0.2.1").said
    assert behind_another["X-Forwarded-Host"] == "outer"
    assert behind_another["X-Forwarded-For"] == "192.0.2.1, 127.0.0.1"
    assert said["X-Forwarded-Proto"] == "https"


def test_the_cookie_works_in_a_frame_of_another_site(balancer: App):
    assert "SameSite=Lax" in Answer(balancer, "/").headers["Set-Cookie"]
    over_https = Answer(balancer, "/", X_Forwarded_Proto="https").headers["Set-Cookie"]
    assert {"Secure", "SameSite=None", "Partitioned", "HttpOnly"} <= set(over_https.split("; "))


@pytest.mark.parametrize(
    "path",
    ["/metrics", "/metrics/", "//metrics", "/./metrics", "/%6detrics", "/_stcore/metrics", "/vae/_stcore/metrics"],
)
def test_the_counters_are_not_for_the_public(balancer: App, path: str):
    answer = Answer(balancer, path)
    assert answer.status == 404
    assert b'"name"' not in answer.content, "A replica has answered."


def test_a_large_body_is_refused_before_any_replica_sees_it(balancer: App):
    refused = Answer(balancer, "/_stcore/upload_file/1/2", "PUT", b"x" * (2 * 1024 * 1024 + 1))
    assert refused.status == 413
    assert Answer(balancer, "/_stcore/upload_file/1/2", "PUT", b"x" * 2 * 1024 * 1024).status == 200


def test_text_is_compressed(balancer: App):
    answer = Answer(balancer, "/", Accept_Encoding="gzip", X_Long="x" * 2000)
    assert answer.headers["Content-Encoding"] == "gzip"


def test_the_log_names_no_visitor(balancer: App, replicas: Replicas):
    replicas.end("one")
    Answer(balancer, "/function_draws?secret=42", Cookie=f"{COOKIE}=one")
    replicas.end("two")
    Answer(balancer, "/function_draws?secret=42")
    Answer(balancer, "/_stcore/upload_file/1/secret", "PUT", b"x" * (3 * 1024 * 1024))
    assert "secret" not in balancer.output()
