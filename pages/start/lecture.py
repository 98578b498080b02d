"""The lectures: scenes of all pages in one order, with what to say."""

from bdlviz.topics.start.lecture import views
from bdlviz.ui import Page, View, show

PAGE = Page(
    "start/lecture",
    "One line of thought in 45 minutes",
    views=(View("steps", "Steps", views.steps, views.CONTROLS),),
    claim="Every slide of the lecture is a page of this explorer, so its sliders still move.",
)

show(PAGE)
