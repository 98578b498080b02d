"""A page as one HTML file: whole, calling nobody, and safe from whatever its texts hold."""

import base64
import hashlib
import io
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from bdlviz.export import page_html
from bdlviz.export.document import png
from bdlviz.export.latex import ELEMENTS
from tests.export.examples import HOSTILE, content, hostile
from tests.html_reader import ADDRESSES, Reader

WHOLE = Reader(page_html(content()))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_holds_everything(theme):
    page = Reader(page_html(content(theme)))
    for told in (
        "Which functions does",
        "Draws agree",
        "-1.25",
        "lower is better",
        "def double",
        "collapse",
        "1 May 2026",
    ):
        assert told in page.text
    assert ("html", {"lang": "en"}) in page.elements
    assert [page.count(tag) for tag in ("h1", "figure", "img", "table", "math", "pre")] == [1, 3, 1, 1, 2, 1]
    assert ("meta", {"name": "color-scheme", "content": theme}) in page.elements


def test_figures_have_words_and_travel_once_as_they_are():
    described = [attrs.get("aria-label") for _, attrs in WHOLE.elements if attrs.get("role") == "img"]
    assert described == ["Five functions agree at the points.", "A map of probabilities."]
    assert [attrs["alt"] for tag, attrs in WHOLE.elements if tag == "img"] == ["A grey ramp."]
    data = json.loads(next(script for script in WHOLE.scripts if script.startswith('{"data"')))
    assert data["data"] == json.loads(content().figures["Function draws"][0].to_json() or "")["data"]
    assert page_html(content()).count("plotly.js v") == 1
    assert len(page_html(content(figures={}))) < 20_000
    empty = {"says": "", "figures": {}, "images": {}, "numbers": (), "formulas": (), "snippet": "", "try_this": ()}
    more = {"caveat": "", "papers": (), "address": "", "versions": {}, "made_on": ""}
    page = Reader(page_html(content(**empty, **more)))
    assert [page.count(tag) for tag in ("section", "figure", "footer", "a", "script")] == [0] * 5


def test_no_external_address_and_only_own_scripts():
    for tag, attrs in WHOLE.elements:
        for name in ADDRESSES & attrs.keys():
            assert tag == "a" or (attrs[name] or "").startswith("data:"), (tag, attrs)
    assert "@import" not in WHOLE.text and "url(" not in WHOLE.text
    policy = next(attrs["content"] or "" for _, attrs in WHOLE.elements if "http-equiv" in attrs)
    running = [text for text in WHOLE.scripts if not text.startswith("{")]
    hashes = {f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}" for text in running}
    assert set(re.findall(r"'(sha256-[^']+)'", policy)) == hashes and len(hashes) == 2
    assert "default-src 'none'" in policy and "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]


def test_hostile_text_stays_text():
    page, plain = Reader(page_html(hostile())), Reader(page_html(content()))
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in plain.elements}
    assert page.count("img") == 1 and page.count("script") == 4
    assert not [attrs for _, attrs in page.elements if any(name.startswith("on") for name in attrs)]
    links = [attrs["href"] or "" for tag, attrs in page.elements if tag == "a"]
    assert links and all(link.startswith("https://x/") for link in links)
    assert page.text.count(HOSTILE) >= 12


@given(st.text(st.sampled_from("<>&\"'/=") | st.characters(codec="utf-8", exclude_categories=("Cc",))))
def test_no_text_becomes_markup(text: str):
    page = Reader(
        page_html(
            content(
                title=text,
                question=text,
                says=text,
                figures={},
                images={text: (b"", text)},
                numbers=[(text, text, text)],
                formulas=(),
                snippet=text,
                caveat=text,
                made_on=text,
            )
        )
    )
    marked = {"strong", "em", "code", "a"} | ELEMENTS  # what Markdown makes
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in WHOLE.elements} | marked
    assert ("img", {"src": "data:image/png;base64,", "alt": text}) in page.elements
    assert page.text.count(text) >= 4


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 3), (4, 5, 4)])
def test_pixels_come_back(shape: tuple[int, ...]):
    pixels = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(png(pixels)))), pixels)
    assert png(png(pixels)) == png(pixels)
