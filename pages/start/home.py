"""The first page: one picture at once, and where everything is."""

import streamlit as st

import bdlviz
from bdlviz import plots, ui
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
    with view.picture:
        dataset = bdlviz.dataset("x_sin_x")
        predictive = home.first_predictive(dataset)
        fig = plots.function_draws(predictive, dataset, theme=ui.present_theme(), height=480)
        ui.figure(fig, key="first_picture", alt=plots.describe_function_draws(predictive, dataset))
        st.caption("MC dropout on twenty points of x sin x: fifty functions that one trained network holds possible.")
    with view.below:
        home.show_doors()
