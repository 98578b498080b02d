"""Decode pad: while the pointer moves through the latent space, the decoded digit changes."""

from bdlviz.topics import papers
from bdlviz.topics.generative.decode import exercises, views
from bdlviz.topics.generative.decode.controls import END, PLANES, START
from bdlviz.topics.generative.decode.views_pad import PLACE
from bdlviz.topics.shared.autoencoders import IMAGES
from bdlviz.ui import Explanation, Page, Scene, View, show

PAGE = Page(
    "generative/decode",
    "Which image belongs to each point of the latent space?",
    views=(View("pad", "Decode pad", views.decode, (IMAGES, PLANES, START, END, PLACE), needs=views.needed),),
    scenes=(
        Scene("plane", "From a 0 to a 6", {}),
        Scene("middle", "The middle", {"start": "origin"}, ask=exercises.BEFORE_MIDDLE),
        Scene("twenty", "Twenty dimensions", {"codes": "20d"}),
        Scene("three", "Bend a 3", {"codes": "20d", "start": "3"}),
    ),
    former={"digits": {"images": "digits"}},
    claim="Each point of the plane is decoded into an image, similar to the images whose codes are near.",
    explanation=Explanation(
        "The pad is the plane of codes. Each small dot is the code of a training image, the large dot is the code that "
        "is decoded. The 20 codes nearest to it are drawn as digits, moved apart so that they can be read, and the "
        "slider moves it along the line. Dotted circles: 1 and 2 sd of the prior.",
        "The decoder is a function: it gives an image for every code. A code among those of one class gives a digit of "
        "this class. A code between two classes gives a mixture of both.",
        "The image does not show that no training image is near: far out it is as sharp as elsewhere. Only the density "
        "of the codes says so, and the page computes it. The coordinates have no fixed meaning.",
    ),
    exercises=exercises.DECODE,
    try_this=(
        "Walk from a held-out 4 to a held-out 9. Where can you no longer say which digit it is?",
        "Drag into a corner. Does the picture show that hardly any image has its code there?",
    ),
    caveat=(
        "The picture is the expected image, p(x|z) without its noise, so it is smooth. Far out means: the density of "
        "the codes of 1,000 training images is so low at the codes of one held-out image in a hundred only. Another "
        "seed gives other coordinates, in another order."
    ),
    papers=(papers.KINGMA_2014, papers.HIGGINS_2017),
)

show(PAGE)
