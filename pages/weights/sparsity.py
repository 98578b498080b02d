"""Sparse variational dropout and ARD: why do most weights not matter?"""

from bdlviz import ui
from bdlviz.topics.weights.sparsity import derivation, exercises, views, views_one, views_runs, views_size, views_table

VIEWS = ui.Views(
    {
        "pixels": ("weights die", views_runs.choose, views.show_pixels),
        "units": (
            "single units",
            lambda: (views_runs.choose_with_threshold(), views.UNITS.show()),
            views.show_units,
        ),
        "histograms": ("log α and the threshold", views_runs.choose_with_threshold, views.show_histograms),
        "training": ("over training", views_runs.choose, views.show_training),
        "signal": ("signal against noise", views_runs.choose_with_threshold, views.show_signal),
        "size": ("few and many images", views_size.choose, views_size.show_size),
        "one": ("one weight", views_one.choose, views_one.show_one),
    },
    "pixels",
)
PAGE = ui.Page(
    title="Weights · Sparse variational dropout and ARD",
    question="Why do most weights not matter?",
    controls=(
        VIEWS.control,
        *views_runs.CONTROLS,
        *views.CONTROLS,
        *views_size.CONTROLS,
        *views_one.CONTROLS,
    ),
    scenes=(
        ui.Scene("start", "Weights die", {}, "Every weight learned how much noise it bears. Scrub: who goes first?"),
        ui.Scene("digits", "8×8", {"images": "digits"}, "The same on scikit-learn's small digits."),
        ui.Scene("units", "Units", {"look": "units"}, "What the first layer sees, and the little it needs."),
        ui.Scene(
            "threshold",
            "Threshold",
            {"look": "histograms"},
            "Most weights are noise: over a wide range it hardly matters where one cuts.",
        ),
        ui.Scene(
            "all-removed",
            "All removed",
            {"look": "histograms", "threshold": "-8"},
            "Cut too low, only biases are left: one class for every digit.",
        ),
        ui.Scene("training", "Training", {"look": "training"}, "First the data speak, then the KL term sets in."),
        ui.Scene(
            "no-warm-up",
            "No warm-up",
            {"look": "training", "images": "digits", "warm_up": "0"},
            "With the KL term from the first step, weights go before the data have spoken.",
        ),
        ui.Scene(
            "signal",
            "Signal and noise",
            {"look": "signal"},
            "Above the line a weight has 20 times as much noise as signal.",
        ),
        ui.Scene(
            "few",
            "N = 100",
            {"look": "size", "images": "digits", "warm_up": "0"},
            "Everything goes. Then switch the warm-up on: which of the two pays less?",
            ask=exercises.BEFORE_FEW,
        ),
        ui.Scene("strong", "A strong weight", {"look": "one"}, "The data care: there is a best noise."),
        ui.Scene(
            "weak",
            "A weak weight",
            {"look": "one", "strength": "0.8"},
            "Below c = 1 every further noise is a gain.",
            ask=exercises.BEFORE_WEAK,
        ),
        ui.Scene("ard", "ARD", {"method": "ard"}, "Another prior, learned for each weight: about as many go."),
    ),
    derivation=derivation.SPARSE,
    exercises=exercises.SPARSITY,
    try_this=(
        "Scrub the training below the picture: border pixels carry no ink. When do they go, and why so late?",
        "In *log α and the threshold*, move from 3 to 0 to −8. Where does the accuracy break?",
        "In *one weight*, lower c from 10 to 1. Where does the minimum go, and how much is gained there?",
        "Switch to ARD in *one weight*: the transition is at the same c. What is different for strong weights?",
        "In *few and many images*, compare N = 100 with 1,437, then set β to 0.1: what do you give up for the weights?",
    ),
    caveat=(
        "The log-uniform prior cannot be normalised: its posterior is improper, and the KL is known up to a constant "
        "(Hron, Matthews & Ghahramani 2018). Fewer images pay for fewer weights: that is what the objective says. But "
        "weights that go early hardly come back. On 1,000 images of MNIST three trainings without a warm-up lose all "
        "of them and end at 2.30 nats per image; with one over half of the training they end at 0.80 to 0.83 nats and "
        "keep 0.4 % of the weights. So the objective prefers to keep some weights, and a training that loses all of "
        "them is a failure of the optimisation. "
        "Compression counts weights that are left; it holds neither their places nor their bits, and a network with "
        "scattered zeros is no faster."
    ),
    papers=(
        ui.Paper(
            "Molchanov, Ashukha & Vetrov 2017, Variational dropout sparsifies", "https://arxiv.org/abs/1701.05369"
        ),
        ui.Paper(
            "Kharitonov, Molchanov & Vetrov 2018, Variational dropout via empirical Bayes",
            "https://arxiv.org/abs/1811.00596",
        ),
        ui.Paper(
            "Kingma, Salimans & Welling 2015, Variational dropout and the local reparameterization trick",
            "https://arxiv.org/abs/1506.02557",
        ),
        ui.Paper(
            "Hron, Matthews & Ghahramani 2018, Variational Bayesian dropout: pitfalls and fixes",
            "https://arxiv.org/abs/1807.01969",
        ),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS, more=views_table.tabs())
