"""Bayesian compression: how small can a network become?"""

from bdlviz.topics import papers
from bdlviz.topics.weights.compression import controls as c
from bdlviz.topics.weights.compression import views, views_priors, views_speed, views_table
from bdlviz.topics.weights.compression.derivation import COMPRESSION as DERIVATION
from bdlviz.topics.weights.compression.exercises import BEFORE_ALL_PRUNED, BEFORE_KAPPA, BEFORE_SINGLE, COMPRESSION
from bdlviz.topics.weights.compression.network import needed
from bdlviz.ui import Page, Scene, View, show

PRUNED, CUT = (c.METHOD, c.IMAGES), (c.SHIFT,)
PRIOR, DIGITS = {"look": "priors"}, {"compressed_images": "digits"}

PAGE = Page(
    "weights/compression",
    "How small can a network become?",
    default_view="network",
    views=(
        View("priors", "priors that shrink", views_priors.priors, (c.ASPECT, c.PRIOR), live=(c.SCALE, c.SLAB)),
        View("network", "before and after", views.network, PRUNED, live=CUT, needs=needed),
        View("bits", "bits of the weights", views.bits, PRUNED, live=CUT, needs=needed),
        View("speed", "speed and file", views_speed.speed, PRUNED, live=(*CUT, c.BATCH), needs=needed),
        View("table", "beside the literature", views_table.table, (c.IMAGES,)),
    ),
    scenes=(
        Scene("network", "Units removed", {}, "Move the slider: uncertain units and unused pixels are removed."),
        Scene(
            "single",
            "Single weights",
            DIGITS | {"compressed_by": "sparse_variational_dropout"},
            "More weights are 0, but scattered. A unit goes only if all its incoming or all its outgoing ones are 0.",
            BEFORE_SINGLE,
        ),
        Scene(
            "bits",
            "Bits",
            DIGITS | {"look": "bits"},
            "Uncertain weights need few bits.",
        ),
        Scene(
            "horseshoe",
            "Horseshoe prior",
            PRIOR,
            "Small observations shrink to 0, large ones stay.",
        ),
        Scene("table", "Published", {"look": "table"}, "Our networks and the results that papers report."),
        Scene(
            "all",
            "Prune all",
            DIGITS | {"prune_at": "all"},
            "Only the biases are left, so every image is classified alike.",
            BEFORE_ALL_PRUNED,
        ),
        Scene("speed", "Speed", {"look": "speed"}, "Smaller matrices are faster. Scattered zeros rarely are."),
        Scene(
            "gaussian",
            "Gaussian prior",
            PRIOR | {"shrinking_prior": "gaussian"},
            "A Gaussian prior shrinks signals as much as noise, so it does not prune.",
        ),
        Scene(
            "kappa",
            "Shrinkage factor",
            PRIOR | {"aspect": "kappa"},
            "For the horseshoe κ is near 0 or near 1: a weight is kept as observed or shrunk to nearly 0.",
            BEFORE_KAPPA,
        ),
        Scene(
            "tails",
            "Heavy tails",
            PRIOR | {"aspect": "tails"},
            "On these axes a straight line is a heavy tail: large weights keep a high density.",
        ),
    ),
    derivation=DERIVATION,
    exercises=COMPRESSION,
    try_this=(
        "In *priors that shrink*, choose a small scale. Which prior still keeps an observation of 6?",
        "Which prior leaves a gap between small and large observations? Compare the Laplace prior with the horseshoe.",
        "In *before and after*, move the threshold from one end to the other. Where does the accuracy fall?",
        "Which pixels are removed? Compare them with *Concrete dropout*.",
        "In *bits*, how few binary places are enough for the accuracy? Does the variance require more?",
        "In *speed*, compare group normal-Jeffreys with sparse variational dropout, at 1 and at 1,000 images.",
    ),
    caveat=(
        "The log-uniform prior cannot be normalised, and strictly its posterior cannot either. Pruning with it is "
        "better read as training with noise and a penalty. The threshold does not follow from Bayes' rule; it is a "
        "choice. Biases have no noise and are never pruned, and compression counts neither biases nor indices. "
        "The bits follow a rule of thumb about the variance; the accuracy after rounding is measured. Here the "
        "horseshoe's units are pruned by the noise of their least noisy weight. The paper prunes by the mode of the "
        "scale, with a threshold for every layer."
    ),
    papers=(papers.LOUIZOS_2017, papers.MOLCHANOV_2017, papers.CARVALHO_2010),
)

show(PAGE)
