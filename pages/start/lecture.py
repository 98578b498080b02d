"""The lectures: scenes of all pages in one order, with what to say."""

from bdlviz import ui
from bdlviz.topics.start.lecture import views

PAGE = ui.LegacyPage(
    title="Lecture",
    question="Which story do the pages tell, in which order?",
    controls=views.CONTROLS,
)

with PAGE.frame() as view:
    with view.controls:
        found = views.choose()
    with view.picture:
        views.show_steps(found)
