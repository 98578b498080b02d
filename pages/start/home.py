"""The first page: one picture at once, and where everything is."""

from bdlviz.topics.start.home import views, views_moving
from bdlviz.topics.start.home.first import SLIDERS, needed
from bdlviz.ui import Page, View, show

PAGE = Page(
    "start/home",
    "See what neural networks don't know",
    views=(
        View(
            "first",
            "Functions",
            views.first,
            (views_moving.OF_PICTURE, *SLIDERS),
            inside=SLIDERS,
            needs=needed,
            is_fragment=True,
        ),
    ),
    claim="Every thin line is a function fitted to the 20 points. Their spread shows what the model does not know, "
    "if its assumptions are right.",
    below=lambda _: [views_moving.cards()],
)

show(PAGE)
