"""In between: which methods are too certain in a gap between two clusters of data?"""

from bdlviz.topics import papers
from bdlviz.topics.regression.in_between import views
from bdlviz.topics.regression.in_between.controls import ALL, IN_FRONT, SLIDERS
from bdlviz.topics.regression.in_between.exercises import BEFORE_TWO_LAYERS, IN_BETWEEN
from bdlviz.topics.shared.compare_choice import FRONT
from bdlviz.ui import Explanation, Page, Scene, View, show

TWO_LAYERS = {"depth": "2", "length_scale": "2"}

PAGE = Page(
    "regression/in_between",
    "How certain is a method in a gap between the data?",
    views=(
        View("one", "One method in the gap", views.in_front, IN_FRONT, (FRONT,), needs=views.needed_in_front),
        View("gap", "Standard deviations of all methods", views.in_the_gap, ALL, SLIDERS, needs=views.needed),
    ),
    scenes=(
        Scene("functions", "Functions in the gap", {}),
        Scene("one-layer", "Standard deviations", {"look": "gap"}),
        Scene("two-layers", "Two hidden layers", {"look": "gap", **TWO_LAYERS}, ask=BEFORE_TWO_LAYERS),
        Scene("wide", "A wider gap", {"look": "gap", "gap": "2"}),
        Scene("few", "Five points each", {"look": "gap", "per_cluster": "5"}),
    ),
    claim="In a gap the exact posterior is unsure; simple approximations can be far too sure there.",
    explanation=Explanation(
        "Two clusters of points and the gap between them: the exact posterior of the network, and one approximation "
        "in front. The second picture has the standard deviation of all methods, and dash-dotted what two theorems "
        "allow at most.",
        "With one hidden layer of ReLU the variance of Bayes by Backprop in the gap is at most the sum of those at two "
        "points, and that of MC dropout at most the larger one. Both are small at the points, so they are small in "
        "the gap.",
        "With two layers or tanh the theorems do not hold, but training still ends below the exact answer. No theorem "
        "limits the deep ensemble; its standard deviation in the gap depends on the training seed. The exact one is "
        "only as large as the prior allows.",
    ),
    exercises=IN_BETWEEN,
    try_this=(
        "Open *A wider gap*. For which methods does the standard deviation in its middle grow?",
        "Choose *MC dropout* and raise its dropout rate to 0.5: the band widens at the points, too. Does the factor in "
        "the gap change as much?",
    ),
    caveat=(
        "The origin of the theorems (Foong et al. 2020) is that of standardised x, the mean of the data. The ceilings "
        "drawn are the lowest that the training points give. With two hidden layers the paper proves that both "
        "families can have any variance, but in its experiments training does not reach it. In the pictures of "
        "standard deviations, methods with a training seed were trained with 20 of them where a scene shows them; with "
        "other settings, and in front of the exact posterior, the page shows one. The exact standard deviation has an "
        "error of its own: HMC has a thousand draws."
    ),
    papers=(papers.FOONG_2020, papers.FOONG_2019, papers.NEAL_1996),
)

show(PAGE)
