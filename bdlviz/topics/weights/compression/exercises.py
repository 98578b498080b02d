"""Exercises and predictions of the page weights/compression, with their checks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.topics.weights.compression import shrinkage


def _hides_noise_and_keeps_signal(options: Mapping[str, str]) -> bool:
    prior, scale, slab = options["shrinking_prior"], float(options["prior_scale"]), float(options["slab_share"])
    small, large = shrinkage.posterior_mean(prior, np.array([1.0, 6.0]), scale, slab)
    return bool(small < 0.1 and large > 5.5)


def _dense_over_sparse() -> float:
    sizes = (45, 23, 23, 10)
    return sum(before * after for before, after in pairwise(sizes)) / 314


COMPRESSION: tuple[Exercise, ...] = (
    Setting(
        "In *Priors that shrink*, find a prior and a scale that prune well: the posterior mean is below 0.1 at y = 1, "
        "but above 5.5 at y = 6.",
        _hides_noise_and_keeps_signal,
        {"prior_scale": "0.1"},
        "The prior needs much mass near 0 and heavy tails: a horseshoe with a small scale, or a spike and a wide slab. "
        "The Gaussian shrinks both observations alike. A Laplace prior that shrinks the small one also shrinks the "
        "large one.",
        "Start with the horseshoe and make its scale smaller; watch the two posterior means.",
    ),
    Number(
        "Open *Single weights*: 314 weights are not 0, yet 45 pixels, 23 and 23 hidden units and 10 classes still have "
        "one. How many times as many numbers does a dense network of these sizes store, biases not counted?",
        _dense_over_sparse,
        0.02,
        "45 · 23 + 23 · 23 + 23 · 10 = 1,794 numbers for 314 weights. A matrix gets smaller only where a whole row or "
        "column is 0. So priors for groups give smaller networks, although they leave more weights.",
        "Between two layers a dense network stores the product of their sizes.",
    ),
    Choice(
        "Open *Bits of the weights*, of 8×8 digits: the layers need 1 + 3 + 1, 1 + 3 + 1 and 1 + 3 + 4 bits, as sign + "
        "exponent + places. What does that say about the last layer?",
        (
            "Its weights are larger.",
            "Its weights are more certain: their posterior variances are smaller.",
            "It has more weights.",
            "It matters least, so it is not rounded.",
        ),
        1,
        "The exponent encodes the size of a weight, and it is the same in all layers. Binary places below the "
        "noise of the weight carry no information.",
        "Which of the three parts differs, and what is it computed from?",
    ),
)

BEFORE_KAPPA = Prediction(
    Choice(
        "κ is near 0 where a weight is kept as observed, and near 1 where it is shrunk to nearly 0. What does the "
        "density of κ look like for the horseshoe, at scale 1?",
        (
            "High in the middle, low at both ends.",
            "High at both ends, low in the middle.",
            "High at κ = 1 only: most weights are noise.",
            "It is flat.",
        ),
        1,
        "It is Beta(½, ½), a shape like a horseshoe: each weight is either kept or shrunk to nearly 0.",
    ),
    {"look": "priors"},
)

BEFORE_SINGLE = Prediction(
    Choice(
        "Here whole units are removed: 566 weights, 27 pixels, 12 and 11 hidden units are left. What if single weights "
        "are removed instead?",
        (
            "Fewer weights and fewer units are left.",
            "Fewer weights are left, in more units.",
            "More weights are left, in fewer units.",
        ),
        1,
        "314 weights, but 45 pixels and 23 and 23 hidden units: the zeros are scattered. With other seeds it is the "
        "same: five trainings leave 284 to 329 weights instead of 490 to 620, and 44 to 46 pixels instead of 26 to 28.",
    ),
    {"compressed_images": "digits"},
)

BEFORE_ALL_PRUNED = Prediction(
    Choice(
        "Now every weight is pruned. How often is the answer right?",
        ("Never.", "In about one of ten images.", "Nearly as often as before."),
        1,
        "Only the biases are left: every image gets the same answer, and about one digit in ten is of that class.",
    ),
    {"compressed_images": "digits"},
)
