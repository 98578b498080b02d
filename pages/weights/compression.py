"""Bayesian compression: how small can a network become?"""

from bdlviz.topics import papers
from bdlviz.topics.weights.compression import controls as c
from bdlviz.topics.weights.compression import views, views_priors, views_speed, views_table
from bdlviz.topics.weights.compression.derivation import COMPRESSION as DERIVATION
from bdlviz.topics.weights.compression.exercises import BEFORE_ALL_PRUNED, BEFORE_KAPPA, BEFORE_SINGLE, COMPRESSION
from bdlviz.topics.weights.compression.network import needed
from bdlviz.ui import Page, Scene, View, show

PRUNED, CUT = (c.METHOD, c.IMAGES), (c.SHIFT,)

PAGE = Page(
    "weights/compression",
    "How small can a network become?",
    views=(
        View("priors", "priors that shrink", views_priors.priors, (c.ASPECT, c.PRIOR), live=(c.SCALE, c.SLAB)),
        View("network", "before and after", views.network, PRUNED, live=CUT, needs=needed),
        View("bits", "bits of the weights", views.bits, PRUNED, live=CUT, needs=needed),
        View("speed", "speed and file", views_speed.speed, PRUNED, live=(*CUT, c.BATCH), needs=needed),
        View("table", "beside the literature", views_table.table, (c.IMAGES,)),
    ),
    scenes=(
        Scene("horseshoe", "Horseshoe", {}, "Small observations shrink to 0, large ones stay: this prior prunes."),
        Scene("gaussian", "Gaussian", {"shrinking_prior": "gaussian"}, "Signals shrink as much as noise: no pruning."),
        Scene(
            "kappa",
            "Two ends",
            {"aspect": "kappa"},
            "The horseshoe's κ is near 0 or near 1: a weight is either kept as observed or shrunk to nearly 0.",
            BEFORE_KAPPA,
        ),
        Scene("tails", "Tails", {"aspect": "tails"}, "Straight lines are heavy tails: large weights are not unlikely."),
        Scene(
            "network",
            "Before and after",
            {"look": "network"},
            "Whole units are removed, and so are the pixels that no remaining unit reads.",
        ),
        Scene(
            "all",
            "Prune all",
            {"look": "network", "prune_at": "all"},
            "Only biases are left: every image gets the same answer.",
            BEFORE_ALL_PRUNED,
        ),
        Scene(
            "single",
            "Single weights",
            {"look": "network", "compressed_by": "sparse_variational_dropout"},
            "Many more weights are 0, but they are scattered: a unit is removed only where it has no weight left.",
            BEFORE_SINGLE,
        ),
        Scene("bits", "Bits", {"look": "bits"}, "An uncertain weight needs few digits: its noise hides the others."),
        Scene("speed", "Speed", {"look": "speed"}, "Smaller matrices are faster. Are scattered zeros faster, too?"),
        Scene(
            "table",
            "Published",
            {"look": "table", "compressed_images": "mnist"},
            "Our networks beside the numbers that papers report.",
        ),
    ),
    derivation=DERIVATION,
    exercises=COMPRESSION,
    try_this=(
        "In *priors that shrink*, make the scale small: which prior still keeps an observation of 6?",
        "Which prior leaves a gap between small and large observations? Compare the Laplace prior with the horseshoe.",
        "In *before and after*, move the threshold from one end to the other. Where does the accuracy fall?",
        "Which pixels does no unit read? Compare with *Concrete dropout*.",
        "In *bits*, how few places can all layers have before the accuracy falls? Does the variance ask for more?",
        "In *speed*, compare group normal-Jeffreys with sparse variational dropout, at 1 and at 1,000 images.",
    ),
    caveat=(
        "The log-uniform prior cannot be normalised, and strictly its posterior cannot either. Pruning with it is "
        "better read as training with noise and a penalty. We choose the threshold, Bayes' rule does not: try the "
        "whole slider. Biases have no noise and are never pruned, and compression counts neither biases nor indices. "
        "The bits follow a rule of thumb about the variance; the accuracy after rounding is measured. Here the "
        "horseshoe's units are pruned by the noise of their least noisy weight. The paper prunes by the mode of the "
        "scale, with a threshold for every layer."
    ),
    papers=(papers.LOUIZOS_2017, papers.MOLCHANOV_2017, papers.CARVALHO_2010),
)

show(PAGE)
