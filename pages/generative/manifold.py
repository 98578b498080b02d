"""Learned manifold: every point of a plane of codes is decoded into a digit."""

from bdlviz.topics import papers
from bdlviz.topics.generative.manifold import controls as c
from bdlviz.topics.generative.manifold import exercises, views
from bdlviz.topics.shared.autoencoders import IMAGES
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "generative/manifold",
    "Which images does the decoder give between the codes of the training images?",
    views=(
        View(
            "manifold",
            "Manifold",
            views.manifold,
            (IMAGES, c.GRID, c.OVERLAY),
            live=(c.REACH, c.STEPS),
            needs=views.needed,
        ),
    ),
    scenes=(
        Scene("lecture", "Lecture's grid", {}, "Even steps over [−2, 2]²: neighbouring images differ little."),
        Scene(
            "paper",
            "Paper's grid",
            {"grid": "quantile"},
            "Steps of equal prior mass, as in figure 4 of the paper.",
            exercises.BEFORE_PRIOR_MASS,
        ),
        Scene("codes", "With the codes", {"overlay": "train"}, "Most clear digits are near codes of training images."),
        Scene(
            "far",
            "Far out",
            {"reach": "4", "overlay": "train"},
            "Far from all codes the decoder still gives clear strokes.",
            exercises.BEFORE_FAR,
        ),
    ),
    exercises=exercises.MANIFOLD,
    try_this=(
        "Follow one row: which digits are between a 1 and a 0?",
        "Widen the range to ±4 and show the codes. Can you see in the pictures where there are no codes?",
        "Compare even steps with equal prior mass: which grid has fewer pictures far from all codes?",
        "All of MNIST instead of 1,000 images: which borders become sharper?",
    ),
    caveat=(
        "The decoder has no measure of its own uncertainty: far from all codes its pictures are as sharp as elsewhere. "
        "Pixels are the expected grey values; the Bernoulli likelihood on grey pixels is not a normalised density."
    ),
    papers=(papers.KINGMA_2014,),
)

show(PAGE)
