"""The pages that draw figures of the lectures, with links to these figures."""

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
    lecture = f"{len(LECTURES) - 1} lectures and 1 notebook" if is_all else LECTURES[setting[WHOSE]].split(":")[0]
    figures, click = sum(map(len, pages.values())), "click a page, then a figure" if is_all else "click a figure"
    says = f"{figures} figures of {lecture} are redrawn on {len(pages)} pages: {click} to see it."
    cards = (card(*each, number, is_marked=is_all) for number, each in enumerate(pages.items(), 1))
    return Result([Says(says), search("figure", cards, pages, screen.theme, look="gallery")])


def shown(setting: Setting) -> dict[str, list[Entry]]:
    """The figures of the chosen lecture or of all by page, in the order of the navigation."""
    wanted = [entry for entry in ENTRIES if setting[WHOSE] in (ALL, entry.lecture)]
    by_page = {page: [entry for entry in wanted if entry.page == page] for page in navigation.TITLES}
    return {page: entries for page, entries in by_page.items() if entries}


def card(page: str, entries: list[Entry], number: int, *, is_marked: bool) -> str:
    """A page with its number, its picture and links to its figures as HTML.

    ``is_marked``: each link names its lecture, and the links are closed; else it has its note, and they are open.
    """
    title, lines = navigation.title(page), "".join(_lines(entries, navigation.title(page), is_marked))
    heading = f'<img data-page="{page}" alt=""><h4>{number}. {escape(title)} <small>({len(entries)})</small></h4>'
    return f"<section><details{'' if is_marked else ' open'}><summary>{heading}</summary>{lines}</details></section>"


def _lines(entries: list[Entry], title: str, is_marked: bool) -> Iterator[str]:
    for entry in entries:
        name = entry.title.removeprefix(f"{title}: ")
        name = name if name == entry.title else name[0].upper() + name[1:]
        of = f" <small>of {escape(LECTURES[entry.lecture].split(':')[0])}</small>" if is_marked else ""
        note = f"<small>{escape(entry.note)}</small>" if entry.note and not is_marked else ""
        yield f'<p><a href="{escape(entry.address)}">{escape(name)}{of}</a>{note}</p>'
