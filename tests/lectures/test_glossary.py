"""The glossary: terms in order, one sentence each, and pages that exist."""

from __future__ import annotations

import ast
import re
from html import escape
from pathlib import Path

from bdlviz import plots
from bdlviz.lectures.glossary import ORDER, TERMS, terms_of
from bdlviz.topics import papers
from bdlviz.topics.start.glossary import views
from bdlviz.topics.start.lecture.views import KEYS
from bdlviz.ui.model import Paper, Says, Screen, Setting, Words
from bdlviz.ui.places.navigation import SECTIONS, TITLES, path_of
from tests.told import numbers_in
from tests.ui.harness import PAGES, definition
from tests.ui.test_sentences import assert_is_short_and_plain

SOURCES = Path(papers.__file__).read_text(encoding="utf-8")
SCREEN = Screen(plots.theme("light"))
TEACHING = {name for section, pages in SECTIONS.items() if section not in ("", "Results") for name, _ in pages}


def test_terms_are_in_alphabetical_order_and_have_keys_of_their_own():
    names = [term.name.lower() for term in TERMS]
    assert names == sorted(names) and len({term.key for term in TERMS}) == len(TERMS)


def test_every_meaning_is_one_sentence_of_at_most_thirty_words():
    for term in TERMS:
        assert term.meaning.endswith(".") and not re.search(r"\. [A-Z]", term.meaning), term.name
        assert len(term.meaning.split()) <= 30, term.name


def test_pages_exist_and_every_teaching_page_has_a_term_and_a_place_in_the_order():
    assert {page for term in TERMS for page in term.pages} <= set(TITLES)
    for page in TEACHING - {"weights/compression"}:
        assert terms_of(page), page
    places = [stop.page for stop in ORDER]
    assert len(set(places)) == len(places) and set(places) >= TEACHING


def test_no_page_assumes_one_that_comes_later():
    titles = [TITLES[stop.page] for stop in ORDER]
    for place, stop in enumerate(ORDER):
        for later in titles[place:]:
            assert later not in [part.strip(" .") for part in stop.assumes.split(";")], stop.page


def test_the_sentence_counts_the_terms_and_names_the_one_of_the_link():
    for term in TERMS:
        says = views.terms(Setting({"term": term.key} if term.key != views.FIRST else {}), SCREEN, None).says
        assert f"“{term.name}”" in says and numbers_in(says) == [len(TERMS), len(term.pages)]


def test_the_card_of_a_term_has_its_sentence_and_links_to_its_pages():
    for term in TERMS:
        html = views.card(term)
        assert escape(term.meaning) in html and escape(term.name) in html
        assert html.count("<math") == bool(term.formula) and "<code" not in html
        assert re.findall("href='(.*?)'", html) == [path_of(page) for page in term.pages]


def test_only_the_picture_of_the_chosen_term_is_sent():
    """The page of 49 terms would send that of each otherwise."""
    for term in TERMS:
        assert "<img" not in views.card(term) and f"data-page='{term.pages[0]}'" in views.card(term, is_large=True)


def test_every_view_has_a_sentence_that_counts():
    glossary = definition("glossary")
    assert glossary is not None
    for view in glossary.views:
        for key in views.TERM.options if view.name == "terms" else [views.ALL]:
            assert_is_short_and_plain(view.draw(Setting({"term": key}), SCREEN, None).says, f"{view.name}, {key}")
    assert numbers_in(views.order(Setting(), SCREEN, None).says) == [len(ORDER)]


def test_every_source_is_in_the_list_once_and_every_page_finds_its_own_there():
    head, listed = views.sources(Setting(), SCREEN, None).parts
    assert isinstance(head, Says) and isinstance(listed, Words)
    lines = listed.text.splitlines()
    calls = [node for node in ast.walk(ast.parse(SOURCES)) if isinstance(node, ast.Call)]
    written = [[ast.literal_eval(given) for given in call.args] for call in calls]
    assert len(set(lines)) == len(lines) == len(written) and numbers_in(head.text) == [len(lines)]
    for citation, *links in written:
        [_] = [line for line in lines if citation in line and all(link in line for link in links)]
    cited: set[Paper] = set()
    for page in map(definition, PAGES):
        cited |= set(page.papers) if page is not None else set()
    assert {f"- {paper.as_markdown}" for paper in cited} == set(lines)


def test_the_page_of_lectures_leads_to_the_list():
    glossary = definition("glossary")
    assert glossary is not None
    [(page, name)] = re.findall(r"\((\w+)\?look=(\w+)\)", KEYS)
    [view] = [view for view in glossary.views if view.name == name]
    assert page == "glossary" and view.draw is views.sources
