"""The pages of results: every link of the index opens, and the register shows every claim."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

from bdlviz import published
from bdlviz.published import register
from bdlviz.topics.results.figure_index import views as figure_index_views
from bdlviz.topics.results.figure_index.views import ENTRIES, Entry
from bdlviz.topics.results.register import views as register_views
from bdlviz.ui.frame import tabs
from bdlviz.ui.places import link, routes
from tests.ui.harness import assert_works, controls, figures, numbers, open_page, scenes, trace

PAGES = {name for entries in routes.SECTIONS.values() for name, _ in entries}
LINKS = sorted({entry.address for entry in ENTRIES})


def html(app: object) -> str:
    return " ".join(each.proto.body for each in app.get("html"))  # type: ignore[attr-defined]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.lecture}: {entry.title}")
def test_an_entry_leads_to_what_its_page_has(entry: Entry):
    assert entry.lecture in figure_index_views.LECTURES and entry.page in PAGES
    page = entry.page.split("/")[-1]
    for key, value in entry.query:
        if key == link.SCENE:
            assert value in scenes(page)
        elif key != tabs.TAB:
            assert value in controls(page)[key].options


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("address", LINKS)
def test_every_link_opens_what_it_names(address: str):
    parts = urlsplit(address)
    query = dict(parse_qsl(parts.query))
    app = open_page(parts.path, query | {"picture": "figure"})
    assert_works(app)
    assert "guess" not in [radio.key for radio in app.radio], "A figure is shown at once, without a question."
    if tabs.TAB in query:
        assert app.session_state[tabs.OPEN] == query[tabs.TAB] == app.query_params[tabs.TAB]


def test_every_lecture_has_entries():
    assert {entry.lecture for entry in ENTRIES} == set(figure_index_views.LECTURES)
    assert sum(count for _, count in figure_index_views.counts()) == len(ENTRIES)
    assert len({(entry.lecture, entry.title) for entry in ENTRIES}) == len(ENTRIES)


def test_the_index_shows_every_entry():
    shown = html(open_page("figure_index"))
    for entry in ENTRIES:
        assert register_views._link(entry) in shown


def test_the_register_shows_every_claim():
    app = open_page("register")
    assert_works(app)
    shown, rows = html(app), published.rows()
    for row in rows:
        assert register_views._cells(row)[0] in shown
        assert f"{row.seeds} seed" in register_views._cells(row)[3] or not row.seeds
    assert [trace["name"] for trace in figures(app)[0]["data"]] == list(published.VERDICTS)
    assert register_views.headline(rows) in " ".join(each.value for each in app.markdown)


@pytest.mark.parametrize("source", register_views.SOURCES)
def test_a_source_is_chosen(source: str):
    app = open_page("register", {"source": source})
    assert_works(app)
    shown, rows = html(app), published.rows()
    for row in rows:
        assert (register_views._cells(row)[0] in shown) == (row.source == register_views.SOURCES[source])
    of_source = [row for row in rows if row.source == register_views.SOURCES[source] and row.low is not None]
    assert len(figures(app)) == max(1, len({(row.unit, register_views._is_trend(row)) for row in of_source}))


def test_a_trend_shows_our_difference_beside_the_printed_one():
    app = open_page("register", {"source": "blundell"})
    [fig] = [each for each in figures(app) if any(drawn.get("name") == "printed" for drawn in each["data"])]
    found = [row for row in published.rows() if row.name.startswith("blundell_") and "_over_" in row.name]
    places, _ = trace(fig, "printed")
    assert places.tolist() == pytest.approx([row.published for row in found], rel=1e-5) and len(found) == 3
    ours = [float(numbers(drawn["x"])[0]) for drawn in fig["data"] if drawn.get("name") != "printed"]
    assert ours == pytest.approx([row.ours for row in found], rel=1e-5)


def test_only_what_is_contradicted():
    app = open_page("register", {"verdict": "contradicted"})
    shown = html(app)
    for row in published.rows():
        assert (register_views._cells(row)[0] in shown) == (row.verdict == "contradicted")


def test_the_sources_of_the_menu_are_those_of_the_claims():
    assert set(register_views.SOURCES.values()) == {claim.document for claim in published.CLAIMS}


def test_an_empty_register_is_a_page_too(monkeypatch: pytest.MonkeyPatch):
    nothing = [register._row(claim, {}) for claim in published.CLAIMS]
    monkeypatch.setattr(published, "rows", lambda: nothing)
    app = open_page("register")
    assert not app.exception and "not measured" in html(app)
