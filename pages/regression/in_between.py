"""In between: which methods are too certain in a gap between two clusters of data?"""

from bdlviz.topics import papers
from bdlviz.topics.regression.in_between import views
from bdlviz.topics.regression.in_between.controls import CONTROLS, SLIDERS
from bdlviz.topics.regression.in_between.exercises import BEFORE_TWO_LAYERS, IN_BETWEEN
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "regression/in_between",
    "Which methods are too certain in the gap, and by how much?",
    views=(View("gap", "the gap", views.in_the_gap, CONTROLS, SLIDERS, needs=views.needed),),
    scenes=(
        Scene(
            "one-layer", "One hidden layer", {}, "A theorem limits the variance of Bayes by Backprop and of MC dropout."
        ),
        Scene(
            "two-layers",
            "Two hidden layers",
            {"depth": "2", "length_scale": "2"},
            "With two hidden layers no theorem limits the variance. Does training find a larger one?",
            BEFORE_TWO_LAYERS,
        ),
        Scene("wide", "A wider gap", {"gap": "2"}, "The exact sd grows with the gap. Which methods follow?"),
        Scene(
            "few",
            "Five points each",
            {"per_cluster": "5"},
            "With fewer points the exact sd is larger, also at the points. That of the ensemble and MC dropout is not.",
        ),
    ),
    exercises=IN_BETWEEN,
    try_this=(
        "Compare the dash-dotted ceiling of Bayes by Backprop with the exact curve: could any training reach it?",
        "Move the gap from 0.3 to 2. For which methods does the sd in its middle grow?",
        "Raise the dropout rate to 0.5: the whole curve of MC dropout rises. Does the relative sd in the gap rise too?",
        "Choose two hidden layers. There is no upper bound: which methods reach a larger sd?",
        "Choose tanh: the theorems hold for ReLU only. Does anything else change?",
    ),
    caveat=(
        "The theorems hold for one hidden layer of ReLU (Foong et al. 2020). *1*: with independent Gaussian weights, "
        "if the segment from p to q contains the origin and r on it is closer to the origin than both, then Var f(r) ≤ "
        "Var f(p) + Var f(q). *2*: with MC dropout whose inputs are never dropped, Var f(r) at any r between some "
        "points is at most the largest of their variances. The origin is that of standardised x, the mean of the "
        "data. The ceilings drawn are the lowest that the training points give. They bound the method, whatever its "
        "training. With two hidden layers the paper proves that both families can have any variance, but in its "
        "experiments training does not reach it. "
        "The page shows one prior and one curve: the exact sd in the gap is only as large as "
        "the prior allows, and small with a large ℓ. No theorem limits the deep ensemble. Its sd in the gap depends on "
        "the training seed more than that of any other method here, several times over. In the four scenes every "
        "method that has a training seed was therefore trained with 20 of them; with other settings the page trains "
        "one. The exact sd has an error of its own: HMC has a thousand draws."
    ),
    papers=(papers.FOONG_2020, papers.FOONG_2019, papers.NEAL_1996),
)

show(PAGE)
