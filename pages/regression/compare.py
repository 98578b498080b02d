"""Compare: which method is too certain, beside the exact posterior, and by how much?"""

from bdlviz.topics import papers
from bdlviz.topics.regression.compare import views
from bdlviz.topics.regression.compare.controls import DATA_PANEL, FRONT
from bdlviz.topics.regression.compare.exercises import BEFORE_GAP, BEFORE_WHERE, COMPARE
from bdlviz.topics.shared import compare_choice as c
from bdlviz.topics.shared.views_compare_choice import METHODS
from bdlviz.ui import Explanation, Page, Panel, Scene, View, show

NETWORK = Panel("Prior and network", (c.LENGTH_SCALE, c.WIDTH, c.DEPTH, c.ACTIVATION, c.SEED))
ONE = (c.REFERENCE, c.RATE_IN_FRONT, DATA_PANEL, NETWORK)
ALL, SLIDERS = (METHODS, c.REFERENCE, DATA_PANEL, NETWORK), (c.RATE,)

PAGE = Page(
    "regression/compare",
    "Which method is too certain, and by how much?",
    views=(
        View("one", "One method over the exact posterior", views.in_front, ONE, (FRONT,), needs=views.needed_in_front),
        View("panels", "All methods", views.panels, ALL, SLIDERS, needs=views.needed),
        View("distance", "Distance to the reference over x", views.distance, ALL, SLIDERS, needs=views.needed),
    ),
    scenes=(
        Scene("few", "Deep ensemble", {}),
        Scene("dropout", "MC dropout", {"front": "mc_dropout"}),
        Scene("laplace", "Laplace", {"front": "laplace"}),
        Scene("gap", "A gap in the data", {"data": "two_clusters", "look": "panels"}, ask=BEFORE_GAP),
        Scene("where", "Where they differ", {"look": "distance"}, ask=BEFORE_WHERE),
        Scene("own", "Your own points", {"data": "own", "hold_out": "fifth", "look": "panels"}),
    ),
    claim="Where there are no data, some methods are far too sure. A comparison with the exact posterior shows which.",
    explanation=Explanation(
        "The exact posterior of this network, sampled by long chains, and in front of it one approximation: mean, two "
        "standard deviations and draws of each, without noise. Two bars compare two standard deviations at one x. The "
        "table of *All methods* ranks them.",
        "Every approximation has a simple family of functions or distributions, and fits it at the points. There most "
        "of them agree with the exact posterior. In gaps and outside, the family decides.",
        "Coverage of held-out points does not see this where no points lie. Exact means exact for this network, prior "
        "and noise, which may be wrong: outside, the truth (dashed in *All methods*) leaves its band. Where the chains "
        "disagree, nothing is compared. Every method has one training; another seed changes places that are close.",
    ),
    exercises=COMPARE,
    try_this=(
        "Choose *MC dropout* and raise its dropout rate to 0.5. Does its band become right, or only wider?",
        "Choose *Your own points* and paste a table of 20 rows or more: every fifth is held out, and all methods are "
        "ranked on it.",
    ),
    caveat=(
        "Place ranks the mean of two places: by coverage error, the mean distance of the 50 % and 90 % bands' "
        "coverage from their nominal level, and by distance to the reference. The distance is measured at every x of "
        "the picture, also outside the data. Methods share ℓ where they have one. Variational dropout, sparse "
        "variational dropout, ARD and the group priors have priors of their own. The noise is that of the data set or "
        "an estimate. The plain network and the ensemble have no prior over functions. Errors in lectures on this "
        "topic: [a mask for each point](errata?erratum=mask-per-point) and [noise as a variance]"
        "(errata?erratum=noise-variance)."
    ),
    papers=(papers.NEAL_1996, papers.DAWID_1984, papers.YAO_2019, papers.LAKSHMINARAYANAN_2017, papers.VEHTARI_2021),
)

show(PAGE)
