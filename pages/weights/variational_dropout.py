"""Gaussian and variational dropout: how much noise can a weight have?"""

from bdlviz.topics import papers
from bdlviz.topics.weights.variational_dropout import controls as c
from bdlviz.topics.weights.variational_dropout import exercises as e
from bdlviz.topics.weights.variational_dropout import views_digits, views_theory
from bdlviz.topics.weights.variational_dropout import views_functions as functions
from bdlviz.topics.weights.variational_dropout.derivation import VARIATIONAL_DROPOUT as DERIVATION
from bdlviz.ui import Explanation, Page, Scene, View, show

LEARNED, WEIGHT, NEEDED = (c.IMAGES, c.PER), (c.BETA,), views_digits.needed
CURVES, SLIDERS = (c.DATA, c.PER), (c.BETA, c.RATE)
SUMS, CURVE, LAYERS = {"noise_look": "noise"}, {"noise_look": "functions"}, {"noise_look": "layers"}
FULL, KL = {"noise_beta": "1"}, {"noise_look": "divergence"}

PAGE = Page(
    "weights/variational_dropout",
    "How much noise can each weight tolerate?",
    look_key="noise_look",
    default_view="pixels",
    views=(
        View("pixels", "Noise by pixel", views_digits.pixels, LEARNED, WEIGHT, needs=NEEDED),
        View("layers", "Noise by layer", views_digits.layers, LEARNED, WEIGHT, needs=NEEDED),
        View("functions", "Noisy functions", functions.functions, CURVES, SLIDERS, needs=functions.needed),
        View("noise", "Two kinds of noise", views_theory.noise, live=(c.NUM_INPUTS, c.RATE)),
        View("divergence", "The KL term of noise", views_theory.divergence, live=(c.LOG_ALPHA,)),
    ),
    scenes=(
        Scene("learned", "Noise by pixel", {}),
        Scene("bound", "Full KL term", LAYERS | FULL, ask=e.BEFORE_BOUND),
        Scene("drowned", "Twenty points", CURVE | FULL, ask=e.BEFORE_DROWNED),
        Scene("few", "Three inputs", SUMS | {"noise_inputs": "3"}),
        Scene("many", "200 inputs", SUMS | {"noise_inputs": "200"}, ask=e.BEFORE_MANY),
        Scene("divergence", "Price of little noise", KL | {"log_alpha": "-2"}),
    ),
    former={
        "functions": CURVE,
        "weights": LAYERS | {"alpha_of": "weight"},
        "past": KL | {"log_alpha": "1"},
    },
    claim="A weight tolerates much noise at blank pixels and less at pixels with ink.",
    explanation=Explanation(
        "The noise of every pixel's weights, as its variance α: dark pixels have little, pale ones the most, α = 1. "
        "Beside it is a digit as one hidden unit gets it with that noise.",
        "Noise multiplies each weight, and its variance is learned. The KL term favours noise for every weight; the "
        "data resist only where noise would change the predictions, which is where there is ink.",
        "With β = 1, the true bound, the KL term of so many weights outweighs so few data: every α of the pixels ends "
        "at the cap. Digits are still recognised then, but functions of twenty points are lost. The log-uniform prior "
        "cannot be normalised, so this is a penalty that rewards noise rather than Bayes' rule.",
    ),
    derivation=DERIVATION,
    exercises=e.VARIATIONAL_DROPOUT,
    try_this=(
        "Move the weight β of the KL term from 0.001 to 0.1: the noise of which pixels grows, and how many digits are "
        "still right?",
        "Open *Two kinds of noise* and move n from 1 to 500. Which of the four numbers change?",
    ),
    caveat=(
        "α stops at 1, where the cubic ends; [sparse variational dropout](sparsity) lets it grow and removes weights. "
        "log α changes by at most one learning rate a step; these fits had 1,000 to 2,000 steps at 0.004 or 0.005. The "
        "network on MNIST has two layers of 64 units, smaller than the scoreboard's. The sums of a unit are shown for "
        "equal contributions; with one much larger input they are far from Gaussian."
    ),
    papers=(papers.KINGMA_2015, papers.SRIVASTAVA_2014, papers.WANG_2013, papers.MOLCHANOV_2017, papers.HRON_2018),
)

show(PAGE)
