"""The lectures: scenes of all pages in one order, with what to say."""

from bdlviz import ui
from bdlviz.ui import lecture_list

PAGE = ui.Page(
    title="Lecture",
    question="Which story do the pages tell, in which order?",
    controls=lecture_list.CONTROLS,
)

with PAGE.frame() as view:
    with view.controls:
        found = lecture_list.choose()
    with view.picture:
        lecture_list.show_steps(found)
