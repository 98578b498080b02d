"""Bayes' rule: what is believed after the data, a point or a distribution?"""

from bdlviz import ui
from bdlviz.topics.foundations.bayes_rule import exercises, views_maps, views_networks, views_setting

VIEWS = ui.Views(
    {
        "maps": ("two parameters", views_maps.choose, views_maps.show_maps),
        "four": ("four networks", views_networks.choose, views_networks.show_networks),
    },
    "maps",
    label="Believe in",
)
FOUR = {"look": "four"}
PAGE = ui.Page(
    title="Foundations · Bayes' rule",
    question="What does one believe after seeing the data: a point, or a distribution?",
    controls=(
        VIEWS.control,
        *views_maps.CONTROLS,
        views_setting.POINTS,
        views_setting.SEEN,
        views_setting.SEED,
        *views_networks.CONTROLS,
    ),
    scenes=(
        ui.Scene("none", "No data", {"points_seen": "0"}, "Nothing seen: the posterior is the prior."),
        ui.Scene(
            "one",
            "One point",
            {"points_seen": "1"},
            "A ridge: every line through one point, as far as the prior.",
            ask=exercises.BEFORE_ONE,
        ),
        ui.Scene("three", "Three points", {}, "Prior times likelihood: the posterior, and the lines it believes in."),
        ui.Scene("twenty", "Twenty points", {"points_seen": "20"}, "Much data: MLE, MAP and the average nearly agree."),
        ui.Scene(
            "last",
            "One after the other",
            {"update_by": "last"},
            "The posterior of two points is the prior of the third. Move N.",
        ),
        ui.Scene("flat", "Flat prior", {"prior_std": "inf"}, "Without a preference MAP is maximum likelihood."),
        ui.Scene(
            "ridge",
            "Strong prior: ridge",
            {"prior_std": "0.2", "predict_by": "map"},
            "MAP is ridge regression: the prior pulls slope and intercept to 0.",
        ),
        ui.Scene(
            "sure",
            "Too little noise assumed",
            {"assumed_std": "0.1"},
            "The likelihood takes the points at their word: too sure a posterior, and a large loss on new points.",
        ),
        ui.Scene(
            "same-x",
            "All at one x",
            {"data": "same", "points_seen": "20"},
            "Twenty points at one x: only the height there is learned, whatever their number.",
        ),
        ui.Scene(
            "network",
            "Symmetric weights",
            {"family": "network", "predict_by": "mean", "points_seen": "10"},
            "Two modes of one function: their mean, 0, is the function 0. Average functions, not weights.",
            ask=exercises.BEFORE_NETWORK,
        ),
        ui.Scene("four", "Four networks", FOUR, "Bayes' rule as a table: every number can be checked by hand."),
        ui.Scene(
            "four-prior",
            "Four, prior against data",
            FOUR | {"odds_2": "20", "four_points": "4"},
            "Maximum likelihood and MAP pick different networks.",
        ),
        ui.Scene(
            "four-wrong",
            "Four, none is right",
            FOUR | {"four_truth": "between", "four_points": "100"},
            "Much data, all belief in one network, and it is wrong.",
            ask=exercises.BEFORE_FOUR_WRONG,
        ),
    ),
    exercises=exercises.BAYES_RULE,
    try_this=(
        "Start with *No data* and move N one by one. Which direction of the posterior shrinks with which point?",
        "Open *One after the other*. Does the posterior differ from that of all points at once? Switch *Update by*.",
        "Open *Strong prior: ridge* and raise N to 20. Who wins, prior or points, and why?",
        "See one point, and move the data seed. How often does the average predict new points best? And with ten?",
        "Choose *Your own points* and click one far above the others: does the line follow, and does the band?",
        "Open *Symmetric weights* and show the prediction of MAP, then of the posterior average.",
        "Open *Four networks*: where do networks 1 and 3 part, and what does the average say there?",
    ),
    caveat=(
        "The posterior is computed at up to 648 × 648 nodes of a grid that follows it; for a line that agrees with the "
        "closed form to many digits, unless the posterior is a very thin ridge, which the page says. "
        "Two parameters can be had like this, three hardly, a network's thousands never: "
        "hence all the approximations on the other pages. The noise is assumed to be known; too small, it makes the "
        "posterior too certain, and nothing on the maps shows it. A flat prior is no distribution over all numbers: "
        "here it ends at ±10, and with fewer than two places x the posterior ends there, too. "
        "What the average gains, it gains with few points: over the ten data seeds the mean losses of MLE, MAP and "
        "average are 4.67, 4.51 and 1.88 nats with one point, 1.88, 1.41 and 1.34 with three, 1.11, 1.10 and 1.09 with "
        "twenty. "
        "The rule weighs only what it is given: among four wrong networks it grows certain of one. "
        "The four networks are our own example. Errata of the lectures: "
        "[the ridge weight is σ²/λ, not λ](errata?erratum=ridge), "
        "[a posterior without the evidence](errata?erratum=proportional) and [one θ listed "
        "twice](errata?erratum=same-theta)."
    ),
    papers=(
        ui.Paper("Bishop 2006, Pattern recognition and machine learning, section 3.3 (Bayesian linear regression)"),
        ui.Paper(
            "MacKay 1992, A practical Bayesian framework for backpropagation networks",
            "https://doi.org/10.1162/neco.1992.4.3.448",
        ),
        ui.Paper("Hoerl & Kennard 1970, Ridge regression: biased estimation for nonorthogonal problems"),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS)
