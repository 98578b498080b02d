"""Learned manifold: every point of a plane of codes is decoded into a digit."""

from bdlviz.topics import papers
from bdlviz.topics.generative.manifold import controls as c
from bdlviz.topics.generative.manifold import exercises, views
from bdlviz.topics.shared.autoencoders import IMAGES
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "generative/manifold",
    "What does the decoder draw between the digits it has seen?",
    views=(
        View("manifold", "Manifold", views.manifold, (IMAGES, c.GRID, c.REACH, c.STEPS, c.OVERLAY), needs=views.needed),
    ),
    scenes=(
        Scene("lecture", "Lecture's grid", {}, "Even steps over [-2, 2]²: neighbours differ by little."),
        Scene(
            "paper",
            "Paper's grid",
            {"grid": "quantile"},
            "Equal prior mass, as in the paper's figure 4.",
            exercises.BEFORE_PRIOR_MASS,
        ),
        Scene("codes", "With the codes", {"overlay": "train"}, "Most clear digits lie near codes of training images."),
        Scene(
            "far",
            "Far out",
            {"reach": "4", "overlay": "train"},
            "Beyond the codes the decoder still draws something.",
            exercises.BEFORE_FAR,
        ),
    ),
    exercises=exercises.MANIFOLD,
    try_this=(
        "Follow one row: which digits lie on the way from a 1 to a 0?",
        "Widen the range to ±4 and show the codes. Can you see in the pictures where there are no codes?",
        "Compare even steps with equal prior mass: which grid draws fewer pictures far from all codes?",
        "All of MNIST instead of 1,000 images: which borders become sharper?",
    ),
    caveat=(
        "The decoder has no measure of its own uncertainty: far from all codes its pictures are as sharp as elsewhere. "
        "Pixels are the expected grey values; the Bernoulli likelihood on grey pixels is not a normalised density."
    ),
    papers=(papers.KINGMA_2014,),
)

show(PAGE)
