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
            "The codes of the autoencoder are far apart, with gaps between them; those of the VAE are close together.",
        ),
        Scene(
            "held-out",
            "Held-out images",
            {"part": "test"},
            "Most held-out images have codes near those of training images.",
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
        "Open *Samples*: what does the autoencoder decode from N(0, I), and from a Gaussian fitted to its codes?",
        "Compare the rows of reconstructions: which model has the smaller error? Which one gives better new images?",
        "Open *Interpolation*: which model gives intermediate pictures that are no digits?",
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
