"""Concrete dropout: keep probabilities that are learned, one for each pixel and unit."""

from bdlviz.topics import papers
from bdlviz.topics.digits.concrete_dropout import controls as c
from bdlviz.topics.digits.concrete_dropout import exercises, run, views, views_changed, views_relaxed, views_study
from bdlviz.topics.digits.concrete_dropout.derivation import CONCRETE_DROPOUT
from bdlviz.ui import Page, Scene, View, show

AUTHORS = {"look": "authors"}

PAGE = Page(
    "digits/concrete_dropout",
    "Which pixels are dropped where the dropout rates are learned?",
    views=(
        View("pixels", "kept pixels", views.pixels, c.RUN, live=(c.MOMENT,), needs=run.runs_needed),
        View("layers", "all layers", views.layers, c.RUN, needs=run.runs_needed),
        View("path", "their path through training", views.path, c.RUN, needs=run.runs_needed),
        View("relaxation", "the relaxation", views_relaxed.relaxed, live=(c.TEMPERATURE, c.RELAXED_RATE)),
        View("changed", "changed digits", views_changed.changed, c.CHANGED, needs=views_changed.needed),
        View("width", "width against rate", views_study.widths, (c.SCORE,), (c.WIDTH,), needs=views_study.widths_need),
        View("authors", "the authors' study", views_study.authors, (c.TRAINED,), needs=views_study.authors_needed),
    ),
    scenes=(
        Scene(
            "mnist",
            "N = 1,000",
            {},
            "The border carries no ink: there only the entropy term has an effect, and it is largest at p = ½.",
        ),
        Scene(
            "n10000",
            "N = 10,000",
            {"n_mnist": "10000"},
            "Ten times the data: what is kept more, what less?",
            exercises.BEFORE_N10000,
        ),
        Scene("digits", "8×8", {"images": "digits"}, "The same on scikit-learn's small digits."),
        Scene(
            "path",
            "Path",
            {"look": "path"},
            "A logit moves by one learning rate a step, by a tenth of it from step 2,500 on: have the rates converged?",
        ),
        Scene(
            "no-entropy",
            "No entropy",
            {"look": "layers", "entropy_term": "off"},
            "Nothing favours dropping any more: rates hardly leave their start.",
            exercises.BEFORE_NO_ENTROPY,
        ),
        Scene("relaxation", "Relaxation", {"look": "relaxation"}, "At t = 0.1 most masks are nearly hard."),
        Scene(
            "hot",
            "Too warm",
            {"look": "relaxation", "temperature": "3"},
            "At t = 3 nothing is kept or dropped: the network trains with another noise.",
        ),
        Scene("rotate", "Rotate", {"look": "changed"}, "Turned step by step: does the entropy rise?"),
        Scene(
            "blend",
            "Blend",
            {"look": "changed", "synthetic": "blend"},
            "Between two digits: how much of the entropy is disagreement between draws?",
        ),
        Scene(
            "width",
            "Width",
            {"look": "width"},
            "The learned rate (diamond) beside a grid search over rates.",
            exercises.BEFORE_WIDTH,
        ),
        Scene("authors", "Published", AUTHORS, "The authors' own study: p falls as N grows. Why?"),
        Scene(
            "settled",
            "Settled",
            AUTHORS | {"authors_steps": "settled"},
            "10,000 steps for every N: now p depends on the data, and with many data the noise is estimated as 1.",
        ),
    ),
    derivation=CONCRETE_DROPOUT,
    exercises=exercises.CONCRETE_DROPOUT,
    try_this=(
        "Compare the picture with the average digit: where is ink common, where is it informative?",
        "Move the step below the picture: which pixels are dropped first?",
        "Look at *all layers* with the entropy term off: which term raises the rates?",
        "Open *the relaxation* and go from t = 10 to 0.001. What does a low temperature cost the gradient?",
        "Open *width against rate*: does the diamond follow the ring at every width? Then open *Two claims*.",
        "In *the authors' study*, how many steps did N = 10 get, and how many N = 1,000?",
    ),
    caveat=(
        "A dropout rate's logit moves by about one learning rate a step, so after a short training its value counts "
        "steps more than evidence; the fits on images took 5,000 steps each, and their path shows how far they came. "
        "Masks are relaxed in training and hard when predicting. The prior's length-scale is 1 throughout on images: "
        "another one gives other rates. Erratum: [a probability read as a logit](errata?erratum=relaxed-bernoulli)."
    ),
    papers=(papers.GAL_2017, papers.MADDISON_2017, papers.KENDALL_2017),
)

show(PAGE)
