"""Concrete dropout: keep probabilities that are learned, one for each pixel and unit."""

from bdlviz.topics import papers
from bdlviz.topics.digits.concrete_dropout import controls as c
from bdlviz.topics.digits.concrete_dropout import exercises, run, views, views_changed, views_relaxed, views_study
from bdlviz.topics.digits.concrete_dropout.derivation import CONCRETE_DROPOUT
from bdlviz.ui import Page, Scene, View, show

AUTHORS = {"look": "authors"}

PAGE = Page(
    "digits/concrete_dropout",
    "Which pixels are dropped when the dropout rates are learned?",
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
            "Learned rates",
            {},
            "Border pixels have no ink: only the entropy term acts, and it favours p = ½.",
        ),
        Scene(
            "n10000",
            "More data",
            {"n_mnist": "10000"},
            "With ten times the data, the entropy term has less influence on each rate.",
            exercises.BEFORE_N10000,
        ),
        Scene(
            "path",
            "Over training",
            {"look": "path"},
            "A logit moves by at most one learning rate per step, by a tenth of it from step 2,500 on.",
        ),
        Scene(
            "no-entropy",
            "No entropy term",
            {"look": "layers", "entropy_term": "off"},
            "No term of the objective favours dropping: the rates hardly leave their start.",
            exercises.BEFORE_NO_ENTROPY,
        ),
        Scene(
            "width",
            "Network width",
            {"look": "width"},
            "The learned rate (diamond) and a grid search over rates (lines).",
            exercises.BEFORE_WIDTH,
        ),
        Scene("relaxation", "Relaxation", {"look": "relaxation"}, "At t = 0.1 most relaxed masks are near 0 or 1."),
        Scene(
            "hot",
            "High temperature",
            {"look": "relaxation", "temperature": "3"},
            "At t = 3 hardly any mask is near 0 or 1: the training noise differs from dropout.",
        ),
        Scene("rotate", "Rotate", {"look": "changed"}, "The entropy of a digit that is rotated step by step."),
        Scene(
            "blend",
            "Blend",
            {"look": "changed", "synthetic": "blend"},
            "Between two digits a part of the entropy is disagreement between draws.",
        ),
        Scene("authors", "Published", AUTHORS, "The authors' study: p falls as N grows."),
        Scene(
            "settled",
            "Converged",
            AUTHORS | {"authors_steps": "settled"},
            "10,000 steps for every N: p now depends on the data. With many data the noise estimate is 1.",
        ),
        Scene("digits", "8×8 digits", {"images": "digits"}, "The same study on scikit-learn's small digits."),
    ),
    derivation=CONCRETE_DROPOUT,
    exercises=exercises.CONCRETE_DROPOUT,
    try_this=(
        "Compare the picture with the average digit: where is ink common, and where is it informative?",
        "Move the step slider: which pixels are dropped first? Hover over a pixel to see its history.",
        "Look at *all layers* with the entropy term off: which term raises the rates?",
        "Open *the relaxation* and go from t = 10 to 0.001. How does a low temperature affect the gradient?",
        "Open *width against rate*: is the diamond near the ring at every width? Then open *Two claims*.",
        "In *the authors' study*, how many steps did N = 10 get, and how many N = 1,000?",
    ),
    caveat=(
        "The logit of a dropout rate moves by about one learning rate per step. After a short training the rate "
        "depends on the number of steps more than on the data. The fits on images took 5,000 steps each. "
        "Masks are relaxed in training and hard in prediction. The length-scale of the prior is 1 on images: "
        "another one gives other rates. Erratum: [a probability read as a logit](errata?erratum=relaxed-bernoulli)."
    ),
    papers=(papers.GAL_2017, papers.MADDISON_2017, papers.KENDALL_2017),
)

show(PAGE)
