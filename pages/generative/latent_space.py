"""Latent space: where does a VAE put the digits?"""

from bdlviz.topics import papers
from bdlviz.topics.generative.latent_space import code_map, views
from bdlviz.topics.generative.latent_space import controls as c
from bdlviz.topics.generative.latent_space import exercises as e
from bdlviz.topics.generative.latent_space.views_choice import CHOICE
from bdlviz.topics.shared.autoencoders import CODES, IMAGES, PART
from bdlviz.ui import Explanation, Page, Panel, Scene, View, When, show

PAGE = Page(
    "generative/latent_space",
    "Where are the codes of the digits in the latent space?",
    views=(
        View(
            "map",
            "Map of codes",
            views.code_map,
            (IMAGES, Panel("Drawing", (When(c.shows_classes, (c.MARKS,)), When(c.has_map, (c.PERPLEXITY,)), CHOICE))),
            live=(CODES, PART, c.COLOUR),
            inside=(c.PICK,),
            needs=code_map.needed,
        ),
    ),
    scenes=(
        Scene("train", "Training images", {}),
        Scene("test", "Held-out images", {"part": "test"}, ask=e.BEFORE_HELD_OUT),
        Scene("plane", "Two dimensions", {"codes": "2d"}, ask=e.BEFORE_PLANE_OF_CODES),
        Scene("ellipses", "Widths of codes", {"codes": "2d", "marks": "ellipses"}),
        Scene("kl", "Cost of a code", {"colour": "kl"}),
    ),
    former={"apart": {}},
    claim="Near codes are mostly of the same digit, although the encoder never sees the classes.",
    explanation=Explanation(
        "Each dot is the code of one image, coloured by its digit, which is named beside its codes. A ring means that "
        "the nearest code is of another digit. The arrow is at the code of the image beside the map, above the "
        "images of its nearest codes. Codes of 20 dimensions are projected by t-SNE, which keeps neighbours; a plane "
        "is shown as it is.",
        "The decoder is continuous: near codes give similar images. So the bound is best if similar images have near "
        "codes, and a class is a set of similar images.",
        "Two dimensions are too few for ten classes: they overlap. Distances, gaps and areas of a t-SNE map mean "
        "nothing; with another perplexity clusters can appear where there are none.",
    ),
    exercises=e.LATENT_SPACE,
    try_this=(
        "Click a code at the border between two classes. Which images are its neighbours in z, and which in the map?",
        "Set the perplexity to 5, then to 100. Which clusters are in both maps?",
    ),
    caveat="Only the codes themselves can be decoded, not the other points of a t-SNE map.",
    papers=(papers.KINGMA_2014, papers.MAATEN_2008, papers.WATTENBERG_2016),
)

show(PAGE)
