"""A link to every figure of the lectures, by lecture."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from bdlviz.topics.results.figure_index.controls import ALL, WHOSE
from bdlviz.topics.results.figure_index.entries import ENTRIES, LECTURES, Entry
from bdlviz.topics.shared.views_lists import in_columns
from bdlviz.ui.model import Result, Says, Screen, Setting
from bdlviz.ui.places import navigation


def coverage(setting: Setting, screen: Screen, _: object) -> Result:
    """Links to the figures of the chosen lecture or of all, and how many there are."""
    wanted = [key for key in LECTURES if setting[WHOSE] in (ALL, key)]
    shown = [entry for entry in ENTRIES if entry.lecture in wanted]
    whose = f"{len(wanted)} lectures" if len(wanted) > 1 else "this lecture"
    says = Says(
        f"The {len(shown)} figures, tables and demos of {whose} are drawn on {len({entry.page for entry in shown})} "
        "pages here: one click opens each."
    )
    return Result([says, in_columns(index(setting))])


def index(setting: Setting) -> Iterator[str]:
    """Each chosen lecture with a heading, and a line for each of its figures, as HTML."""
    for key, name in LECTURES.items():
        if setting[WHOSE] in (ALL, key):
            entries = [entry for entry in ENTRIES if entry.lecture == key]
            head = f"<h4>{escape(name)} <small>{len(entries)} figures</small></h4>"
            yield f"<section>{head}{''.join(map(line, entries))}</section>"


def line(entry: Entry) -> str:
    """The link to a figure, the page where it is drawn, and a note, as HTML."""
    where = f"{navigation.title(entry.page)}{f'. {entry.note}' if entry.note else ''}"
    return f'<p><a href="{escape(entry.address)}">{escape(entry.title)}</a> <small>{escape(where)}</small></p>'
