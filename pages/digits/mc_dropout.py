"""MC dropout on digits: which of them is the network uncertain about, and is it noise or ignorance?"""

from bdlviz.topics import papers
from bdlviz.topics.digits.mc_dropout import exercises, views
from bdlviz.topics.digits.mc_dropout.source import needed
from bdlviz.topics.shared.mc_dropout_derivation import MC_DROPOUT_OF_DIGITS
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "digits/mc_dropout",
    "Which digits is the network uncertain about, and is it noise or ignorance?",
    views=(View("digit", "One digit", views.digit, views.CONTROLS, needs=needed, is_fragment=True),),
    scenes=(
        Scene(
            "ambiguous",
            "Ambiguous",
            {},
            "A real held-out digit: every draw is uncertain, each between other classes.",
        ),
        Scene(
            "disagree",
            "Draws disagree",
            {"order": "disagreement"},
            "Many draws are certain, of different classes.",
        ),
        Scene("confident", "Confident", {"order": "confident"}, "All draws say the same: nothing to average."),
        Scene(
            "rotate",
            "Rotate a 1",
            {"change": "rotate", "class": "1", "order": "confident"},
            "Turned step by step: where is the entropy high, and where is it low although the mean says another digit?",
        ),
        Scene(
            "blend",
            "Blend 4 and 9",
            {"change": "blend", "class": "4", "order": "confident", "other": "9", "mixed": "60"},
            "Between the two it could be both: what part of that is noise?",
        ),
        Scene(
            "noise",
            "Noise",
            {"change": "noise", "class": "4", "order": "confident", "noisy": "40"},
            "Noise that no training image had: does the entropy grow with the noise?",
            exercises.BEFORE_NOISE,
        ),
        Scene(
            "unseen",
            "Never seen",
            {"unseen": "7", "class": "7"},
            "Trained without a single 7: do the draws disagree?",
            exercises.BEFORE_UNSEEN,
        ),
    ),
    derivation=MC_DROPOUT_OF_DIGITS,
    exercises=exercises.MC_DROPOUT,
    try_this=(
        "Set S to 1, then to 1000. Which of the four numbers needs many draws?",
        "Order by *most noise*, then by *most disagreement*. Do the two kinds of digits look different to you?",
        "Rotate a 6 to 180 degrees. Is the network uncertain at the end, or certain of another digit?",
        "Leave out class 7, order by *most confident*: which 7s are classified as another digit with certainty?",
        "Open *Noise or ignorance* with a change chosen: in which direction does the digit move on the plane?",
        "Open *Accuracy against S*: how many draws until averaging is as good as one pass?",
    ),
    caveat=(
        "The split into noise and ignorance is computed from the network's own probabilities. MC dropout has only "
        "functions that share one set of weights, so it misses every other explanation of the data; how far its draws "
        "differ is set by the dropout rate and does not shrink as data are added. Far from the data ReLU networks can "
        "be certain of anything: a rotated or unseen digit may be classified as another one with probability near 1 "
        "and a mutual information near 0. And with 1,000 training images a part of what every draw counts as noise "
        "would vanish with more of them."
    ),
    papers=(papers.GAL_2016, papers.HOULSBY_2011, papers.KENDALL_2017, papers.OVADIA_2019),
)

show(PAGE)
