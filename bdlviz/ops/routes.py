"""Addresses that are not pages: ``/healthz`` for monitors, ``/metrics`` for Prometheus, ``/speaker`` for lecturers."""

from __future__ import annotations

import json
from dataclasses import asdict

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bdlviz.ops import counters, health, speaker
from bdlviz.ops.gate import Gate
from bdlviz.ops.headers import SecurityHeaders

FRESH = {"Cache-Control": "no-store"}


def healthz(request: Request) -> Response:
    """Health as JSON. The status is always 200, because pages also work without a shipped file: they train instead."""
    text = json.dumps(asdict(health.look()), indent=2) + "\n"
    return Response(text, media_type="application/json", headers=FRESH)


def metrics(request: Request) -> Response:
    """The counters in Prometheus' text format."""
    return Response(counters.text(), media_type=counters.CONTENT_TYPE, headers=FRESH)


ROUTES = [Route("/healthz", healthz), Route("/metrics", metrics), *speaker.ROUTES]
MIDDLEWARE = [
    Middleware(SecurityHeaders),
    Middleware(Gate),
]  # outermost first: refusals have the headers, too
