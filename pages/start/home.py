"""The first page: one picture at once, and where everything is."""

import streamlit as st

import bdlviz
from bdlviz import ui
from bdlviz.topics.start.home import views

PAGE = ui.LegacyPage(
    title="bdlviz",
    question="See what a Bayesian neural network believes, and where it is unsure.",
    controls=(),
    scenes=(),
)

with PAGE.frame() as view:
    with view.controls:
        st.markdown(views.INTRODUCTION)
        views.show_way_in()
    with view.picture:
        dataset = bdlviz.dataset("x_sin_x")
        shown = ui.redraw_first(lambda: views.show_first_picture(dataset))
        st.caption("MC dropout on twenty points of x sin x: fifty functions that one trained network holds possible.")
    with view.below:
        views.show_doors()
    view.exports(views.snippet_of(shown, dataset))
