"""Errata of the lectures: the wrong formula beside the right one, and what the error changes."""

from bdlviz.topics import papers
from bdlviz.topics.results.errata import exercises, views
from bdlviz.topics.results.errata.controls import CONTROLS
from bdlviz.ui import Explanation, Page, Scene, View, show

PAGE = Page(
    "results/errata",
    "What does an error in a formula change?",
    views=(View("erratum", "One erratum", views.erratum, CONTROLS),),
    scenes=(
        Scene("mask", "A new mask at every x", {}),
        Scene("rho", "A gradient without ε", {"erratum": "rho-gradient"}, ask=exercises.BEFORE_RHO),
        Scene("ard", "A fraction upside down", {"erratum": "ard-kl"}, ask=exercises.BEFORE_ARD),
        Scene("plug-in", "A value that is no bound", {"erratum": "plug-in"}, ask=exercises.BEFORE_PLUG_IN),
        Scene("logit", "A probability as a logit", {"erratum": "relaxed-bernoulli"}),
    ),
    claim="In formulas of these lectures, one wrong sign, index or factor makes widths, bounds or functions wrong.",
    explanation=Explanation(
        "The formula as it is printed stands beside the right one. The picture and the numbers show what each of them "
        "gives in an experiment whose answer is known.",
        "Most errors keep the shape of a formula, so that it looks right. A limit, a closed form or a count of units "
        "shows the difference.",
        "The experiments are as small as they can be, so that the right answer is known exactly. In a large network an "
        "effect may be smaller or larger.",
    ),
    exercises=exercises.ERRATA,
    try_this=(
        "Choose another erratum. How would you test which of its two formulas is right?",
        "Which errata change the result, and which only a number that is reported? The table is below.",
    ),
    caveat="What stands here is about slides, a notebook's text and some code, not about what was said in the room.",
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
