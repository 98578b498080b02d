"""The lectures: scenes of all pages in one order, with what to say."""

from bdlviz.topics.start.lecture import views
from bdlviz.ui import Page, View, show

PAGE = Page(
    "start/lecture",
    "One line of thought in 45 minutes",
    views=(View("steps", "Steps", views.steps, views.MENU),),
    claim="A posterior of two weights leads to dropout, to weights with a width, and to generated images.",
)

show(PAGE)
