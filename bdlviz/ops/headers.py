"""The headers of every answer: what a browser may load, run and tell others on behalf of a page of the explorer.

Nothing says that other sites may not frame the explorer. Lecture slides and courses embed it (docs/lectures.md), and a
frame steals nothing here: there are no accounts, no cookie stands for a person, and no button does anything that
outlives a tab. See docs/security.md.
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
    "Referrer-Policy": "same-origin",  # the address holds a visitor's settings and points: no other site reads it
    "Permissions-Policy": ", ".join(f"{name}=()" for name in NOT_USED),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

# What a page has drawn or offers to save: to be shown as a picture or saved, never to run as a page of this site.
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


@cache
def page_policy() -> str:
    """The Content-Security-Policy of a page: this server alone, and no script from text.

    ``blob:`` scripts are how Streamlit loads the views that run in the browser; Streamlit and plotly write their
    styles while they run, which is why styles may be inline. Scripts may not: the one that Streamlit's own page
    holds is named by its hash, so that an upgrade of Streamlit brings its new one along.
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
    """ASGI middleware that puts the headers on every HTTP answer, refusals and failures included."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and its answer back with the headers; a failure becomes one sentence."""
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
                raise  # half an answer: the connection has to end
            await PlainTextResponse("The server failed because of an error in bdlviz.", 500)(
                scope, receive, send_with_headers
            )
