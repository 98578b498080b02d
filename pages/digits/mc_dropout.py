"""MC dropout on digits: which of them is the network unsure of, and is it noise or ignorance?"""

from functools import partial

from bdlviz import ui
from bdlviz.data import shifts
from bdlviz.methods import mc_dropout
from bdlviz.predictive import functions, summaries, votes
from bdlviz.topics.digits.mc_dropout import exercises, views, views_accuracy, views_own, views_plane
from bdlviz.topics.shared import mc_dropout_derivation

PAGE = ui.LegacyPage(
    title="Digits · MC dropout",
    question="Which digits is the network unsure of, and is it noise or ignorance?",
    controls=views.CONTROLS,
    scenes=(
        ui.Scene(
            "ambiguous", "Ambiguous", {}, "A real held-out digit: every draw hesitates, each between other classes."
        ),
        ui.Scene("disagree", "Draws disagree", {"order": "disagreement"}, "Many draws are sure, of different classes."),
        ui.Scene("confident", "Confident", {"order": "confident"}, "All draws say the same: nothing to average."),
        ui.Scene(
            "rotate",
            "Rotate a 1",
            {"change": "rotate", "class": "1", "order": "confident"},
            "Turned step by step: where is the entropy high, and where is it low although the mean says another digit?",
        ),
        ui.Scene(
            "blend",
            "Blend 4 and 9",
            {"change": "blend", "class": "4", "order": "confident", "other": "9", "mixed": "60"},
            "Between the two it could be both: what part of that is noise?",
        ),
        ui.Scene(
            "noise",
            "Noise",
            {"change": "noise", "class": "4", "order": "confident", "noisy": "40"},
            "Noise that no training image had: does the entropy grow with the noise?",
            ask=exercises.BEFORE_NOISE,
        ),
        ui.Scene(
            "unseen",
            "Never seen",
            {"unseen": "7", "class": "7"},
            "Trained without a single 7: does the disagreement give it away?",
            ask=exercises.BEFORE_UNSEEN,
        ),
    ),
    derivation=mc_dropout_derivation.MC_DROPOUT_OF_DIGITS,
    exercises=exercises.MC_DROPOUT,
    try_this=(
        "Set S to 1, then to 1000. Which of the four numbers needs many draws?",
        "Order by *most noise*, then by *most disagreement*. Do the two kinds of digits look different to you?",
        "Rotate a 6 to 180 degrees. Is the network unsure at the end, or sure of something else?",
        "Leave out class 7, order by *most confident*: which 7s does it call something else without a doubt?",
        "Open *Noise or ignorance* with a change chosen: which way does the digit travel on the plane?",
        "Open *Accuracy against S*: how many draws until averaging is as good as one pass?",
    ),
    caveat=(
        "The split into noise and ignorance is the network's own opinion. MC dropout knows only functions that share "
        "one set of weights, so it misses every other explanation of the data; how far its draws differ is set by the "
        "dropout rate and does not shrink as data are added. Far from the data ReLU networks can be sure of anything: "
        "a rotated or unseen digit may be called another with probability near 1 and a mutual information near 0. And "
        "with 1,000 training images a part of what every draw calls noise would vanish with more of them."
    ),
    papers=(
        ui.Paper("Gal & Ghahramani 2016, Dropout as a Bayesian approximation", "https://arxiv.org/abs/1506.02142"),
        ui.Paper(
            "Houlsby et al. 2011, Bayesian active learning (mutual information)", "https://arxiv.org/abs/1112.5745"
        ),
        ui.Paper("Kendall & Gal 2017, What uncertainties do we need?", "https://arxiv.org/abs/1703.04977"),
        ui.Paper("Ovadia et al. 2019, Can you trust your model's uncertainty?", "https://arxiv.org/abs/1906.02530"),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        views.choose()
    with view.picture:
        shown = ui.redraw_first(views.show)
    if shown is not None:
        found = shown.source
        view.footer(
            formulas=(summaries.summarise_classification, summaries.entropy, votes.variation_ratio, mc_dropout.build),
            code=(mc_dropout.sample, functions.dropout_masks, summaries.summarise_classification, shifts.rotate),
            snippet=views.snippet(shown),
            more={
                "Noise or ignorance": partial(views_plane.show, shown),
                "Accuracy against S": partial(views_accuracy.show, found),
                "Your own digit": partial(views_own.show, found),
            },
        )
