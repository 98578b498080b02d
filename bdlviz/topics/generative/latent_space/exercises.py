"""Exercises and predictions of the page generative/latent_space, with their checks."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive import latent

LATENT_SPACE: tuple[Exercise, ...] = (
    Number(
        "In two dimensions an image has its q(z|x) around (1, 1), with an sd of 0.1 in both coordinates. How "
        "large is its KL term?",
        lambda: float(latent.kl_to_prior(np.ones((1, 2)), np.full((1, 2), 0.1))[0]),
        0.02,
        "3.62 of these 4.62 nats come from the small sd, 1 from the distance from the middle. The average over "
        "the images is 5.8 here.",
        "Add up $\\frac12(\\mu^2 + \\sigma^2 - \\log\\sigma^2 - 1)$ over both coordinates.",
        "nats",
    ),
    Setting(
        "Show a picture whose distances are those of the code itself, and which shows how precisely each "
        "image determines its code.",
        lambda options: options["codes"] == "2d" and options["marks"] == "ellipses",
        {"codes": "2d", "marks": "ellipses"},
        "A plane needs no t-SNE. An ellipse is one sd of q(z|x).",
        "The map must not use t-SNE, and a point cannot show a standard deviation.",
    ),
    Choice(
        "With 20 dimensions two clusters lie at opposite ends of the t-SNE picture. What does that say of their "
        "distance in z?",
        (
            "They are the two most different classes.",
            "Nothing: t-SNE preserves neighbours, not distances.",
            "It is proportional to the distance in the picture.",
        ),
        1,
        "With another perplexity the clusters are elsewhere. Only neighbours within a cluster can be read off.",
        "Set the perplexity to 5 and to 100 and look again.",
    ),
)

BEFORE_PLANE_OF_CODES = Prediction(
    Choice(
        "With 20 numbers for each image the nearest code is of the same class in 89 % of the cases. And with two?",
        (
            "In as many: the picture was flat before.",
            "In clearly fewer: the classes overlap.",
            "In more: fewer numbers contain only the class.",
        ),
        1,
        "63 %. Before, only the picture was flat and the decoder used 20 numbers; now it has two.",
    ),
    {},
)

BEFORE_HELD_OUT = Prediction(
    Choice(
        "These are training images. How well are images separated that were not used in training?",
        ("About as well.", "Half as well.", "Not at all."),
        0,
        "The nearest code is of the same class in 91 % of the cases, in training in 89 %: the classes are no "
        "part of the training data, so the VAE cannot overfit to them.",
    ),
    {},
)
