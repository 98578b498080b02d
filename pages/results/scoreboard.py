"""Scoreboard: whose probabilities can be trusted?"""

from bdlviz import ui
from bdlviz.predictive import calibration
from bdlviz.topics.results.scoreboard import exercises, figures, views
from bdlviz.ui.jobs import shipped

PAGE = ui.Page(
    title="Results · Scoreboard",
    question="Whose probabilities can be trusted?",
    controls=(shipped.IMAGES, views.VIEW, views.METHOD, views.REFUSED),
    scenes=(
        ui.Scene(
            "averaging",
            "Averaging calibrates",
            {},
            "One pass is too certain; the mean of 200 draws is close to calibrated.",
        ),
        ui.Scene(
            "overconfident",
            "Too certain",
            {"method": "map"},
            "A plain network is 95 % sure on average, and right in 89 of 100 cases.",
            ask=exercises.BEFORE_OVERCONFIDENT,
        ),
        ui.Scene(
            "lecture",
            "Lecture's table",
            {"view": "accuracy"},
            "In the lecture averaging raises the accuracy of variational dropout. Here it raises that of no kind of "
            "dropout, but the calibration error falls.",
            ask=exercises.BEFORE_LECTURE,
        ),
        ui.Scene(
            "rotation",
            "Rotated digits",
            {"view": "rotation"},
            "The answers get worse, and the draws disagree: mutual information separates from expected entropy.",
        ),
        ui.Scene(
            "refusing",
            "I would rather not say",
            {"view": "refusing", "refused": "20"},
            "Refusing the fifth of the digits that is most uncertain leaves few wrong answers.",
        ),
        ui.Scene(
            "unknown", "Unknown inputs", {"view": "unknown"}, "Patches that changed places: entropy notices most."
        ),
        ui.Scene(
            "certain-and-wrong",
            "Certain and wrong",
            {"view": "rotation", "images": "digits"},
            "A quarter turn puts ink where training had none: more certain than upright, and right in one of nine.",
            ask=exercises.BEFORE_CERTAIN_AND_WRONG,
        ),
        ui.Scene(
            "digits",
            "8×8 digits",
            {"images": "digits"},
            "Small digits are easy: here the mean of the draws is too cautious.",
        ),
    ),
    exercises=exercises.SCOREBOARD,
    try_this=(
        "Sort the table by NLL, then by accuracy: is the most accurate method also the one that knows best?",
        "Look at the reliability diagram of the plain network, then of MC dropout. Which gaps does averaging close?",
        "Rotate: at which angle is the entropy largest, and does the accuracy rise again at 180 degrees? Which digits?",
        "Refuse 10, 20, 50 %. How many wrong answers remain that the method was certain of?",
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
        ui.Paper("Guo et al. 2017, On calibration of modern neural networks", "https://arxiv.org/abs/1706.04599"),
        ui.Paper("Ovadia et al. 2019, Can you trust your model's uncertainty?", "https://arxiv.org/abs/1906.02530"),
        ui.Paper(
            "Lakshminarayanan, Pritzel & Blundell 2017, Simple and scalable predictive uncertainty estimation",
            "https://arxiv.org/abs/1612.01474",
        ),
        ui.Paper(
            "El-Yaniv & Wiener 2010, On the foundations of noise-free selective classification",
            "https://www.jmlr.org/papers/v11/el-yaniv10a.html",
        ),
        ui.Paper("Bröcker & Smith 2007, Increasing the reliability of reliability diagrams"),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        images, picture, method, refused = (control.show() for control in PAGE.controls)
        views.show_introduction()
    rows = views.rows(images)
    with view.picture:
        shown = views.show(rows, picture, method, images, float(refused) / 100)
    if shown is not None:
        view.footer(
            formulas=views.FORMULAS[picture],
            code=(calibration.reliability, calibration.risk_coverage, figures.reliability_diagram),
            snippet=views.snippet(shown),
            more={
                "Lecture's table": views.show_lecture,
                "Intervals": lambda: views.show_intervals(rows),
            },
        )
