"""How many figures of each lecture there are, and a link to each of them."""

from __future__ import annotations

from html import escape

from bdlviz.topics.results.figure_index.controls import ALL, WHOSE
from bdlviz.topics.results.figure_index.entries import ENTRIES, LECTURES, Entry, counts
from bdlviz.topics.results.figure_index.figures import figure_counts
from bdlviz.ui.model import Figure, Part, Result, Says, Screen, Setting, Table, Words


def coverage(setting: Setting, screen: Screen, _: object) -> Result:
    """Links to the figures; below them how many figures of each lecture there are."""
    told = "; ".join(f"{name}: {count}" for name, count in counts())
    short = [(name.partition(":")[0], count) for name, count in counts()]
    counted = Figure("coverage", figure_counts(short, theme=screen.theme), f"Figures of each lecture. {told}.")
    listed = index(setting)
    shown = [entry for entry in ENTRIES if setting[WHOSE] in (ALL, entry.lecture)]
    pages = len({entry.page for entry in shown})
    says = Says(
        f"{len(shown)} figures, tables and demos of lectures: each link opens one of {pages} pages with our results."
    )
    return Result([says, counted, *listed] if screen.is_presenting else [says, *listed, counted])


def index(setting: Setting) -> list[Part]:
    """The figures of the chosen lecture or of all, each a link to the state of a page that shows it."""
    parts: list[Part] = []
    for key, name in LECTURES.items():
        if setting[WHOSE] not in (ALL, key):
            continue
        rows = [(link(entry), escape(entry.note)) for entry in ENTRIES if entry.lecture == key]
        parts += [Words(f"**{name}**", "markdown"), Table(("Figure", "Where to look, or what differs"), rows)]
    return parts


def link(entry: Entry) -> str:
    """The link to a figure, as HTML."""
    return f'<a href="{escape(entry.address)}">{escape(entry.title)}</a>'
