"""MC dropout on digits: which of them is the network uncertain about, and is it noise or ignorance?"""

from bdlviz.topics import papers
from bdlviz.topics.digits.mc_dropout import exercises, views
from bdlviz.topics.shared.mc_dropout_derivation import MC_DROPOUT_OF_DIGITS
from bdlviz.ui import Page, Scene, show

PAGE = Page(
    "digits/mc_dropout",
    "Which digits is the network uncertain about, and is it noise or ignorance?",
    views=views.VIEWS,
    look_key="change",
    look_label="Change the digit",
    scenes=(
        Scene("ambiguous", "Ambiguous", {}, "Every draw is uncertain, and the draws disagree as well."),
        Scene(
            "disagree",
            "Draws disagree",
            {"order": "disagreement"},
            "Many draws are certain, but of different classes: this is ignorance.",
        ),
        Scene(
            "rotate",
            "Rotate a 1",
            {"change": "rotate", "class": "1", "order": "confident", "angle": "90"},
            "The entropy is high during the turn. Lying flat, the 1 is classified as a 4 with low entropy.",
        ),
        Scene(
            "blend",
            "Blend 4 and 9",
            {"change": "blend", "class": "4", "order": "confident", "other": "9", "mixed": "60"},
            "The entropy is high only where the prediction changes from 4 to 9.",
        ),
        Scene(
            "unseen",
            "Class never seen",
            {"unseen": "7", "class": "7"},
            "This network was trained without 7s. Even here more than half of the entropy counts as noise.",
            exercises.BEFORE_UNSEEN,
        ),
        Scene(
            "noise",
            "Pixel noise",
            {"change": "noise", "class": "4", "order": "confident", "noisy": "40"},
            "The entropy rises with the noise, and then it falls again.",
            exercises.BEFORE_NOISE,
        ),
        Scene(
            "confident",
            "Confident",
            {"order": "confident"},
            "All draws agree: the entropy is near 0.",
        ),
    ),
    derivation=MC_DROPOUT_OF_DIGITS,
    exercises=exercises.MC_DROPOUT,
    try_this=(
        "Set S to 1, then to 1000. Which of the four numbers needs many draws?",
        "Order by *most noise*, then by *most disagreement*. Do the two groups of digits look different?",
        "Rotate a 6 to 180 degrees. Is the network uncertain at the end, or certain of another digit?",
        "Leave out class 7 and order by *most confident*. Which 7s are classified as another digit with certainty?",
        "Draw a letter or a face. Do the draws disagree?",
        "Open *Noise or ignorance* with a change chosen: in which direction does the digit move on the plane?",
        "Open *Accuracy against S*: how many draws until averaging is as good as one pass?",
    ),
    caveat=(
        "The split into noise and ignorance is computed from the network's own probabilities. All functions of MC "
        "dropout share one set of weights, so other explanations are missing. The disagreement of its draws "
        "is set by the dropout rate and does not shrink with more data. Far from the data ReLU networks can be certain "
        "of any class: a rotated or unseen digit may get a probability near 1 for a wrong class and a mutual "
        "information near 0. With 1,000 training images a part of the expected entropy would vanish with more data."
    ),
    papers=(papers.GAL_2016, papers.HOULSBY_2011, papers.KENDALL_2017, papers.OVADIA_2019),
)

show(PAGE)
