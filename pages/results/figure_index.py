"""Every figure of the lectures: a link to the scene that shows it with our results."""

from bdlviz.topics.results.figure_index import views
from bdlviz.topics.results.figure_index.controls import CONTROLS
from bdlviz.topics.results.figure_index.entries import LECTURES
from bdlviz.ui import Page, View, show

PAGE = Page(
    "results/figure_index",
    "Where is each figure of the lectures drawn here?",
    views=(View("coverage", "Figures of each lecture", views.coverage, CONTROLS),),
    claim="Every entry leads to the page that draws the figure with our results.",
    former={"all": {}, **{name: {"figures_of": name} for name in LECTURES}},
)

show(PAGE)
