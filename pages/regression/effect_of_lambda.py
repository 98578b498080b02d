"""The effect of weight decay: too small, good, too large, and how to tell."""

import streamlit as st

from bdlviz import fits, plots, ui
from bdlviz.methods import mc_dropout
from bdlviz.predictive import length_scale, prior, summaries
from bdlviz.studies import registry
from bdlviz.topics.regression.effect_of_lambda import exercises, views, views_moving
from bdlviz.topics.shared import draw_inspector, reproduce
from bdlviz.ui.controls import data_choice

DATA = ui.data_controls("x_sin_x", noise=3)
RATE, CHOSEN, METRIC = views.RATE, views.CHOSEN, views.METRIC
VIEW = views_moving.GridView(RATE, CHOSEN)

PAGE = ui.Page(
    title="Regression · Effect of λ",
    question="How much weight decay is too much, and how would one know?",
    controls=(RATE, CHOSEN, METRIC, *DATA),
    scenes=(
        ui.Scene("good", "Good λ", {}, "The middle panel stands at the lowest held-out score."),
        ui.Scene("too-small-lambda", "Too small", {"weight_decay": "1e-6"}, "Free weights: the function chases noise."),
        ui.Scene(
            "too-large-lambda",
            "Too large",
            {"weight_decay": "0.1"},
            "Weights pressed to 0: functions go flat.",
            ask=exercises.BEFORE_TOO_LARGE,
        ),
        ui.Scene(
            "dropout",
            "With dropout",
            {"dropout_rate": "0.05"},
            "Dropout regularises too: the left end falls.",
            ask=exercises.BEFORE_DROPOUT,
        ),
        ui.Scene(
            "gap",
            "A gap in the data",
            {"data": "two_clusters", "noise": "1"},
            "No λ finds the hump between the clusters, and the score does not mind: held-out points lie in them, too.",
        ),
    ),
    exercises=exercises.EFFECT_OF_LAMBDA,
    try_this=(
        "Click along the curve and watch the middle panel. Where do the draws stop following the data?",
        "Compare NLL and RMSE: do they choose the same λ? NLL also judges the width of the band.",
        "Raise the dropout rate. The left end of the curve falls: dropout regularises too. And the best λ?",
        "Open *Prior and posterior*: which prior does the chosen λ amount to?",
    ),
    caveat=(
        "The score is taken on 500 fresh points of the same curve, which a practitioner does not have. With real data "
        "the held-out score has a noise of its own; the thin lines show the part that comes from the seed. "
        "The noise is held fixed while λ moves, so the length-scale follows and the noise band does not change."
    ),
    papers=(
        ui.Paper("Gal & Ghahramani 2016, Dropout as a Bayesian approximation", "https://arxiv.org/abs/1506.02142"),
        ui.Paper("Krogh & Hertz 1991, A simple weight decay can improve generalization", ""),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        rate = registry.LAMBDA_RATES.index(float(RATE.show()))
        option = CHOSEN.show()
        metric = METRIC.show()
        with st.expander("Data", expanded=data_choice.table_is_open()):
            dataset = ui.choose_data(DATA)
        moves = VIEW.is_wanted()

    def draw(fit: fits.Fit) -> None:
        scored = views.scores(fit, dataset)
        chosen, best = views.choose(scored, rate, metric, option)
        if moves:
            VIEW.show(fit, views.predict(fit, dataset, rate, chosen), dataset, chosen, scored)
        else:
            show_panels(fit, chosen, best)
        if scored is not None:
            views.show_curve(scored, rate, metric, chosen, draw_inspector.unit(dataset))

    def show_panels(fit: fits.Fit, chosen: int, best: int) -> None:
        panels = [(title, views.predict(fit, dataset, rate, index)) for title, index in views.three(chosen, best)]
        fig = plots.small_multiples(panels, dataset, theme=ui.present_theme(), stacked=ui.is_narrow())
        alt = plots.describe_function_draws(panels[1][1], dataset)
        ui.figure(fig, key="three_lambdas", alt=alt)

    with view.picture:
        fit = ui.obtain(ui.Wanted(views.configuration(dataset), dataset), draw)
    view.footer(
        formulas=(
            mc_dropout.build,
            length_scale.layer_length_scales,
            prior.prior_draws,
            summaries.negative_log_likelihood,
        ),
        code=(registry.lambda_config, registry.held_out_scores, prior.prior_draws),
        snippet=reproduce.grid_snippet(registry.lambda_config(dataset), dataset),
        more=views.tabs(fit, dataset, rate, metric, option),
    )
