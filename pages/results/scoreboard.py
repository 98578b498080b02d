"""Scoreboard: accuracy and calibration of every method that classifies."""

from bdlviz.topics import papers
from bdlviz.topics.results.scoreboard import exercises, views
from bdlviz.topics.results.scoreboard.controls import CONTROLS, LIVE, SURE, VIEW
from bdlviz.topics.results.scoreboard.rows import needed
from bdlviz.ui import Explanation, Page, Scene, View, show

PAGE = Page(
    "results/scoreboard",
    "Whose probabilities can be trusted?",
    views=(
        View("reliability", "Reliability diagram", views.reliability, CONTROLS, (SURE,), needs=needed),
        View("accuracy", "Accuracy, printed and ours", views.accuracies, CONTROLS, needs=needed),
        View("rotation", "Rotated digits", views.rotation, CONTROLS, needs=needed),
        View("refusing", "Refusing to answer", views.refusing, CONTROLS, LIVE, needs=needed),
        View("unknown", "Unknown inputs", views.unknown, CONTROLS, needs=needed),
        View("samples", "Accuracy against S", views.samples, CONTROLS, needs=needed),
    ),
    scenes=(
        Scene("overconfident", "A plain network", {"method": "map"}, ask=exercises.BEFORE_OVERCONFIDENT),
        Scene("averaging", "One network or many", {}),
        Scene("lecture", "Accuracy of averaging", {"view": "accuracy"}, ask=exercises.BEFORE_LECTURE),
        Scene("refusing", "Refusing to answer", {"view": "refusing", "refused": "20"}),
        Scene("rotation", "Rotated digits", {"view": "rotation"}),
        Scene(
            "certain-and-wrong",
            "Certain and wrong",
            {"view": "rotation", "images": "digits"},
            ask=exercises.BEFORE_CERTAIN_AND_WRONG,
        ),
    ),
    former={"unknown": {"view": "unknown"}, "digits": {"images": "digits"}},
    claim="Trust a method that is right as often as it says. One network alone is too sure, the mean of many less so.",
    explanation=Explanation(
        "Answers are sorted by their confidence. In each bin the dot shows how often they are right; a calibrated "
        "method reaches the diagonal. One network answers alone (one pass without dropout or noise, or one member), "
        "the mean of many averages draws or members. *Intervals* has the calibration errors, the table all scores.",
        "One network that fits its training data is too sure. Where networks (draws) disagree, their mean is less "
        "sure, and the most probable class rarely changes. So the accuracy stays and the calibration improves.",
        "No method is calibrated away from the training data: on rotated 8×8 digits the network is more confident than "
        "upright, and wrong. A calibration error is above 0 by chance alone; the grey band says how far.",
    ),
    exercises=exercises.SCOREBOARD,
    try_this=(
        "Move *The method says* to the left. Where is one network too sure, and where is the mean of many?",
        "Open *Refusing to answer* and refuse 10, 20, 50 %. How many wrong answers are left?",
    ),
    caveat=(
        "Methods train as the lecture did, 100 epochs on 1,000 images with the same rate and decay for all; none was "
        "tuned on the test images, and a tuned plain network would be calibrated better. Bars are one standard "
        "deviation over five seeds, ten of the deep ensemble, on one split: another thousand test images move every "
        "accuracy by about one point more. "
        "The calibration error depends on its bins and is above zero by chance alone; the grey band and *Intervals* "
        "say how far. One network alone is one pass without masks or noise; of an ensemble it is the first member. "
        "Every member is the plain network of a seed of its own, with its own start and order of minibatches."
    ),
    papers=(
        papers.GUO_2017,
        papers.OVADIA_2019,
        papers.LAKSHMINARAYANAN_2017,
        papers.EL_YANIV_2010,
        papers.BROCKER_2007,
    ),
    below=views.board,
    look_key=VIEW,
)

show(PAGE)
