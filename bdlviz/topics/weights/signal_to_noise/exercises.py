"""Exercises and predictions of the page weights/signal_to_noise, with their checks."""

from __future__ import annotations

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting

SIGNAL_TO_NOISE: tuple[Exercise, ...] = (
    Number(
        "Open *Signal to noise*: three quarters of the weights lie below −17.6 dB. How many times as large as its mean "
        "is the σ of a weight at exactly −17.6 dB?",
        lambda: 10 ** (17.6 / 20),
        0.03,
        "20 dB are a factor of ten, so $10^{17.6 / 20}$. The sign of such a weight is as good as open.",
        "Decibels are $20 \\log_{10}(|\\mu| / \\sigma)$.",
    ),
    Setting(
        "Set the standard deviations to *tiny* and remove as many weights as go without costing a whole point of error "
        "on MNIST.",
        lambda options: (options["images"], options["preset"], options["removed"]) == ("mnist", "small_sigma", "80"),
        {"preset": "small_sigma", "removed": "80"},
        "From 1.45 % the error rises to 1.70 % at 80 % removed, and to 2.72 % at 90 %. With learned σ even 95 % go for "
        "nothing: there the training itself told which weights are noise.",
        "Read the curve of the lowest |μ|/σ: where is it a point above its left end?",
    ),
    Choice(
        "With learned σ, removing 75 % of the weights lowers the error of ten draws by 0.18 ± 0.07 points (one "
        "training; ± one standard error over 10,000 images). Predicting by the means, it changes nothing. Why?",
        (
            "Fewer weights overfit less.",
            "These weights have means near 0: they add noise to a draw, and nothing to the means.",
            "The removed weights were wrong, and the rest was trained again.",
        ),
        1,
        "A weight far below 0 dB is drawn around nearly 0 with a large σ. Taking it out takes out its noise.",
        "Nothing is trained again after a cut. What does such a weight do in one draw?",
    ),
)

BEFORE_TINY = Prediction(
    Choice(
        "With learned σ, 90 % of the weights go for nothing. What does the same cut cost where σ was tiny all along?",
        ("Nothing either.", "About one point of error.", "Nearly everything: most digits are wrong."),
        1,
        "The error goes from 1.45 to 2.72 %. Without learned widths the ranking is by size, and small weights still do "
        "some work.",
    ),
    {"removed": "90"},
)

BEFORE_ALL_REMOVED = Prediction(
    Choice(
        "Two weights in a hundred are left, and the error is 4.5 %. What if these go, too?",
        (
            "The error doubles.",
            "About 90 % are wrong: every digit gets one answer.",
            "All are wrong: without weights there is no answer.",
        ),
        1,
        "Biases alone say the same of every image, which is right for the digits of that class.",
    ),
    {"removed": "98"},
)

BEFORE_HISTOGRAMS = Prediction(
    Choice(
        "How wide is the histogram of one draw of all weights, beside a plain network's weights?",
        ("About as wide.", "Twice as wide.", "More than six times as wide."),
        2,
        "Their standard deviations are 0.198 and 0.030, though the means of Bayes by Backprop have 0.038: the width of "
        "a draw is noise.",
    ),
    {},
)
