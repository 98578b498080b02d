"""A plain autoencoder beside a VAE: the same network, data and seed, and another latent space."""

from bdlviz.topics import papers
from bdlviz.topics.generative.autoencoder import exercises, views
from bdlviz.topics.shared.autoencoders import IMAGES, PART
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "generative/autoencoder",
    "What does the KL term of a VAE change, compared with a plain autoencoder?",
    views=(View("planes", "Two planes of codes", views.two_planes, (IMAGES, PART), needs=views.needed),),
    scenes=(
        Scene(
            "mnist",
            "MNIST-1000",
            {},
            "The autoencoder's codes lie far apart with holes between them; the VAE's lie close together.",
        ),
        Scene(
            "held-out",
            "Held-out images",
            {"part": "test"},
            "Unseen images have codes near those of training images, a few of them farther away.",
        ),
        Scene(
            "digits",
            "8×8 digits",
            {"images": "digits"},
            "The same on scikit-learn's small digits.",
            exercises.BEFORE_DIGIT_CODES,
        ),
    ),
    exercises=exercises.AUTOENCODER,
    try_this=(
        "Read the axes: how far do the codes of the plain autoencoder reach, and how far the prior N(0, I)?",
        "Open *Samples*: what does the plain autoencoder draw from N(0, I), and from a Gaussian fitted to its codes?",
        "Open *Reconstructions*: which model has the smaller error? Which one would you use to draw new images?",
        "Open *Interpolation*: which model draws pictures between the two that are no digits?",
    ),
    caveat=(
        "Both have the same network, data, minibatches and seed. The autoencoder has no noise and no KL term, so "
        "nothing in its objective determines where its codes lie. With enough images its reconstruction is a little "
        "better, because its codes may use all of the plane; on 1,000 images it overfits. The VAE's reconstruction "
        "term is averaged over its noisy codes, the autoencoder's is not. The two numbers are therefore not quite "
        "comparable."
    ),
    papers=(papers.KINGMA_2014, papers.HINTON_2006),
)

show(PAGE)
