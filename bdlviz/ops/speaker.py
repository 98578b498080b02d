"""The speaker view of a lecture, ``/speaker?lecture=name``: notes, next step and clock, for a second window.

It is a plain page without a session of Streamlit. It holds all steps; its script shows the step that the lecture window
announces through the browser, and asks that window for the next or the previous step.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bdlviz.export.markdown import paragraphs
from bdlviz.lectures import Lecture, lectures

FOLDER = Path(__file__).parent
FRESH = {"Cache-Control": "no-cache"}  # the files change with an update of bdlviz
FILES = {"speaker.js": "text/javascript", "speaker.css": "text/css"}


def speaker(request: Request) -> Response:
    """The speaker view of the lecture that the address names, or of the first one."""
    known = lectures()
    found = known.get(request.query_params.get("lecture", ""), next(iter(known.values()), None))
    if found is None:
        return Response("There is no lecture.", 404, media_type="text/plain", headers=FRESH)
    return Response(page(found), media_type="text/html", headers=FRESH)


def page(lecture: Lecture) -> str:
    """The speaker view as HTML. The notes are Markdown; all other markup in them is escaped."""
    begins = accumulate((step.minutes for step in lecture.steps), initial=0.0)
    return _template().render(lecture=lecture, steps=list(zip(lecture.steps, begins, strict=False)))


def file(request: Request) -> Response:
    """The script or the style sheet of the speaker view."""
    name = request.url.path.rsplit("/", 1)[-1]
    return Response((FOLDER / name).read_text(encoding="utf-8"), media_type=FILES[name], headers=FRESH)


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["paragraphs"] = paragraphs
    return environment.get_template("speaker.html")


ROUTES = [Route("/speaker", speaker), *(Route(f"/{name}", file) for name in FILES)]
