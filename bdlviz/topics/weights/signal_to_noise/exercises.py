"""Exercises and predictions of the page weights/signal_to_noise, with their checks."""

from __future__ import annotations

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting

SIGNAL_TO_NOISE: tuple[Exercise, ...] = (
    Number(
        "Open *Signal to noise*: three quarters of the weights lie below −17.6 dB. How many times as large as its mean "
        "is the σ of a weight at exactly −17.6 dB?",
        lambda: 10 ** (17.6 / 20),
        0.03,
        "20 dB are a factor of ten, so $10^{17.6 / 20}$. The sign of such a weight is nearly random.",
        "Decibels are $20 \\log_{10}(|\\mu| / \\sigma)$.",
    ),
    Setting(
        "Set the standard deviations to *tiny* and remove as many weights as you can while the error on MNIST rises by "
        "less than one point.",
        lambda options: (options["images"], options["preset"], options["removed"]) == ("mnist", "small_sigma", "80"),
        {"preset": "small_sigma", "removed": "80"},
        "From 1.45 % the error rises to 1.70 % at 80 % removed, and to 2.72 % at 90 %. With learned σ even 95 % can be "
        "removed without more error: there the training has found which weights are noise.",
        "Read the curve of the lowest |μ|/σ: where is it a point above its left end?",
    ),
    Choice(
        "With learned σ, removing 75 % of the weights lowers the error of ten draws by 0.18 ± 0.07 points (one "
        "training; ± one standard error over 10,000 images). Predicting by the means, it changes nothing. Why?",
        (
            "Fewer weights overfit less.",
            "These weights have means near 0: they add noise to a draw, and hardly change a pass through the means.",
            "The removed weights were wrong, and the rest was trained again.",
        ),
        1,
        "A weight far below 0 dB has a mean near 0 and a large σ. Without it, its noise is gone as well.",
        "Nothing is trained again after weights are removed. What does such a weight do in one draw?",
    ),
)

BEFORE_TINY = Prediction(
    Choice(
        "With learned σ, 90 % of the weights can be removed without more error. How much does the error rise where σ "
        "was tiny all along?",
        ("Not at all.", "By about one point.", "So much that most digits are wrong."),
        1,
        "The error goes from 1.45 to 2.72 %. Without learned standard deviations weights are ranked by size, and "
        "small weights still matter.",
    ),
    {"removed": "90"},
)

BEFORE_ALL_REMOVED = Prediction(
    Choice(
        "Two weights in a hundred are left, and the error is 4.5 %. What is the error without these?",
        (
            "The error doubles.",
            "About 90 % are wrong: every digit gets the same answer.",
            "All are wrong: without weights there is no answer.",
        ),
        1,
        "Biases alone give the same answer for every image, which is right for the digits of that class.",
    ),
    {"removed": "98"},
)

BEFORE_HISTOGRAMS = Prediction(
    Choice(
        "How wide is the histogram of one draw of all weights, beside a plain network's weights?",
        ("About as wide.", "Twice as wide.", "More than six times as wide."),
        2,
        "Their standard deviations are 0.198 and 0.030, though the means of Bayes by Backprop have 0.038: a "
        "draw is wide because of its noise.",
    ),
    {},
)
