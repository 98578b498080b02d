"""What the first page shows."""

from __future__ import annotations

import streamlit as st

from bdlviz import shelf
from bdlviz.checkpoints import CheckpointError
from bdlviz.fits import fit
from bdlviz.types import Dataset, Predictive
from bdlviz.ui import routes
from bdlviz.ui.regression import inputs

INTRODUCTION = """
Twenty points do not decide one function. A Bayesian network keeps every function that the points allow:
where they agree, it is sure; where they part, it knows that it does not know.

Move a slider on any page: everything is drawn from real fits, the formulas beside it are the ones that were computed,
and the code to repeat it is one tab away.
"""

# (page file, link text, what one sees there)
DOORS = (
    (
        "regression/function_draws",
        "Function draws",
        "Dropout rate, weight decay, width, depth: which functions survive?",
    ),
    ("regression/effect_of_lambda", "Effect of λ", "Too small, good, too large weight decay, and how to tell."),
    ("digits/concrete_dropout", "Learned keep probabilities", "Which pixels does a network decide to drop?"),
    ("generative/latent_space", "Latent space", "t-SNE of q(z|x): where a VAE puts the digits."),
    ("generative/manifold", "Learned manifold", "Every point of the plane is a digit."),
)


def first_predictive(dataset: Dataset) -> Predictive:
    """The picture of the first page, from the shipped fits; without them from a short fit."""
    try:
        shipped, _ = shelf.shipped("function_draws_mc_dropout")
        chosen = shipped.cell(dropout_rate=0.1, weight_decay=1e-4)
    except CheckpointError as error:
        st.info(f"{error} Training a small network instead.")
        chosen = fit("mc_dropout", dataset, num_steps=1000)
    return chosen.predict(inputs(dataset), 50)


def show_doors() -> None:
    """Links to all pages."""
    with st.container(key="doors"):
        places = st.columns(len(DOORS))
    for column, (page, title, text) in zip(places, DOORS, strict=True):
        with column, st.container(border=True, height="stretch"):
            routes.link(page, f"**{title}**")
            st.caption(text)
