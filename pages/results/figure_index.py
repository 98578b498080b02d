"""Every figure of the lectures: a link to the scene that shows it with our results."""

from bdlviz.topics.results.figure_index import views
from bdlviz.topics.results.figure_index.controls import CONTROLS
from bdlviz.topics.results.figure_index.entries import LECTURES
from bdlviz.ui import Page, View, show

PAGE = Page(
    "results/figure_index",
    "Where is each figure of the lectures drawn here?",
    views=(View("coverage", "Figures of each lecture", views.coverage, CONTROLS),),
    claim="On the page that draws it with our results; a click on its name opens it.",
    former={"all": {}, **{name: {"figures_of": name} for name in LECTURES}},
)

show(PAGE)
