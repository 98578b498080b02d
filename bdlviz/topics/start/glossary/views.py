"""The glossary in two columns, the order of the pages for self-study, and the list of all sources."""

from __future__ import annotations

from html import escape

from bdlviz.lectures.glossary import ORDER, TERMS, Term
from bdlviz.topics import papers
from bdlviz.topics.shared.views_lists import in_columns
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Paper, Result, Says, Screen, Setting, Table, Words
from bdlviz.ui.places import navigation

ALL = "all"
TERM = Control(
    "term",
    "Find a term",
    (ALL, *(term.key for term in TERMS)),
    ALL,
    "menu",
    "Click and type a few letters of the term.",
    {ALL: "All terms"} | {term.key: term.name for term in TERMS},
)
CALL = """from bdlviz.lectures.glossary import TERMS

for term in TERMS:
    print(term.name, term.meaning, sep=": ")
"""


def terms(setting: Setting, screen: Screen, _: object) -> Result:
    """All terms, or the chosen one, with links to the pages that show them."""
    wanted = [term for term in TERMS if setting[TERM] in (ALL, term.key)]
    found = f"{len(wanted)} terms, each" if len(wanted) > 1 else f"“{wanted[0].name}”"
    says = f"{found} in one sentence, with links to the pages that show it."
    return Result([Says(says), in_columns(map(card, wanted))], call=CALL)


def order(setting: Setting, screen: Screen, _: object) -> Result:
    """The pages in an order for self-study, with what each one assumes."""
    rows = [(str(place), link(stop.page), escape(stop.assumes)) for place, stop in enumerate(ORDER, 1)]
    says = Says(f"{len(rows)} pages: each can be read alone, and in this order uses only what was shown before.")
    return Result([says, Table(("Step", "Page", "It assumes"), rows)], call=CALL)


def sources(setting: Setting, screen: Screen, _: object) -> Result:
    """Every paper and book that a page cites, in one list."""
    cited = [each for each in vars(papers).values() if isinstance(each, Paper)]
    says = Says(f"The {len(cited)} papers and books that the pages cite; a page names its own under Explain.")
    return Result([says, Words("\n".join(f"- {paper.as_markdown}" for paper in cited), "markdown")])


def card(term: Term) -> str:
    """A term, its meaning and links to the pages that show it, as HTML."""
    pages = " · ".join(map(link, term.pages))
    return f"<section><h4>{escape(term.name)}</h4><p>{escape(term.meaning)}</p>{pages}</section>"


def link(page: str) -> str:
    """A link to a page in HTML."""
    return f"<a href='{navigation.path_of(page)}' target='_self'>{escape(navigation.title(page))}</a>"
