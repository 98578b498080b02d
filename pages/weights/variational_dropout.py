"""Gaussian and variational dropout: how much noise does a weight bear?"""

from bdlviz import ui
from bdlviz.topics.weights.variational_dropout import derivation, exercises, views_digits, views_functions, views_theory

VIEWS = ui.Views(
    {
        "noise": ("two kinds of noise", views_theory.choose_noise, views_theory.show_noise),
        "divergence": ("what noise costs", views_theory.LOG_ALPHA.show, views_theory.show_divergence),
        "functions": ("learned noise: functions", views_functions.choose, views_functions.show),
        "pixels": ("learned noise: pixels of digits", views_digits.choose, views_digits.show_pixels),
        "layers": ("learned noise: layers", views_digits.choose, views_digits.show_layers),
    },
    "pixels",
    key="noise_look",
)
PAGE = ui.Page(
    title="Weights · Gaussian and variational dropout",
    question="How much noise does a weight bear?",
    controls=(VIEWS.control, views_digits.IMAGES, *views_functions.CONTROLS, *views_theory.CONTROLS),
    scenes=(
        ui.Scene(
            "learned",
            "Learned noise",
            {},
            "Weights of pixels with ink bear little noise; those of the empty border bear any amount.",
        ),
        ui.Scene(
            "bound",
            "As the bound says",
            {"noise_look": "layers", "noise_beta": "1"},
            "With β = 1 there are more weights than images can speak for: all noise goes to its cap.",
            ask=exercises.BEFORE_BOUND,
        ),
        ui.Scene(
            "weights",
            "α per weight",
            {"noise_look": "layers", "alpha_of": "weight"},
            "Every weight has its own noise: within one layer some must be sure, others bear any amount.",
        ),
        ui.Scene(
            "few",
            "Few inputs",
            {"noise_look": "noise", "noise_inputs": "3"},
            "The same mean and variance, but a sum of three masked inputs is no Gaussian.",
        ),
        ui.Scene(
            "many",
            "Many inputs",
            {"noise_look": "noise", "noise_inputs": "200"},
            "The central limit theorem: with 200 inputs nobody can tell masks from Gaussian noise.",
            ask=exercises.BEFORE_MANY,
        ),
        ui.Scene(
            "divergence",
            "Divergence",
            {"noise_look": "divergence", "log_alpha": "-2"},
            "Less noise costs more: a certain weight tells more than the prior knows.",
        ),
        ui.Scene(
            "past",
            "Past α = 1",
            {"noise_look": "divergence", "log_alpha": "1"},
            "Here the cubic promises endless reward for noise. So variational dropout stops at α = 1.",
        ),
        ui.Scene(
            "functions",
            "Functions",
            {"noise_look": "functions"},
            "The same network with no noise, with noise we chose, and with noise it learned.",
        ),
        ui.Scene(
            "drowned",
            "Too much",
            {"noise_look": "functions", "noise_beta": "1"},
            "With β = 1 twenty points cannot outweigh thousands of weights: the functions no longer follow them.",
            ask=exercises.BEFORE_DROWNED,
        ),
    ),
    derivation=derivation.VARIATIONAL_DROPOUT,
    exercises=exercises.VARIATIONAL_DROPOUT,
    try_this=(
        "In *two kinds of noise*, move n from 1 to 500. Which of the four numbers change?",
        "At which dropout rate do few inputs already look Gaussian? Compare p = 0.5 with 0.05.",
        "In *what noise costs*, read the errors at log α = −2 and 0. Which approximation would you use?",
        "In *learned noise: functions*, raise β step by step. Which layer reaches its cap first?",
        "Compare α per layer, neuron and weight on the digits. What can a shared α not say?",
        "Look at the pixels with β = 0.001 and with 0.1: whose noise grows first?",
        "Compare the accuracies at β = 0.001 and 1. What did all that noise cost?",
    ),
    caveat=(
        "The log-uniform prior cannot be normalised, and with usual likelihoods nor can the posterior: read the "
        "objective as a penalty that rewards noise, rather than as Bayes' rule (Hron, Matthews & Ghahramani 2018). "
        "Alphas stop at 1, where the cubic ends; [sparse variational dropout](sparsity) lets them grow and removes "
        "weights. With the full KL term nearly all noise goes to the cap on data as small as these; the pictures start "
        "at β = 0.001, which is no bound any more. log α moves by at most one learning rate a step, and these fits had "
        "1,000 to 2,000 steps at 0.004 or 0.005; the scoreboard's 1,000 at 0.001 and less leave it near its start. The "
        "study's networks are smaller than the scoreboard's on MNIST: two layers of 64 units. The sums of a unit are "
        "shown for equal contributions; a unit that hears one loud input stays far from a Gaussian."
    ),
    papers=(
        ui.Paper("Kingma, Salimans & Welling 2015, Variational dropout", "https://arxiv.org/abs/1506.02557"),
        ui.Paper("Srivastava et al. 2014, Dropout", "https://jmlr.org/papers/v15/srivastava14a.html"),
        ui.Paper("Wang & Manning 2013, Fast dropout training", "https://proceedings.mlr.press/v28/wang13a.html"),
        ui.Paper("Molchanov, Ashukha & Vetrov 2017, Sparse variational dropout", "https://arxiv.org/abs/1701.05369"),
        ui.Paper("Hron, Matthews & Ghahramani 2018, Pitfalls", "https://arxiv.org/abs/1807.01969"),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS)
