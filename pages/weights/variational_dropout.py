"""Gaussian and variational dropout: how much noise can a weight have?"""

from bdlviz.topics import papers
from bdlviz.topics.shared.views_full_width import FULL_WIDTH
from bdlviz.topics.weights.variational_dropout import controls as c
from bdlviz.topics.weights.variational_dropout import exercises as e
from bdlviz.topics.weights.variational_dropout import views_digits, views_tested, views_theory
from bdlviz.topics.weights.variational_dropout import views_functions as functions
from bdlviz.topics.weights.variational_dropout.derivation import VARIATIONAL_DROPOUT as DERIVATION
from bdlviz.ui import Explanation, Page, Scene, View, show

TESTED = "Noise in the test"
LEARNED, WEIGHT, NEEDED = (c.IMAGES, c.PER), (c.BETA,), views_digits.needed
CURVES, SLIDERS = (c.DATA, c.PER), (c.BETA, c.RATE)
PIXELS = {"noise_look": "pixels"}
SUMS, CURVE, LAYERS = {"noise_look": "noise"}, {"noise_look": "functions"}, {"noise_look": "layers"}
FULL, KL = {"noise_beta": "1"}, {"noise_look": "divergence"}

PAGE = Page(
    "weights/variational_dropout",
    "How much noise can a network tolerate?",
    look_key="noise_look",
    default_view="tested",
    views=(
        View("tested", TESTED, views_tested.tested, (FULL_WIDTH,), live=(c.TESTED_WITH,), needs=views_tested.needed),
        View("pixels", "Noise by pixel", views_digits.pixels, LEARNED, WEIGHT, needs=NEEDED),
        View("layers", "Noise by layer", views_digits.layers, LEARNED, WEIGHT, needs=NEEDED),
        View("functions", "Noisy functions", functions.functions, CURVES, SLIDERS, needs=functions.needed),
        View("noise", "Two kinds of noise", views_theory.noise, live=(c.NUM_INPUTS, c.RATE)),
        View("divergence", "The KL term of noise", views_theory.divergence, live=(c.LOG_ALPHA,)),
    ),
    scenes=(
        Scene("tested", TESTED, {}),
        Scene("learned", "Noise by pixel", PIXELS),
        Scene("drowned", "Twenty points", CURVE | FULL, ask=e.BEFORE_DROWNED),
        Scene("few", "Three inputs", SUMS | {"noise_inputs": "3"}),
        Scene("many", "200 inputs", SUMS | {"noise_inputs": "200"}, ask=e.BEFORE_MANY),
        Scene("divergence", "Price of little noise", KL | {"log_alpha": "-2"}),
    ),
    former={
        "bound": LAYERS | FULL,
        "functions": CURVE,
        "weights": LAYERS | {"alpha_of": "weight"},
        "past": KL | {"log_alpha": "1"},
    },
    claim="A network trained with noise tolerates that much noise, and more than one trained without. With three times "
    "as much, most answers are wrong.",
    explanation=Explanation(
        "Left, the values that one weight takes with noise, and the answers for one digit with ten draws of noise on "
        "all weights. Right, how many of all held-out digits two finished networks get right with such noise.",
        "Noise multiplies each weight, and its variance is learned. The KL term favours noise for every weight; the "
        "data resist only where noise would change the predictions, which is where there is ink.",
        "With β = 1, the true bound, the KL term of so many weights outweighs so few data: every α of the pixels ends "
        "at the cap. Digits are still recognised then, but functions of twenty points are lost. The log-uniform prior "
        "cannot be normalised, so this is a penalty that rewards noise rather than Bayes' rule.",
    ),
    derivation=DERIVATION,
    exercises=e.VARIATIONAL_DROPOUT,
    try_this=(
        "Move the noise to the right. Where is every second digit wrong, with and without noise in training?",
        "Open *Two kinds of noise* and move n from 1 to 500. Which of the four numbers change?",
    ),
    caveat=(
        "The networks of *Noise in the test* are those of the scoreboard on 8×8 digits; the curves are means of "
        "ten passes, each with new noise. In training α stops at 1, where the cubic ends; [sparse variational "
        "dropout](sparsity) lets it grow and removes weights. "
        "log α changes by at most one learning rate a step; these fits had 1,000 to 2,000 steps at 0.004 or 0.005. The "
        "network on MNIST has two layers of 64 units, smaller than the scoreboard's. The sums of a unit are shown for "
        "equal contributions; with one much larger input they are far from Gaussian."
    ),
    papers=(papers.KINGMA_2015, papers.SRIVASTAVA_2014, papers.WANG_2013, papers.MOLCHANOV_2017, papers.HRON_2018),
)

show(PAGE)
