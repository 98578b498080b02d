"""Function draws: what functions does a network believe in after it has seen the data?"""

import streamlit as st

from bdlviz import fits, types, ui
from bdlviz.methods import METHODS
from bdlviz.predictive import functions, length_scale, summaries
from bdlviz.topics.regression.function_draws import exercises as function_draws_exercises
from bdlviz.topics.regression.function_draws import views_moving, views_reference
from bdlviz.topics.regression.function_draws.views import FunctionPicture
from bdlviz.topics.shared import calculator, curves, draw_inspector, mc_dropout_derivation, reproduce
from bdlviz.ui.controls import data_choice
from bdlviz.ui.places import link

DATA = ui.data_controls("x_sin_x")
DRAWS = ui.number_control("draws", "Function draws S", (1, 2, 5, 10, 20, 50, 100, 200), 50)
NETWORK = (*curves.all_own_controls(), *calculator.CONTROLS, *curves.NETWORK, *curves.TRAINING)
SETTING = (curves.METHOD, *NETWORK)
VIEW = views_moving.FunctionView((*curves.own_controls("mc_dropout"), calculator.DECAY), SETTING)
RECORD = {"data": "mauna_loa_co2", "depth": "5"}  # the comparison of Gal & Ghahramani 2016, Fig. 2

PAGE = ui.Page(
    title="Regression · Function draws",
    question="Which functions does the network still believe in after seeing the data?",
    controls=(*SETTING, *DATA, DRAWS, draw_inspector.HIGHLIGHTED, views_reference.REFERENCE),
    scenes=(
        ui.Scene("good", "Good fit", {}, "Draws agree at the points and part outside them."),
        ui.Scene(
            "no-dropout",
            "No dropout",
            {"dropout_rate": "0"},
            "One function: no epistemic uncertainty at all.",
            ask=function_draws_exercises.BEFORE_NO_DROPOUT,
        ),
        ui.Scene(
            "high-dropout",
            "Dropout 0.5",
            {"dropout_rate": "0.5"},
            "More functions survive, also at the data.",
            ask=function_draws_exercises.BEFORE_HIGH_DROPOUT,
        ),
        ui.Scene("gap", "A gap in the data", {"data": "two_clusters"}, "How sure should one be between the clusters?"),
        ui.Scene(
            "tanh",
            "tanh saturates",
            {"activation": "tanh"},
            "Outside the data tanh draws run flat.",
            ask=function_draws_exercises.BEFORE_TANH,
        ),
        ui.Scene(
            "record-relu",
            "CO₂ record, ReLU × 5",
            RECORD | {"activation": "relu"},
            "Beyond the years trained on, the draws part and the standard deviation grows.",
        ),
        ui.Scene(
            "record-tanh",
            "CO₂ record, tanh × 5",
            RECORD | {"activation": "tanh"},
            "Beyond the years trained on, the draws run flat and the standard deviation stays as it is.",
        ),
        ui.Scene("ensemble", "Deep ensemble", {"method": "deep_ensemble"}, "Five networks: each member is a draw."),
        ui.Scene(
            "exact",
            "The exact answer",
            {
                **{"method": "hmc", "data": "two_clusters", "depth": "1", "width": "50", "length_scale": "1"},
                **{"prior_by_width": "0", "num_chains": "16", "num_leapfrog": "100", "trajectories": "1000"},
            },
            "Chains that walk through the posterior itself: between the clusters they part.",
        ),
        ui.Scene(
            "against-exact",
            "Against the exact",
            {
                **{"method": "bayes_by_backprop", "data": "two_clusters", "depth": "1", "width": "50"},
                **{"length_scale": "1", "reference": "hmc"},
            },
            "Outlined: the exact posterior of this network under this prior. Where is the approximation too sure?",
        ),
    ),
    derivation=mc_dropout_derivation.MC_DROPOUT,
    exercises=function_draws_exercises.FUNCTION_DRAWS,
    try_this=(
        "Move the dropout rate to 0: the draws collapse onto the mean. Which uncertainty is left, and why?",
        "Raise λ until the functions stop following the points. The length-scale ℓ grows with it: smoother functions.",
        "Choose *Two clusters*. Compare MC dropout and the deep ensemble between the clusters.",
        "Choose *Your own points* and put one point far away. Does the band close around it?",
        "Let τ follow (*What follows from the other two*): now λ and ℓ move the noise band.",
    ),
    caveat=(
        "MC dropout does not concentrate as data grow: the spread of its draws is set by the dropout rate, not by N. "
        "With one hidden layer it is over-confident between clusters of data (Foong et al. 2020). "
        "The formula for τ holds for the layers behind dropped units; the first layer sees the undropped x."
    ),
    papers=(
        ui.Paper("Gal & Ghahramani 2016, Dropout as a Bayesian approximation", "https://arxiv.org/abs/1506.02142"),
        ui.Paper("Lakshminarayanan et al. 2017, Deep ensembles", "https://arxiv.org/abs/1612.01474"),
        ui.Paper(
            "Foong et al. 2020, On the expressiveness of approximate inference", "https://arxiv.org/abs/1909.00719"
        ),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        for control in curves.own_controls(curves.METHOD.show()):
            control.show()
        above_data = st.container()
        with st.expander("Data", expanded=data_choice.table_is_open()):
            dataset = ui.choose_data(DATA)
        with above_data:
            takes = curves.scale_taken(curves.METHOD.present())
            scales = calculator.choose_scales(dataset, curves.present_dropout_rate(), takes)
        curves.choose_network()
        num_draws = int(DRAWS.show())
        views_reference.REFERENCE.show()
        watch = draw_inspector.watch_button()
        picture = FunctionPicture(VIEW, num_draws, VIEW.is_wanted())

    def show_picture() -> tuple[types.FitConfig | None, fits.Fit | None]:
        dataset = data_choice.present(DATA)  # a click into the picture changes it
        config = curves.configuration(link.settings(SETTING), SETTING, dataset)
        if config is None:
            return None, None
        beside = views_reference.configuration(config, dataset, scales.length_scale)
        return config, picture.obtain(ui.Wanted(config, dataset, watch), beside)

    with view.picture:
        config, fit = ui.redraw_first(show_picture)
    if config is not None:
        spec = METHODS[config.method]
        decays = takes == calculator.DECAY.key
        view.footer(
            formulas=(length_scale.model_precision if decays else spec.build, summaries.summarise_regression),
            present=scales.latex if decays else "",
            code=(spec.sample, functions.evaluate, summaries.summarise_regression),
            snippet=reproduce.predict_snippet(config, dataset, num_draws),
            more=draw_inspector.tabs(fit, dataset),
        )
