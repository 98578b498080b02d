"""Active learning: which point should be measured next, and what does trying cost?"""

from bdlviz import ui
from bdlviz.topics.regression.active_learning import exercises, views_bandit, views_curves, views_digits

VIEWS = ui.Views(
    {
        "curve": ("a curve", views_curves.choose, views_curves.show),
        "digits": ("digits to label", views_digits.choose, views_digits.show),
        "bandit": ("a bandit", views_bandit.choose, views_bandit.show),
    },
    "curve",
    key="active_look",
)
PAGE = ui.Page(
    title="Regression · Active learning",
    question="Which point should be measured next?",
    controls=(VIEWS.control, *views_curves.CONTROLS, *views_digits.CONTROLS, *views_bandit.CONTROLS),
    scenes=(
        ui.Scene("uncertain", "Least certain", {}, "The next label is asked for where the functions disagree most."),
        ui.Scene("random", "At random", {"ask": "random"}, "The same start, and labels wherever chance puts them."),
        ui.Scene(
            "noise",
            "Fooled by noise",
            {"pool": "heteroscedastic", "ask": "total", "asked": "20", "learner": "deep_ensemble"},
            "Total variance counts noise as ignorance: nearly all labels go where every one of them says little.",
            ask=exercises.BEFORE_NOISE,
        ),
        ui.Scene(
            "dropout",
            "MC dropout asks",
            {"learner": "mc_dropout", "pool": "two_clusters", "asked": "19"},
            "Its band hardly narrows where labels are, so it asks there again and ends worse than chance.",
            ask=exercises.BEFORE_DROPOUT_ASKS,
        ),
        ui.Scene(
            "digits", "Digits", {"active_look": "digits"}, "How many digits must somebody label before 90 % are right?"
        ),
        ui.Scene(
            "thompson",
            "Thompson sampling",
            {"active_look": "bandit"},
            "Draw one function, take its best arm: arms are tried as often as they may be the best.",
        ),
        ui.Scene(
            "greedy",
            "Greedy is stuck",
            {"active_look": "bandit", "policy": "greedy", "bandit_round": "100"},
            "The first hill is good enough: the higher one is never tried, and every round costs.",
            ask=exercises.BEFORE_GREEDY,
        ),
        ui.Scene(
            "sure",
            "Too sure",
            {"active_look": "bandit", "belief_scale": "0.3", "bandit_round": "100"},
            "Believed too smooth, the arms seem known long before they are: even Thompson sampling settles wrongly.",
        ),
        ui.Scene(
            "dropout-bandit",
            "Dropout's draws",
            {"active_look": "bandit", "belief": "mc_dropout", "bandit_round": "50"},
            "After two rewards all masks agree, so Thompson sampling hardly explores. Does it lose less than greedy?",
        ),
    ),
    exercises=exercises.ACTIVE_LEARNING,
    try_this=(
        "Press *Play*. Where do the first five labels go, and why there?",
        "Open *Fooled by noise* and compare with information, which avoids the noise. Why is its error not the lowest?",
        "In *digits to label*, choose random and then BALD: which classes does BALD ask for more often?",
        "Train a run from ten zeros: how many labels until the network has met every class?",
        "In *a bandit*, choose the ramp: what does exploring cost in the first rounds, and when is it paid back?",
        "Set ε to 0 and to 1: which one learns, and which one uses what it learned?",
        "Multiply the posterior's sd by 0.1, then by 3. Which mistake costs more?",
    ),
    caveat=(
        "Every picture stands on a model that may be wrong. Inputs and labels are standardised by the labels that "
        "are known, so the prior in the user's units moves a little with every label. The Gaussian process knows the "
        "size of the noise; where the noise grows it uses one number for it, and only the scores know its law. "
        "Information is highest where noise is low, while the error is taken over all inputs: what it leaves out "
        "stays unknown. MC dropout does not concentrate as labels come in, so its scores do not fall to 0 at a point "
        "that was measured. Labels asked for in batches of five may be five times the same digit: BatchBALD mends "
        "that, and is not here. A set that was chosen actively is no random sample, so hold out another. "
        "Intervals are Student's over few runs, each with its own start. "
        "Dropout as a posterior for exploring was criticised by Osband (2016): it approximates the risk, not the "
        "uncertainty. Networks in the bandit see rewards in units of those they know, without the exact model's "
        "length-scale and prior; two similar rewards alone make them sure."
    ),
    papers=(
        ui.Paper("MacKay 1992, Information-based objective functions for active data selection"),
        ui.Paper("Houlsby et al. 2011, Bayesian active learning (BALD)", "https://arxiv.org/abs/1112.5745"),
        ui.Paper(
            "Gal, Islam & Ghahramani 2017, Deep Bayesian active learning with image data",
            "https://arxiv.org/abs/1703.02910",
        ),
        ui.Paper("Kirsch, van Amersfoort & Gal 2019, BatchBALD", "https://arxiv.org/abs/1906.08158"),
        ui.Paper("Thompson 1933, On the likelihood that one unknown probability exceeds another"),
        ui.Paper(
            "Srinivas et al. 2010, Gaussian process optimization in the bandit setting",
            "https://arxiv.org/abs/0912.3995",
        ),
        ui.Paper("Osband 2016, Risk versus uncertainty in deep learning (workshop on Bayesian deep learning)"),
        ui.Paper("Lu & Van Roy 2017, Ensemble sampling", "https://arxiv.org/abs/1705.07347"),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS)
