"""Bayes by Backprop: what does a distribution over every weight mean for the function?"""

from bdlviz.topics import papers
from bdlviz.topics.weights.bayes_by_backprop import controls as c
from bdlviz.topics.weights.bayes_by_backprop import derivation, network
from bdlviz.topics.weights.bayes_by_backprop import exercises as e
from bdlviz.topics.weights.bayes_by_backprop import views_costs as costs
from bdlviz.topics.weights.bayes_by_backprop import views_functions as functions
from bdlviz.topics.weights.bayes_by_backprop import views_gradients as gradients
from bdlviz.topics.weights.bayes_by_backprop import views_prior as prior
from bdlviz.topics.weights.bayes_by_backprop import views_weight as weight
from bdlviz.ui import Page, Scene, View, show

BOTH, MOMENTS = (c.PRIOR_STD, c.KL), (c.MOMENT, c.RANK)
FUNCTIONS, BITS = (c.BESIDE, *c.trained(*BOTH)), (c.PER, *c.trained(*BOTH))
PRIOR = (c.DENSITY_AXIS, *c.trained(*BOTH, mixture=c.MIXTURE))
WEIGHT, GRADIENTS, REST = (c.LAYER, *c.trained()), (c.GROUP, *c.trained()), c.ADVANCED
GAP = {"data": "two_clusters", "beside": "deep_ensemble"}
MIXTURE = {"look": "prior", "mixture_weight": "0.25", "prior_std": "0.368", "density_axis": "log"}
MORE, IDLE = {"look": "bits", "num_data": "1000"}, {"look": "weight", "weight_rank": "100"}

PAGE = Page(
    "weights/bayes_by_backprop",
    "What does a distribution over every weight mean for the function?",
    views=(
        View("functions", "the function", functions.quartiles, FUNCTIONS, (*BOTH, c.DRAWS), (), REST, functions.needed),
        View("prior", "the prior", prior.prior, PRIOR, BOTH, (), REST, network.needed),
        View("weight", "one weight in training", weight.one_weight, WEIGHT, MOMENTS, (), REST, weight.needed),
        View("bits", "the cost in bits", costs.bits, BITS, BOTH, (), REST, costs.needed),
        View("gradients", "gradient noise", gradients.gradients, GRADIENTS, (c.BATCH,), (), REST, network.needed),
    ),
    scenes=(
        Scene("paper", "Paper, Fig. 5", {}, "The draws agree where there are points, and differ where there are none."),
        Scene(
            "gap",
            "A gap in the data",
            GAP,
            "Between the clusters q is about as certain as at them, and the truth is far away. With most training "
            "seeds an ensemble of five networks is even more certain.",
            e.BEFORE_GAP,
        ),
        Scene(
            "wide",
            "Wide prior",
            {"prior_std": "7.39"},
            "Large weights are allowed: away from the data the functions differ widely.",
            e.BEFORE_WIDE,
        ),
        Scene("tight", "Tight prior", {"prior_std": "0.0498"}, "Only small weights: the functions follow the prior."),
        Scene("cold", "No prior", {"kl_weight": "0"}, "β = 0: only the likelihood counts, and the band is narrow."),
        Scene(
            "mixture",
            "Scale mixture",
            MIXTURE,
            "Weights may shrink to nearly zero. Few did: the narrow part acts only on weights about as small as σ₂.",
        ),
        Scene("certain", "Most certain weight", {"look": "weight"}, "Where the data determine a weight, q is narrow."),
        Scene("idle", "Least certain weight", IDLE, "The q of a weight that the function does not need is the prior."),
        Scene("bits", "In bits", {"look": "bits"}, "Fewer bits for the errors need more bits for the weights."),
        Scene("more-data", "Bits, 1,000 points", MORE, "Five times the points share one network: does it save bits?"),
        Scene(
            "gradients",
            "Gradient noise",
            {"look": "gradients"},
            "Only with a draw for every point does the noise average out with B.",
            e.BEFORE_GRADIENTS,
        ),
    ),
    derivation=derivation.BAYES_BY_BACKPROP,
    exercises=e.BAYES_BY_BACKPROP,
    try_this=(
        "Move σ₁ from left to right. Where does the band change: at the data, or away from them?",
        "Open *A gap in the data*. Raise σ₁ as far as it goes: does the band between the clusters ever become wide?",
        "Open *one weight in training* and move through the snapshots. Does the mean change first, or the width of q?",
        "Open *the prior*, set σ₁ to 2.7: how many weights are as wide as the prior, hardly changed by the data?",
        "Open *the cost in bits*: which σ₁ gives the shortest message, and does the network save any bits?",
        "Open *the gradient's noise* and go from B = 1 to 128. Which estimator's noise falls like 1/B?",
    ),
    caveat=(
        "In q all weights are independent (mean field). Between two clusters it is hardly less certain than at them: "
        "for one hidden layer of ReLU a theorem bounds its variance there by the sum of those on both sides (Foong et "
        "al. 2020). With two layers it is what training finds, as the scene *A gap in the data* shows. An ensemble has "
        "no such bound; its sd there differs several times over between training seeds, and is mostly below that of q. "
        "The 0.02 in the paper's N(0, 0.02) is read as a standard deviation; the paper does not say. The network "
        "assumes one noise level, estimated from the data, although the noise of the data varies with x. Most weights "
        "end as wide as their prior: the ELBO has a KL term for every weight, needed or not, and a larger network may "
        "fit worse (underfitting). With a tight prior the data have hardly any effect, with ρ near −20 the prior has "
        "none. Two slips about this method: [the gradient by ρ without ε](errata?erratum=rho-gradient) and "
        "[a minibatch that counts the KL B times](errata?erratum=minibatch-kl)."
    ),
    papers=(papers.BLUNDELL_2015, papers.HINTON_1993_MDL, papers.KINGMA_2015, papers.WEN_2018, papers.FOONG_2020),
)

show(PAGE)
