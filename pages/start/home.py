"""The first page: one picture at once, and where everything is."""

import streamlit as st

import bdlviz
from bdlviz import ui
from bdlviz.ui import home

PAGE = ui.Page(
    title="bdlviz",
    question="See what a Bayesian neural network believes, and where it is unsure.",
    controls=(),
    scenes=(),
)

with PAGE.frame() as view:
    with view.controls:
        st.markdown(home.INTRODUCTION)
        home.show_way_in()
    with view.picture:
        dataset = bdlviz.dataset("x_sin_x")
        shown = ui.redraw_first(lambda: home.show_first_picture(dataset))
        st.caption("MC dropout on twenty points of x sin x: fifty functions that one trained network holds possible.")
    with view.below:
        home.show_doors()
    view.exports(home.snippet_of(shown, dataset))
