"""Exercises and predictions of the page foundations/noise_or_ignorance, with their checks."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction
from bdlviz.predictive import kinds


def _cost_of_too_little_noise() -> float:
    residual = np.array(0.5)
    claimed, right = (sum(term.item() for term in kinds.loss_terms(residual, at * residual)) for at in (0.5, 1.0))
    return claimed - right


NOISE_OR_IGNORANCE: tuple[Exercise, ...] = (
    Choice(
        "Which of these makes the orange band (the noise) narrower than it is now?",
        (
            "More points of the same kind.",
            "More networks in the ensemble.",
            "A further input that depends on y.",
            "A smaller dropout rate.",
        ),
        2,
        "Noise is the variation of y that the inputs do not explain. In *A second feature, a second task* "
        "the true noise falls from 0.41 to 0.10. With more points its estimate only becomes more accurate.",
        "More points, networks or masks change the epistemic uncertainty. See *A second feature, a second task*.",
    ),
    Number(
        "Open *The loss*. A model predicts noise that is half as large as its residual. How many nats above the lowest "
        "loss is that?",
        _cost_of_too_little_noise,
        0.05,
        "$\\frac12 \\cdot 4 - \\log 2 - \\frac12 = 0.81$ nats for every residual. If the noise is twice as large as "
        "the residual, the loss is only 0.32 higher: too little noise costs more than too much.",
        "Take $r^2 / 2\\sigma^2 + \\log\\sigma$ at σ = r / 2 and at σ = r.",
        "nats",
    ),
)

BEFORE_CONSTANT = Prediction(
    Choice(
        "The noise grows from 0.1 on the left to 0.5 on the right. If the networks learn only one σ for all x, which "
        "value will it have?",
        (
            "Near 0.1: the points with little noise lie close to the curve and count most.",
            "Near 0.36, the root of the mean square.",
            "Near 0.5: it has to allow for the largest residuals.",
        ),
        1,
        "The best constant is the root of the mean squared residual: too wide on the left, too narrow on the right.",
    ),
    {"look": "heads"},
)

BEFORE_DROPOUT = Prediction(
    Choice(
        "MC dropout, first with a hundred points, then with ten thousand. How does the epistemic sd at inputs with "
        "data change?",
        (
            "It falls to a tenth: it is proportional to $1 / \\sqrt N$.",
            "It falls by about a half.",
            "It stays as it is.",
        ),
        2,
        "Its power of N is 0.00. The dropout rate sets how far the draws differ. An exact posterior would become "
        "narrower with more data.",
    )
)
