"""MC dropout on digits: which of them is the network uncertain about, and is it noise or ignorance?"""

from bdlviz.topics import papers
from bdlviz.topics.digits.mc_dropout import exercises, views
from bdlviz.topics.shared.mc_dropout_derivation import MC_DROPOUT_OF_DIGITS
from bdlviz.ui import Explanation, Page, Scene, show

UNCERTAIN, CONFIDENT = {"change": "none", "order": "uncertain"}, {"order": "confident"}
NOISY = {"change": "noise", "class": "4", "noisy": "40"}

PAGE = Page(
    "digits/mc_dropout",
    "Why is the network uncertain: noise or ignorance?",
    views=views.VIEWS,
    look_key="change",
    look_label="Change the digit",
    scenes=(
        Scene("disagree", "Draws that disagree", {}),
        Scene("ambiguous", "The most uncertain digit", UNCERTAIN),
        Scene("rotate", "A turned 1", CONFIDENT | {"change": "rotate", "class": "1", "angle": "90"}),
        Scene("blend", "Between 4 and 9", CONFIDENT | {"change": "blend", "class": "4", "other": "9", "mixed": "60"}),
        Scene("unseen", "A class never seen", UNCERTAIN | {"unseen": "7", "class": "7"}, ask=exercises.BEFORE_UNSEEN),
        Scene("noise", "Growing pixel noise", CONFIDENT | NOISY, ask=exercises.BEFORE_NOISE),
    ),
    former={"confident": CONFIDENT | {"change": "none"}},
    default_view="blur",
    claim="Each draw leaves out random units. Where draws disagree, it is ignorance; where single draws are unsure, "
    "it is noise. Blur adds noise.",
    explanation=Explanation(
        "Each dot is the probability of one class in one draw (one dropout mask); the lines are two typical draws. The "
        "bar is the entropy of the mean: orange is that of single draws, blue what their disagreement adds.",
        "Blur takes out of the image what tells the classes apart: every draw becomes unsure, and more training images "
        "would not help. A strange but sharp shape can leave each draw certain of another class; more would decide.",
        "All draws share one set of weights, so other explanations of the data are missing. Far from the training "
        "images all draws can be certain of the same wrong class: a turned digit, or a class never seen. The "
        "disagreement is set by the dropout rate, and does not vanish with more data.",
    ),
    derivation=MC_DROPOUT_OF_DIGITS,
    exercises=exercises.MC_DROPOUT,
    try_this=(
        "Move *Blur* to the right. What happens to the dots near 100 % as ignorance gives way to noise?",
        "Choose *Rotate* and turn a 6 to 180 degrees. Is the network uncertain then, or certain of another digit?",
    ),
    caveat=(
        "The split is computed from the network's own probabilities. It was trained on 1,000 images, and a part of "
        "what counts as noise would vanish with more."
    ),
    papers=(papers.GAL_2016, papers.HOULSBY_2011, papers.KENDALL_2017, papers.OVADIA_2019),
)

show(PAGE)
