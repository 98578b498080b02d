"""Function draws: the functions that are plausible given the data."""

from bdlviz.topics import papers
from bdlviz.topics.regression.function_draws import controls as c
from bdlviz.topics.regression.function_draws import exercises, views
from bdlviz.topics.regression.function_draws.asked import needs, scales_of, takes
from bdlviz.topics.regression.function_draws.views_moving import MOMENT, PINNED, SWITCH, WATCH
from bdlviz.topics.shared import calculator, curves
from bdlviz.topics.shared.mc_dropout_derivation import MC_DROPOUT
from bdlviz.ui import Explanation, Page, Panel, Scene, View, data_panel, show

CONTROLS = (
    curves.METHOD,
    *c.own_entries(),
    data_panel(c.DATA),
    Panel("Noise and prior", tuple(calculator.entries(scales_of, takes))),
    Panel("Network and training", (*curves.NETWORK, *c.training_entries())),
    Panel("Draws and overlay", (c.DRAWS, c.REFERENCE)),
    *(WATCH, SWITCH, MOMENT, PINNED),
)
RECORD = {"data": "mauna_loa_co2", "depth": "5"}  # the comparison of Gal & Ghahramani 2016, Fig. 2
ONE_LAYER = {"data": "two_clusters", "depth": "1", "width": "50", "length_scale": "1"}
CHAINS = {"prior_by_width": "0", "num_chains": "16", "num_leapfrog": "100", "trajectories": "1000"}

PAGE = Page(
    "regression/function_draws",
    "Does the band of a method hold the truth?",
    views=(
        View(
            "functions",
            "Functions",
            views.draw,
            CONTROLS,
            inside=c.SLIDERS,
            needs=needs,
            about=views.about,
            is_fragment=True,
        ),
    ),
    scenes=(
        Scene("good", "MC dropout", {}),
        Scene("no-dropout", "No dropout", {"dropout_rate": "0"}, ask=exercises.BEFORE_NO_DROPOUT),
        Scene("high-dropout", "Dropout rate 0.5", {"dropout_rate": "0.5"}, ask=exercises.BEFORE_HIGH_DROPOUT),
        Scene("gap", "A gap in the data", {"data": "two_clusters"}),
        Scene("tanh", "tanh networks", {"activation": "tanh"}, ask=exercises.BEFORE_TANH),
        Scene("record-relu", "CO₂ in the air", RECORD | {"activation": "relu"}),
    ),
    former={
        "best": {"weight_decay": "0"},
        "record-tanh": RECORD | {"activation": "tanh"},
        "ensemble": {"method": "deep_ensemble"},
        "exact": ONE_LAYER | CHAINS | {"method": "hmc"},
        "against-exact": ONE_LAYER | {"method": "bayes_by_backprop", "reference": "hmc"},
    },
    claim="A 95 % band should hold 95 % of the truth; outside the data, that of MC dropout holds far less at every p.",
    explanation=Explanation(
        "Each thin line is the same network with other units off (a dropout mask): one function. Their mean is the "
        "prediction, and their standard deviation the epistemic band. Orange includes the assumed noise.",
        "In training every step had another mask, and an error at the points cost loss whatever the mask was. So the "
        "functions agree at the points. Nothing makes them agree outside. Gal & Ghahramani (2016, section 3) read this "
        "training as approximate inference in a deep Gaussian process.",
        "Outside, the band misses most of the truth. Its width is set by the dropout rate and does not shrink with "
        "more data. The held-out score does not see this, because its points lie among the data: in *Map of "
        "networks* λ = 0 has the best score.",
    ),
    derivation=MC_DROPOUT,
    exercises=exercises.FUNCTION_DRAWS,
    try_this=(
        "Move the dropout rate to 0: all draws are equal to the mean. Which uncertainty is left, and why?",
        "Choose *Two clusters* and one hidden layer, and overlay Hamiltonian Monte Carlo. How much too narrow is the "
        "band in the gap?",
    ),
    caveat=(
        "With one hidden layer MC dropout is overconfident between clusters of data (Foong et al. 2020). The formula "
        "for τ holds for the layers behind dropped units; the first layer sees the undropped x. A deep ensemble draws "
        "one function for each member, however large S is. Coverage is that of one curve, which is no test of "
        "calibration: the band of an exact posterior may miss it, too."
    ),
    papers=(papers.GAL_2016, papers.SRIVASTAVA_2014, papers.LAKSHMINARAYANAN_2017, papers.FOONG_2020),
)

show(PAGE)
