"""Predictions of the page foundations/depth_and_edges, with their checks."""

from __future__ import annotations

from bdlviz.lectures.exercise import Choice, Prediction

BEFORE_GREEN = Prediction(
    Choice(
        "The thing in front will be green, a colour that no training scene has. Its predicted depth will be wrong by "
        "more than a metre. What will the standard deviation of the draws of MC dropout be there?",
        (
            "A metre or more: the draws show that the prediction is uncertain.",
            "About 0.3 m, three times as large as before.",
            "About 0.1 m, hardly larger than before.",
        ),
        2,
        "All masks use the same weights and make the same error. Networks that were trained separately differ more: "
        "see *Unseen colour*.",
    ),
    {"front": "none", "draws_of": "masks"},
)
