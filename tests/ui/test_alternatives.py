"""Whoever cannot see a picture gets a sentence: every figure and every image of every page has a description."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.harness import PAGES, controls, open_page, rested

# What a page draws besides its first state: every view of a page that has several, and every tab of its own.
COMMON_TABS = {"Equation", "Code", "Reproduce", "Try this", "Caveat and paper"}
VIEWS = [
    pytest.param(page, {control.key: option}, id=f"{page}-{option}")
    for page in PAGES
    for control in controls(page).values()
    if control.key in ("look", "noise_look", "active_look", "method", "shown", "change", "synthetic", "picture")
    for option in control.options
    if option != control.default
]


def alternatives(app: AppTest) -> Iterator[tuple[str, str]]:
    """Each picture of a page, and what is said instead of it."""
    for chart in app.get("plotly_chart"):
        yield f"figure {chart.proto.id}", chart.proto.alt  # type: ignore[attr-defined]
    for sheet in app.get("image"):
        for image in sheet.proto.imgs:  # type: ignore[attr-defined]
            yield f"image {image.url}", image.alt


def assert_all_are_described(app: AppTest) -> None:
    """Every picture has a sentence, of at least two words, without markup."""
    assert not app.exception, [each.stack_trace for each in app.exception]
    for picture, told in alternatives(app):
        assert len(told.split()) > 2 and "**" not in told and "<" not in told.replace(" < ", ""), (picture, told)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("page", PAGES)
def test_pictures_of_a_page_and_of_its_tabs_are_described(page: str):
    app = open_page(page)
    assert_all_are_described(app)
    for tab in [each.label for each in app.tabs if each.label not in COMMON_TABS]:
        app.session_state["tabs"] = tab
        app = rested(app.run())
        assert_all_are_described(app)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("page", "query"), VIEWS)
def test_pictures_of_a_view_are_described(page: str, query: dict[str, str]):
    assert_all_are_described(open_page(page, query))


def test_a_picture_without_a_description_is_noticed():
    script = """
        import numpy as np
        import streamlit as st
        from bdlviz.topics.generative.autoencoder.figures import taxonomy
        from bdlviz.ui.frame.images import sheet
        from bdlviz.ui.frame.look import figure

        sheet(np.zeros((2, 8, 8)), 2, alt="Two empty digits.")
        st.image(np.zeros((8, 8)))
        figure(taxonomy(), key="taxonomy")
    """
    told = [said for _, said in alternatives(AppTest.from_string(dedent(script)).run())]
    assert sorted(told) == ["", "", "Two empty digits."]
