"""Learned manifold: every point of a plane of codes is decoded into a digit."""

from bdlviz.topics import papers
from bdlviz.topics.generative.manifold import controls as c
from bdlviz.topics.generative.manifold import exercises, views
from bdlviz.topics.shared.autoencoders import IMAGES
from bdlviz.ui import Explanation, Page, Scene, View, show

CONTROLS = (IMAGES, c.GRID, c.OVERLAY, c.STEPS)

PAGE = Page(
    "generative/manifold",
    "What does the decoder draw where no image has its code?",
    views=(View("manifold", "Decoded plane", views.manifold, CONTROLS, live=(c.REACH,), needs=views.needed),),
    scenes=(
        Scene("codes", "Images and codes", {}),
        Scene("pictures", "Images alone", {"overlay": "none"}),
        Scene("lecture", "Twenty per side", {"steps": "20", "reach": "2", "overlay": "none"}),
        Scene("paper", "Equal prior mass", {"grid": "quantile"}, ask=exercises.BEFORE_PRIOR_MASS),
        Scene("far", "Far out", {"reach": "4"}, ask=exercises.BEFORE_FAR),
    ),
    claim="The decoder draws an image everywhere, even where no training image has its code.",
    explanation=Explanation(
        "Each image is decoded from the code at its place. Beside them, dots are the codes of images, and the frame is "
        "the range that is decoded. Where a place is shaded, no image has its code near. The name of a class is where "
        "its codes are densest.",
        "The decoder is a continuous function, so near codes give similar pictures. The KL term keeps the codes of "
        "all classes close together, so there are few gaps between them.",
        "The decoder does not know where the codes are: it draws far from all of them, too. The sentence compares grey "
        "pixels (5 to 95 % ink). Between classes the pictures are blurred or no digit at all.",
    ),
    exercises=exercises.MANIFOLD,
    try_this=(
        "Follow one row: which digits are between a 1 and a 0?",
        "Widen the range to ±4. Can you see in the pictures alone where there are no codes?",
    ),
    caveat="Pixels are expected grey values. The Bernoulli likelihood on grey pixels is not a normalised density.",
    papers=(papers.KINGMA_2014,),
)

show(PAGE)
