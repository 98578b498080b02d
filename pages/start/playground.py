"""The playground: networks that train in the visitor's browser, on points that the visitor sets."""

from bdlviz.topics import papers
from bdlviz.topics.start.playground import views
from bdlviz.topics.start.playground.exercises import PLAYGROUND
from bdlviz.ui import Page, View, show

PAGE = Page(
    "start/playground",
    "What does a network not know about your points?",
    views=(View("playground", "Playground", views.playground, (views.OF_BROWSER,)),),
    exercises=PLAYGROUND,
    try_this=(
        "Click into the gap between the points. Does the band get narrow only there?",
        "Drag one point far up. Which methods follow it, and which treat it as noise?",
        "Move the dropout rate from 0.05 to 0.5. Does the band of MC dropout get wider with more points, too?",
        "Change from MC dropout to the deep ensemble with the same points. Where do the two bands differ most?",
        "Choose classes in the plane. Compare the map of the mutual information near the points and far from them.",
    ),
    caveat=(
        "The networks train in your browser. They have the equations of the library, but fewer steps than a fit on the "
        "server: the picture shows the training as it goes on, not its end. The band of a network that is still "
        "training says little. MC dropout with a fixed rate does not become certain with more data. Bayes by Backprop "
        "uses independent Gaussian weights, which are too certain between clusters of points. A chain of Langevin "
        "dynamics has a fixed step size and no correction, so its samples are biased, and they depend on the start "
        "until the chain has mixed. An ensemble of a few networks gives a rough standard deviation. Only the Gaussian "
        "process is exact. It is the limit of infinitely many units. Far from all points the class probabilities of "
        "most networks are close to 0 or 1 without evidence."
    ),
    papers=(
        papers.GAL_2016,
        papers.LAKSHMINARAYANAN_2017,
        papers.BLUNDELL_2015,
        papers.WELLING_2011,
        papers.NEAL_1996,
        papers.FOONG_2020,
    ),
)

show(PAGE)
