"""The glossary: every term in one sentence, an order of the pages for self-study, and all sources in one list."""

from bdlviz.topics.start.glossary import views
from bdlviz.ui import Page, View, show

PAGE = Page(
    "start/glossary",
    "What does a term mean, and which page shows it?",
    views=(
        View("terms", "All terms", views.terms, (views.OF_LINK,)),
        View("order", "An order for self-study", views.order, (views.OF_LINK,)),
        View("sources", "All sources", views.sources, (views.OF_LINK,)),
    ),
    claim="Every term has one sentence, a picture, and links to the pages that show it.",
)

show(PAGE)
