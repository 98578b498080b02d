"""Every figure of the lectures: a link to the scene that shows it with our results."""

from bdlviz.topics.results.figure_index import views
from bdlviz.ui import Note, Page, View, show

INTRODUCTION = (
    "Every figure, table and demo of five lectures on Bayesian deep learning. A link opens the scene that shows it "
    "with our results; a note says where they differ. Move any slider there and compare."
)

PAGE = Page(
    "results/figure_index",
    "Where is the figure from the lecture?",
    views=(View("coverage", "Figures of each lecture", views.coverage, (Note(lambda _: INTRODUCTION, "markdown"),)),),
    below=views.index,
)

show(PAGE)
