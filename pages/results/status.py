"""The state of the server: work under way, memory, shipped files, versions."""

from bdlviz.topics.results.status import views
from bdlviz.ui import Page, View, show

PAGE = Page(
    "results/status",
    "Does the server work?",
    views=(View("status", "Status", views.status, views.CONTROLS),),
)

show(PAGE)
