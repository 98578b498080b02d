"""The gate: it refuses requests that no page of the explorer makes, before Streamlit handles them.

- WebSockets opened by pages of other sites. Streamlit refuses most of them, too, but first asks a service on the
  internet for the server's address, which blocks all visitors.
- Methods other than GET, HEAD and OPTIONS, except for uploads.
- More than a few uploaded files of one visitor: Streamlit limits the size of a file, not the number of files.
- Requests of counters (``/metrics``, and Streamlit's own) from outside, see `Access`.
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
FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")  # headers set by proxies
MAX_UPLOADS = 8  # uploaded files of one visitor that the server keeps; the page shows one
MAX_REMEMBERED = 10_000  # visitors whose uploads are counted
POLICY_VIOLATION = 1008  # the close code of a refused WebSocket


class Access(StrEnum):
    """The setting ``BDLVIZ_METRICS``: who may read the counters."""

    OFF = "off"
    LOCAL = "local"  # this machine and private networks, without a proxy
    ON = "on"  # everybody

    @classmethod
    def present(cls) -> Access:
        """The value of the environment variable; `LOCAL` if it is not set.

        Raises:
            InvalidInput: the value is unknown.
        """
        asked = os.environ.get("BDLVIZ_METRICS", "").strip().lower() or cls.LOCAL
        try:
            return cls(asked)
        except ValueError:
            raise InvalidInput(f"BDLVIZ_METRICS must be one of {', '.join(cls)}.") from None


class Gate:
    """ASGI middleware that passes on requests of the explorer's own pages, and refuses all others."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.access = Access.present()
        self._uploads: OrderedDict[str, set[str]] = OrderedDict()  # by visitor: the files kept on the server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a refusal."""
        if scope["type"] == "websocket":
            if admit_websocket(scope):
                with suppress(WebSocketDisconnected):  # the visitor left while Streamlit was reading or writing
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
        """A ``send`` that records from a successful response which files a visitor has on the server."""

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
    """True if a request comes from this machine or a private network and was not forwarded by a proxy."""
    headers = Headers(scope=scope)
    if scope.get("client") is None or any(name in headers for name in FORWARDED):
        return False
    try:
        address = ipaddress.ip_address(scope["client"][0])
    except ValueError:
        return False
    return address.is_private  # includes loopback and link-local addresses; a mapped address counts as the one it maps


def admit_websocket(scope: Scope) -> bool:
    """True if this WebSocket may be opened: by a page of this site, under any name of the site.

    Behind a proxy that uses another name, ``X-Forwarded-Host`` holds the name that the browser used; a page cannot set
    this header. Streamlit compares the origin with ``Host``, so ``Host`` is set to that name. Other allowed origins are
    those in ``server.corsAllowedOrigins``, or all if ``server.enableCORS`` is off. Programs that are not browsers send
    no origin.
    """
    headers = MutableHeaders(scope=scope)
    origin = headers.get("origin")
    if origin is None:
        return True
    if not config.get_option("server.enableCORS") or origin in config.get_option("server.corsAllowedOrigins"):
        return True
    if is_same_site(origin, headers.get("host", "")):
        # If a proxy removed the port, Streamlit would not recognise that both are the same.
        headers["host"] = urlsplit(origin).netloc
        return True
    forwarded = headers.get("x-forwarded-host", "").split(",")[0].strip()
    if forwarded and is_same_site(origin, forwarded):
        headers["host"] = urlsplit(origin).netloc
        return True
    return False


def is_same_site(origin: str, host: str) -> bool:
    """True if an ``Origin`` and a ``Host`` are the same site. A missing port of the host was removed by a proxy."""
    try:
        place = urlsplit(origin)
        name = place.hostname
    except ValueError:
        return False
    if place.scheme not in ("http", "https") or not name:
        return False
    return place.netloc.lower() == host.lower() or (name == host.lower() and ":" not in host)
