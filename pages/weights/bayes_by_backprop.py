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
from bdlviz.ui import Explanation, Page, Scene, View, show

BOTH, MOMENTS = (c.PRIOR_STD, c.KL), (c.MOMENT, c.RANK)
FUNCTIONS, BITS = (c.BESIDE, c.DRAWS, *c.trained(*BOTH)), (c.PER, *c.trained(*BOTH))
PRIOR = (c.DENSITY_AXIS, *c.trained(*BOTH, mixture=c.MIXTURE))
WEIGHT, GRADIENTS, REST = (c.LAYER, *c.trained()), (c.GROUP, *c.trained()), c.ADVANCED
GAP = {"data": "two_clusters", "beside": "deep_ensemble"}
MIXTURE = {"look": "prior", "mixture_weight": "0.25", "prior_std": "0.368", "density_axis": "log"}
IDLE = {"look": "weight", "weight_rank": "100"}

PAGE = Page(
    "weights/bayes_by_backprop",
    "What does a distribution over every weight do?",
    views=(
        View("functions", "The function", functions.drawn, FUNCTIONS, BOTH, (), REST, functions.needed),
        View("prior", "The prior", prior.prior, PRIOR, BOTH, (), REST, network.needed),
        View("weight", "One weight in training", weight.one_weight, WEIGHT, MOMENTS, (), REST, weight.needed),
        View("bits", "The cost in bits", costs.bits, BITS, BOTH, (), REST, costs.needed),
        View("gradients", "Gradient noise", gradients.gradients, GRADIENTS, (c.BATCH,), (), REST, network.needed),
    ),
    scenes=(
        Scene("paper", "Draws of the function", {}),
        Scene("gap", "A gap in the data", GAP, ask=e.BEFORE_GAP),
        Scene("wide", "A wide prior", {"prior_std": "7.39"}, ask=e.BEFORE_WIDE),
        Scene("mixture", "A mixture as prior", MIXTURE),
        Scene("idle", "A weight without use", IDLE),
        Scene("gradients", "Noise of the gradient", {"look": "gradients"}, ask=e.BEFORE_GRADIENTS),
    ),
    former={
        "tight": {"prior_std": "0.0498"},
        "cold": {"kl_weight": "0"},
        "certain": {"look": "weight"},
        "bits": {"look": "bits"},
        "more-data": {"look": "bits", "num_data": "1000"},
    },
    claim="It gives many functions; they agree at the points, and a wider prior lets them differ more elsewhere.",
    explanation=Explanation(
        "Each thin line is the function of one draw of all weights; the band is one standard deviation of the draws. "
        "*Beside it* adds the same network without distributions.",
        "Training fits the points and pays β times the KL: how far every weight's Gaussian is from the prior. At the "
        "points the data decide. Away from them nothing does, so a wider prior gives functions that differ more.",
        "All weights are independent in q. So between two clusters of points the band is about as narrow as at them, "
        "although the truth is far away: see *A gap in the data*. Most weights end as wide as the prior, needed or "
        "not; with a tight prior the functions no longer follow the points.",
    ),
    derivation=derivation.BAYES_BY_BACKPROP,
    exercises=e.BAYES_BY_BACKPROP,
    try_this=(
        "Move *Prior sd σ₁* from left to right. Where does the band change: at the points, or away from them?",
        "Open *One weight in training* and move through the snapshots. What changes first, its mean or its width?",
    ),
    caveat=(
        "For one hidden layer of ReLU a theorem bounds the variance between two clusters (Foong et al. 2020); with two "
        "layers it is what training finds. The 0.02 in the paper's N(0, 0.02) is read as a standard deviation; the "
        "paper does not say. The network assumes one noise level, although the noise of the data varies with x. Two "
        "slips about this method: [the gradient by ρ without ε](errata?erratum=rho-gradient) and [a minibatch that "
        "counts the KL B times](errata?erratum=minibatch-kl)."
    ),
    papers=(
        *(papers.BLUNDELL_2015, papers.HINTON_1993_MDL, papers.KINGMA_2015, papers.ROEDER_2017),
        *(papers.WEN_2018, papers.FOONG_2020),
    ),
)

show(PAGE)
