"""A plain autoencoder beside a VAE: the same network, data and seed, and another latent space."""

from bdlviz.topics import papers
from bdlviz.topics.generative.autoencoder import controls as c
from bdlviz.topics.generative.autoencoder import exercises, views, views_weights
from bdlviz.topics.shared.autoencoders import IMAGES, PART
from bdlviz.ui import Explanation, Page, Scene, View, show

PLANES = {"look": "planes"}
FROM_TO = "From autoencoder to VAE"

PAGE = Page(
    "generative/autoencoder",
    "What does the KL term add to a plain autoencoder?",
    views=(
        View("weights", FROM_TO, views_weights.weights, (PART,), live=(c.WEIGHT,), needs=views_weights.needed),
        View("planes", "Two clouds of codes", views.two_planes, (IMAGES, PART, c.SCALE), needs=views.needed),
    ),
    scenes=(
        Scene("plain", "Plain autoencoder", {}),
        Scene("vae", "VAE", {"kl_weight": "1"}),
        Scene("mnist", "On one scale", PLANES),
        Scene("own", "Each on its own scale", {**PLANES, "scale": "own"}),
        Scene("digits", "Small digits", {**PLANES, "images": "digits"}, ask=exercises.BEFORE_DIGIT_CODES),
    ),
    former={"held-out": {**PLANES, "part": "test"}},
    claim="A code is two numbers for an image. The KL term moves the codes to where new codes are drawn.",
    explanation=Explanation(
        "Codes of images under models with the same network, data and seed, which differ in the weight of the KL term. "
        "The circle holds 95 % of the prior N(0, I); it is drawn again, enlarged. The letters there are new codes, "
        "drawn from the prior. At the right are their images.",
        "Nothing in the loss of the autoencoder says where codes are, so they lie anywhere. The KL term costs nats for "
        "every code that is far from N(0, I) or very narrow.",
        "The VAE pays with its reconstructions. Its codes do not fill the prior exactly: on MNIST they are wider. The "
        "autoencoder can be sampled, too, from a density fitted to its codes.",
    ),
    exercises=exercises.AUTOENCODER,
    try_this=(
        "Move the *Weight*: from where on are the new images different digits?",
        "Open *Samples*: what does the autoencoder decode from a Gaussian fitted to its codes?",
    ),
    caveat=(
        "Both have the same network, data, minibatches and seed. The VAE's reconstruction term is averaged over its "
        "noisy codes, the autoencoder's is not, so the two are not quite comparable. On 1,000 images both overfit."
    ),
    papers=(papers.KINGMA_2014, papers.HINTON_2006),
)

show(PAGE)
