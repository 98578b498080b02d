"""Bayesian compression: how small can a network become?"""

from bdlviz.topics import papers
from bdlviz.topics.weights.compression import controls as c
from bdlviz.topics.weights.compression import views, views_priors, views_speed, views_table
from bdlviz.topics.weights.compression.derivation import COMPRESSION as DERIVATION
from bdlviz.topics.weights.compression.exercises import BEFORE_ALL_PRUNED, BEFORE_KAPPA, BEFORE_SINGLE, COMPRESSION
from bdlviz.topics.weights.compression.network import needed
from bdlviz.ui import Explanation, Page, Scene, View, show

PRUNED, CUT = (c.METHOD, c.IMAGES), (c.SHIFT,)
PRIOR, DIGITS = {"look": "priors"}, {"compressed_images": "digits"}
SINGLE = DIGITS | {"compressed_by": "sparse_variational_dropout"}

PAGE = Page(
    "weights/compression",
    "How small can a network become?",
    default_view="network",
    views=(
        View("network", "Units before and after", views.network, PRUNED, live=CUT, needs=needed),
        View("bits", "Bits of the weights", views.bits, PRUNED, live=CUT, needs=needed),
        View("speed", "Speed and file", views_speed.speed, PRUNED, live=(*CUT, c.BATCH), needs=needed),
        View("priors", "Priors that shrink", views_priors.priors, (c.ASPECT, c.PRIOR), live=(c.SCALE, c.SLAB)),
        View("table", "Published and ours", views_table.table, (c.IMAGES,)),
    ),
    scenes=(
        Scene("network", "Units removed", {}),
        Scene("single", "Single weights", SINGLE, ask=BEFORE_SINGLE),
        Scene("all", "All removed", DIGITS | {"prune_at": "all"}, ask=BEFORE_ALL_PRUNED),
        Scene("horseshoe", "Horseshoe prior", PRIOR),
        Scene("kappa", "Shrinkage factor", PRIOR | {"aspect": "kappa"}, ask=BEFORE_KAPPA),
        Scene("table", "Published results", {"look": "table"}),
    ),
    former={
        "bits": DIGITS | {"look": "bits"},
        "speed": {"look": "speed"},
        "gaussian": PRIOR | {"shrinking_prior": "gaussian"},
        "tails": PRIOR | {"aspect": "tails"},
    },
    claim="Without its noisiest units a network is much smaller and about as accurate; too low a limit spoils it.",
    explanation=Explanation(
        "The layers of a network as blocks of units, beginning with the pixels of the image. Blue units are left, pale "
        "ones are removed. Between two blocks stands how many weights are left.",
        "All outgoing weights of a unit share one uncertain scale. Training pays for a scale that it knows precisely, "
        "so units without use keep a scale that is mostly noise. They go with all their weights, and a whole row of "
        "the matrix goes with them.",
        "The noise limit does not follow from Bayes' rule; it is a choice, and if it is too low the accuracy falls. "
        "Methods for single weights leave fewer weights, but scattered: the matrices keep their sizes, and a network "
        "that stores only what is not 0 is rarely faster.",
    ),
    derivation=DERIVATION,
    exercises=COMPRESSION,
    try_this=(
        "Move the noise limit from one end to the other. Where does the accuracy fall, and which pixels are left then?",
        "In *Speed and file*, compare group normal-Jeffreys with sparse variational dropout, at 1 and at 1,000 images.",
    ),
    caveat=(
        "The log-uniform prior cannot be normalised, and strictly its posterior cannot either. Biases have no noise, "
        "are never removed and are not counted, as indices are not. The bits follow a rule of thumb about the "
        "variance; the accuracy after rounding is measured. Here the horseshoe's units are removed by the noise of "
        "their least noisy weight; the paper uses the mode of the scale, with a threshold for every layer."
    ),
    papers=(papers.LOUIZOS_2017, papers.MOLCHANOV_2017, papers.CARVALHO_2010),
)

show(PAGE)
