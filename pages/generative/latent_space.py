"""Latent space: where does a VAE put the digits?"""

from bdlviz.topics import papers
from bdlviz.topics.generative.latent_space import code_map, exercises, views
from bdlviz.topics.generative.latent_space import controls as c
from bdlviz.topics.generative.latent_space.views_choice import CHOICE
from bdlviz.topics.shared.autoencoders import CODES, IMAGES, PART
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "generative/latent_space",
    "Where are the codes of the digits in the latent space of a VAE?",
    views=(
        View(
            "map",
            "Map of codes",
            views.code_map,
            (IMAGES, c.MARKS, c.PERPLEXITY, CHOICE),
            live=(CODES, PART, c.COLOUR),
            inside=(c.PICK,),
            needs=code_map.needed,
        ),
    ),
    scenes=(
        Scene("train", "Training images", {}, "The encoder is not given the classes, but it separates most of them."),
        Scene(
            "test",
            "Held-out images",
            {"part": "test"},
            "Codes of images that were not used in training are in the same regions.",
            exercises.BEFORE_HELD_OUT,
        ),
        Scene(
            "plane",
            "Two dimensions",
            {"codes": "2d"},
            "A plane is too small for ten classes: they overlap.",
            exercises.BEFORE_PLANE_OF_CODES,
        ),
        Scene(
            "ellipses",
            "Posteriors",
            {"codes": "2d", "marks": "ellipses"},
            "Each ellipse is one standard deviation of q(z|x), the posterior of one image.",
        ),
        Scene("kl", "KL term", {"colour": "kl"}, "The KL term is large for images far from the prior."),
    ),
    exercises=exercises.LATENT_SPACE,
    try_this=(
        "Click a code at the border between two classes. Which images are its neighbours in z, and which in the map?",
        "Choose by lasso and draw a line around that border: what do the chosen images share?",
        "Show the classes 4, 7 and 9 alone. Which of them have overlapping codes?",
        "Set the perplexity to 5, then to 100. Which clusters are in both maps?",
        "Switch to two dimensions. Which digits share a region, and are they similar?",
    ),
    caveat=(
        "t-SNE preserves neighbours, not distances: gaps, areas and the order of clusters mean nothing. Another "
        "perplexity gives another map, and clusters can appear where there are none. Only the codes themselves can be "
        "decoded, not the other points of the map. With two dimensions no t-SNE is used: the plane is the latent "
        "space."
    ),
    papers=(papers.KINGMA_2014, papers.MAATEN_2008, papers.WATTENBERG_2016),
)

show(PAGE)
