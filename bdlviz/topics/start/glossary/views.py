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

ALL, SEARCH = "all", "terms"  # SEARCH is the key of the field
FIRST = "epistemic-uncertainty"  # the term that is open before one is chosen
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
    """The names of all terms and a search field over their cards; the term that is open comes first, large."""
    key = setting[TERM]
    shown = next(term for term in TERMS if term.key == (FIRST if key == ALL else key))
    pages = f"{len(shown.pages)} page{'s' * (len(shown.pages) > 1)}"
    says = f"Of {len(TERMS)} terms, “{shown.name}” is open here, with its picture and links to {pages}; click another."
    cards = [card(shown, is_large=True), *(card(term) for term in TERMS if term != shown)]
    names = "".join(
        f"<a href='?term={term.key}' target='_self'{' aria-current=true' * (term == shown)}>{escape(term.name)}</a>"
        for term in TERMS
    )
    found = search("term", cards, shown.pages[:1], screen.theme, names=names, on_click=_choose)
    return Result([Says(says), found], call=CALL)


def _choose() -> None:
    """Open the term whose name was clicked; the browser may send anything."""
    key = st.session_state[SEARCH].clicked
    st.session_state[TERM.key] = key if key in TERM.options else ALL


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
def card(term: Term, *, is_large: bool = False) -> str:
    """A term, its meaning, its formula, and links to the pages that show it, as HTML; if it is large with a picture."""
    pages = " · ".join(map(link, term.pages))
    title = escape(navigation.title(term.pages[0]))
    picture = f"<img data-page='{term.pages[0]}' alt='Picture of the page {title}'>" if is_large else ""
    formula = f"<p>{to_mathml(term.formula, display=False)}</p>" if term.formula else ""
    card = f"{picture}<h4>{escape(term.name)}</h4><p>{escape(term.meaning)}</p>{formula}{pages}"
    if is_large:
        return f"<section class='large'>{card}<p>The picture is from the first of these pages.</p></section>"
    return f"<section>{card}</section>"


def link(page: str) -> str:
    """A link to a page in HTML."""
    return f"<a href='{navigation.path_of(page)}' target='_self'>{escape(navigation.title(page))}</a>"
