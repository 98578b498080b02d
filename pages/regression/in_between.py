"""In between: who is too certain in a gap between two clusters of data?"""

from bdlviz import ui
from bdlviz.topics.regression.in_between import exercises, views

PAGE = ui.Page(
    title="Regression · In between",
    question="Who is too certain in the gap, and by how much?",
    controls=views.CONTROLS,
    scenes=(
        ui.Scene(
            "one-layer", "One hidden layer", {}, "A theorem limits the variance of Bayes by Backprop and of MC dropout."
        ),
        ui.Scene(
            "two-layers",
            "Two hidden layers",
            {"depth": "2", "length_scale": "2"},
            "With two hidden layers no theorem limits the variance. Does training find a larger one?",
            ask=exercises.BEFORE_TWO_LAYERS,
        ),
        ui.Scene("wide", "A wider gap", {"gap": "2"}, "The exact sd grows with the gap. Which methods follow?"),
        ui.Scene(
            "few", "Five points each", {"per_cluster": "5"}, "Fewer points: more to be unsure of, at the points too."
        ),
    ),
    exercises=exercises.IN_BETWEEN,
    try_this=(
        "Hold the dash-dotted ceiling of Bayes by Backprop against the exact curve: could any training reach it?",
        "Walk the gap from 0.3 to 2. Whose sd in its middle grows?",
        "Raise the dropout rate to 0.5: the whole curve of MC dropout rises. Does the ratio to its own sd at the data?",
        "Choose two hidden layers. The ceilings are gone: which method uses that?",
        "Choose tanh: the theorems speak of ReLU alone. Is anything else?",
    ),
    caveat=(
        "The theorems, for one hidden layer of ReLU (Foong et al. 2020). *1*: with independent Gaussian weights, if "
        "the segment from p to q holds the origin and r on it is closer to the origin than both, then Var f(r) ≤ "
        "Var f(p) + Var f(q). *2*: with MC dropout whose inputs are never dropped, Var f(r) at any r between some "
        "points is at most the largest of their variances. The origin is that of standardised x, the mean of the "
        "data. The ceilings drawn are the lowest that the training points give. They bound the method, whatever its "
        "training; with two hidden layers the paper proves that both families can have any variance, and finds that "
        "training does not use it. One prior and one curve: the exact sd in the gap is only as large as the prior "
        "allows, and small with a large ℓ. No theorem limits the deep ensemble. Its sd in the gap depends on the "
        "training seed more than that of any other method here, several times over. In the four scenes every method "
        "that has a training seed was therefore trained with 20 of them; with other settings the page trains one. The "
        "exact sd has an error of its own: HMC has a thousand draws."
    ),
    papers=(
        ui.Paper(
            "Foong et al. 2020, On the expressiveness of approximate inference", "https://arxiv.org/abs/1909.00719"
        ),
        ui.Paper("Foong et al. 2019, ‘In-between’ uncertainty", "https://arxiv.org/abs/1906.11537"),
        ui.Paper("Neal 1996, Bayesian learning for neural networks"),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        views.choose()
    with view.picture:
        shown = views.show()
    view.footer_of(shown)
