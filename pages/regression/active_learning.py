"""Active learning: which point should be measured next, and what does exploration cost?"""

from bdlviz.topics import papers
from bdlviz.topics.regression.active_learning import exercises
from bdlviz.topics.regression.active_learning import views_bandit as bandit
from bdlviz.topics.regression.active_learning import views_curves as curves
from bdlviz.topics.regression.active_learning import views_digits as digits
from bdlviz.ui import Explanation, Page, Scene, View, show

PAGE = Page(
    "regression/active_learning",
    "Which point should be measured next?",
    views=(
        View("curve", "A curve", curves.curve, curves.ENTRIES, curves.SLIDERS, needs=curves.needed),
        View("digits", "Digits to label", digits.digits, digits.ENTRIES, digits.SLIDERS, needs=digits.needed),
        View("bandit", "A bandit", bandit.game, bandit.ENTRIES, bandit.SLIDERS),
    ),
    look_key="active_look",
    scenes=(
        Scene("uncertain", "Least certain", {}),
        Scene(
            "noise",
            "Noise",
            {"pool": "heteroscedastic", "ask": "total", "asked": "20", "learner": "deep_ensemble"},
            ask=exercises.BEFORE_NOISE,
        ),
        Scene(
            "dropout",
            "MC dropout asks",
            {"learner": "mc_dropout", "pool": "two_clusters", "asked": "19"},
            ask=exercises.BEFORE_DROPOUT_ASKS,
        ),
        Scene("digits", "Digits", {"active_look": "digits", "digit_rounds": "20"}),
        Scene("thompson", "Thompson sampling", {"active_look": "bandit", "bandit_round": "100"}),
        Scene(
            "greedy",
            "Greedy",
            {"active_look": "bandit", "policy": "greedy", "bandit_round": "100"},
            ask=exercises.BEFORE_GREEDY,
        ),
    ),
    former={
        "random": {"ask": "random"},
        "sure": {"active_look": "bandit", "belief_scale": "0.3", "bandit_round": "100"},
        "dropout-bandit": {"active_look": "bandit", "belief": "mc_dropout", "bandit_round": "50"},
    },
    claim="Measure where the functions that fit the data disagree most: a value there rules most of them out.",
    explanation=Explanation(
        "A model that knows a few labels (measured values), hollow if given at first, filled if it chose the point. "
        "Below is the score of every point it may measure: how far the functions differ there. At the right are the "
        "means and ranges of the error over several runs.",
        "Functions disagree where the labels leave them free. A label there rules most of them out. Where they agree, "
        "it changes little. Random choice is sometimes lucky, so that few runs often do not tell which is "
        "better.",
        "Where noise is counted as uncertainty, labels go into the noise. MC dropout disagrees with itself at labelled "
        "points, too, so it asks there again. Every score comes from a model, which may be wrong.",
    ),
    exercises=exercises.ACTIVE_LEARNING,
    try_this=(
        "Press *Play*. Where do the first five labels go, and why there?",
        "Open *A bandit* and multiply the posterior's sd by 0.1, then by 3. Which mistake costs more?",
    ),
    caveat=(
        "Inputs and labels are standardised by the labels that are known, so the prior in the user's units moves a "
        "little with every label. The Gaussian process knows the size of the noise; where the noise grows it uses one "
        "number for it, and only the scores know its law. Labels asked for in batches of five may be five times the "
        "same digit; BatchBALD avoids that, and is not shown. A set that was chosen actively is no random sample, so "
        "hold out another. Intervals are Student's over few runs, each with its own start. Dropout as a posterior for "
        "exploration was criticised by Osband (2016). Networks in the bandit see rewards in units of those they know, "
        "so two similar rewards make them certain."
    ),
    papers=(
        *(papers.MACKAY_1992_ACTIVE, papers.HOULSBY_2011, papers.GAL_2017_ACTIVE, papers.KIRSCH_2019),
        *(papers.THOMPSON_1933, papers.SRINIVAS_2010, papers.OSBAND_2016, papers.LU_2017),
    ),
)

show(PAGE)
