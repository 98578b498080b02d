"""Exercises and predictions of the page digits/concrete_dropout, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive import relaxation
from bdlviz.predictive.summaries import entropy


def _entropy_of(rate: float) -> float:
    return entropy(np.array([rate, 1 - rate])).item()


def _is_nearly_hard(options: Mapping[str, str]) -> bool:
    if options["look"] != "relaxation" or options["relaxed_rate"] != "0.5":
        return False
    return 0.05 <= relaxation.share_between(0.01, 0.99, 0.5, float(options["temperature"])) <= 0.1


CONCRETE_DROPOUT: tuple[Exercise, ...] = (
    Number(
        "A pixel of the border is 0 in every image, and its weights decay to 0, so only the entropy term acts. How "
        "many nats does the bound gain when its rate goes from the start, p = 0.12, to p = ½?",
        lambda: _entropy_of(0.5) - _entropy_of(0.12),
        0.03,
        "$\\log 2 - \\mathbb{H}(0.12) = 0.69 - 0.37 = 0.33$ nats, and the entropy is highest at ½. So the rate at the "
        "border tells nothing about digits: it is the optimum of the entropy term alone.",
        "The entropy of a coin is $-p \\log p - (1 - p) \\log(1 - p)$.",
        "nats",
    ),
    Number(
        "In the authors' study p starts at 0.1, the learning rate is 0.001, and N = 10 got 2,000 steps. How large can "
        "p be at the end, when its logit moves by one learning rate a step?",
        lambda: relaxation.fastest_rate(0.1, np.array(2000)).item(),
        0.03,
        "The logit goes from −2.20 to −0.20, and p to 0.45. The published value is 0.40, close to this limit. So it "
        "depends on the length of the training as much as on the ten points. Trained *to convergence* it is 0.50.",
        "Add 2,000 × 0.001 to logit 0.1, and take the sigmoid.",
    ),
    Setting(
        "Open *A relaxed mask* at p = 0.5. Choose the temperature at which between 5 % and 10 % of the masks are "
        "neither kept nor dropped.",
        _is_nearly_hard,
        {"look": "relaxation", "relaxed_rate": "0.5", "temperature": "0.03"},
        "At t = 0.03 it is 6.9 %. The authors' t = 0.1 leaves 9.8 % at p = 0.12, and 23 % at p = ½. The nearer p is to "
        "½, the lower the temperature has to be.",
        "Watch *Neither kept nor dropped* while t falls.",
    ),
)

BEFORE_N10000 = Prediction(
    Choice(
        "This is N = 1,000. How do the keep probabilities of the hidden units change with ten times as many images?",
        (
            "They fall: with more data the network can drop more.",
            "They rise: the data outweigh the entropy term.",
            "They stay: they depend on the network, not on N.",
        ),
        1,
        "Their means go from 0.65 and 0.61 to 0.87 and 0.84. The entropy term is the same for any N; the "
        "increase of the negative log-likelihood by dropping grows with every image.",
    ),
    {},
)

BEFORE_NO_ENTROPY = Prediction(
    Choice(
        "All units started at a keep probability of 0.88, and it has decreased. Where is it after the same number of "
        "steps without the entropy term?",
        (
            "Close to where they started.",
            "Lower still: dropping regularises.",
            "At 0.5, where a coin is fair.",
        ),
        0,
        "The means are 0.89 to 0.90. Only the entropy term favours dropping.",
    ),
    {"look": "layers"},
)

BEFORE_WIDTH = Prediction(
    Choice(
        "With 256 hidden units the bound learns a dropout rate. A grid search finds the rate of lowest held-out NLL. "
        "How does the learned rate compare?",
        (
            "It is about the same.",
            "It is much larger.",
            "It is much smaller.",
        ),
        1,
        "0.40 learned, 0.03 ± 0.06 by the grid. The entropy terms of all units outweigh 320 digits: a "
        "higher bound does not imply a better prediction of held-out digits.",
    )
)
