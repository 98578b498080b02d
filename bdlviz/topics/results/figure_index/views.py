"""A card for every page that draws figures of the lectures, with links to these figures."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from bdlviz.topics.results.figure_index.controls import ALL, WHOSE
from bdlviz.topics.results.figure_index.entries import ENTRIES, LECTURES, Entry
from bdlviz.topics.shared.views_search import search
from bdlviz.ui.model import Result, Says, Screen, Setting
from bdlviz.ui.places import navigation


def coverage(setting: Setting, screen: Screen, _: object) -> Result:
    """The cards of the chosen lecture or of all, and how many figures on how many pages these are."""
    pages, is_all = shown(setting), setting[WHOSE] == ALL
    lecture = f"{len(LECTURES)} lectures" if is_all else LECTURES[setting[WHOSE]].split(":")[0]
    figures = sum(map(len, pages.values()))
    says = f"{figures} figures of {lecture} are redrawn on {len(pages)} pages: click a name to open that picture."
    cards = (card(page, entries, is_marked=is_all) for page, entries in pages.items())
    return Result([Says(says), search("figure", cards, pages, screen.theme, look="columns")])


def shown(setting: Setting) -> dict[str, list[Entry]]:
    """The figures of the chosen lecture or of all by page, in the order of the navigation."""
    wanted = [entry for entry in ENTRIES if setting[WHOSE] in (ALL, entry.lecture)]
    by_page = {page: [entry for entry in wanted if entry.page == page] for page in navigation.TITLES}
    return {page: entries for page, entries in by_page.items() if entries}


def card(page: str, entries: list[Entry], *, is_marked: bool) -> str:
    """The picture of a page and links to its figures as HTML; each with its lecture or, of one, its note."""
    title, path = escape(navigation.title(page)), navigation.path_of(page)
    picture = f'<img data-page="{page}" alt="Picture of the page {title}">'
    lines = "".join(_lines(entries, navigation.title(page), is_marked))
    return f'<section><a href="{path}">{picture}</a><h4>On the page {title}</h4>{lines}</section>'


def _lines(entries: list[Entry], title: str, is_marked: bool) -> Iterator[str]:
    for entry in entries:
        name = entry.title.removeprefix(f"{title}: ")
        name = name if name == entry.title else name[0].upper() + name[1:]
        of = f" <small>of {escape(LECTURES[entry.lecture].split(':')[0])}</small>" if is_marked else ""
        note = f"<small>{escape(entry.note)}</small>" if entry.note and not is_marked else ""
        yield f'<p><a href="{escape(entry.address)}">{escape(name)}{of}</a>{note}</p>'
