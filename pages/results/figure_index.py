"""Every figure of the lectures: a link to the scene that shows it with our results."""

import streamlit as st

from bdlviz import ui
from bdlviz.topics.results.register import views as register_views

PAGE = ui.Page(
    title="Results · Figures of the lectures",
    question="Where is the figure from the lecture?",
    controls=(),
)

with PAGE.frame() as view:
    with view.controls:
        st.markdown(
            "Every figure, table and demo of five lectures on Bayesian deep learning. A link opens the scene that "
            "shows it with our results; a note says where they differ. Move any slider there and compare."
        )
    with view.picture:
        register_views.show_counts()
    with view.below:
        register_views.show_index()
