"""The playground: networks that train in the visitor's browser, on points that the visitor sets."""

from bdlviz.topics import papers
from bdlviz.topics.start.playground import views
from bdlviz.topics.start.playground.exercises import PLAYGROUND
from bdlviz.ui import Explanation, Page, View, show

PAGE = Page(
    "start/playground",
    "What does a network not know about your points?",
    views=(View("playground", "Playground", views.playground, (views.OF_BROWSER,)),),
    exercises=PLAYGROUND,
    claim="Many functions fit your points. Where they differ, the network does not know.",
    explanation=Explanation(
        "Your points, functions that the method draws through them, and the bands of one and two standard deviations "
        "(sd). The bar in the widest gap is two sd of the functions up and down.",
        "The network trains in your browser, 4,000 steps after each change. Where functions that fit the points "
        "differ, the band is wide; a new point pulls them together there.",
        "A band of a network that is still training says little. MC dropout with a fixed rate does not become certain "
        "with more data, and independent Gaussian weights are too certain between clusters of points.",
    ),
    try_this=(
        "Click into the gap between the points. Does the band get narrow only there?",
        "Drag one point far up. Which methods follow it, and which treat it as noise?",
    ),
    caveat=(
        "The networks train in your browser. They have the equations of the library, but fewer steps than a fit on the "
        "server: the picture shows the training as it goes on, not its end. A chain of Langevin "
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
