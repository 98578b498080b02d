"""Train a VAE: its bound as it is learned, and the reconstructions of images."""

from bdlviz.topics import papers
from bdlviz.topics.generative.vae import controls as c
from bdlviz.topics.generative.vae import derivation, exercises, run, views
from bdlviz.ui import Page, Panel, Scene, View, show
from bdlviz.ui.frame.render import stop_in_session

CONTROLS = (c.images_control(), *c.MAIN, Panel("Size and training", c.MORE), stop_in_session(c.EPOCH, c.MAX_EPOCH))

PAGE = Page(
    "generative/vae",
    "What does a variational autoencoder learn in each epoch?",
    views=(View("training", "Training", views.training, CONTROLS, inside=(c.DIGIT, c.NUM_CODES), needs=run.needed),),
    scenes=(
        Scene("lecture", "Lecture's log", {}, "Move the epoch slider. Rings are the numbers of the lecture."),
        Scene(
            "plane",
            "Two dimensions",
            {"latent_dim": "2"},
            "Two numbers per image: a smaller KL term, and blurred reconstructions.",
            exercises.BEFORE_PLANE,
        ),
        Scene("digits", "8×8 digits", {"images": "digits"}, "The same on scikit-learn's small digits."),
        Scene(
            "free",
            "No KL term",
            {"images": "digits", "beta": "0", "epochs": "50"},
            "β = 0: sharp reconstructions, and a very large KL term.",
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
        "Compare training and held-out ELBO on 1,000 images, then on all of MNIST. What is the reason for the gap?",
        "Raise β from 0 to 100 and look at the KL of each dimension: how many are still in use?",
        "Open *log p(x)*: for which digit is the gap between the ELBO and log p(x) largest?",
        "Change the likelihood. May you compare the bounds?",
    ),
    caveat=(
        "The Bernoulli likelihood on grey pixels is usual, also in the lecture, but it is no normalised density: see "
        "*What is wrong*. The recorded training ELBO is the mean over an epoch's minibatches while the weights still "
        "changed. The lecture's code evaluates held-out images at the mean code: this is no bound and about six nats "
        "too high. Here it is a Monte Carlo mean over codes."
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
