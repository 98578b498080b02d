"""Exercises and predictions of the page generative/conditional, with their checks."""

from __future__ import annotations

import math

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting

CONDITIONAL: tuple[Exercise, ...] = (
    Number(
        "Held-out images have a bound of −152.6 nats given their class, and of −169.7 nats in the VAE, which is not "
        "given the class. How large is the difference after the cost of naming one of ten classes is subtracted?",
        lambda: -152.6 - math.log(10) + 169.7,
        0.02,
        "17.1 − log 10: log p(x) is at least log p(x|y) + log p(y), and p(y) is a tenth. A plane of codes that "
        "need not separate ten classes describes each of them better. In three trainings the bounds differed by 17 to "
        "21 nats.",
        "To name one of ten classes costs log 10 nats.",
        "nats",
    ),
    Setting(
        "On MNIST, show all ten digits with the least ink that one coordinate gives, the other one being 0.",
        lambda options: [options[key] for key in ("images", "class", "moved", "other")] == ["mnist", "all", "1", "2"],
        {"class": "all", "moved": "1", "other": "2"},
        "Here z₂ is slant, and z₁ is stroke width and width. Another seed would give other coordinates: only the "
        "decoder gives them a meaning.",
        "First find out which coordinate makes strokes thinner.",
    ),
    Choice(
        "In the VAE's plane the nearest code is of the same class in 63 % of the cases, here in 19 %. Is this code "
        "worse?",
        (
            "Yes: it has lost the information on the class.",
            "No: the decoder is given the class, so the code only holds what the classes share.",
            "No: 19 % is the error of the training.",
        ),
        1,
        "Information in the code increases the KL term, and the class is known without it. By chance it would be 10 %.",
        "From where does the decoder get the class here?",
    ),
)

BEFORE_SECOND = Prediction(
    Choice(
        "Along z₂ all ten digits go from leaning left to leaning right. What does z₁ change?",
        ("The slant again.", "The digit.", "How thick and how wide the strokes are."),
        2,
        "Where z₁ is large, strokes are thin and there is least ink.",
    ),
    {},
)

BEFORE_SEVENS = Prediction(
    Choice(
        "A whole plane of codes is decoded as class 7. Are there other digits in its corners?",
        (
            "Yes: codes of other classes lie there.",
            "No: every picture is some way to write a 7.",
            "Yes, but only 1s and 9s, which are like a 7.",
        ),
        1,
        "The decoder has the class as a second input; the code determines slant, stroke width and width.",
    ),
    {},
)
