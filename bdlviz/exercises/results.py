"""Exercises of the section on results: what a score says of probabilities, and what a slip in a formula does."""

from __future__ import annotations

import numpy as np

from bdlviz.exercises.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive import calibration, length_scale

# Scoreboard -----------------------------------------------------------------------------------------------------------


def _error_of_95_and_89() -> float:
    """In per cent, of 100 answers of two classes that are all given with 95 %, 89 of them right."""
    probabilities = np.tile([0.95, 0.05], (100, 1))
    labels = np.repeat([0, 1], [89, 11])
    return 100 * calibration.expected_calibration_error(probabilities, labels)


SCOREBOARD: tuple[Exercise, ...] = (
    Number(
        "A classifier says 95 % of every one of its answers, and 89 of 100 are right. How large is its expected "
        "calibration error?",
        _error_of_95_and_89,
        0.02,
        "One bin holds all answers, and its gap is 95 − 89. The plain network comes to 6.3 %, for the same reason.",
        "It is the gap between confidence and accuracy of every bin, weighted by the answers in it.",
        "%",
    ),
    Setting(
        "MC dropout on MNIST-1000: open *Refusing to answer* and refuse as few digits as the slider allows, so that "
        "fewer than 1 % of the others are wrong.",
        lambda options: (
            [options[key] for key in ("images", "view", "method", "refused")]
            == ["mnist", "refusing", "mc_dropout", "40"]
        ),
        {"view": "refusing", "refused": "40"},
        "Of 1,000 digits 98 are wrong at first; after 400 refusals five of 600 are. Most mistakes were uncertain, the "
        "last few cost many right answers.",
        "Move *Refuse the most uncertain* and read *Wrong, … refused*: 30 % is not enough.",
    ),
    Choice(
        "On MNIST-1000 averaging the draws of MC dropout hardly moves the accuracy, but takes the calibration error "
        "from 6.5 to 2.9 %. How can that be?",
        (
            "Accuracy asks only which class has the largest probability; how large it is does not matter to it.",
            "The draws answer like the mean: their probabilities are the same.",
            "Accuracy was measured on fewer digits.",
        ),
        0,
        "Where draws disagree the mean is less certain, and seldom changes its mind. That is a better probability for "
        "the same answer.",
        "Which of the two scores would notice if every 0.99 became 0.7?",
    ),
)

# Published numbers ----------------------------------------------------------------------------------------------------


def _least_trend() -> float:
    """Two standard errors of a mean of five differences whose standard deviation is 0.25, in points."""
    return 2 * 0.25 / np.sqrt(5)


REGISTER: tuple[Exercise, ...] = (
    Number(
        "A difference of two accuracies was measured with five seeds. Its standard deviation over the seeds is 0.25 "
        "points. How many points must its mean be away from 0 at least, so that it counts as a trend?",
        _least_trend,
        0.02,
        "The standard error of a mean is the standard deviation divided by the root of the number of seeds. A trend is "
        "more than two standard errors away from 0.",
        "First find the standard error of the mean.",
        "points",
    ),
    Setting(
        "Show only the rows of Blundell et al. 2015 that our runs reproduce.",
        lambda options: options["source"] == "blundell" and options["verdict"] == "reproduced",
        {"source": "blundell", "verdict": "reproduced"},
        "The table below the picture names the place in the paper, the number of seeds and the rule of each row.",
        "Use both menus.",
    ),
)
BEFORE_OVERCONFIDENT = Prediction(
    Choice(
        "A plain network, without masks or draws, says 95 % on average. How often is it right?",
        ("In 98 of 100 cases.", "In 95 of 100 cases.", "In 89 of 100 cases."),
        2,
        "It is too certain by 6 points, twice the calibration error that is left when MC dropout averages its draws.",
    ),
    {},
)
BEFORE_LECTURE = Prediction(
    Choice(
        "How much accuracy does averaging bring, over one pass of the same network?",
        ("Several points.", "Hardly any: less than 0.1 points, up or down.", "It costs several points."),
        1,
        "From −0.06 to −0.01 points for all methods that average, means of five seeds and more with standard errors of "
        "0.07 to 0.12 points: no difference is shown. What averaging changes is the probabilities.",
    ),
    {},
)
BEFORE_CERTAIN_AND_WRONG = Prediction(
    Choice(
        "On MNIST a quarter turn takes the entropy of MC dropout from 0.21 to 0.76 nats. What does it do on the 8×8 "
        "digits?",
        (
            "It rises in the same way: turned digits are strange to every network.",
            "It falls: the network is more certain than upright.",
            "It stays as it was.",
        ),
        1,
        "From 0.14 to 0.08 nats, with 11 % right. There is ink where training had none, and the draws agree on what it "
        "means.",
    ),
    {"view": "rotation"},
)

