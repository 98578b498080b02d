"""Every figure of the lectures: a link to the scene that shows it with our results."""

from bdlviz.topics.results.figure_index import views
from bdlviz.topics.results.figure_index.controls import CONTROLS
from bdlviz.topics.results.figure_index.entries import LECTURES
from bdlviz.ui import Page, View, show

PAGE = Page(
    "results/figure_index",
    "Which page redraws a figure you know from a lecture?",
    views=(View("coverage", "Figures of each source", views.coverage, CONTROLS),),
    claim="Figures of four lectures and one notebook are drawn again here, each with results of our own.",
    former={"all": {}, **{name: {"figures_of": name} for name in LECTURES}},
)

show(PAGE)
