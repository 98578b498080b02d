"""Who may ask what: requests that nothing in the explorer makes are refused before Streamlit sees them.

- A WebSocket that a page of another site opens. Streamlit refuses most of them, too, but asks a service on the
  internet for the server's own address first, and everybody waits while it does.
- Methods other than GET, HEAD and OPTIONS, but for an upload.
- Uploads beyond a few files for each visitor: Streamlit bounds the size of one, not their number.
- Counters (``/metrics``, and Streamlit's own), unless they are asked for from nearby: see `Access`.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections import OrderedDict
from contextlib import suppress
from enum import StrEnum
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnected
from streamlit import config

from bdlviz.errors import InvalidInput

READING = frozenset({"GET", "HEAD", "OPTIONS"})
UPLOAD = re.compile(r".*/_stcore/upload_file/([^/]+)/([^/]+)$")
COUNTERS = re.compile(r"^/metrics/?$|.*/_stcore/metrics/?$")
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")  # a proxy stands between
MAX_UPLOADS = 8  # files that one visitor's tab may hold on the server; the page shows one
MAX_REMEMBERED = 10_000  # visitors whose uploads are counted
POLICY_VIOLATION = 1008  # how a WebSocket is refused


class Access(StrEnum):
    """Who may read the counters: ``BDLVIZ_METRICS``."""

    OFF = "off"
    LOCAL = "local"  # this machine and private networks, without a proxy between
    ON = "on"  # everybody

    @classmethod
    def present(cls) -> Access:
        """What the environment asks for; local when it says nothing.

        Raises:
            InvalidInput: it says something else.
        """
        asked = os.environ.get("BDLVIZ_METRICS", "").strip().lower() or cls.LOCAL
        try:
            return cls(asked)
        except ValueError:
            raise InvalidInput(f"BDLVIZ_METRICS must be one of {', '.join(cls)}.") from None


class Gate:
    """ASGI middleware that lets through what the explorer's own pages ask, and refuses the rest."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.access = Access.present()
        self._uploads: OrderedDict[str, set[str]] = OrderedDict()  # by visitor: the files that are held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] == "websocket":
            if admit_websocket(scope):
                with suppress(WebSocketDisconnected):  # a visitor who leaves while Streamlit reads or writes: no error
                    await self.app(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        elif scope["type"] == "http" and (refusal := self._refusal(scope)) is not None:
            await refusal(scope, receive, send)
        elif scope["type"] == "http" and (found := UPLOAD.match(scope["path"])):
            await self.app(scope, receive, self._counting(scope["method"], found[1], found[2], send))
        else:
            await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        path, method = scope["path"], scope["method"]
        if COUNTERS.match(path) and (self.access is Access.OFF):
            return PlainTextResponse("Not found", 404)
        if COUNTERS.match(path) and self.access is Access.LOCAL and not is_local(scope):
            return PlainTextResponse("Only for this machine and its private network.", 403)
        upload = UPLOAD.match(path)
        if method not in READING and not (upload and method in ("PUT", "DELETE")):
            return PlainTextResponse("Method not allowed", 405)
        if upload and method == "PUT" and len(self._uploads.get(upload[1], set()) - {upload[2]}) >= MAX_UPLOADS:
            return PlainTextResponse("Too many files at once; remove one first.", 429)
        return None

    def _counting(self, method: str, visitor: str, file: str, send: Send) -> Send:
        """A ``send`` that notes, from a successful answer, which files a visitor has on the server."""

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start" and 200 <= message["status"] < 300:
                if method == "PUT":
                    self._uploads.setdefault(visitor, set()).add(file)
                    self._uploads.move_to_end(visitor)
                elif method == "DELETE":
                    self._uploads.get(visitor, set()).discard(file)
                while len(self._uploads) > MAX_REMEMBERED:
                    self._uploads.popitem(last=False)
            await send(message)

        return send_and_note


def is_local(scope: Scope) -> bool:
    """Does a request come from this machine or a private network, with no proxy that says it passes on another's?"""
    headers = Headers(scope=scope)
    if scope.get("client") is None or any(name in headers for name in FORWARDED):
        return False
    try:
        address = ipaddress.ip_address(scope["client"][0])
    except ValueError:
        return False
    return address.is_private  # loopback and link-local addresses are, too; of a mapped one, what it maps counts


def admit_websocket(scope: Scope) -> bool:
    """May this WebSocket be opened? Yes for a page of this site, under whatever name the site is reached.

    Behind a proxy that asks under another name, the name that the browser used is in ``X-Forwarded-Host``; a page
    cannot set it. Streamlit compares with ``Host``, so it is told that name. Other origins are those that
    ``server.corsAllowedOrigins`` lists, or any where ``server.enableCORS`` is off. A program that is no browser sends
    no origin.
    """
    headers = MutableHeaders(scope=scope)
    origin = headers.get("origin")
    if origin is None:
        return True
    if not config.get_option("server.enableCORS") or origin in config.get_option("server.corsAllowedOrigins"):
        return True
    if is_same_site(origin, headers.get("host", "")):
        # Where a proxy left out the port, Streamlit would not see that they are the same.
        headers["host"] = urlsplit(origin).netloc
        return True
    forwarded = headers.get("x-forwarded-host", "").split(",")[0].strip()
    if forwarded and is_same_site(origin, forwarded):
        headers["host"] = urlsplit(origin).netloc
        return True
    return False


def is_same_site(origin: str, host: str) -> bool:
    """Are an ``Origin`` and a ``Host`` the same? A host without a port is one whose port a proxy left out."""
    try:
        place = urlsplit(origin)
        name = place.hostname
    except ValueError:
        return False
    if place.scheme not in ("http", "https") or not name:
        return False
    return place.netloc.lower() == host.lower() or (name == host.lower() and ":" not in host)
