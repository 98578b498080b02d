"""Gaussian and variational dropout: how much noise can a weight have?"""

from bdlviz.topics import papers
from bdlviz.topics.weights.variational_dropout import controls as c
from bdlviz.topics.weights.variational_dropout import exercises as e
from bdlviz.topics.weights.variational_dropout import views_digits, views_theory
from bdlviz.topics.weights.variational_dropout import views_functions as functions
from bdlviz.topics.weights.variational_dropout.derivation import VARIATIONAL_DROPOUT as DERIVATION
from bdlviz.ui import Page, Scene, View, show

LEARNED, WEIGHT, NEEDED = (c.IMAGES, c.PER), (c.BETA,), views_digits.needed
CURVES, SLIDERS = (c.DATA, c.PER), (c.BETA, c.RATE)
FEW, CURVE = {"noise_look": "noise", "noise_inputs": "3"}, {"noise_look": "functions"}
SINGLE = {"noise_look": "layers", "alpha_of": "weight"}
LITTLE = {"noise_look": "divergence", "log_alpha": "-2"}

PAGE = Page(
    "weights/variational_dropout",
    "How much noise can each weight tolerate?",
    look_key="noise_look",
    default_view="pixels",
    views=(
        View("noise", "two kinds of noise", views_theory.noise, live=(c.NUM_INPUTS, c.RATE)),
        View("divergence", "the KL term of noise", views_theory.divergence, live=(c.LOG_ALPHA,)),
        View("functions", "learned noise: functions", functions.functions, CURVES, SLIDERS, needs=functions.needed),
        View("pixels", "learned noise: pixels of digits", views_digits.pixels, LEARNED, WEIGHT, needs=NEEDED),
        View("layers", "learned noise: layers", views_digits.layers, LEARNED, WEIGHT, needs=NEEDED),
    ),
    scenes=(
        Scene(
            "learned",
            "Learned noise",
            {},
            "Pixels with ink have little noise. Border pixels have the most.",
        ),
        Scene(
            "bound",
            "β = 1",
            {"noise_look": "layers", "noise_beta": "1"},
            "The KL term of the many weights outweighs the few images: all α reach the largest value.",
            e.BEFORE_BOUND,
        ),
        Scene("few", "Few inputs", FEW, "Mean and variance agree, but a sum of three masked inputs is not Gaussian."),
        Scene("divergence", "KL term", LITTLE, "The less noise a weight has, the larger its KL term."),
        Scene("functions", "Functions", CURVE, "One network without noise, with chosen and with learned noise."),
        Scene(
            "weights",
            "One α per weight",
            SINGLE,
            "Some weights of a layer have little noise, others α = 1.",
        ),
        Scene(
            "many",
            "Many inputs",
            {"noise_look": "noise", "noise_inputs": "200"},
            "The central limit theorem: with 200 inputs masks and Gaussian noise give nearly the same sum.",
            e.BEFORE_MANY,
        ),
        Scene(
            "past",
            "α above 1",
            {"noise_look": "divergence", "log_alpha": "1"},
            "Here the cubic approximation decreases without limit, so variational dropout stops at α = 1.",
        ),
        Scene(
            "drowned",
            "Too much noise",
            {"noise_look": "functions", "noise_beta": "1"},
            "With β = 1 the KL terms of thousands of weights outweigh twenty points: the functions miss them.",
            e.BEFORE_DROWNED,
        ),
    ),
    derivation=DERIVATION,
    exercises=e.VARIATIONAL_DROPOUT,
    try_this=(
        "In *two kinds of noise*, move n from 1 to 500. Which of the four numbers change?",
        "At which dropout rate is a sum of few inputs already nearly Gaussian? Compare p = 0.5 with 0.05.",
        "In *the KL term of noise*, read the errors at log α = −2 and 0. Which approximation would you use?",
        "In *learned noise: functions*, raise β step by step. Which layer reaches α = 1 first?",
        "Compare α per layer, neuron and weight on the digits. What is lost when weights share an α?",
        "Look at the pixels with β = 0.001 and with 0.1: the noise of which pixels grows first?",
        "Compare the accuracies at β = 0.001 and 1. How much accuracy is lost to the noise?",
    ),
    caveat=(
        "The log-uniform prior cannot be normalised, and with usual likelihoods the posterior cannot either. Read the "
        "objective as a penalty that rewards noise rather than as Bayes' rule (Hron, Matthews & Ghahramani 2018). "
        "Alphas stop at 1, where the cubic ends; [sparse variational dropout](sparsity) lets them grow and removes "
        "weights. With the full KL term nearly all α reach 1 on data sets as small as these. So the pictures start at "
        "β = 0.001, where the objective is no bound. log α changes by at most one learning rate a step, and "
        "these fits had 1,000 to 2,000 steps at 0.004 or 0.005; with the scoreboard's 1,000 steps at 0.001 and less "
        "it stays near its start. The networks are smaller than the scoreboard's on MNIST: two layers of 64 units. "
        "The sums of a unit are shown for equal contributions. The sum is far from Gaussian where one input is "
        "much larger than the others."
    ),
    papers=(papers.KINGMA_2015, papers.SRIVASTAVA_2014, papers.WANG_2013, papers.MOLCHANOV_2017, papers.HRON_2018),
)

show(PAGE)
