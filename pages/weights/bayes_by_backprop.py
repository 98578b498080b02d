"""Bayes by Backprop: what does a distribution over every weight say about the function?"""

from bdlviz import ui
from bdlviz.topics.weights.bayes_by_backprop import (
    derivation,
    exercises,
    views_costs,
    views_functions,
    views_gradients,
    views_prior,
    views_setting,
)

VIEWS = ui.LegacyViews(
    {
        "functions": ("the function", views_functions.choose, views_functions.show),
        "prior": ("the prior", views_prior.choose_prior, views_prior.show_prior),
        "weight": ("one weight in training", views_prior.choose_weight, views_prior.show_weight),
        "bits": ("what it costs in bits", views_costs.choose, views_costs.show),
        "gradients": ("the gradient's noise", views_gradients.choose, views_gradients.show),
    },
    "functions",
)
PAGE = ui.LegacyPage(
    title="Weights · Bayes by Backprop",
    question="What does a distribution over every weight say about the function?",
    controls=(
        VIEWS.control,
        *views_functions.CONTROLS,
        *views_prior.CONTROLS,
        *views_costs.CONTROLS,
        *views_gradients.CONTROLS,
        *views_setting.SETTING,
        *views_setting.DATA,
    ),
    scenes=(
        ui.Scene("paper", "Paper, Fig. 5", {}, "Draws agree where there are points, and part where there are none."),
        ui.Scene(
            "gap",
            "A gap in the data",
            {"data": "two_clusters", "beside": "deep_ensemble"},
            "Between the clusters q is about as certain as at them, and the truth is far away. With most training "
            "seeds an ensemble of five networks is even more certain.",
            ask=exercises.BEFORE_GAP,
        ),
        ui.Scene(
            "wide",
            "Wide prior",
            {"prior_std": "7.39"},
            "Large weights are allowed: away from the data all is possible.",
            ask=exercises.BEFORE_WIDE,
        ),
        ui.Scene(
            "tight",
            "Tight prior",
            {"prior_std": "0.0498"},
            "Small weights only: the prior wins over the data.",
        ),
        ui.Scene(
            "cold", "No prior", {"kl_weight": "0"}, "β = 0: only the data count, and the band closes where it can."
        ),
        ui.Scene(
            "mixture",
            "Scale mixture",
            {"look": "prior", "mixture_weight": "0.25", "prior_std": "0.368", "density_axis": "log"},
            "Weights may shrink to nearly zero. Few took the offer: the narrow part pulls no farther than σ₂ reaches.",
        ),
        ui.Scene(
            "certain", "Most certain weight", {"look": "weight"}, "What the data know of is narrower than the prior."
        ),
        ui.Scene(
            "idle",
            "Least certain weight",
            {"look": "weight", "weight_rank": "100"},
            "A weight that the function does not need widens until it is the prior.",
        ),
        ui.Scene("bits", "In bits", {"look": "bits"}, "Fewer bits for errors have to be paid with bits for weights."),
        ui.Scene(
            "more-data",
            "Bits, 1,000 points",
            {"look": "bits", "num_data": "1000"},
            "The same network shared by five times the points: does it pay for itself?",
        ),
        ui.Scene(
            "gradients",
            "Gradient noise",
            {"look": "gradients"},
            "Only a draw for every point averages out with B.",
            ask=exercises.BEFORE_GRADIENTS,
        ),
    ),
    derivation=derivation.BAYES_BY_BACKPROP,
    exercises=exercises.BAYES_BY_BACKPROP,
    try_this=(
        "Walk σ₁ from left to right. Where does the band change: at the data, or away from them?",
        "Open *A gap in the data*. Raise σ₁ as far as it goes: does the band between the clusters ever open?",
        "Open *one weight in training* and scrub the snapshots. Which comes first: the mean moves, or q widens?",
        "Open *the prior*, set σ₁ to 2.7: how many weights are as wide as the prior, so that the data said nothing of "
        "them?",
        "Open *what it costs in bits*: which σ₁ gives the shortest message, and does the network save anything at all?",
        "Open *the gradient's noise* and go from B = 1 to 128. Whose noise falls like 1/B?",
    ),
    caveat=(
        "q takes every weight by itself (mean field). Between two clusters it is hardly less certain than at them: for "
        "one hidden layer of ReLU a theorem caps its variance there by the sum of those on both sides (Foong et al. "
        "2020), with two it is what training finds, as the scene *A gap in the data* shows. An ensemble has no such "
        "bound; its sd there differs several times over between training seeds, and is mostly below that of q. "
        "The 0.02 in the paper's N(0, 0.02) is read as a standard deviation; "
        "the paper does not say. The noise "
        "that the network assumes is one number, estimated from the data, though theirs varies with x. Most weights "
        "end as wide as their prior: the ELBO pays for every weight, needed or not, and a larger network may fit "
        "worse (underfitting). A tight prior leaves hardly a trace of the data, ρ near −20 none of the prior. Two "
        "slips about this method: [the gradient by ρ without ε](errata?erratum=rho-gradient) and [a minibatch that "
        "counts the KL B times](errata?erratum=minibatch-kl)."
    ),
    papers=(
        ui.Paper("Blundell et al. 2015, Weight uncertainty in neural networks", "https://arxiv.org/abs/1505.05424"),
        ui.Paper(
            "Hinton & van Camp 1993, Keeping the neural networks simple by minimizing the description length of the "
            "weights"
        ),
        ui.Paper(
            "Kingma, Salimans & Welling 2015, Variational dropout and the local reparameterization trick",
            "https://arxiv.org/abs/1506.02557",
        ),
        ui.Paper("Wen et al. 2018, Flipout", "https://arxiv.org/abs/1803.04386"),
        ui.Paper(
            "Foong et al. 2020, On the expressiveness of approximate inference", "https://arxiv.org/abs/1909.00719"
        ),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS)
