"""Which weights matter: Bayes by Backprop on digits, and what remains when uncertain weights are removed."""

from bdlviz.topics import papers
from bdlviz.topics.weights.signal_to_noise import controls as c
from bdlviz.topics.weights.signal_to_noise import exercises as e
from bdlviz.topics.weights.signal_to_noise import views, views_digits
from bdlviz.topics.weights.signal_to_noise.run import needed, notebook_needed
from bdlviz.ui import Page, Scene, View, show

RUN = (c.IMAGES, c.PRESET, c.ABOUT_PRESET)
DIGIT = (c.IMAGES, c.WHOSE, c.ORDER)

PAGE = Page(
    "weights/signal_to_noise",
    "How many weights can be removed before the error rises?",
    views=(
        View("removal", "weights removed", views.removal, (*RUN, c.PREDICTS), live=(c.REMOVED,), needs=needed),
        View("ratios", "signal-to-noise ratios", views.ratios, RUN, needs=needed),
        View("histograms", "histograms of weights", views.histograms, RUN, needs=needed),
        View("course", "error over training", views.over_training, RUN, needs=needed),
        View("uncertain", "uncertain digits", views_digits.uncertain, DIGIT, live=(c.RANK,), needs=views_digits.needed),
        View("notebook", "the notebook's network", views_digits.notebook, (c.IMAGES,), needs=notebook_needed),
    ),
    scenes=(
        Scene("removal", "75 % removed", {}, "Three quarters of the weights are noise: the error does not rise."),
        Scene(
            "most",
            "98 % removed",
            {"removed": "98"},
            "Two weights in a hundred are left: which pixels keep theirs?",
        ),
        Scene(
            "all",
            "All removed",
            {"removed": "100"},
            "Only biases are left: every digit gets the same answer.",
            e.BEFORE_ALL_REMOVED,
        ),
        Scene(
            "tiny",
            "Tiny σ",
            {"preset": "small_sigma", "removed": "90"},
            "σ was never learned, so weights are ranked by size alone, and the error rises.",
            e.BEFORE_TINY,
        ),
        Scene("ratios", "Signal to noise", {"look": "ratios"}, "The paper's picture: how many weights are below 0 dB?"),
        Scene(
            "histograms",
            "Histograms",
            {"look": "histograms"},
            "One draw of Bayes by Backprop is much wider than a plain network's weights; its means are not.",
            e.BEFORE_HISTOGRAMS,
        ),
        Scene(
            "course",
            "Over training",
            {"look": "course"},
            "As the paper's Fig. 2, with another order: here Bayes by Backprop has the largest error.",
        ),
        Scene(
            "uncertain",
            "Most uncertain digit",
            {"look": "uncertain", "whose": "notebook"},
            "The draws of the notebook's network differ most on this digit.",
        ),
        Scene(
            "lowest",
            "Lowest probability",
            {"look": "uncertain", "whose": "notebook", "unsure": "largest"},
            "Of all held-out digits its likeliest class is the least likely. Is it the same digit?",
        ),
        Scene("notebook", "Notebook", {"look": "notebook"}, "A plain network beside the Bayesian one."),
    ),
    exercises=e.SIGNAL_TO_NOISE,
    try_this=(
        "Move *weights removed* to the right until the error rises. Do the same with tiny σ.",
        "Look at the pixels at 95 %: the border has lost its weights, although no label says that it is empty.",
        "Switch *predicts* between draws and means: how much error comes from the noise of weights with a mean near 0?",
        "Open *histograms of weights*: in the paper the weights of dropout have two humps. Have they here?",
        "Open *uncertain digits* and compare the two orders. How many of the first 24 are wrong?",
        "Open the tab *Data term and KL*: which of the two falls while the other rises?",
    ),
    caveat=(
        "Weights are ranked one at a time and over all layers together, and nothing is trained again after weights are "
        "removed. |μ|/σ and |μ| give nearly the same ranking wherever σ is the same for most weights, as the curves "
        "show. On 8×8 digits there are 1,437 images for 25,856 weights, so the KL term outweighs the data and the "
        "network underfits a little. With 360 held-out digits, one digit is 0.28 points. Each preset is one training "
        "of one seed. The paper trains with plain stochastic gradients and one draw of weights for a minibatch. Here "
        "it is Adam with local reparameterisation; the expected gradient is the same."
    ),
    papers=(papers.BLUNDELL_2015, papers.GRAVES_2011, papers.KINGMA_2015),
)

show(PAGE)
