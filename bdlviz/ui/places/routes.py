"""Navigation: which pages there are, under which section and URL."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page

from bdlviz.topics.regression.function_draws import views_neighbourhood as function_draws_views_neighbourhood
from bdlviz.ui.frame import access, window
from bdlviz.ui.jobs.obtain import leave_second, visitor
from bdlviz.ui.jobs.queue import QUEUE
from bdlviz.ui.jobs.watch import leave_the_rest

# Section -> (file, title). The file's folder is the section; its name is the URL path.
HOME = "start/home"
SECTIONS = {
    "": ((HOME, "Home"), ("start/lecture", "Lecture")),
    "Foundations": (
        ("foundations/bayes_rule", "Bayes' rule"),
        ("foundations/variational_or_mcmc", "Fit or walk"),
        ("foundations/kinds_of_uncertainty", "Kinds of uncertainty"),
    ),
    "Regression": (
        ("regression/function_draws", "Function draws"),
        ("regression/effect_of_lambda", "Effect of λ"),
        ("regression/compare", "Compare"),
        ("regression/in_between", "In between"),
        ("regression/active_learning", "Active learning"),
    ),
    "Digits": (("digits/mc_dropout", "MC dropout"), ("digits/concrete_dropout", "Learned keep probabilities")),
    "Weights": (
        ("weights/bayes_by_backprop", "Bayes by Backprop"),
        ("weights/signal_to_noise", "Which weights matter?"),
        ("weights/variational_dropout", "Variational dropout"),
        ("weights/sparsity", "Sparse weights"),
        ("weights/compression", "Compression"),
    ),
    "Generative": (
        ("generative/vae", "Train a VAE"),
        ("generative/latent_space", "Latent space"),
        ("generative/manifold", "Learned manifold"),
        ("generative/decode", "Decode pad"),
        ("generative/autoencoder", "Autoencoder or VAE"),
        ("generative/likelihood", "Which likelihood?"),
        ("generative/conditional", "Choose the class"),
    ),
    "Results": (
        ("results/scoreboard", "Scoreboard"),
        ("results/register", "Published numbers"),
        ("results/errata", "Errata"),
        ("results/figure_index", "Figures of the lectures"),
        ("results/status", "Status"),
    ),
}
PRESENT = "present_page"  # session state: the path of the page that is shown
PAGES = frozenset(name for entries in SECTIONS.values() for name, _ in entries)


def run(folder: Path) -> None:
    """Show the navigation and run the chosen page."""
    # Copies, since Streamlit notes in a page that this run may show it.
    pages = {name: copy(page) for name, page in _pages(folder).items()}
    sections = {section: [pages[name] for name, _ in entries] for section, entries in SECTIONS.items()}
    st.session_state["pages"] = pages
    page = st.navigation(sections, position="top")
    st.set_page_config(page_title="bdlviz" if page.url_path == "" else f"{page.title} · bdlviz")
    if st.session_state.get(PRESENT) != page.url_path:
        # Nobody waits for a fit on a page that was left.
        st.session_state[PRESENT] = page.url_path
        QUEUE.leave(visitor())
        leave_second()
        function_draws_views_neighbourhood.leave()
    access.help_everybody()
    page.run()
    leave_the_rest(QUEUE)
    window.follow()


@cache
def _pages(folder: Path) -> dict[str, Page]:
    """Every page by its file's name under ``folder``: the same for all visitors."""
    return {name: _page(folder, name, title) for entries in SECTIONS.values() for name, title in entries}


def _page(folder: Path, name: str, title: str) -> Page:
    return st.Page(folder / f"{name}.py", title=title, url_path=path_of(name) or None, default=name == HOME)


def path_of(name: str) -> str:
    """The path in the address of a page, by its file's name under pages/."""
    return "" if name == HOME else name.split("/")[-1]


def is_present(name: str) -> bool:
    """Is this the page that is shown? A page that is run by itself, without navigation, counts as any."""
    return st.session_state.get(PRESENT) in (None, path_of(name))


def open_page(name: str, query: Mapping[str, str]) -> None:
    """Go to a page with these settings in its link; does not return."""
    st.switch_page(st.session_state["pages"][name], query_params=dict(query))


def link(name: str, label: str) -> None:
    """A link to a page, by its file's name under pages/."""
    st.page_link(st.session_state["pages"][name], label=label)
