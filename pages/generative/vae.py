"""Train a VAE: its bound as it is learned, and the reconstructions of images."""

from bdlviz.topics import papers
from bdlviz.topics.generative.vae import controls as c
from bdlviz.topics.generative.vae import derivation, exercises, run, views
from bdlviz.ui import Page, Panel, Scene, View, show
from bdlviz.ui.frame.render import stop_in_session

CONTROLS = (c.images_control(), *c.MAIN, Panel("Size and training", c.MORE), stop_in_session(c.EPOCH, c.MAX_EPOCH))

PAGE = Page(
    "generative/vae",
    "What does a variational autoencoder learn, and how large is the KL term that it needs?",
    views=(View("training", "Training", views.training, CONTROLS, inside=(c.DIGIT, c.NUM_CODES), needs=run.needed),),
    scenes=(
        Scene("lecture", "Lecture's log", {}, "Twenty dimensions, 1,000 images: rings are the lecture's own numbers."),
        Scene(
            "plane",
            "A plane",
            {"latent_dim": "2"},
            "Two numbers per image: a smaller KL term, and blurred reconstructions.",
            exercises.BEFORE_PLANE,
        ),
        Scene("digits", "8×8 digits", {"images": "digits"}, "The same on scikit-learn's small digits."),
        Scene(
            "free",
            "No KL term",
            {"images": "digits", "beta": "0", "epochs": "50"},
            "β = 0: sharp reconstructions, and a very large KL.",
            exercises.BEFORE_FREE,
        ),
        Scene(
            "collapse",
            "Collapse",
            {"images": "digits", "beta": "10", "epochs": "50"},
            "β = 10: the posterior of all dimensions is the prior.",
            exercises.BEFORE_COLLAPSE,
        ),
    ),
    derivation=derivation.VAE,
    exercises=exercises.VAE,
    try_this=(
        "Move the epoch slider: which digits have good reconstructions early, and which late?",
        "Compare training and held-out ELBO on 1,000 images, then on all of MNIST. Where does the gap come from?",
        "Raise β from 0 to 100 and open *KL per dimension*: how many dimensions stay in use?",
        "Open *log p(x)*: for which digit is the gap between the ELBO and log p(x) largest?",
        "Change the likelihood. May you compare the bounds?",
    ),
    caveat=(
        "The Bernoulli likelihood on grey pixels is the lecture's and the usual one, and no normalised density: see "
        "*What is wrong*. The recorded training ELBO is the mean over an epoch's minibatches while the weights still "
        "changed. A held-out number at the mean code, as the lecture's code computes it, is no bound and about six "
        "nats too high; here it is a Monte Carlo mean over codes."
    ),
    papers=(
        papers.KINGMA_2014,
        papers.BURDA_2016,
        papers.LOAIZA_GANEM_2019,
        papers.HIGGINS_2017,
        papers.SOENDERBY_2016,
    ),
)

show(PAGE)
