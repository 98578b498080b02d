"""In between: who is too certain in a gap between two clusters of data?"""

from bdlviz import ui
from bdlviz.exercises import regression
from bdlviz.ui.exact import in_between_views

PAGE = ui.Page(
    title="Regression · In between",
    question="Who is too certain in the gap, and by how much?",
    controls=in_between_views.CONTROLS,
    scenes=(
        ui.Scene("one-layer", "One hidden layer", {}, "A theorem holds Bayes by Backprop and MC dropout down."),
        ui.Scene(
            "two-layers",
            "Two hidden layers",
            {"depth": "2", "length_scale": "2"},
            "No theorem any more: they could be as unsure as they like. Does training find it?",
            ask=regression.BEFORE_TWO_LAYERS,
        ),
        ui.Scene("wide", "A wider gap", {"gap": "2"}, "The exact answer opens with the gap. Who follows?"),
        ui.Scene(
            "few", "Five points each", {"per_cluster": "5"}, "Fewer points: more to be unsure of, at the points too."
        ),
    ),
    exercises=regression.IN_BETWEEN,
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
        "training does not use it. One network of each, one prior and one curve: the exact answer itself is unsure "
        "only as far as the prior lets it; with a large ℓ there is little to be unsure of. The deep ensemble has no "
        "theorem against it, yet its members agree here. The exact sd has an error of its own: HMC has a thousand "
        "draws."
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
        in_between_views.choose()
    with view.picture:
        shown = in_between_views.show()
    view.footer_of(shown)
