"""Decode pad: while the pointer moves through the latent space, the decoded digit changes."""

from bdlviz.topics import papers
from bdlviz.topics.generative.decode import exercises, views
from bdlviz.topics.generative.decode.controls import PLANES, START
from bdlviz.topics.generative.decode.views_pad import PLACE
from bdlviz.topics.shared.autoencoders import IMAGES
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "generative/decode",
    "Which image does the decoder give for each point of the latent space?",
    views=(View("pad", "Decode pad", views.decode, (IMAGES, PLANES, START, PLACE), needs=views.needed),),
    scenes=(
        Scene("plane", "Two dimensions", {}, "Two numbers describe a digit. Where does a 4 become a 9?"),
        Scene(
            "middle",
            "The middle",
            {"start": "origin"},
            "Codes of all classes are near this point, and the decoded image is no digit.",
            exercises.BEFORE_MIDDLE,
        ),
        Scene(
            "twenty",
            "Twenty dimensions",
            {"codes": "20d"},
            "The pad spans the two coordinates with the largest KL term.",
        ),
        Scene(
            "three",
            "Bend a 3",
            {"codes": "20d", "start": "3"},
            "Each slider changes one property of the digit: which one?",
        ),
        Scene("digits", "8×8 digits", {"images": "digits"}, "The same on scikit-learn's small digits."),
    ),
    exercises=exercises.DECODE,
    try_this=(
        "Drag from a cluster of 4s to one of 9s. Is there a point at which you cannot say which digit it is?",
        "Drag far out of the dotted circles (1 and 2 sd of the prior). Does the picture show that no code is near?",
        "With 20 dimensions: which coordinate is slant, which is the weight of the stroke?",
        "Open *Your own digit*, draw a 7 with a bar, and take its code to the pad.",
    ),
    caveat=(
        "The picture is the expected image, p(x | z) without its noise, which is why it is smooth. Pictures "
        "are as sharp where no image has its code: only the distance to the nearest code shows it. "
        "Coordinates have no fixed meaning: another seed gives other ones, in another order."
    ),
    papers=(papers.KINGMA_2014, papers.HIGGINS_2017),
)

show(PAGE)
