"""The index of the lectures' figures: every link opens what it names."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest

from bdlviz import published
from bdlviz.topics.results.figure_index import views
from bdlviz.topics.results.figure_index.entries import ENTRIES, LECTURES, Entry
from bdlviz.ui.frame import details, tabs
from bdlviz.ui.model import Setting
from bdlviz.ui.places import link
from bdlviz.ui.places.navigation import TITLES
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of
from tests.ui.harness import assert_works, controls, open_page, scenes, states

# Links to a scene alone are opened by tests/ui/test_every_page.py.
LINKS = sorted({entry.address for entry in ENTRIES if [key for key, _ in entry.query] != [link.SCENE]})


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.lecture}: {entry.title}")
def test_an_entry_leads_to_what_its_page_has(entry: Entry):
    assert entry.lecture in LECTURES and entry.page in TITLES
    page = entry.page.split("/")[-1]
    for key, value in entry.query:
        if key == link.SCENE:
            assert value in states(page)
        elif key != tabs.TAB:  # a tab, or a further picture: the next test opens it
            assert value in controls(page)[key].options


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("address", LINKS)
def test_every_link_opens_what_it_names(address: str):
    parts = urlsplit(address)
    query = dict(parse_qsl(parts.query))
    app = open_page(parts.path, query | {"picture": "figure"})
    assert_works(app, allows_words=True)
    assert "guess" not in [radio.key for radio in app.radio], "A figure is shown at once, without a question."
    if tabs.TAB in query:
        title = tabs.FORMER.get(query[tabs.TAB], query[tabs.TAB])
        assert title in (app.session_state[details.DETAIL], app.session_state[tabs.OPEN] or tabs.EXPLAIN)


@pytest.mark.parametrize("whose", ["all", *LECTURES])
def test_every_entry_of_a_lecture_is_linked(whose: str):
    """Links, headings and pictures are read from the HTML of the cards."""
    assert {entry.lecture for entry in ENTRIES} == set(LECTURES)
    assert len({(entry.lecture, entry.title) for entry in ENTRIES}) == len(ENTRIES)
    wanted = [entry for entry in ENTRIES if whose in ("all", entry.lecture)]
    pages = views.shown(Setting({"figures_of": whose}))
    cards = {
        page: views.card(page, each, number, is_marked=whose == "all")
        for number, (page, each) in enumerate(pages.items(), 1)
    }
    assert list(cards) == [page for page in TITLES if page in {entry.page for entry in wanted}]
    for page, html in cards.items():
        here = [entry for entry in wanted if entry.page == page]
        found = re.findall('<p><a href="(.*?)">(.*?)(?: <small>of (.*?)</small>)?</a>(?:<small>(.*?)</small>)?', html)
        assert [unescape(address) for address, *_ in found] == [entry.address for entry in here]
        assert [unescape(note) for *_, note in found] == [entry.note if whose != "all" else "" for entry in here]
        for (_, name, mark, _), entry in zip(found, here, strict=True):
            assert entry.title.lower().endswith(unescape(name).lower())
            assert LECTURES[entry.lecture].startswith(mark) and bool(mark) == (whose == "all")
        assert numbers_in(re.findall("<h4>(.*?)</h4>", html)[0].replace("<small>", ""))[-1] == len(here)
    told = numbers_in(result_of("figure_index", {"figures_of": whose}).says)
    assert (told[0], told[-1]) == (len(wanted), len(pages))


@pytest.mark.parametrize("entry", [each for each in ENTRIES if "cene" in each.note], ids=lambda entry: entry.title)
def test_a_note_names_scenes_as_the_page_does(entry: Entry):
    titles = {scene.title for scene in scenes(entry.page.split("/")[-1]).values()}
    named = re.findall("“(.*?)”", entry.note)
    assert named and set(named) <= titles


def test_only_what_is_printed_stands_in_quotation_marks():
    """Sizes and speeds are told in our words, here and in the register."""
    told = [
        *(each.title + each.note for each in ENTRIES),
        *(claim.place + claim.quantity for claim in published.CLAIMS),
    ]
    assert not [words for words in told if re.search(r"“[^”]*\btimes\b[^”]*”", words)]
