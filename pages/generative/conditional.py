"""A conditional VAE: the decoder is given the class, and the code holds the style."""

from bdlviz.topics import papers
from bdlviz.topics.generative.conditional import controls as c
from bdlviz.topics.generative.conditional import exercises, views
from bdlviz.ui import Explanation, Page, Scene, View, When, show
from bdlviz.ui.jobs.shipped import IMAGES

CONTROLS = (IMAGES, When(views.shows_all, (c.MOVED,)))
LIVE = (When(views.shows_all, (c.OTHER,)), c.CLASS)

PAGE = Page(
    "generative/conditional",
    "What does the code hold if the decoder is given the class?",
    views=(View("classes", "Classes and styles", views.classes, CONTROLS, LIVE, needs=views.needed),),
    scenes=(
        Scene("styles", "One style in ten digits", {}),
        Scene("second", "The other coordinate", {"moved": "1"}, ask=exercises.BEFORE_SECOND),
        Scene("class", "All the zeros", {"class": "0"}),
        Scene("sevens", "All the sevens", {"class": "7"}, ask=exercises.BEFORE_SEVENS),
    ),
    former={"digits": {"images": "digits"}},
    claim="The class is given, so the code holds the style: on MNIST, a larger z₂ tilts all ten digits to the right.",
    explanation=Explanation(
        "Ten digits of one code, each decoded as another class. How far a digit leans is the angle of the line through "
        "its ink. With one class, each place is one code of a plane; the mean lean of each row stands beside it.",
        "Information in the code costs KL, the distance of the code from the prior in nats, and the class is known "
        "without it. So the code is left with what the "
        "classes share, such as slant and the width of strokes.",
        "The classes do not share all: where no training image of a class has its code, the picture is poor. The "
        "coordinates have no fixed meaning; another seed gives other ones.",
    ),
    exercises=exercises.CONDITIONAL,
    try_this=(
        "Move the first slider from end to end. Which digit turns most, and which least?",
        "Open *Bayes' rule*: find an image whose bound is higher for a wrong class.",
    ),
    caveat=(
        "The bound given the class is on log p(x|y), the VAE's on log p(x): to compare them, subtract log 10 = 2.3 "
        "nats for the class. Only the shared prior relates the codes of different classes."
    ),
    papers=(papers.KINGMA_2014_SEMI_SUPERVISED, papers.SOHN_2015),
)

show(PAGE)
