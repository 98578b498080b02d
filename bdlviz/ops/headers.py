"""The headers of every response: what a browser may load and run for a page, and what it may tell other sites.

Other sites may show the explorer in a frame: lecture slides and courses embed it (docs/lectures.md). This is safe,
because there are no accounts, no cookies that identify a person, and no button with an effect beyond its tab. See
docs/security.md.
"""

from __future__ import annotations

import base64
import hashlib
import logging
import re
from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)

INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
NOT_USED = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone")
NOT_USED += ("midi", "payment", "serial", "usb", "xr-spatial-tracking")

ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # other sites must not see the settings and points in the address
    "Permissions-Policy": ", ".join(f"{name}=()" for name in NOT_USED),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

# Files that a page offers may be shown as a picture or saved, but must not run as a page of this site.
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


@cache
def page_policy() -> str:
    """The Content-Security-Policy of a page: only resources of this server, and no inline scripts.

    Streamlit loads views that run in the browser as ``blob:`` scripts. Streamlit and plotly write styles at run time,
    so inline styles are allowed. Inline scripts are not, except the one in Streamlit's own page, which is allowed by
    its hash. The hash is computed from the installed Streamlit, so that an upgrade needs no change.
    """
    rules = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", "blob:", "'wasm-unsafe-eval'", *_hashes_of_own_scripts()]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' data: blob:",
        "media-src": "'self' blob:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "frame-src": "'self'",
        "base-uri": "'self'",
        "form-action": "'self'",
    }
    return "; ".join(f"{name} {sources}" for name, sources in rules.items())


def _hashes_of_own_scripts() -> list[str]:
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    digests = (hashlib.sha256(script.encode()).digest() for script in INLINE_SCRIPT.findall(page))
    return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]


class SecurityHeaders:
    """ASGI middleware that adds the headers to every HTTP response, also to refusals and errors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers to the response; an exception becomes a response of one sentence."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        policy = MEDIA_POLICY if "/media/" in scope["path"] and "/static/" not in scope["path"] else page_policy()
        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = policy
                for name, value in ALWAYS.items():
                    headers[name] = value
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception:
            log.exception("A request failed.")
            if has_begun:
                raise  # the response has begun, so the connection must be closed
            await PlainTextResponse("The server failed because of an error in bdlviz.", 500)(
                scope, receive, send_with_headers
            )
