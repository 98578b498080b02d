"""What the first page shows."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bdlviz import plots
from bdlviz.fits import Fit, fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.shared.curves import inputs, own_controls
from bdlviz.topics.shared.reproduce import predict_snippet
from bdlviz.types import Dataset
from bdlviz.ui.frame.look import figure, present_theme
from bdlviz.ui.places import routes
from bdlviz.ui.scrub import grids, picture, switch
from bdlviz.ui.scrub.picture import Side, Slider

INTRODUCTION = """
Twenty points do not decide one function. A Bayesian network keeps every function that the points allow:
where they agree, it is sure; where they part, it knows that it does not know.

Drag the sliders. Everything is drawn from real fits, the formulas on each page are the ones that were computed, and the
code to repeat it is one tab away.
"""

# (page file, link text, what one sees there)
DOORS = (
    ("foundations/bayes_rule", "Bayes' rule", "From the best weights to all weights that the data allow."),
    ("foundations/variational_or_mcmc", "Fit or walk", "Two ways to a posterior, on one that can be seen whole."),
    ("foundations/kinds_of_uncertainty", "Kinds of uncertainty", "Which shrinks with more data, and which stays?"),
    ("regression/compare", "Compare", "All methods on your data, beside the exact answer: which is honest?"),
    ("regression/active_learning", "Active learning", "Ask where the model is unsure: does it need fewer labels?"),
    (
        "regression/function_draws",
        "Function draws",
        "Dropout rate, weight decay, width, depth: which functions survive?",
    ),
    ("regression/effect_of_lambda", "Effect of λ", "Too small, good, too large weight decay, and how to tell."),
    ("digits/mc_dropout", "MC dropout on digits", "Which digits is a network unsure of: noise, or ignorance?"),
    ("digits/concrete_dropout", "Learned keep probabilities", "Which pixels does a network decide to drop?"),
    ("results/scoreboard", "Scoreboard", "Accuracy, calibration and doubt of every method, over five seeds."),
    ("weights/bayes_by_backprop", "Bayes by Backprop", "A Gaussian for every weight, and what it says of functions."),
    ("weights/signal_to_noise", "Which weights matter?", "How many can go before the digits notice?"),
    ("weights/variational_dropout", "Noise on weights", "How much noise does a weight bear, and who learns it?"),
    ("weights/sparsity", "Sparse weights", "Watch weights die: most of them do not matter."),
    ("weights/compression", "Compression", "Priors that prune, units that leave, bits that are not needed."),
    ("generative/vae", "Train a VAE", "The bound as it is learned, part by part, epoch by epoch."),
    ("generative/latent_space", "Latent space", "t-SNE of q(z|x): where a VAE puts the digits."),
    ("generative/manifold", "Learned manifold", "Every point of the plane is a digit."),
    ("generative/decode", "Decode pad", "Drag through the codes, and one digit becomes another."),
    ("results/errata", "Errata", "Where the lectures' formulas are wrong, and what that costs."),
)
DOORS_IN_A_ROW = 5


SLIDERS = own_controls("mc_dropout", without=())
NUM_DRAWS = 50
ABSENT = ("difference", "isEditable", "isOwn", "canUndo", "canCompare", "canPin")  # what this picture does without


def show_first_picture(dataset: Dataset) -> Fit:
    """The picture of the first page, with sliders that redraw it; without the shipped fits, one short fit."""
    at = {control.key: control.present() for control in SLIDERS}
    try:
        whole, _ = shelf.shipped("function_draws_mc_dropout")
        chosen = whole.cell(seed=None, **{name: float(value) for name, value in at.items()})
        sliders = [Slider(control.key, control.label, control.options, at[control.key]) for control in SLIDERS]
    except CheckpointError as error:
        st.info(f"{error} Training a small network instead.")
        chosen, sliders = fit("mc_dropout", dataset, num_steps=1000), []
    predictive = chosen.predict(inputs(dataset), NUM_DRAWS)
    if st.session_state.get(switch.FAILED):
        fig = plots.function_draws(predictive, dataset, theme=present_theme(), height=480)
        figure(fig, key="first_figure", alt=plots.describe_function_draws(predictive, dataset))
        return chosen
    side = Side(predictive, at, grid=grids.grid_block(chosen.config, dataset) if sliders else None)
    settings: dict[str, Any] = dict.fromkeys(ABSENT, False)
    picture.show([side], dataset, sliders, _commit, key="first_picture", **settings, pinned=None)
    return chosen


def snippet_of(fit: Fit, dataset: Dataset) -> str:
    """Python that draws the first picture again."""
    return predict_snippet(fit.config, dataset, NUM_DRAWS)


def _commit(event: dict[str, Any]) -> None:
    picture.commit_values(event, SLIDERS)
    switch.note_failure(event)


def show_way_in() -> None:
    """A link for who wants to be led."""
    routes.link("start/lecture", "Or be led: **the whole story in 45 minutes**")


def show_doors() -> None:
    """Links to all pages."""
    with st.container(key="doors"):
        for start in range(0, len(DOORS), DOORS_IN_A_ROW):
            row = DOORS[start : start + DOORS_IN_A_ROW]
            for place, (page, title, text) in zip(st.columns(DOORS_IN_A_ROW), row, strict=True):
                with place, st.container(border=True, height="stretch"):
                    routes.link(page, f"**{title}**")
                    st.caption(text)
