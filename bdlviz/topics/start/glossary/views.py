"""The glossary as a table, the order of the pages for self-study, and the list of all sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from bdlviz.lectures.glossary import ORDER, TERMS, Term
from bdlviz.topics import papers
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Paper, Result, Screen, Setting, Table, Words
from bdlviz.ui.places import navigation

ALL = "all"
TERM = Control(
    "term",
    "Term",
    (ALL, *(term.key for term in TERMS)),
    ALL,
    "menu",
    "One term with the pages that show it, or all of them.",
    {ALL: "all terms"} | {term.key: term.name for term in TERMS},
)
CALL = """from bdlviz.lectures.glossary import TERMS

for term in TERMS:
    print(term.name, term.meaning, sep=": ")
"""


def terms(setting: Setting, screen: Screen, _: object) -> Result:
    """All terms, or the chosen one, with links to the pages that show them."""
    wanted = [term for term in TERMS if setting[TERM] in (ALL, term.key)]
    return Result([Table(("Term", "Meaning", "Pages"), [*_rows(wanted)])], call=CALL)


def order(setting: Setting, screen: Screen, _: object) -> Result:
    """The pages in an order for self-study, with what each one assumes."""
    rows = [(str(place), link(stop.page), escape(stop.assumes)) for place, stop in enumerate(ORDER, 1)]
    words = "Every page can be read alone. In this order each one uses only what was shown before."
    return Result([Words(words), Table(("Step", "Page", "It assumes"), rows)], call=CALL)


def sources(setting: Setting, screen: Screen, _: object) -> Result:
    """Every paper and book that a page cites, in one list."""
    cited = [each for each in vars(papers).values() if isinstance(each, Paper)]
    words = f"The {len(cited)} papers and books that the pages cite. A page names its own under *Explain*."
    return Result([Words(words), Words("\n".join(f"- {paper.as_markdown}" for paper in cited), "markdown")])


def _rows(wanted: Iterable[Term]) -> Iterable[Sequence[str]]:
    for term in wanted:
        yield escape(term.name), escape(term.meaning), " · ".join(map(link, term.pages))


def link(page: str) -> str:
    """A link to a page in HTML."""
    return f"<a href='{navigation.path_of(page)}' target='_self'>{escape(navigation.title(page))}</a>"
