"""Train a VAE: the reconstructions of images, and its bound as it is learned."""

from bdlviz.topics import papers
from bdlviz.topics.generative.vae import controls as c
from bdlviz.topics.generative.vae import derivation, exercises, run, views, views_bounds
from bdlviz.ui import Explanation, Page, Panel, Scene, View, show

CONTROLS = (c.images_control(), *c.MAIN, Panel("Size and training", c.MORE))
SMALL = {"images": "digits", "epochs": "50", "shown_epoch": "50"}
IN_PARTS = (c.EPOCH, c.DIGIT, c.NUM_CODES)

PAGE = Page(
    "generative/vae",
    "What does a variational autoencoder learn in each epoch?",
    views=(
        View("training", "Images over training", views.training, CONTROLS, inside=IN_PARTS, needs=run.needed),
        View(
            "evidence",
            "From the bound to log p(x)",
            views_bounds.evidence,
            CONTROLS,
            live=(c.DIGIT,),
            inside=(c.NUM_CODES,),
            needs=run.needed,
        ),
    ),
    scenes=(
        Scene("lecture", "The first epoch", {}),
        Scene("learned", "The last epoch", {"shown_epoch": "100"}),
        Scene("plane", "Two dimensions", {"latent_dim": "2", "shown_epoch": "100"}, ask=exercises.BEFORE_PLANE),
        Scene("free", "No KL term", {**SMALL, "beta": "0"}, ask=exercises.BEFORE_FREE),
        Scene("collapse", "Collapse", {**SMALL, "beta": "10"}, ask=exercises.BEFORE_COLLAPSE),
        Scene("staircase", "The gap to log p(x)", {"look": "evidence", "latent_dim": "2"}),
    ),
    former={"digits": {"images": "digits"}},
    claim="First all rebuilt images look alike; then codes make each one more like its image, and the bound rises.",
    explanation=Explanation(
        "Images not trained on, the average training image, and the images rebuilt after the chosen epoch, with the "
        "root mean square error of pixels (100 %: ink for paper). The blue curve is the bound on log p(x), the ELBO, "
        "in nats, the unit of natural logarithms. The green band is the cost of the codes, their KL divergence from "
        "the prior: it ends at the reconstruction term.",
        "A new encoder gives random codes, which cost nats and say nothing. So the decoder first learns the average "
        "image (dashed), and the codes lose their price. Then each nat that a code costs improves the reconstruction "
        "by more than one.",
        "On 1,000 images the networks overfit: the held-out bound ends far below that of training. With a large β "
        "no code is worth its cost, and all reconstructions are the average image. With β = 0 the codes leave the "
        "prior.",
    ),
    derivation=derivation.VAE,
    exercises=exercises.VAE,
    try_this=(
        "Move *Epoch* to the right: which digits have good reconstructions early, and which late?",
        "Open *The gap to log p(x)* and move the class: for which digit is the gap largest?",
    ),
    caveat=(
        "The Bernoulli likelihood on grey pixels is usual, but it is no normalised density: see *What is wrong*. The "
        "recorded training ELBO is the mean over an epoch's minibatches while the weights still changed. Bounds of "
        "different likelihoods cannot be compared."
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
