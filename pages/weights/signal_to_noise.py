"""Which weights matter: Bayes by Backprop on digits, and what remains when uncertain weights are removed."""

from bdlviz.topics import papers
from bdlviz.topics.weights.signal_to_noise import controls as c
from bdlviz.topics.weights.signal_to_noise import exercises as e
from bdlviz.topics.weights.signal_to_noise import views, views_digits
from bdlviz.topics.weights.signal_to_noise.run import needed, notebook_needed
from bdlviz.ui import Explanation, Page, Scene, View, show

RUN = (c.IMAGES, c.PRESET, c.ABOUT_PRESET)
DIGIT = (c.IMAGES, c.WHOSE, c.ORDER)

PAGE = Page(
    "weights/signal_to_noise",
    "How many weights can be removed before the error rises?",
    views=(
        View("removal", "Weights removed", views.removal, (*RUN, c.PREDICTS), live=(c.REMOVED,), needs=needed),
        View("ratios", "Signal-to-noise ratios", views.ratios, RUN, needs=needed),
        View("histograms", "Histograms of weights", views.histograms, RUN, needs=needed),
        View("course", "Error over training", views.over_training, RUN, needs=needed),
        View("uncertain", "Uncertain digits", views_digits.uncertain, DIGIT, live=(c.RANK,), needs=views_digits.needed),
        View("notebook", "A second network", views_digits.notebook, (c.IMAGES,), needs=notebook_needed),
    ),
    scenes=(
        Scene("most", "95 % removed", {}),
        Scene("removal", "75 % removed", {"removed": "75"}),
        Scene("all", "All removed", {"removed": "100"}, ask=e.BEFORE_ALL_REMOVED),
        Scene("tiny", "Tiny σ", {"preset": "small_sigma", "removed": "90"}, ask=e.BEFORE_TINY),
        Scene("histograms", "Widths of weights", {"look": "histograms"}, ask=e.BEFORE_HISTOGRAMS),
        Scene("uncertain", "Most uncertain digit", {"look": "uncertain", "whose": "notebook"}),
    ),
    former={
        "ratios": {"look": "ratios"},
        "course": {"look": "course"},
        "lowest": {"look": "uncertain", "whose": "notebook", "unsure": "largest"},
        "notebook": {"look": "notebook"},
    },
    claim="Bayes by Backprop learns which weights are mostly noise: most can go. A plain network's error is lower at "
    "first, but rises sooner.",
    explanation=Explanation(
        "Left, held-out error against the share of weights that are set to 0. A dotted line stands where the error "
        "rises: from there on it is above its start by more than its 95 % interval over images. Right, the ratios "
        "|μ|/σ of all weights of Bayes by Backprop; pale ones are removed.",
        "Training pays for every weight that differs from the prior. A weight that the data do not need keeps a mean "
        "near 0 and a large σ. So its ratio is low, and without it little changes.",
        "The plain network is better while fewer than 90 % are removed. With tiny σ the ratio only measures size, and "
        "the error rises sooner. Weights are ranked one at a time; two that replace each other both look important.",
    ),
    exercises=e.SIGNAL_TO_NOISE,
    try_this=(
        "Move *Weights removed* to the right until the error rises. Then do the same with tiny σ.",
        "Switch *Predicts* to the means: how much error comes from the noise of weights with a mean near 0?",
    ),
    caveat=(
        "Weights are ranked one at a time and over all layers together, and nothing is trained again after weights are "
        "removed. |μ|/σ and |μ| give nearly the same ranking wherever σ is the same for most weights. On 8×8 digits "
        "there are 1,437 images for 25,856 weights, so leaving the prior (KL) costs more than the images, and the "
        "network underfits a little. With 360 held-out digits, one digit is 0.28 points. Each preset is one training "
        "of one seed. The paper trains with plain stochastic gradients and one draw of weights for a minibatch. Here "
        "it is Adam with local reparameterisation; the expected gradient is the same."
    ),
    papers=(papers.BLUNDELL_2015, papers.GRAVES_2011, papers.KINGMA_2015),
)

show(PAGE)
