"""The address of a page that became three: it leads to the one of them that shows what the link asks for."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

from bdlviz.ui.model import LOOK
from bdlviz.ui.places.link import SCENE

ADDRESS = "/kinds_of_uncertainty"
FIRST, SECOND, THIRD = "noise_or_ignorance", "deciding", "depth_and_edges"
OF_SCENE: dict[str, str] = {
    **dict.fromkeys(("decision", "cheap-miss"), SECOND),
    **dict.fromkeys(
        ("depth", "strange", "green", "green-networks", "more-scenes", "second-task", "segmentation"), THIRD
    ),
}
OF_LOOK: dict[str, str] = {
    "decision": SECOND,
    **dict.fromkeys(("depth", "classes", "scenes", "second_task"), THIRD),
}


def place_of(query: Mapping[str, str]) -> str:
    """The address of today, relative to the former one. Without a scene, a link was of the view of a learned noise."""
    asked = dict(query)
    page = OF_SCENE.get(asked.get(SCENE, "")) or OF_LOOK.get(asked.get(LOOK, "")) or FIRST
    if page == SECOND:
        asked.pop(LOOK, None)  # it has one view
    if page == FIRST and asked and SCENE not in asked:
        asked.setdefault(LOOK, "heads")
    return page + (f"?{urlencode(asked)}" if asked else "")


async def lead_on(request: Request) -> RedirectResponse:
    """The answer to the former address."""
    return RedirectResponse(place_of(request.query_params))


ROUTES = [Route(ADDRESS, lead_on)]
