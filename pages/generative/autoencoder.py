"""A plain autoencoder beside a VAE: the same network, data and seed, and another latent space."""

from bdlviz.topics import papers
from bdlviz.topics.generative.autoencoder import controls as c
from bdlviz.topics.generative.autoencoder import exercises, views
from bdlviz.topics.shared.autoencoders import IMAGES, PART
from bdlviz.ui import Explanation, Page, Scene, View, show

PAGE = Page(
    "generative/autoencoder",
    "What does the KL term add to a plain autoencoder?",
    views=(View("planes", "Two clouds of codes", views.two_planes, (IMAGES, PART, c.SCALE), needs=views.needed),),
    scenes=(
        Scene("mnist", "On one scale", {}),
        Scene("own", "Each on its own scale", {"scale": "own"}),
        Scene("held-out", "Held-out images", {"part": "test"}),
        Scene("digits", "Small digits", {"images": "digits"}, ask=exercises.BEFORE_DIGIT_CODES),
    ),
    claim="The KL term puts the codes where the prior is. So codes drawn from the prior give images.",
    explanation=Explanation(
        "Codes of images under two models with the same network, data and seed, on one scale, and those of the VAE "
        "enlarged. The circle holds most of the prior. Below are images decoded from the same draws of the prior.",
        "Nothing in the loss of the autoencoder says where codes are, so they lie anywhere. The KL term costs nats for "
        "every code that is far from N(0, I) or very narrow.",
        "The VAE pays with its reconstructions. Its codes do not fill the prior exactly: on MNIST they are wider. The "
        "autoencoder can be sampled, too, from a density fitted to its codes.",
    ),
    exercises=exercises.AUTOENCODER,
    try_this=(
        "Switch to *own scales*: how far do the codes of each model reach?",
        "Open *Samples*: what does the autoencoder decode from a Gaussian fitted to its codes?",
    ),
    caveat=(
        "Both have the same network, data, minibatches and seed. The VAE's reconstruction term is averaged over its "
        "noisy codes, the autoencoder's is not, so the two are not quite comparable. On 1,000 images both overfit."
    ),
    papers=(papers.KINGMA_2014, papers.HINTON_2006),
)

show(PAGE)
