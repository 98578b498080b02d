"""Exercises and predictions of the page generative/decode, with their checks."""

from __future__ import annotations

import math

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting

DECODE: tuple[Exercise, ...] = (
    Number(
        "The dotted circles in the plane have the radii of 1 and 2 sd of the prior. How many per cent of the codes "
        "drawn from it lie outside the outer one?",
        lambda: 100 * math.exp(-0.5 * 2**2),
        0.05,
        "$P(\\lVert z \\rVert > r) = e^{-r^2/2}$ in a plane: nearly three times the 5 % that are outside 2 sd on a "
        "line. With more dimensions, more of the prior is far from 0.",
        "It is not the 5 % of a single number: both coordinates count.",
        "%",
    ),
    Setting(
        "Use codes of 20 dimensions, and start at the code with the highest prior density.",
        lambda options: options["codes"] == "20d" and options["start"] == "origin",
        {"codes": "20d", "start": "origin"},
        "The density is highest at z = 0, but draws are far from it: about √20 ≈ 4.5 in 20 dimensions. The "
        "most likely point is not a typical one.",
        "Where is the density of N(0, I) highest?",
    ),
    Choice(
        "Drag far out, where no image has its code. How can you see that no training image had its code there?",
        (
            "The picture becomes blurred.",
            "The picture becomes noise.",
            "Only by the distance to the nearest code: the picture is as sharp as elsewhere.",
        ),
        2,
        "The decoder gives an image for every code. Blurred images are in the middle, between classes, not far out.",
        "Compare the rim of the pad with its middle.",
    ),
)

BEFORE_MIDDLE = Prediction(
    Choice(
        "At z = 0 the density of the prior is highest. What does the decoder draw there?",
        ("A clear digit, the most frequent one.", "A blurred mixture that is no digit.", "An empty picture."),
        1,
        "Codes of several classes lie around it, and the expected image of a code between classes is a mean of images "
        "of both.",
    ),
    {},
)
