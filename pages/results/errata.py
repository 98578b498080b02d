"""Errata of the lectures: the wrong formula beside the right one, and what the error changes."""

from bdlviz.topics import papers
from bdlviz.topics.results.errata import exercises, views
from bdlviz.topics.results.errata.controls import CONTROLS
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "results/errata",
    "What does an error in a formula change?",
    views=(View("erratum", "One erratum", views.erratum, CONTROLS),),
    scenes=(
        Scene(
            "mask",
            "A mask per point",
            {},
            "A new mask at every x is noise, not a function, though the sd at each x is right.",
        ),
        Scene(
            "rho",
            "ε lost",
            {"erratum": "rho-gradient"},
            "Without ε the width of the posterior learns nothing.",
            exercises.BEFORE_RHO,
        ),
        Scene(
            "ard",
            "Fraction turned over",
            {"erratum": "ard-kl"},
            "A KL without a minimum, and below 0.",
            exercises.BEFORE_ARD,
        ),
        Scene(
            "plug-in",
            "No bound",
            {"erratum": "plug-in"},
            "At the mean code the value climbs over log p(x).",
            exercises.BEFORE_PLUG_IN,
        ),
        Scene(
            "logit",
            "A logit expected",
            {"erratum": "relaxed-bernoulli"},
            "A probability read as a logit: masks keep every pixel with a probability between 0.50 and 0.73.",
        ),
    ),
    exercises=exercises.ERRATA,
    try_this=(
        "Before you look at the picture: which of the two formulas is right, and how would you test it?",
        "Go through the table: which errors change the result, and which only a number that is reported?",
        "*A mask per point*: why are the sd over draws the same left and right? What would a GP call the difference?",
        "*τ used with inverted dropout*: at which dropout rate does the error not matter?",
    ),
    caveat=(
        "What stands here is about slides, a notebook's text and some code, not about what was said in the room. The "
        "live examples are as small as they can be, so that the right answer is known exactly; in a large network an "
        "effect may be smaller or larger."
    ),
    papers=(
        papers.GAL_2016,
        papers.BLUNDELL_2015,
        papers.GAL_2017,
        papers.KHARITONOV_2018,
        papers.LOAIZA_GANEM_2019,
    ),
    at_end=views.every_erratum,
)

show(PAGE)
