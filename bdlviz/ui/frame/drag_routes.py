"""Addresses of pictures that follow a dragged slider: the frames of a slider, and Plotly for the browser."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator, Iterator
from functools import cache
from pathlib import Path

import anyio
import anyio.to_thread
import plotly
import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from bdlviz.ui.frame import drag_frames

FRAMES = "/drag/frames/{token}"
PLOTLY = f"/drag/plotly-{plotly.__version__}.min.js"
YEAR = {"Cache-Control": "public, max-age=31536000, immutable"}


def root() -> str:
    """The path before all addresses of this server, such as "/bdlviz"; "" without one."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def plotly_address() -> str:
    """The address of Plotly's script on this server."""
    return root() + PLOTLY


async def frames(request: Request) -> Response:
    """The frames of a slider as compressed lines of JSON; 404 if this server does not know them."""
    start = request.query_params.get("start", "0")
    lines = drag_frames.stream(request.path_params["token"], int(start) if start.isdigit() and len(start) < 6 else 0)
    if lines is None:
        return PlainTextResponse("These frames are not known here: reload the page.", 404)
    headers = {"Content-Encoding": "gzip", "Cache-Control": "no-store"}
    return StreamingResponse(_one_by_one(lines), media_type="application/x-ndjson", headers=headers)


async def _one_by_one(lines: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Make lines on a thread, those of all visitors one after another, so that pages keep the other cores."""
    while (line := await anyio.to_thread.run_sync(next, lines, None, limiter=_making())) is not None:
        yield line


@cache
def _making() -> anyio.CapacityLimiter:
    return anyio.CapacityLimiter(1)


def plotly_script(request: Request) -> Response:
    """Plotly's script from the installed package, compressed once per server."""
    headers = {"Content-Encoding": "gzip", **YEAR}
    return Response(_compressed(), media_type="text/javascript; charset=utf-8", headers=headers)


@cache
def _compressed() -> bytes:
    source = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    return gzip.compress(source.read_bytes(), 6, mtime=0)


ROUTES = [Route(FRAMES, frames), Route(PLOTLY, plotly_script)]
