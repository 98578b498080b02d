"""Every figure of the lectures: a link to the scene that shows it with our results."""

from bdlviz.topics.results.figure_index import views
from bdlviz.topics.results.figure_index.controls import CONTROLS
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "results/figure_index",
    "Where is the figure from the lecture?",
    views=(View("coverage", "Figures of each lecture", views.coverage, CONTROLS),),
    scenes=(
        Scene("all", "All", {}, "Every figure, table and demo of five lectures on Bayesian deep learning."),
        Scene("lee", "Lee", {"figures_of": "lee"}, "The figures of a tutorial on Bayesian deep learning."),
        Scene("mittov", "Mittov", {"figures_of": "mittov"}, "The figures of a lecture on variational dropout."),
        Scene("gavves", "Gavves", {"figures_of": "gavves"}, "The figures of a lecture on deep learning."),
        Scene("tum", "TUM", {"figures_of": "tum"}, "The figures of a lecture on generative and Bayesian models."),
        Scene("notebook", "Notebook", {"figures_of": "notebook"}, "The figures of a notebook on Bayes by Backprop."),
    ),
)

show(PAGE)
