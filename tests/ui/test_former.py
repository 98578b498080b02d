"""The address of the page that became three: every old link shows its picture on one of them."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from starlette.requests import Request

from bdlviz.ui.model import LOOK
from bdlviz.ui.places import former
from tests.asynchronous import finish
from tests.ui.harness import controls, definition, scenes

SCENES = (
    *("both", "amount", "dropout", "decision", "depth", "constant", "loss", "no-residual", "one-point", "claims"),
    *("labels", "cheap-miss", "strange", "green", "green-networks", "more-scenes", "second-task", "segmentation"),
)
LOOKS = ("heads", "loss", "amount", "claims", "labels", "decision", "depth", "classes", "scenes", "second_task")


def led_to(query: str) -> tuple[str, dict[str, str]]:
    """The page and the query to which the server sends a link of the former page."""
    request = Request({"type": "http", "query_string": query.encode(), "headers": []})
    answer = finish(former.lead_on(request))
    assert 300 <= answer.status_code < 400
    page, _, rest = answer.headers["location"].partition("?")
    return page, dict(parse_qsl(rest))


@pytest.mark.parametrize("scene", SCENES)
def test_every_former_scene_is_known_where_it_leads(scene: str):
    name, query = led_to(f"scene={scene}")
    page = definition(name)
    assert page is not None and query == {"scene": scene}
    assert scene in scenes(name) or scene in page.former


@pytest.mark.parametrize("look", LOOKS)
def test_every_former_view_is_one_of_the_page(look: str):
    name, query = led_to(f"look={look}&guess=no")
    page = definition(name)
    assert page is not None and query["guess"] == "no"
    assert look in {view.name for view in page.views}
    assert query.get(LOOK, look) == look


def test_controls_without_a_view_are_those_of_the_curve():
    name, query = led_to("num_data=5&head=gaussian")
    assert query == {"look": "heads", "num_data": "5", "head": "gaussian"}
    assert {"num_data", "head"} <= {*controls(name)}
    assert led_to("") == ("noise_or_ignorance", {})
