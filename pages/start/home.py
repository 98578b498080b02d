"""The first page: one picture at once, and where everything is."""

from bdlviz.topics.start.home import views, views_moving
from bdlviz.topics.start.home.first import needed
from bdlviz.ui import Note, Page, View, show

CONTROLS = (Note(lambda _: views.INTRODUCTION, "markdown"), views_moving.WAY_IN, views_moving.OF_PICTURE)

PAGE = Page(
    "start/home",
    "See what a Bayesian neural network believes, and where it is unsure.",
    views=(View("first", "Functions", views.first, CONTROLS, needs=needed, is_fragment=True),),
    below=lambda _: [views_moving.cards(views.CARDS)],
)

show(PAGE)