# Errata ---------------------------------------------------------------------------------------------------------------


def _precision_over_slip() -> float:
    """How many times too small τ is at p = 0.2, whatever the other arguments."""
    settings = (1.0, 1e-3, 100, 0.2)
    return length_scale.model_precision(*settings) / length_scale.precision_without_rescaling(*settings)


ERRATA: tuple[Exercise, ...] = (
    Number(
        "Open *τ used with inverted dropout*: τ comes out 4 times too small at p = 0.5 and 1.23 times at p = 0.1. By "
        "which factor at p = 0.2?",
        _precision_over_slip,
        0.02,
        "1 / (1 − p)² = 1 / 0.64. Where masks are divided by 1 − p the penalised weights are 1 − p times those of the "
        "formula, and their squares (1 − p)² times.",
        "What is 4 made of at p = 0.5, and 1.23 at p = 0.1? Think of 1 − p.",
    ),
    Setting(
        "Find the slip that no accuracy can show: the most probable class is right with both formulas, while a score "
        "reads better with every draw.",
        lambda options: options["erratum"] == "predictive-sum",
        {"erratum": "predictive-sum"},
        "A sum over S draws is S times the mean. The largest stays the largest, but the NLL reads log S nats too good.",
        "It is about prediction with S draws of the weights.",
    ),
    Choice(
        "With a new mask at every x the sd over draws is as large as with one mask for each draw, 0.53 and 0.54. Yet "
        "the draws are noise. What is wrong with them?",
        (
            "Their mean.",
            "How values at different x belong together: a function is drawn as a whole.",
            "Their number: with more draws they would become smooth.",
        ),
        1,
        "Every single x has the right distribution. Neighbours correlate by 0.02 instead of 1.00, so that nothing that "
        "needs two values at once can be read from such draws, no slope and no maximum.",
        "Compare the correlations of neighbouring inputs.",
    ),
)
BEFORE_RHO = Prediction(
    Choice(
        "A slide moves $\\rho$ along $\\frac{\\partial f}{\\partial w} \\frac{1}{1 + e^{-\\rho}} + "
        "\\frac{\\partial f}{\\partial \\rho}$, with $w = \\mu + \\log(1 + e^\\rho)\\, \\epsilon$. A σ of 1 at the "
        "start should become 0.22. What does it do?",
        ("It becomes 0.22, only more slowly.", "It shrinks to 0.", "It stays about where it started."),
        2,
        "An ε is lost in the first term. Without it both terms average to 0 once μ is learned, and σ ends at 1.2.",
    ),
    {},
)
BEFORE_ARD = Prediction(
    Choice(
        "A KL is printed as $\\log\\frac{\\sigma}{\\lambda} + \\frac{\\sigma^2 + \\mu^2}{2\\lambda^2}$, and λ, "
        "the prior's sd, is to be where it is smallest. Where is that?",
        ("At $\\lambda^2 = \\mu^2 + \\sigma^2$.", "At λ = 0.", "Nowhere: it falls without end."),
        2,
        "The fraction in the logarithm is turned over: with λ it goes to −∞, where a KL is never negative.",
    ),
    {},
)
BEFORE_PLUG_IN = Prediction(
    Choice(
        "A code takes $\\log p(x \\mid z)$ at the mean code alone, not its mean over codes $z \\sim q(z|x)$, and "
        "subtracts the KL. Where is the value, seen from the ELBO?",
        (
            "Below it: a single code is worse than many.",
            "Above it, and it may even exceed $\\log p(x)$.",
            "It is the ELBO: the mean code is the mean.",
        ),
        1,
        "The decoder does best at the middle of q(z|x). The VAE of MNIST-1000 reads 6.8 nats too good.",
    ),
    {},
)
