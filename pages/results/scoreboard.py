"""Scoreboard: accuracy and calibration of every method that classifies."""

from bdlviz.topics import papers
from bdlviz.topics.results.scoreboard import exercises, views
from bdlviz.topics.results.scoreboard.controls import CONTROLS, LIVE, VIEW
from bdlviz.topics.results.scoreboard.rows import needed
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "results/scoreboard",
    "Whose probabilities can be trusted?",
    views=(
        View("reliability", "Reliability diagram", views.reliability, CONTROLS, needs=needed),
        View("accuracy", "Accuracy and the lecture's", views.accuracies, CONTROLS, needs=needed),
        View("rotation", "Rotated digits", views.rotation, CONTROLS, needs=needed),
        View("refusing", "Refusing to answer", views.refusing, CONTROLS, LIVE, needs=needed),
        View("unknown", "Unknown inputs", views.unknown, CONTROLS, needs=needed),
        View("samples", "Accuracy against S", views.samples, CONTROLS, needs=needed),
    ),
    scenes=(
        Scene("averaging", "Averaging calibrates", {}, "One pass is overconfident. The mean of 200 draws is less so."),
        Scene(
            "overconfident",
            "Overconfident",
            {"method": "map"},
            "A plain network has a mean confidence of 95 %, and is right in 89 of 100 cases.",
            exercises.BEFORE_OVERCONFIDENT,
        ),
        Scene(
            "lecture",
            "Lecture's table",
            {"view": "accuracy"},
            "In the lecture averaging raises the accuracy of variational dropout. Here it does not, but ECE falls.",
            exercises.BEFORE_LECTURE,
        ),
        Scene("rotation", "Rotated digits", {"view": "rotation"}, "Accuracy falls and mutual information rises."),
        Scene(
            "refusing",
            "Refusing to answer",
            {"view": "refusing", "refused": "20"},
            "If the most uncertain fifth of the digits is refused, few wrong answers are left.",
        ),
        Scene("unknown", "Unknown inputs", {"view": "unknown"}, "Shuffled patches have a larger entropy."),
        Scene(
            "certain-and-wrong",
            "Certain and wrong",
            {"view": "rotation", "images": "digits"},
            "After a quarter turn the network is more confident than upright, and right in one of nine cases.",
            exercises.BEFORE_CERTAIN_AND_WRONG,
        ),
        Scene(
            "digits",
            "8×8 digits",
            {"images": "digits"},
            "Small digits are easy: the mean of the draws is underconfident.",
        ),
    ),
    exercises=exercises.SCOREBOARD,
    try_this=(
        "Sort the table by NLL, then by accuracy: has the most accurate method also the smallest NLL?",
        "Look at the reliability diagram of the plain network, then of MC dropout. Which gaps does averaging close?",
        "Rotate: at which angle is the entropy largest, and does the accuracy rise again at 180 degrees? Which digits?",
        "Refuse 10, 20, 50 %. How many wrong answers remain for which the method was certain?",
        "Compare the bars of the seeds with the differences between the methods. Which of them would you report?",
    ),
    caveat=(
        "Methods train as the lecture did, 100 epochs on 1,000 images with the same rate and decay for all; none was "
        "tuned on the test images, and a tuned plain network would be calibrated better. Bars are one standard "
        "deviation over five seeds, ten of the deep ensemble, on one split: another thousand test images move every "
        "accuracy by about one point more. "
        "The calibration error depends on its bins and is above zero by chance alone; the grey band and the "
        "number “by chance” say how far. An ensemble's “one pass” is its first member. "
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
    look_label="Picture",
)

show(PAGE)
