"""The effect of weight decay: too small, good, too large, and how to tell."""

from bdlviz.topics import papers
from bdlviz.topics.regression.effect_of_lambda import controls as c
from bdlviz.topics.regression.effect_of_lambda import exercises, views
from bdlviz.topics.regression.effect_of_lambda.grid import needed
from bdlviz.ui import Explanation, Page, Scene, View, data_panel, show

CONTROLS = (c.METRIC, data_panel(c.DATA))

PAGE = Page(
    "regression/effect_of_lambda",
    "How much weight decay is too much?",
    views=(View("panels", "Three panels", views.draw, CONTROLS, (c.CHOSEN, c.RATE), needs=needed, about=views.about),),
    scenes=(
        Scene("good", "Good λ", {}),
        Scene("too-small-lambda", "Too small", {"weight_decay": "1e-6"}),
        Scene("too-large-lambda", "Too large", {"weight_decay": "0.1"}, ask=exercises.BEFORE_TOO_LARGE),
        Scene("dropout", "With dropout", {"dropout_rate": "0.05"}, ask=exercises.BEFORE_DROPOUT),
        Scene("gap", "A gap in the data", {"data": "two_clusters", "noise": "1", "weight_decay": "1e-5"}),
    ),
    claim="Too small a weight decay λ fits the data well and new points worse; too large a λ flattens the function.",
    explanation=Explanation(
        "Functions at the smallest λ, at the chosen one and at the largest. Open circles are 20 "
        "of the new points, which training did not see; thin lines are their distances to the mean. The error is the "
        "root mean square of all of these distances (RMSE), below it that at the data. The curve has it for every λ.",
        "Weight decay is a Gaussian prior of the weights. A small λ allows large weights, and the function bends to "
        "single points. A large λ holds all weights near 0, and the function becomes the mean of y.",
        "The error judges only where new points lie: in the scene with a gap, none lies in the gap. With dropout "
        "the curve is nearly flat at small λ, and seeds differ about the best one. Here there are 500 new points; with "
        "fewer the error is noisy.",
    ),
    exercises=exercises.EFFECT_OF_LAMBDA,
    try_this=(
        "Click along the curve and watch the middle panel. Where do the functions stop following the data?",
        "Switch the error to NLL: is the best λ the same? NLL also depends on the width of the band.",
    ),
    caveat=(
        "The noise is held fixed while λ moves, so the length-scale follows and the noise band does not change. The "
        "functions are those of one seed, the error is the mean of three."
    ),
    papers=(papers.GAL_2016, papers.KROGH_1991),
)

show(PAGE)
