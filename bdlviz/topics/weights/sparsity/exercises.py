"""Exercises and predictions of the page weights/sparsity, with their checks."""

from __future__ import annotations

import math
from collections.abc import Mapping

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.models import divergences
from bdlviz.topics.weights.sparsity import one_weight

DIVERGENCES = {"sparse_variational_dropout": divergences.sparse_variational, "ard": divergences.ard}


def _removed_at_a_minimum(options: Mapping[str, str]) -> bool:
    if options["look"] != "one":
        return False
    best = one_weight.best_log_alpha(float(options["strength"]), DIVERGENCES[options["method"]])
    return math.isfinite(best) and best > divergences.PRUNED


SPARSITY: tuple[Exercise, ...] = (
    Number(
        "In *One weight* with ARD, at the best noise the mean keeps 80 % of its best value for c = 5, and 90 % for "
        "c = 10. For which c does it keep 95 %? The slider does not go so far.",
        lambda: float(one_weight.strength_at(math.log(0.05 / 0.95), divergences.ard)),
        0.01,
        "The best noise is α = 1 / (c − 1), and the mean keeps 1 / (1 + α) = 1 − 1 / c. However much the data care, "
        "some of it goes to the noise.",
        "Look at what is given up: 1/5 for c = 5, 1/10 for c = 10.",
    ),
    Setting(
        "In *One weight*, let the data care just so much that the objective has a minimum, and the weight is removed "
        "all the same.",
        _removed_at_a_minimum,
        {"look": "one", "strength": "1.05"},
        "Between c = 1 and 1.12 the log-uniform prior's minimum lies beyond the threshold log α = 3, which is ours and "
        "not the bound's. Little is lost: the curve is nearly flat out there.",
        "Below c = 1 there is no minimum. How far above it does the minimum stay right of 3?",
    ),
    Choice(
        "In *Few and many images*, N = 100 on the 8×8 digits: without a warm-up no weight is left, for about "
        "2.2 nats an image, in all of five trainings. With the warm-up about one of a hundred is left, for 1.2 to 1.4 "
        "nats. What follows?",
        (
            "The objective wants no weights for so few images.",
            "The objective prefers the weights; training without a warm-up got stuck.",
            "The warm-up changes the objective, so the two numbers cannot be compared.",
        ),
        1,
        "At the end both pay the same objective, and the smaller number wins. Weights that go before the data have "
        "spoken hardly come back.",
        "What is minimised, once the warm-up is over?",
    ),
)

BEFORE_WEAK = Prediction(
    Choice(
        "At c = 10 the best log α is −1.74. The data care less and less, down to c = 0.8. Where is the minimum then?",
        ("Further left: less noise.", "A little further right, below 0.", "Nowhere: the curve falls for ever."),
        2,
        "Below c = 1 every further noise is a gain: the weight is dropped.",
    ),
    {"look": "one"},
)

BEFORE_FEW = Prediction(
    Choice(
        "A hundred images, with a warm-up of the KL term. What if the KL term counts from the first step?",
        (
            "It comes to the same network; the warm-up only takes time.",
            "A few more weights are left.",
            "All weights go, although that costs more nats.",
        ),
        2,
        "Five trainings end at 2.2 instead of 1.2 to 1.4 nats per image, hardly better than the 2.3 of a guess: they "
        "are stuck.",
    ),
    {"look": "size", "images": "digits"},
)
