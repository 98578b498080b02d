"""Bayes' rule: what is known after the data, a point or a distribution?"""

from bdlviz.topics import papers
from bdlviz.topics.foundations.bayes_rule import controls, exercises, views_maps, views_networks
from bdlviz.ui import Explanation, Page, Scene, View, show

THREE = {"points_seen": "3"}

PAGE = Page(
    "foundations/bayes_rule",
    "What is known after seeing the data?",
    views=(
        View("maps", "Two parameters", views_maps.maps, controls.MAPS, controls.LIVE_MAPS),
        View("four", "Four networks", views_networks.networks, controls.NETWORKS, controls.LIVE_NETWORKS),
    ),
    scenes=(
        Scene("one", "One point", {}, ask=exercises.BEFORE_ONE),
        Scene(
            "network",
            "Two equal peaks",
            {"family": "network", "predict_by": "mean", "points_seen": "10"},
            ask=exercises.BEFORE_NETWORK,
        ),
        Scene("ridge", "A strong prior", THREE | {"prior_std": "0.2", "predict_by": "map"}),
        Scene("sure", "Too little noise assumed", THREE | {"assumed_std": "0.1"}),
        Scene("same-x", "All points at one x", {"data": "same", "points_seen": "20"}),
        Scene(
            "four-wrong",
            "No network is right",
            {"look": "four", "four_truth": "between", "four_points": "100"},
            ask=exercises.BEFORE_FOUR_WRONG,
        ),
    ),
    former={
        "three": THREE,
        "none": {"points_seen": "0"},
        "four": {"look": "four"},
        "twenty": {"points_seen": "20"},
        "last": THREE | {"update_by": "last"},
        "flat": THREE | {"prior_std": "inf"},
        "four-prior": {"look": "four", "odds_2": "20", "four_points": "4"},
    },
    claim="Each point rules lines out; the prediction is the average of the lines that are left.",
    explanation=Explanation(
        "Every place in a map is one line: point at one, and it is drawn into the prediction. The dots are drawn from "
        "the posterior. The outline holds 95 % of the posterior, the dotted one 95 % of the prior: their areas are "
        "compared. ✕ is the best fit to the points (MLE), ◇ the peak of the posterior (MAP).",
        "A point has a high likelihood on lines that pass near it: a ridge in the map. The posterior is prior times "
        "likelihood, so each point removes lines. The average over the rest knows where they disagree; MAP does not.",
        "With many points average and MAP nearly agree: over ten data seeds the average surprise at new points (minus "
        "the log density, in nats) of MLE, MAP and average is 4.67, 4.51 and 1.88 with one point, 1.88, 1.41 and 1.34 "
        "with three, 1.11, 1.10 and 1.09 with twenty. "
        "If the assumed noise is too small, the posterior is too narrow, and the maps do not show it. If all "
        "hypotheses are wrong, much data still select one.",
    ),
    exercises=exercises.BAYES_RULE,
    try_this=(
        "Set N to 0 and move it point by point. Which direction of the posterior shrinks with which point?",
        "Set N to 1 and change the data seed. For which seeds is the MAP better than the average? And with N = 10?",
    ),
    caveat=(
        "The posterior is computed at up to 648 × 648 nodes of a grid that is fitted to it; for a line it agrees with "
        "the closed form, unless it is a very thin ridge; then the page says so. A grid is possible for two weights, "
        "hardly for three, and not for the thousands of a network. A flat prior over all numbers does not exist: here "
        "it ends at ±10. The four networks are our own example. Errata of lectures: "
        "[the ridge weight is σ²/λ, not λ](errata?erratum=ridge), "
        "[a posterior without the evidence](errata?erratum=proportional) and "
        "[one θ listed twice](errata?erratum=same-theta)."
    ),
    papers=(papers.BISHOP_2006_LINEAR, papers.MACKAY_1992, papers.HOERL_1970),
)

show(PAGE)
