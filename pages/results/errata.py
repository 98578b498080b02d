"""Errata of the lectures: the wrong formula beside the right one, and what the slip does."""

from bdlviz import ui
from bdlviz.topics.results.errata import exercises, views

PAGE = ui.Page(
    title="Results · Errata",
    question="What does a slip in a formula do?",
    controls=(views.ERRATUM,),
    scenes=(
        ui.Scene(
            "mask",
            "A mask per point",
            {},
            "A new mask at every x is noise, not a function, though the sd at each x is right.",
        ),
        ui.Scene(
            "rho",
            "ε lost",
            {"erratum": "rho-gradient"},
            "Without ε the width of the posterior learns nothing.",
            ask=exercises.BEFORE_RHO,
        ),
        ui.Scene(
            "ard",
            "Fraction turned over",
            {"erratum": "ard-kl"},
            "A KL without a minimum, and below 0.",
            ask=exercises.BEFORE_ARD,
        ),
        ui.Scene(
            "plug-in",
            "No bound",
            {"erratum": "plug-in"},
            "At the mean code the value climbs over log p(x).",
            ask=exercises.BEFORE_PLUG_IN,
        ),
        ui.Scene(
            "logit",
            "A logit expected",
            {"erratum": "relaxed-bernoulli"},
            "A probability read as a logit: masks keep every pixel with a probability between 0.50 and 0.73.",
        ),
    ),
    exercises=exercises.ERRATA,
    try_this=(
        "Before you look at the picture: which of the two formulas is right, and how would you test it?",
        "Go through the table: which slips change the result, and which only a number that is reported?",
        "*A mask per point*: why are the sd over draws the same left and right? What would a GP call the difference?",
        "*τ used with inverted dropout*: at which dropout rate does the slip not matter?",
    ),
    caveat=(
        "What stands here is about slides, a notebook's text and some code, not about what was said in the room. The "
        "live examples are as small as they can be, so that the right answer is known exactly; in a large network an "
        "effect may be smaller or larger."
    ),
    papers=(
        ui.Paper("Gal & Ghahramani 2016, Dropout as a Bayesian approximation", "https://arxiv.org/abs/1506.02142"),
        ui.Paper("Blundell et al. 2015, Weight uncertainty in neural networks", "https://arxiv.org/abs/1505.05424"),
        ui.Paper("Gal, Hron & Kendall 2017, Concrete dropout", "https://arxiv.org/abs/1705.07832"),
        ui.Paper("Kharitonov et al. 2018, Variational dropout via empirical Bayes", "https://arxiv.org/abs/1811.00596"),
        ui.Paper("Loaiza-Ganem & Cunningham 2019, The continuous Bernoulli", "https://arxiv.org/abs/1907.06845"),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        erratum = views.choose()
    with view.picture:
        views.show(erratum)
    view.footer(
        formulas=(erratum.right, *erratum.related),
        code=(erratum.wrong, erratum.right, erratum.measure),
        snippet=views.snippet(erratum),
    )
    with view.below:
        views.show_table()
