"""Exercises and predictions of the page generative/autoencoder, with their checks."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive import latent

AUTOENCODER: tuple[Exercise, ...] = (
    Number(
        "On MNIST-1000 the two coordinates of the plain autoencoder's codes have sds of 10.7 and 14.6. Suppose a VAE "
        "put the codes of an image at one sd from the middle of the prior, at a mean of (10.7, 14.6), with σ = 1. How "
        "large would the KL term of that image be?",
        lambda: float(latent.kl_to_prior(np.array([[10.7, 14.6]]), np.ones((1, 2)))[0]),
        0.02,
        "$\\frac12 (\\mu_1^2 + \\mu_2^2)$, as much as the 164 nats of the reconstruction term of a held-out image. So "
        "the KL term keeps codes where the prior has its mass; without it they may lie anywhere.",
        "The KL of a coordinate is $\\frac12(\\mu^2 + \\sigma^2 - \\log\\sigma^2 - 1)$.",
        "nats",
    ),
    Setting(
        "Open *Two clouds of codes*. Choose images for which the means of the VAE's codes have an sd below that of the "
        "prior.",
        lambda options: options["images"] == "digits",
        {"look": "planes", "images": "digits"},
        "On the 8×8 digits it is 0.95 in both coordinates. The prior's variance of 1 is shared between the spread of "
        "the means and the width of each q(z|x): on the others it is at least 1.39 and 1.09, so the codes together are "
        "wider than the prior.",
        "The prior N(0, I) has 1. Read the last numbers for each set of images.",
    ),
    Choice(
        "You want new digits. Why not take z from N(0, I) and decode it with the plain autoencoder?",
        (
            "Its decoder only gives blurred images.",
            "Its objective does not keep codes near N(0, I): almost no code is there.",
            "It has too few code dimensions.",
        ),
        1,
        "No training image of MNIST-1000 has its code within 2 of the middle. The KL term makes the codes similar to "
        "draws from the prior.",
        "Look for codes in the circle of the prior.",
    ),
)

BEFORE_DIGIT_CODES = Prediction(
    Choice(
        "The same two networks on the 8×8 digits. Which codes have an sd near 1, that of the prior?",
        ("Those of both.", "Only those of the VAE.", "Those of neither."),
        1,
        "0.95 in both coordinates against 4.99 and 4.76. With other seeds it is the same: for both coordinates "
        "together 0.95 to 0.97 against 5.3 to 7.8 in five trainings.",
    ),
    {"look": "planes"},
)
