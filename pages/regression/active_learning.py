"""Active learning: which point should be measured next, and what does exploration cost?"""

from bdlviz.topics import papers
from bdlviz.topics.regression.active_learning import exercises
from bdlviz.topics.regression.active_learning import views_bandit as bandit
from bdlviz.topics.regression.active_learning import views_curves as curves
from bdlviz.topics.regression.active_learning import views_digits as digits
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "regression/active_learning",
    "Which point should be measured next?",
    views=(
        View("curve", "a curve", curves.curve, curves.ENTRIES, curves.SLIDERS, needs=curves.needed),
        View("digits", "digits to label", digits.digits, digits.ENTRIES, digits.SLIDERS, needs=digits.needed),
        View("bandit", "a bandit", bandit.game, bandit.ENTRIES, bandit.SLIDERS),
    ),
    look_key="active_look",
    scenes=(
        Scene("uncertain", "Least certain", {}, "The next label is asked for where the functions disagree most."),
        Scene("random", "At random", {"ask": "random"}, "The same start, and labels at random points."),
        Scene(
            "noise",
            "Noise",
            {"pool": "heteroscedastic", "ask": "total", "asked": "20", "learner": "deep_ensemble"},
            "Total variance includes the noise: nearly all labels are asked for where the noise is high.",
            exercises.BEFORE_NOISE,
        ),
        Scene(
            "dropout",
            "MC dropout asks",
            {"learner": "mc_dropout", "pool": "two_clusters", "asked": "19"},
            "Its band hardly narrows at labelled points, so it selects them again: worse than random choice.",
            exercises.BEFORE_DROPOUT_ASKS,
        ),
        Scene("digits", "Digits", {"active_look": "digits"}, "How many labels are needed for an accuracy of 90 %?"),
        Scene(
            "thompson",
            "Thompson sampling",
            {"active_look": "bandit"},
            "Draw one function and take its best arm: an arm is tried as often as it is the best of a draw.",
        ),
        Scene(
            "greedy",
            "Greedy",
            {"active_look": "bandit", "policy": "greedy", "bandit_round": "100"},
            "Greedy stays at the first local maximum. It never tries the higher one, and every round adds regret.",
            exercises.BEFORE_GREEDY,
        ),
        Scene(
            "sure",
            "Too sure",
            {"active_look": "bandit", "belief_scale": "0.3", "bandit_round": "100"},
            "The model is too smooth: its variance falls too early, and even Thompson sampling takes a wrong arm.",
        ),
        Scene(
            "dropout-bandit",
            "Dropout's draws",
            {"active_look": "bandit", "belief": "mc_dropout", "bandit_round": "50"},
            "After two rewards all masks agree, so Thompson sampling hardly explores. Does it lose less than greedy?",
        ),
    ),
    exercises=exercises.ACTIVE_LEARNING,
    try_this=(
        "Press *Play*. Where do the first five labels go, and why there?",
        "Open *Noise* and compare with information, which avoids the noise. Why is its error not the lowest?",
        "In *digits to label*, choose random and then BALD: which classes does BALD select more often?",
        "Train a run from ten zeros: how many labels until the network has seen every class?",
        "In *a bandit*, choose the ramp: what does exploration cost in the first rounds, and when is it regained?",
        "Set ε to 0 and to 1: which one explores, and which one exploits?",
        "Multiply the posterior's sd by 0.1, then by 3. Which mistake costs more?",
    ),
    caveat=(
        "Every picture is computed with a model that may be wrong. Inputs and labels are standardised by the labels "
        "that are known, so the prior in the user's units moves a little with every label. The Gaussian process knows "
        "the size of the noise. Where the noise grows it uses one number for it, and only the scores know its law. "
        "Information is highest where noise is low, while the error is taken over all inputs: what it leaves out "
        "stays unknown. The posterior of MC dropout does not concentrate as labels come in, so its scores do not fall "
        "to 0 at a point that was measured. Labels asked for in batches of five may be five times the same digit. "
        "BatchBALD avoids that, and is not shown here. A set that was chosen actively is no random sample, so hold out "
        "another. Intervals are Student's over few runs, each with its own start. Dropout as a posterior for "
        "exploration was criticised by Osband (2016): it approximates the risk, not the uncertainty. Networks in the "
        "bandit see rewards in units of those they know, without the exact model's length-scale and prior. Two similar "
        "rewards are enough to make them certain."
    ),
    papers=(
        *(papers.MACKAY_1992_ACTIVE, papers.HOULSBY_2011, papers.GAL_2017_ACTIVE, papers.KIRSCH_2019),
        *(papers.THOMPSON_1933, papers.SRINIVAS_2010, papers.OSBAND_2016, papers.LU_2017),
    ),
)

show(PAGE)
