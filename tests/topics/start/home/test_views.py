"""The first page as a visitor sees it: without the shipped fits, without the picture that moves, and its cards."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.topics.start.home import first, views_moving
from bdlviz.ui.places import navigation
from bdlviz.ui.scrub import switch
from tests.ui.harness import MAIN, SECONDS, figures, open_page, replace_file, rested, sentence


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("how", ["removed", "altered", "no manifest"])
def test_without_its_shipped_fits_the_page_says_so_and_draws(how: str, own_shelf: Path):
    file = own_shelf / f"{first.NAMES[first.EXACT]}.safetensors"
    content = file.read_bytes()
    match how:
        case "removed":
            file.unlink()
        case "altered":
            replace_file(file, content[:-1] + bytes([content[-1] ^ 1]))
        case "no manifest":
            (own_shelf / "manifest.json").unlink()
    app = open_page("home")
    assert not app.exception and not app.error
    [said] = [each.value for each in app.info]
    assert "manifest" in said or file.stem in said


@pytest.mark.parametrize("method", first.METHOD.options)
def test_a_browser_that_cannot_draw_the_view_gets_a_figure_and_a_sentence(method: str):
    app = AppTest.from_file(MAIN, default_timeout=SECONDS)
    app.session_state[switch.FAILED] = "no canvas"
    app.session_state[first.METHOD.key] = method
    app = rested(app.run())
    assert not app.exception and len(figures(app)) == 1
    assert sentence(app)


def test_every_page_has_a_card_in_the_order_of_the_navigation():
    app = open_page("home")
    labels = [link.proto.label for link in app.get("page_link")]
    titles = [title for name, title in navigation.TITLES.items() if name not in views_moving.WITHOUT_CARD]
    assert [label.rsplit("**", 2)[1] for label in labels[-len(titles) :]] == titles
