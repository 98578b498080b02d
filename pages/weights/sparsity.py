"""Sparse variational dropout and ARD: why most weights do not matter."""

from bdlviz.topics import papers
from bdlviz.topics.weights.sparsity import controls as c
from bdlviz.topics.weights.sparsity import views, views_one, views_size, views_table
from bdlviz.topics.weights.sparsity.derivation import SPARSE
from bdlviz.topics.weights.sparsity.exercises import BEFORE_FEW, BEFORE_WEAK, SPARSITY
from bdlviz.topics.weights.sparsity.run import images_of, run_needed
from bdlviz.ui import Page, Scene, View, When, show

RUN = (c.IMAGES, c.METHOD, When(lambda setting: images_of(setting) == "digits", (c.WARM_UP,)))
CUT = (c.THRESHOLD,)
SIZE = (c.IMAGES, c.METHOD, When(views_size.shows_digits, (c.WARM_UP, c.NUM_DATA, c.BETA)))

PAGE = Page(
    "weights/sparsity",
    "Why do most weights not matter?",
    views=(
        View("pixels", "weights are removed", views.pixels, RUN, live=(c.MOMENT,), needs=run_needed),
        View("units", "single units", views.units, (*RUN, c.UNITS), live=CUT, needs=run_needed),
        View("histograms", "log α and the threshold", views.histograms, RUN, live=CUT, needs=run_needed),
        View("training", "over training", views.training, RUN, needs=run_needed),
        View("signal", "signal against noise", views.signal, RUN, live=CUT, needs=run_needed),
        View("size", "few and many images", views_size.size, SIZE, needs=views_size.needed),
        View("one", "one weight", views_one.one, (c.METHOD,), live=(c.STRENGTH,)),
    ),
    scenes=(
        Scene("start", "Weights are removed", {}, "Every weight has learned its noise. Move the slider below."),
        Scene("digits", "8×8", {"images": "digits"}, "The same on scikit-learn's small digits."),
        Scene("units", "Units", {"look": "units"}, "The incoming weights of single units, before and after pruning."),
        Scene("threshold", "Threshold", {"look": "histograms"}, "Many thresholds give the same accuracy."),
        Scene(
            "all-removed",
            "All but one removed",
            {"look": "histograms", "threshold": "-8"},
            "One weight of 266,200 is left here, and the biases.",
        ),
        Scene("training", "Training", {"look": "training"}, "First the data term falls, then weights are removed."),
        Scene(
            "no-warm-up",
            "No warm-up",
            {"look": "training", "images": "digits", "warm_up": "0"},
            "With the KL term from the first step, weights are removed before they have learned anything.",
        ),
        Scene("signal", "Signal and noise", {"look": "signal"}, "Above the line: 20 times as much noise as signal."),
        Scene(
            "few",
            "N = 100",
            {"look": "size", "images": "digits", "warm_up": "0"},
            "All weights are removed. Switch the warm-up on and compare the two sums.",
            BEFORE_FEW,
        ),
        Scene("strong", "A strong weight", {"look": "one"}, "The data determine this weight, so one noise is best."),
        Scene(
            "weak",
            "A weak weight",
            {"look": "one", "strength": "0.8"},
            "Below c = 1 the objective falls with every increase of the noise.",
            BEFORE_WEAK,
        ),
        Scene("ard", "ARD", {"method": "ard"}, "Another prior, learned for each weight: about as many are removed."),
    ),
    derivation=SPARSE,
    exercises=SPARSITY,
    try_this=(
        "Move the slider under the picture: border pixels carry no ink. When are their weights removed, and why?",
        "In *log α and the threshold*, move from 3 to 0 to −8. At which threshold does the accuracy fall?",
        "In *one weight*, lower c from 10 to 1. Where does the minimum go, and how large is the gain there?",
        "Switch to ARD in *one weight*: the transition is at the same c. What is different for strong weights?",
        "In *few and many images*, compare N = 100 with 1,437, then set β to 0.1. What do you lose for the weights?",
    ),
    caveat=(
        "The log-uniform prior cannot be normalised: its posterior is improper, and the KL is known up to a constant "
        "(Hron, Matthews & Ghahramani 2018). With fewer images the objective keeps fewer weights. But a weight that "
        "was removed early rarely comes back. On 1,000 images of MNIST three trainings without a warm-up lose all "
        "of them and end at 2.30 nats per image; with one over half of the training they end at 0.80 to 0.83 nats and "
        "keep 0.4 % of the weights. So the objective prefers to keep some weights, and a training that loses all of "
        "them is a failure of the optimisation. Compression counts weights that are left. It counts neither the memory "
        "for their places nor their bits, and a network with scattered zeros is no faster."
    ),
    papers=(papers.MOLCHANOV_2017, papers.KHARITONOV_2018, papers.KINGMA_2015, papers.HRON_2018),
    tabs={"LeNet-300-100": views_table.table, "Errata": views_table.errata},
)

show(PAGE)
