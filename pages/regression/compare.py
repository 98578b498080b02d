"""Compare: which method states its uncertainty correctly?"""

from bdlviz.topics import papers
from bdlviz.topics.regression.compare import views
from bdlviz.topics.regression.compare.controls import DATA_PANEL
from bdlviz.topics.regression.compare.exercises import BEFORE_GAP, BEFORE_WHERE, COMPARE
from bdlviz.topics.shared import compare_choice as c
from bdlviz.topics.shared.views_compare_choice import METHODS
from bdlviz.ui import Page, Panel, Scene, View, show

CONTROLS = (
    METHODS,
    c.REFERENCE,
    DATA_PANEL,
    Panel("Network", (c.WIDTH, c.DEPTH, c.ACTIVATION, c.SEED)),
)
SLIDERS = (c.LENGTH_SCALE, c.RATE)

PAGE = Page(
    "regression/compare",
    "Which method states its uncertainty correctly on these data?",
    views=(
        View("panels", "each method's bands", views.panels, CONTROLS, SLIDERS, needs=views.needed),
        View("distance", "distance to the reference over x", views.distance, CONTROLS, SLIDERS, needs=views.needed),
    ),
    scenes=(
        Scene("few", "Twenty points", {}, "The exact posterior is outlined. Which methods are too certain, and where?"),
        Scene(
            "gap",
            "A gap in the data",
            {"data": "two_clusters"},
            "Held-out points lie in the clusters, so all methods cover well. The distance also measures the gap.",
            BEFORE_GAP,
        ),
        Scene(
            "where",
            "Where they differ",
            {"look": "distance"},
            "Methods agree with the exact posterior at the points and differ from it between and outside them.",
            BEFORE_WHERE,
        ),
        Scene(
            "own",
            "Your own points",
            {"data": "own", "hold_out": "fifth"},
            "Edit or paste a table: every method is fitted to it and ranked.",
        ),
    ),
    exercises=COMPARE,
    try_this=(
        "Sort the table by the 90 % band: for which methods are fewer held-out points inside than 90 %?",
        "Open *A gap in the data*. Coverage is good for nearly all methods: in which column do they differ, and why?",
        "Raise the dropout rate to 0.5. Does MC dropout come closer to the exact posterior, or is its band only wider?",
        "Paste a table of your own with 20 rows or more: every fifth is held out, and the methods are ranked on it.",
        "Choose two hidden layers. Which methods improve, and do the chains of HMC still agree?",
    ),
    caveat=(
        "Place ranks the mean of two places: by coverage error, the mean distance of the 50 % and 90 % bands' "
        "coverage from their nominal level, and by distance to the reference. Coverage is measured only where held-out "
        "points lie. The distance is measured at every x of the picture, also outside the data. The reference is "
        "exact for this network, this prior and this noise, which need not be right for the data: its own row shows "
        "how it covers. HMC is exact only where its chains agree, so its split R̂ is shown as well. Methods share ℓ "
        "where they have one. Variational dropout, sparse variational dropout, ARD and the group priors have priors "
        "of their own, which contribute to their distance. The noise is that of the data set or an estimate. Every "
        "method is trained with one seed: another seed changes places that are close. The plain network and the "
        "ensemble have no prior over functions: the plain network has a standard deviation of 0. Errors in the "
        "lectures on this topic: [a mask for each point](errata?erratum=mask-per-point) and [noise as a variance]"
        "(errata?erratum=noise-variance)."
    ),
    papers=(papers.NEAL_1996, papers.DAWID_1984, papers.YAO_2019, papers.LAKSHMINARAYANAN_2017, papers.VEHTARI_2021),
)

show(PAGE)
