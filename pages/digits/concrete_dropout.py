"""Concrete dropout: keep probabilities that are learned, one for each pixel and unit."""

from bdlviz.topics import papers
from bdlviz.topics.digits.concrete_dropout import controls as c
from bdlviz.topics.digits.concrete_dropout import exercises as e
from bdlviz.topics.digits.concrete_dropout import run, views, views_changed, views_relaxed, views_study
from bdlviz.topics.digits.concrete_dropout.derivation import CONCRETE_DROPOUT
from bdlviz.ui import Explanation, Page, Scene, View, show

AUTHORS, RELAXED, CHANGED = {"look": "authors"}, {"look": "relaxation"}, {"look": "changed"}
LAYERS, ENTROPY = {"look": "layers"}, {"entropy_term": "off"}

PAGE = Page(
    "digits/concrete_dropout",
    "Which pixels does the network learn to keep?",
    views=(
        View("pixels", "Kept pixels", views.pixels, c.RUN, live=(*c.AMOUNT, c.MOMENT), needs=run.course_needed),
        View("layers", "All layers", views.layers, c.RUN, live=c.AMOUNT, needs=run.runs_needed),
        View("path", "Over training", views.path, c.RUN, live=c.AMOUNT, needs=run.runs_needed),
        View("relaxation", "A relaxed mask", views_relaxed.relaxed, live=(c.TEMPERATURE, c.RELAXED_RATE)),
        View("changed", "A changed digit", views_changed.changed, c.CHANGED, needs=views_changed.needed),
        View("width", "Width against rate", views_study.widths, (c.SCORE,), (c.WIDTH,), needs=views_study.widths_need),
        View("authors", "The authors' study", views_study.authors, (c.TRAINED,), needs=views_study.authors_needed),
    ),
    scenes=(
        Scene("mnist", "1,000 images", {}),
        Scene("n10000", "10,000 images", {"n_mnist": "10000"}, ask=e.BEFORE_N10000),
        Scene("no-entropy", "Without the entropy term", LAYERS | ENTROPY, ask=e.BEFORE_NO_ENTROPY),
        Scene("width", "Learned and best rate", {"look": "width"}, ask=e.BEFORE_WIDTH),
        Scene("settled", "Rates that have converged", AUTHORS | {"authors_steps": "settled"}),
        Scene("relaxation", "Masks between 0 and 1", RELAXED),
    ),
    former={
        "path": {"look": "path"},
        "hot": RELAXED | {"temperature": "3"},
        "rotate": CHANGED,
        "blend": CHANGED | {"synthetic": "blend"},
        "authors": AUTHORS,
        "digits": {"images": "digits", "n_digits": "1437"},
    },
    claim="With more images, dropout keeps pixels with ink more often. Blank pixels teach nothing and stay near "
    "one half, the most random choice.",
    explanation=Explanation(
        "The keep probability of every pixel after training: dark pixels are nearly always kept, pale ones half "
        "of the time. At the border of the line few images have ink. Beside it are the means inside "
        "and outside the line, for every number of images.",
        "Training gains the entropy of every mask, which is largest at p = ½, and pays for noise on useful pixels. "
        "The gain does not depend on N, but the cost grows with every image. So with more images more is kept.",
        "A blank pixel costs nothing, so its ½ says nothing about digits. Rates move slowly: after a short training "
        "they show the number of steps, not the data. The rate with the best bound is not the one that predicts best: "
        "see *Learned and best rate*.",
    ),
    derivation=CONCRETE_DROPOUT,
    exercises=e.CONCRETE_DROPOUT,
    try_this=(
        "Move *Training images N* to 10,000. Which pixels become dark, and which stay pale?",
        "Move *Training steps* from 0 to the end: which pixels are dropped first? Hover over one to see its history.",
    ),
    caveat=(
        "The fits on images took 5,000 steps each, with the prior length-scale 1; another gives other rates. "
        "Masks are relaxed in training and hard in prediction. Erratum: [a probability read as a "
        "logit](errata?erratum=relaxed-bernoulli)."
    ),
    papers=(papers.GAL_2017, papers.MADDISON_2017, papers.KENDALL_2017),
)

show(PAGE)
