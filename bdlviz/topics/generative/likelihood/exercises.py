"""Exercises and predictions of the page generative/likelihood, with their checks."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models.pixel_likelihoods import log_normaliser

LIKELIHOOD: tuple[Exercise, ...] = (
    Number(
        "What the Bernoulli term leaves out of a density of grey pixels is smallest where a pixel's parameter is 0.5. "
        "How many nats is it at least for an image of 8×8 pixels?",
        lambda: 64 * float(log_normaliser(np.zeros(()))),
        0.02,
        "64 log 2, more than the whole bound of −24.6 nats that is reported for the 8×8 digits.",
        "At 0.5 the term is ½ for every grey value: what factor gives the area 1?",
        "nats",
    ),
    Setting(
        "Open *Posterior collapse*. Set β to the smallest value at which no code dimension is in use any more.",
        lambda options: options["kl_weight"] == "4",
        {"look": "collapse", "kl_weight": "4"},
        "At β = 2 four of ten still improve the reconstruction by more than their KL. At 4 every posterior is the "
        "prior, and every "
        "reconstruction the average image.",
        "A dimension is in use above 0.05 nats; read the sentence at each β.",
    ),
    Choice(
        "Bounds on MNIST-1000: grey Bernoulli −148.7, binarised Bernoulli −144.7, continuous Bernoulli 2,970.9, "
        "Gaussian 222.1 nats. Which may be compared?",
        (
            "All four: they are in nats.",
            "The two Bernoulli ones: they are of one kind.",
            "The continuous Bernoulli's and the Gaussian's: both are of densities of grey images.",
            "None of them.",
        ),
        2,
        "Binarised images are other data, and the Bernoulli term on grey pixels is no density.",
        "What is each of them a probability or a density of? See *Bounds*.",
    ),
)

BEFORE_MEANS = Prediction(
    Choice(
        "These are draws, noise included. In which of the four do the means still show noise?",
        ("In the Gaussian.", "In both Bernoulli models.", "In none."),
        2,
        "The mean of p(x|z) contains no noise, whatever the likelihood is. Printed pictures usually show this mean.",
    ),
    {"look": "likelihoods", "decoders": "all", "averaged": "1"},
)

BEFORE_GREYER_DIGITS = Prediction(
    Choice(
        "On MNIST the continuous Bernoulli has the largest error of the four, 64.5 of 255. And on the 8×8 digits, in "
        "which four of ten pixels are really grey?",
        (
            "The largest error again.",
            "Not the largest: about that of the Bernoulli models.",
            "The smallest error of all.",
        ),
        1,
        "42.3 against 45.6 and 43.2, means of five trainings; the Gaussian has 28.6. The difference to the binarised "
        "Bernoulli is no larger than chance. Which likelihood fits depends on the grey values.",
    ),
    {"look": "likelihoods", "decoders": "all", "averaged": "1"},
)
