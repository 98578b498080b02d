"""Function draws: the functions that are plausible given the data."""

from bdlviz.topics import papers
from bdlviz.topics.regression.function_draws import controls as c
from bdlviz.topics.regression.function_draws import exercises, views
from bdlviz.topics.regression.function_draws.asked import needs, scales_of, takes
from bdlviz.topics.regression.function_draws.views_moving import MOMENT, PINNED, SWITCH, WATCH
from bdlviz.topics.shared import calculator, curves
from bdlviz.topics.shared.mc_dropout_derivation import MC_DROPOUT
from bdlviz.ui import Page, Panel, Scene, View, data_panel, show

CONTROLS = (
    curves.METHOD,
    *c.own_entries(),
    *calculator.entries(scales_of, takes),
    data_panel(c.DATA),
    Panel("Network", curves.NETWORK),
    Panel("Training", c.training_entries()),
    c.DRAWS,
    c.REFERENCE,
    *(WATCH, SWITCH, MOMENT, PINNED),
)
RECORD = {"data": "mauna_loa_co2", "depth": "5"}  # the comparison of Gal & Ghahramani 2016, Fig. 2
ONE_LAYER = {"data": "two_clusters", "depth": "1", "width": "50", "length_scale": "1"}
CHAINS = {"prior_by_width": "0", "num_chains": "16", "num_leapfrog": "100", "trajectories": "1000"}

PAGE = Page(
    "regression/function_draws",
    "Which functions are plausible given the data?",
    views=(View("functions", "functions", views.draw, CONTROLS, needs=needs, about=views.about, is_fragment=True),),
    scenes=(
        Scene("good", "MC dropout", {}, "Outside the data the band misses most of the truth."),
        Scene("best", "Best score", {"weight_decay": "0"}, "The lowest held-out score of the map over λ and p."),
        Scene(
            "no-dropout",
            "No dropout",
            {"dropout_rate": "0"},
            "One function: there is no epistemic uncertainty.",
            exercises.BEFORE_NO_DROPOUT,
        ),
        Scene(
            "high-dropout",
            "Dropout 0.5",
            {"dropout_rate": "0.5"},
            "The draws differ more, also at the data.",
            exercises.BEFORE_HIGH_DROPOUT,
        ),
        Scene("gap", "A gap in the data", {"data": "two_clusters"}, "How uncertain is it between the clusters?"),
        Scene(
            "tanh",
            "tanh saturates",
            {"activation": "tanh"},
            "Outside the data the draws with tanh are flat.",
            exercises.BEFORE_TANH,
        ),
        Scene(
            "record-relu",
            "CO₂ record, ReLU × 5",
            RECORD | {"activation": "relu"},
            "After the last year of training the draws differ, and the standard deviation grows.",
        ),
        Scene(
            "record-tanh",
            "CO₂ record, tanh × 5",
            RECORD | {"activation": "tanh"},
            "After the last year of training the draws are flat, and the standard deviation stays constant.",
        ),
        Scene("ensemble", "Deep ensemble", {"method": "deep_ensemble"}, "Five networks: each member is a draw."),
        Scene(
            "exact",
            "The exact answer",
            ONE_LAYER | CHAINS | {"method": "hmc"},
            "The chains sample from the exact posterior. Between the clusters the draws differ.",
        ),
        Scene(
            "against-exact",
            "Overlay: exact",
            ONE_LAYER | {"method": "bayes_by_backprop", "reference": "hmc"},
            "Outlined: the exact posterior under the same prior. Where is Bayes by Backprop too certain?",
        ),
    ),
    derivation=MC_DROPOUT,
    exercises=exercises.FUNCTION_DRAWS,
    try_this=(
        "Move the dropout rate to 0: all draws are equal to the mean. Which uncertainty is left, and why?",
        "Raise λ until the functions stop following the points. The length-scale ℓ grows with it: smoother functions.",
        "Choose *Two clusters*. Compare MC dropout and the deep ensemble between the clusters.",
        "Choose *Your own points* and put one point far away. Does the band become narrow around it?",
        "Choose τ under *Solve for*: now λ and ℓ change the noise band.",
    ),
    caveat=(
        "MC dropout does not concentrate as data grow: the standard deviation of its draws is set by the dropout rate, "
        "not by N. With one hidden layer it is overconfident between clusters of data (Foong et al. 2020). "
        "The formula for τ holds for the layers behind dropped units; the first layer sees the undropped x."
    ),
    papers=(papers.GAL_2016, papers.LAKSHMINARAYANAN_2017, papers.FOONG_2020),
)

show(PAGE)
