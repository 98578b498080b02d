"""Sparse variational dropout and ARD: why most weights do not matter."""

from bdlviz.topics import papers
from bdlviz.topics.weights.sparsity import controls as c
from bdlviz.topics.weights.sparsity import views, views_one, views_size, views_table
from bdlviz.topics.weights.sparsity.derivation import SPARSE
from bdlviz.topics.weights.sparsity.exercises import BEFORE_FEW, BEFORE_WEAK, SPARSITY
from bdlviz.topics.weights.sparsity.run import images_of, run_needed
from bdlviz.ui import Explanation, Page, Scene, View, When, show

RUN = (c.IMAGES, c.METHOD, When(lambda setting: images_of(setting) == "digits", (c.WARM_UP,)))
CUT = (c.THRESHOLD,)
SIZE = (c.IMAGES, c.METHOD, When(views_size.shows_digits, (c.WARM_UP, c.NUM_DATA, c.BETA)))

PAGE = Page(
    "weights/sparsity",
    "Why do most weights not matter?",
    views=(
        View("noise", "Weights and their noise", views.noise, RUN, live=(c.MOMENT,), needs=run_needed),
        View("pixels", "Weights of each pixel", views.pixels, RUN, live=(c.MOMENT,), needs=run_needed),
        View("one", "One weight", views_one.one, (c.METHOD,), live=(c.STRENGTH,)),
        View("histograms", "Noise and the threshold", views.histograms, RUN, live=CUT, needs=run_needed),
        View("signal", "Signal and noise", views.signal, RUN, live=CUT, needs=run_needed),
        View("training", "Over training", views.training, RUN, needs=run_needed),
        View("size", "Few and many images", views_size.size, SIZE, needs=views_size.needed),
    ),
    scenes=(
        Scene("end", "End of training", {}),
        Scene("start", "Start of training", {"done": "0"}),
        Scene("ard", "Another prior (ARD)", {"method": "ard"}),
        Scene("weak", "A weak weight", {"look": "one", "strength": "0.8"}, ask=BEFORE_WEAK),
        Scene("no-warm-up", "No warm-up", {"look": "training", "images": "digits", "warm_up": "0"}),
        Scene("few", "100 images", {"look": "size", "images": "digits", "warm_up": "0"}, ask=BEFORE_FEW),
    ),
    former={
        "digits": {"images": "digits"},
        "units": {"look": "pixels"},
        "threshold": {"look": "histograms"},
        "all-removed": {"look": "histograms", "threshold": "-8"},
        "training": {"look": "training"},
        "signal": {"look": "signal"},
        "strong": {"look": "one"},
    },
    claim="In training the noise of most weights grows far above their value; without them the network is as accurate.",
    explanation=Explanation(
        "Left, the noise of fifty weights that stand for all, in multiples of their value. Right, the share "
        "of digits that are right and that of weights left. A weight is removed where its noise has 20 times as much "
        "variance as its squared mean, which is log α above 3.",
        "The network learns the noise of every weight. The KL term favours noise, and the data term favours it only "
        "where a weight does not matter. So the noise of weights without use grows until it covers their value, and "
        "removing them hardly changes an answer.",
        "A weight that was removed early rarely comes back. On 1,000 images of MNIST three trainings without a warm-up "
        "lose all weights and end at 2.30 nats per image; with a warm-up they end at 0.80 to 0.83 nats and keep 0.4 % "
        "of the weights. And a network with scattered zeros is no faster.",
    ),
    derivation=SPARSE,
    exercises=SPARSITY,
    try_this=(
        "Press *Play*. When do most weights go? Are fewer digits right then?",
        "In *Weights of each pixel*: pixels at the border carry no ink. When are their weights removed, and why?",
    ),
    caveat=(
        "The log-uniform prior cannot be normalised: its posterior is improper, and the KL is known up to a constant "
        "(Hron, Matthews & Ghahramani 2018). The objective prefers to keep some weights, so a training that loses all "
        "of them is a failure of the optimisation. Compression counts weights that are left, and neither the memory "
        "for their places nor their bits. The curves are those of one training."
    ),
    papers=(papers.MOLCHANOV_2017, papers.KHARITONOV_2018, papers.KINGMA_2015, papers.HRON_2018),
    tabs={"LeNet-300-100": views_table.table, "Errata": views_table.errata},
)

show(PAGE)
