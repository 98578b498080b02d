"""The glossary: every term in one sentence, and an order of the pages for self-study."""

from bdlviz.topics.start.glossary import views
from bdlviz.ui import Page, View, show

PAGE = Page(
    "start/glossary",
    "What does a term mean, and in which order can the pages be read?",
    views=(
        View("terms", "the terms", views.terms, (views.TERM,)),
        View("order", "an order for self-study", views.order),
    ),
)

show(PAGE)
