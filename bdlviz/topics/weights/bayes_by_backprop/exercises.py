"""Exercises and predictions of the page weights/bayes_by_backprop, with their checks."""

from __future__ import annotations

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models import divergences
from bdlviz.topics.weights.bayes_by_backprop import description

BAYES_BY_BACKPROP: tuple[Exercise, ...] = (
    Number(
        "Open *One weight in training*: at the end μ = 0.126 and σ = 0.0124, and the prior is N(0, 1). How large is "
        "its KL to the prior in bits, that is, how many bits does it take to send this weight?",
        lambda: float(description.bits(divergences.gaussian(0.126, 0.0124, 1.0))),
        0.02,
        "$\\frac12(\\mu^2 + \\sigma^2 - 1) - \\log\\sigma = 3.90$ nats, divided by log 2: a narrow q needs many bits. "
        "A weight whose q equals the prior needs none.",
        "The KL is $\\frac12(\\mu^2 + \\sigma^2 - 1) - \\log\\sigma$ here, in nats; a nat is 1 / log 2 bits.",
        "bits",
    ),
    Setting(
        "Leave ρ at the start as it is. Set the page so that the band closes away from the points, too, although the "
        "draws still follow the points.",
        lambda options: options["kl_weight"] == "0" and options["start_rho"] == "-4",
        {"kl_weight": "0"},
        "With β = 0 no term rewards a large σ, so σ shrinks. With this training seed the sd outside falls from 0.48 to "
        "0.0073. The KL term keeps q as wide as the prior where there are no data.",
        "A tight prior closes the band, but then the draws ignore the points. Which term rewards a large σ?",
    ),
    Choice(
        "Open *A gap in the data* and raise σ₁ to 7.39. Over 20 training seeds the sd in the gap is 0.024 to 0.062 "
        "with σ₁ = 1 and 0.026 to 0.094 with σ₁ = 7.39, at most 2.4 times that at the clusters. Why does the band not "
        "open?",
        (
            "The data determine the function between the clusters.",
            "Every weight is uncertain by itself: a larger σ would widen the band at the clusters, too.",
            "Twenty draws are too few to show the width in the gap.",
            "The prior is still too narrow.",
        ),
        1,
        "To be uncertain in the gap alone, several weights would have to be correlated, and q has no correlations. For "
        "one hidden layer of ReLU it is a theorem: around the middle of the data the variance is at most the sum of "
        "those on both sides.",
        "The truth is far away in the gap, and σ₁ = 7.39 is wide. Which posteriors has a q without correlations not?",
    ),
)

BEFORE_WIDE = Prediction(
    Choice(
        "This is σ₁ = 1. Where does the band change most when σ₁ rises to 7.39?",
        (
            "At the points: it becomes wider there.",
            "Away from the points: it becomes wider there.",
            "Nowhere: the data determine the function.",
        ),
        1,
        "Over 20 training seeds the sd outside is 0.39 to 0.56 with the one prior and 0.79 to 2.3 with the other; at "
        "the points it is 0.018 to 0.026 and 0.020 to 0.031. Where there are data, the prior hardly matters.",
    ),
    {},
)

BEFORE_GAP = Prediction(
    Choice(
        "Now two clusters of points with a wide gap between them. How uncertain is q in the gap?",
        (
            "Several times as uncertain as at the clusters.",
            "About as uncertain as at the clusters, less than twice.",
            "Not at all: all draws agree there.",
        ),
        1,
        "Over 20 training seeds the sd is 0.024 to 0.062 in the gap and 0.031 to 0.051 at the clusters, never more "
        "than 1.5 times as large in the gap, though the truth is far away.",
    ),
    {},
)

BEFORE_GRADIENTS = Prediction(
    Choice(
        "The gradient by μ comes from 32 points instead of one, all with the same draw of the weights. How much less "
        "noise has it?",
        ("32 times less.", "Less, but far from 32 times.", "As much as before."),
        1,
        "About 9 times: the noise that the points share does not average out. With a draw for every point it would be "
        "about 32 times.",
    ),
    {},
)
