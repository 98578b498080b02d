"""Learned keep probabilities: which pixels does a network decide to drop?"""

from bdlviz import ui
from bdlviz.topics.digits.concrete_dropout import derivation, exercises, views_keep, views_relaxed, views_study

VIEWS = ui.LegacyViews(
    {
        "pixels": ("kept pixels", views_keep.choose, views_keep.show_pixels),
        "layers": ("all layers", views_keep.choose, views_keep.show_layers),
        "path": ("their path through training", views_keep.choose, views_keep.show_path),
        "relaxation": (
            "the relaxation",
            lambda: (views_relaxed.TEMPERATURE.show(), views_relaxed.RELAXED_RATE.show()),
            views_relaxed.show_relaxation,
        ),
        "changed": ("changed digits", views_relaxed.choose_change, views_relaxed.show_change),
        "width": (
            "width against rate",
            lambda: (views_study.WIDTH.show(), views_study.SCORE.show()),
            views_study.show_widths,
        ),
        "authors": ("the authors' study", views_study.TRAINED.show, views_study.show_authors),
    },
    "pixels",
)
PAGE = ui.LegacyPage(
    title="Digits · Learned keep probabilities",
    question="Which pixels does a network decide to drop?",
    controls=(VIEWS.control, *views_keep.CONTROLS, *views_relaxed.CONTROLS, *views_study.CONTROLS),
    scenes=(
        ui.Scene(
            "mnist", "N = 1,000", {}, "The border carries no ink: there only the entropy speaks, and wants p = ½."
        ),
        ui.Scene(
            "n10000",
            "N = 10,000",
            {"n_mnist": "10000"},
            "Ten times the data: what is kept more, what less?",
            ask=exercises.BEFORE_N10000,
        ),
        ui.Scene("digits", "8×8", {"images": "digits"}, "The same on scikit-learn's small digits."),
        ui.Scene(
            "path",
            "Path",
            {"look": "path"},
            "A learning rate a step, a tenth of it from step 2,500 on: have they arrived?",
        ),
        ui.Scene(
            "no-entropy",
            "No entropy",
            {"look": "layers", "entropy_term": "off"},
            "Nothing rewards dropping any more: rates hardly leave their start.",
            ask=exercises.BEFORE_NO_ENTROPY,
        ),
        ui.Scene("relaxation", "Relaxation", {"look": "relaxation"}, "At t = 0.1 most masks are nearly hard."),
        ui.Scene(
            "hot",
            "Too warm",
            {"look": "relaxation", "temperature": "3"},
            "At t = 3 nothing is kept or dropped: the network trains on another noise.",
        ),
        ui.Scene(
            "rotate",
            "Rotate",
            {"look": "changed"},
            "Turned step by step: is the network with learned rates unsure?",
        ),
        ui.Scene(
            "blend",
            "Blend",
            {"look": "changed", "synthetic": "blend"},
            "Between two digits: how much of the entropy is disagreement between draws?",
        ),
        ui.Scene(
            "width",
            "Width",
            {"look": "width"},
            "The learned rate (diamond) beside a grid search over rates.",
            ask=exercises.BEFORE_WIDTH,
        ),
        ui.Scene("authors", "Published", {"look": "authors"}, "The authors' own study: p falls as N grows. Why?"),
        ui.Scene(
            "settled",
            "Settled",
            {"look": "authors", "authors_steps": "settled"},
            "10,000 steps for every N: now p depends on the data, and with many of them the noise comes out as 1.",
        ),
    ),
    derivation=derivation.CONCRETE_DROPOUT,
    exercises=exercises.CONCRETE_DROPOUT,
    try_this=(
        "Compare the picture with the average digit: where is ink common, where is it informative?",
        "Scrub the step below the picture: which pixels are given up first?",
        "Look at *all layers* with the entropy term off: what was holding the rates up?",
        "Open *the relaxation* and go from t = 10 to 0.001. What does a low temperature cost the gradient?",
        "Open *width against rate* and walk through the widths. Does the diamond follow the ring? Then *Two claims*.",
        "In *the authors' study*, how many steps did N = 10 get, and how many N = 1,000?",
    ),
    caveat=(
        "A dropout rate's logit moves by about one learning rate a step, so after a short training its value counts "
        "steps more than evidence; the fits on images took 5,000 steps each, and their path shows how far they came. "
        "Masks are relaxed in training and hard when predicting. The prior's length-scale is 1 throughout on images: "
        "another one gives other rates. An erratum of the lectures: [a probability read as a "
        "logit](errata?erratum=relaxed-bernoulli)."
    ),
    papers=(
        ui.Paper("Gal, Hron & Kendall 2017, Concrete dropout", "https://arxiv.org/abs/1705.07832"),
        ui.Paper("Maddison, Mnih & Teh 2017, The concrete distribution", "https://arxiv.org/abs/1611.00712"),
        ui.Paper("Kendall & Gal 2017, What uncertainties do we need?", "https://arxiv.org/abs/1703.04977"),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS, more=views_study.tabs())
