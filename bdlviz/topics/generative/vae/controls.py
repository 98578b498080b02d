"""The controls of the page on the VAE."""

from __future__ import annotations

from dataclasses import replace

from bdlviz import data
from bdlviz.methods.common import LATENT_DIM
from bdlviz.methods.vae import BETA, WARM_UP
from bdlviz.topics.shared.autoencoders import DATASETS, IMAGES, LIKELIHOOD_NAMES
from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control

USUAL = "usual"
FASHION = "fashion"  # offered where its files are: it needs 30 MB of them, and nothing of it is shipped
DIM = replace(hyperparameter_control(LATENT_DIM), label="Code dimensions Z", default="20")
KL_WEIGHT = hyperparameter_control(BETA)
LIKELIHOOD = Control(
    "likelihood",
    "Likelihood p(x|z)",
    tuple(LIKELIHOOD_NAMES),
    "bernoulli",
    "menu",
    "Bounds of different likelihoods are not comparable: they are densities of different things.",
    LIKELIHOOD_NAMES,
)
NUM_DATA = Control(
    "num_data",
    "Training images N",
    ("100", "200", "500", "1000", "5000", "20000", "60000", "all"),
    "all",
    help="The first N of the training images; more than there are means all.",
)
EPOCHS = Control(
    "epochs",
    "Epochs",
    ("5", "10", "20", "50", USUAL, "200"),
    USUAL,
    help="100; of all of MNIST 60, in a plane 30.",
)
WIDTH = Control(
    "width",
    "Hidden units per layer",
    ("64", "128", "256", USUAL, "500"),
    USUAL,
    help="Two layers in the encoder and two in the decoder: 500 units each, 256 for the 8×8 digits.",
)
WARMING = hyperparameter_control(WARM_UP)
SEED = number_control("seed", "Seed", range(5), 0)
MAIN, MORE = (DIM, KL_WEIGHT, LIKELIHOOD), (NUM_DATA, EPOCHS, WIDTH, WARMING, SEED)

# In further pictures
DIGIT = number_control("digit", "A held-out image of class", range(10), 3)
COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
NUM_CODES = number_control(
    "num_codes", "Codes per image K", COUNTS, 50, "Of the importance-weighted bound; K = 1 is the ELBO."
)

# Of the kept epochs, the one that is nearest to it is shown: the slider has only those.
EPOCH = number_control("shown_epoch", "Epoch", range(1, 201), 1)


def images_control() -> Control:
    """The images there are to train on."""
    if not data.available(DATASETS[FASHION]):
        return IMAGES
    names = {**IMAGES.names, FASHION: "Fashion-MNIST"}
    return replace(
        IMAGES, options=(*IMAGES.options, FASHION), kind="menu", names=names, help=f"{IMAGES.help} Or clothes."
    )
