"""The glossary with a search field, the order of the pages for self-study, and the list of all sources."""

from __future__ import annotations

from functools import cache
from html import escape

import streamlit as st

from bdlviz.export import to_mathml
from bdlviz.lectures.glossary import ORDER, TERMS, Term
from bdlviz.topics import papers
from bdlviz.topics.shared.views_full_width import hide_controls
from bdlviz.topics.shared.views_search import search
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Custom, Paper, Result, Says, Screen, Setting, Table, Words
from bdlviz.ui.places import navigation

ALL = "all"
TERM = Control(
    "term",
    "Term",
    (ALL, *(term.key for term in TERMS)),
    ALL,
    "menu",
    names={ALL: "All terms"} | {term.key: term.name for term in TERMS},
)
CALL = """from bdlviz.lectures.glossary import TERMS

for term in TERMS:
    print(term.name, term.meaning, sep=": ")
"""


def _show_hidden() -> None:
    """The menu, which holds the term of a link: the search field stands for it, so the column of controls is hidden."""
    hide_controls()
    TERM.show()


OF_LINK = Custom(_show_hidden, (TERM,))


def terms(setting: Setting, screen: Screen, _: object) -> Result:
    """All terms under a search field, in which the term of a link stands at first."""
    wanted = next((term for term in TERMS if term.key == setting[TERM]), None)
    says = f"{len(TERMS)} terms; type a few letters to find one."
    if wanted is not None:
        says = f"“{wanted.name}” has links to {len(wanted.pages)} page{'s' * (len(wanted.pages) > 1)} of this explorer."
    pages, named = {term.pages[0] for term in TERMS}, "" if wanted is None else wanted.name
    found = search("term", map(card, TERMS), pages, screen.theme, term=named, on_typed=_forget)
    return Result([Says(says), found], call=CALL)


def _forget() -> None:
    st.session_state[TERM.key] = ALL


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


@cache
def card(term: Term) -> str:
    """A term, its meaning, its formula or else a picture, and links to the pages that show it, as HTML."""
    pages = " · ".join(map(link, term.pages))
    picture = "" if term.formula else f"<img data-page='{term.pages[0]}' alt=''>"
    formula = f"<p>{to_mathml(term.formula, display=False)}</p>" if term.formula else ""
    return f"<section>{picture}<h4>{escape(term.name)}</h4><p>{escape(term.meaning)}</p>{formula}{pages}</section>"


def link(page: str) -> str:
    """A link to a page in HTML."""
    return f"<a href='{navigation.path_of(page)}' target='_self'>{escape(navigation.title(page))}</a>"
