"""A conditional VAE: the decoder is given the class, and the code holds the style."""

from bdlviz.topics import papers
from bdlviz.topics.generative.conditional import controls as c
from bdlviz.topics.generative.conditional import exercises, views
from bdlviz.ui import Page, Scene, View, When, show
from bdlviz.ui.jobs.shipped import IMAGES

PAGE = Page(
    "generative/conditional",
    "Which information does the code hold if the class is given?",
    views=(
        View(
            "classes",
            "Classes and styles",
            views.classes,
            (IMAGES, c.CLASS, When(views.shows_all, (c.WALK, c.OTHER))),
            needs=views.needed,
        ),
    ),
    scenes=(
        Scene("styles", "One style, ten digits", {}, "Every column is one code: slant and weight, never the digit."),
        Scene(
            "second",
            "The other coordinate",
            {"walk": "2"},
            "The second coordinate holds another trait.",
            exercises.BEFORE_SECOND,
        ),
        Scene(
            "sevens",
            "All the sevens",
            {"class": "7"},
            "The plane of one class: every way to write a 7.",
            exercises.BEFORE_SEVENS,
        ),
        Scene("digits", "8×8 digits", {"images": "digits"}, "The same on scikit-learn's small digits."),
    ),
    exercises=exercises.CONDITIONAL,
    try_this=(
        "Follow a column: do a slanted 1 and a slanted 9 have the same code?",
        "Open *What the code knows*: where are the clusters of the VAE?",
        "Open *Lend a style*: whose handwriting do the ten digits have?",
        "Open *Bayes' rule*: find an image that has a better bound given a wrong class.",
    ),
    caveat=(
        "The bound given the class is on log p(x|y), the VAE's on log p(x). To compare them, subtract log 10 = 2.3 "
        "nats for the class. The rest of the difference has a simple reason: a plane is too small for ten classes and "
        "their styles, and the class is one more input. The coordinates of the style have no fixed meaning: another "
        "seed gives other ones. Only the shared prior relates the codes of different classes."
    ),
    papers=(papers.KINGMA_2014_SEMI_SUPERVISED, papers.SOHN_2015),
)

show(PAGE)
