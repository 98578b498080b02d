"""A conditional VAE: the decoder is given the class, and the code holds the style."""

from bdlviz.topics import papers
from bdlviz.topics.generative.conditional import controls as c
from bdlviz.topics.generative.conditional import exercises, views
from bdlviz.ui import Page, Scene, View, show
from bdlviz.ui.jobs.shipped import IMAGES

PAGE = Page(
    "generative/conditional",
    "What does the code contain if the decoder is given the class?",
    views=(
        View(
            "classes",
            "Classes and styles",
            views.classes,
            (IMAGES, c.WALK),
            live=(c.CLASS, c.OTHER),
            needs=views.needed,
        ),
    ),
    scenes=(
        Scene(
            "styles",
            "Ten digits",
            {},
            "Each column has one code: it determines the style, but not the digit.",
        ),
        Scene(
            "second",
            "The other coordinate",
            {"walk": "2"},
            "The second coordinate changes another property of the style.",
            exercises.BEFORE_SECOND,
        ),
        Scene(
            "sevens",
            "All the sevens",
            {"class": "7"},
            "Every code of the plane is decoded as a 7.",
            exercises.BEFORE_SEVENS,
        ),
        Scene("digits", "8×8 digits", {"images": "digits"}, "The same on scikit-learn's small digits."),
    ),
    exercises=exercises.CONDITIONAL,
    try_this=(
        "Look down a column: do a slanted 1 and a slanted 9 have the same code?",
        "Open *What the code contains*: why are there no clusters, as there are in the VAE?",
        "Open *Transfer a style*: in which properties do the ten digits agree with the image?",
        "Open *Bayes' rule*: find an image whose bound is higher for a wrong class.",
    ),
    caveat=(
        "The bound given the class is on log p(x|y), the VAE's on log p(x). To compare them, subtract log 10 = 2.3 "
        "nats for the class. The rest of the difference arises because a plane is too small for ten classes and "
        "their styles. The coordinates of the style have no fixed meaning: another seed gives other ones. "
        "Only the shared prior relates the codes of different classes."
    ),
    papers=(papers.KINGMA_2014_SEMI_SUPERVISED, papers.SOHN_2015),
)

show(PAGE)
