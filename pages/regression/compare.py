"""Compare: which method says honestly how much it does not know?"""

from bdlviz import ui
from bdlviz.topics.regression.compare import exercises, views

PAGE = ui.Page(
    title="Regression · Compare",
    question="Which method is honest on these data?",
    controls=views.CONTROLS,
    scenes=(
        ui.Scene("few", "Twenty points", {}, "Outlined: the exact posterior. Who is too sure, and where?"),
        ui.Scene(
            "gap",
            "A gap in the data",
            {"data": "two_clusters"},
            "Held-out points lie in the clusters, so all cover well. The distance sees the gap between them.",
            ask=exercises.BEFORE_GAP,
        ),
        ui.Scene(
            "where",
            "Where they differ",
            {"look": "distance"},
            "Methods agree with the exact answer at the points and leave it between and beyond them.",
            ask=exercises.BEFORE_WHERE,
        ),
        ui.Scene(
            "own",
            "Your own points",
            {"data": "own", "hold_out": "fifth"},
            "Change the table, or paste one: every method is fitted to it and ranked.",
        ),
    ),
    exercises=exercises.COMPARE,
    try_this=(
        "Sort the table by the 90 % band: who holds fewer held-out points than promised?",
        "Open *A gap in the data*. Coverage is good for nearly all: which column tells them apart, and why?",
        "Raise the dropout rate to 0.5. Does MC dropout come nearer to the exact answer, or only wider?",
        "Paste a table of your own with 20 rows or more: every fifth is held out, and the ranking is yours.",
        "Choose two hidden layers. Which methods gain, and do the chains of HMC still agree?",
    ),
    caveat=(
        "Place ranks the mean of two places: by coverage error, the mean distance of the 50 % and 90 % bands' "
        "coverage from what they promise, and by distance to the reference. Coverage asks only where held-out "
        "points lie; the distance asks everywhere the picture shows, also beside them. The reference is exact for "
        "this network, this prior and this noise, which need not be right for the data: its own row shows how it "
        "covers. HMC is exact only where its chains agree, so its split R̂ stands beside it. Methods share ℓ where "
        "they have one; variational dropout, sparse variational dropout, ARD and the group priors have priors of "
        "their own, and that is a part of their distance. The noise is the data set's own or an estimate. One seed "
        "of training each: another changes places that are close. The plain network and the ensemble have no prior "
        "over functions: a spread of 0 is what they say. Slips in the lectures on this: [a mask for each "
        "point](errata?erratum=mask-per-point) and [noise as a variance](errata?erratum=noise-variance)."
    ),
    papers=(
        ui.Paper("Neal 1996, Bayesian learning for neural networks"),
        ui.Paper("Dawid 1984, Statistical theory: the prequential approach"),
        ui.Paper(
            "Yao et al. 2019, Quality of uncertainty quantification for Bayesian neural network inference",
            "https://arxiv.org/abs/1906.09686",
        ),
        ui.Paper("Lakshminarayanan et al. 2017, Deep ensembles", "https://arxiv.org/abs/1612.01474"),
        ui.Paper(
            "Vehtari et al. 2021, Rank-normalization, folding, and localization: an improved R̂",
            "https://arxiv.org/abs/1903.08008",
        ),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        views.choose()
    with view.picture:
        shown = views.show()
    view.footer_of(shown)
