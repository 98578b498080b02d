"""What the first page shows: one picture, and a card for each page."""

from __future__ import annotations

from bdlviz import plots
from bdlviz.topics.start.home.first import First
from bdlviz.topics.start.home.views_moving import moves, moving_picture
from bdlviz.ui.model import Figure, Result, Screen, Setting, Words

INTRODUCTION = """
Twenty points do not determine one function. A Bayesian network represents many functions that fit the points. Where
these functions agree, the prediction is certain. Where they differ, it is uncertain.

Move the sliders. All pictures are drawn from trained networks. Every page shows the formulas that it computes, and
Python code that repeats its numbers.
"""
CAPTION = "MC dropout on twenty points of x sin x: fifty functions, drawn from one trained network."
CARDS = {  # page -> what is to be seen there
    "foundations/bayes_rule": "From the best weights to all weights that the data allow.",
    "foundations/variational_or_mcmc": "Two approximations of a posterior, beside the exact one.",
    "foundations/kinds_of_uncertainty": "Which uncertainty shrinks with more data, and which does not?",
    "regression/compare": "All methods on your data, beside the exact answer.",
    "regression/active_learning": "Labels are asked for where the model is uncertain: are fewer of them needed?",
    "regression/function_draws": "How dropout rate, weight decay, width and depth change the functions.",
    "regression/effect_of_lambda": "Weight decay that is too small, good or too large, and how to see it.",
    "digits/mc_dropout": "Which digits is a network uncertain about, because of noise or of too little data?",
    "digits/concrete_dropout": "Which pixels are dropped where the dropout rates are learned?",
    "results/scoreboard": "Accuracy and calibration of every method, over five seeds.",
    "weights/bayes_by_backprop": "A Gaussian for every weight, and what it means for the functions.",
    "weights/signal_to_noise": "How many weights can be removed before the error on digits rises?",
    "weights/variational_dropout": "How much noise does a weight tolerate, and how is the amount learned?",
    "weights/sparsity": "Most weights are removed during training, and the accuracy stays.",
    "weights/compression": "Priors that remove units, and weights that need fewer bits.",
    "generative/vae": "The bound during training, with each of its parts.",
    "generative/latent_space": "t-SNE of q(z|x): where a VAE places the digits.",
    "generative/manifold": "Every point of the plane is a digit.",
    "generative/decode": "Move through the codes, and one digit becomes another.",
    "results/errata": "Where the lectures' formulas are wrong, and what that changes.",
}


def first(setting: Setting, screen: Screen, study: First) -> Result:
    """Functions over the data, with sliders that redraw them; a plain figure where the browser cannot do that."""
    if moves(setting):
        return Result([moving_picture(setting, study), Words(CAPTION)], call=study.call())
    predictive, dataset = study.predict(), study.dataset
    fig = plots.function_draws(predictive, dataset, theme=screen.theme, height=480)
    alt = plots.describe_function_draws(predictive, dataset)
    return Result([Figure("first_figure", fig, alt), Words(CAPTION)], call=study.call())
