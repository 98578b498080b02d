"""Bayes' rule: what is known after the data, a point or a distribution?"""

from bdlviz.topics import papers
from bdlviz.topics.foundations.bayes_rule import controls, exercises, views_maps, views_networks
from bdlviz.ui import Page, Scene, View, show

FOUR, STRONG = {"look": "four"}, {"prior_std": "0.2", "predict_by": "map"}

PAGE = Page(
    "foundations/bayes_rule",
    "What is known after seeing the data: a point or a distribution?",
    views=(
        View("maps", "two parameters", views_maps.maps, controls.MAPS, controls.LIVE_MAPS),
        View("four", "four networks", views_networks.networks, controls.NETWORKS, controls.LIVE_NETWORKS),
    ),
    scenes=(
        Scene("three", "Three points", {}, "Posterior ∝ prior × likelihood. The thin lines are sampled from it."),
        Scene("none", "No data", {"points_seen": "0"}, "Without data the posterior is the prior."),
        Scene(
            "one",
            "One point",
            {"points_seen": "1"},
            "The posterior is a ridge: all lines through the point that the prior allows.",
            exercises.BEFORE_ONE,
        ),
        Scene(
            "network",
            "Symmetric weights",
            {"family": "network", "predict_by": "mean", "points_seen": "10"},
            "Two modes give one function. Their mean gives the function 0. Average functions, not weights.",
            exercises.BEFORE_NETWORK,
        ),
        Scene("four", "Four networks", FOUR, "Bayes' rule in a table: every number can be checked by hand."),
        Scene("twenty", "Twenty points", {"points_seen": "20"}, "MLE, MAP and the posterior average nearly agree."),
        Scene("last", "Sequential update", {"update_by": "last"}, "The posterior of two is the prior for the third."),
        Scene("flat", "Flat prior", {"prior_std": "inf"}, "With a flat prior MAP is maximum likelihood."),
        Scene("ridge", "Strong prior", STRONG, "MAP is ridge regression: slope and intercept are pulled to 0."),
        Scene(
            "sure",
            "Noise too small",
            {"assumed_std": "0.1"},
            "The assumed noise is too small: the posterior is too narrow, and the loss on new points is large.",
        ),
        Scene(
            "same-x",
            "All at one x",
            {"data": "same", "points_seen": "20"},
            "Twenty points at one x determine only the height there, and no slope.",
        ),
        Scene(
            "four-prior",
            "Prior against data",
            FOUR | {"odds_2": "20", "four_points": "4"},
            "Maximum likelihood and MAP select different networks.",
        ),
        Scene(
            "four-wrong",
            "None is right",
            FOUR | {"four_truth": "between", "four_points": "100"},
            "With much data the posterior is on one network, and this network is wrong.",
            exercises.BEFORE_FOUR_WRONG,
        ),
    ),
    exercises=exercises.BAYES_RULE,
    try_this=(
        "Start with *No data* and move N one by one. Which direction of the posterior shrinks with which point?",
        "Open *Sequential update*. Does the posterior differ from that of all points at once? Switch *Update by*.",
        "Open *Strong prior* and raise N to 20. Which has more influence, the prior or the points, and why?",
        "Set N to 1 and move the data seed. How often does the average predict new points best? And with N = 10?",
        "Choose *Your own points* and click one far above the others. Does the line follow, and does the band?",
        "Open *Symmetric weights* and show the prediction of MAP, then of the posterior average.",
        "Open *Four networks*. Where do networks 1 and 3 differ, and what does the average predict there?",
    ),
    caveat=(
        "The posterior is computed at up to 648 × 648 nodes of a grid that is fitted to it. For a line it agrees with "
        "the closed form to many digits, unless the posterior is a very thin ridge; then the page says so. "
        "A grid is possible for two parameters, hardly for three, and not for the thousands of a network: "
        "therefore the other pages use approximations. The noise is assumed to be known. If it is too small, the "
        "posterior is too narrow, and the maps do not show this. A flat prior over all numbers does not exist: "
        "here it ends at ±10, and with fewer than two different x the posterior ends there, too. "
        "The average is better mainly with few points: over the ten data seeds the mean losses of MLE, MAP and "
        "average are 4.67, 4.51 and 1.88 nats with one point, 1.88, 1.41 and 1.34 with three, 1.11, 1.10 and 1.09 with "
        "twenty. "
        "Bayes' rule compares only the hypotheses that it is given: with much data the posterior is on one of the four "
        "networks even if all four are wrong. The four networks are our own example. Errata of the lectures: "
        "[the ridge weight is σ²/λ, not λ](errata?erratum=ridge), "
        "[a posterior without the evidence](errata?erratum=proportional) and [one θ listed "
        "twice](errata?erratum=same-theta)."
    ),
    papers=(papers.BISHOP_2006_LINEAR, papers.MACKAY_1992, papers.HOERL_1970),
    look_label="Hypotheses",
)

show(PAGE)
