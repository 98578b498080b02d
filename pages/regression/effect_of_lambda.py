"""The effect of weight decay: too small, good, too large, and how to tell."""

from bdlviz.topics import papers
from bdlviz.topics.regression.effect_of_lambda import controls as c
from bdlviz.topics.regression.effect_of_lambda import exercises, views
from bdlviz.topics.regression.effect_of_lambda.grid import needed
from bdlviz.topics.regression.effect_of_lambda.views_moving import SWITCH
from bdlviz.ui import Page, Scene, View, data_panel, show

CONTROLS = (c.METRIC, data_panel(c.DATA), SWITCH)

PAGE = Page(
    "regression/effect_of_lambda",
    "How much weight decay is too much?",
    views=(View("panels", "three panels", views.draw, CONTROLS, (c.CHOSEN, c.RATE), needs=needed, about=views.about),),
    scenes=(
        Scene("good", "Good λ", {}, "The middle panel has the λ with the lowest held-out score."),
        Scene("too-small-lambda", "Too small", {"weight_decay": "1e-6"}, "The function follows the noise of the data."),
        Scene(
            "too-large-lambda",
            "Too large",
            {"weight_decay": "0.1"},
            "All weights are close to 0, and the functions are flat.",
            exercises.BEFORE_TOO_LARGE,
        ),
        Scene(
            "dropout",
            "With dropout",
            {"dropout_rate": "0.05"},
            "Dropout is also a regulariser: the held-out NLL at small λ falls.",
            exercises.BEFORE_DROPOUT,
        ),
        Scene(
            "gap",
            "A gap in the data",
            {"data": "two_clusters", "noise": "1"},
            "No λ recovers the peak between the clusters. The score does not show it: no held-out point lies there.",
        ),
    ),
    exercises=exercises.EFFECT_OF_LAMBDA,
    try_this=(
        "Click along the curve and watch the middle panel. Where do the draws stop following the data?",
        "Compare NLL and RMSE: is the best λ the same? NLL also depends on the width of the band.",
        "Raise the dropout rate. The held-out NLL at small λ falls. Is there still one best λ?",
        "Open *Prior and posterior*: which prior corresponds to the chosen λ?",
    ),
    caveat=(
        "The score is computed on 500 new points of the same curve, which are not available in practice. With real "
        "data the held-out score is noisy; the thin lines show the part that comes from the seed. "
        "The noise is held fixed while λ moves, so the length-scale follows and the noise band does not change."
    ),
    papers=(papers.GAL_2016, papers.KROGH_1991),
)

show(PAGE)
