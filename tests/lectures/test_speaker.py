"""The speaker view: a page with the notes of all steps, which needs no inline script."""

from __future__ import annotations

import re
from html import unescape
from itertools import accumulate

import pytest
from starlette.requests import Request

from bdlviz.lectures import Lecture, Step, lectures
from bdlviz.ops import routes, speaker

ONE_STORY = lectures()["one_story"]


def request(path: str, query: str = "") -> Request:
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": []}
    return Request(scope | {"scheme": "http", "server": ("localhost", 80)})


def test_the_routes_are_those_of_the_server():
    assert {route.path for route in speaker.ROUTES} == {"/speaker", "/speaker.js", "/speaker.css"}
    assert all(route in routes.ROUTES for route in speaker.ROUTES)


def test_every_step_has_its_notes_and_its_minutes():
    text = speaker.page(ONE_STORY)
    sections = re.findall(r"<section (.*?)</section>", text, re.DOTALL)
    begins = [f"{begin:g}" for begin in accumulate((step.minutes for step in ONE_STORY.steps), initial=0.0)]
    for section, step, begin in zip(sections, ONE_STORY.steps, begins, strict=False):
        assert f'data-begin="{begin}"' in section and unescape(section).count(step.title) == 2
        words = unescape(re.sub(r"</?\w+>", "", section)).split()
        assert " ".join(step.say.replace("*", "").split()) in " ".join(words)
    assert len(sections) == len(ONE_STORY.steps)


def test_scripts_are_files_of_this_server():
    text = speaker.page(ONE_STORY)
    assert re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL) == [""]
    assert not re.search(r"\son\w+=|javascript:|https?://", text)


def test_markup_in_notes_is_text():
    bad = '<script>alert(1)</script> "quoted"'
    text = speaker.page(Lecture("mine", bad, "", (Step("a/b", bad, 1.0, bad),)))
    assert text.count("<script") == 1 and "&lt;script&gt;" in text


@pytest.mark.parametrize("query", ["lecture=one_story", "", "lecture=%3Cb%3E"])
def test_an_unknown_lecture_is_the_first_one(query: str):
    found = speaker.speaker(request("/speaker", query))
    assert found.status_code == 200 and b'data-lecture="one_story"' in found.body


@pytest.mark.parametrize(("name", "kind"), speaker.FILES.items())
def test_the_files_of_the_page(name: str, kind: str):
    found = speaker.file(request(f"/{name}"))
    assert found.headers["content-type"].startswith(kind) and found.body
