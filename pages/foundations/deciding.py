"""Deciding: the same mean, another decision, once uncertainty counts."""

from bdlviz.topics import papers
from bdlviz.topics.foundations.deciding import controls as c
from bdlviz.topics.foundations.deciding import views_decision
from bdlviz.topics.foundations.deciding.exercises import DECIDING
from bdlviz.ui import Explanation, Page, Scene, View, show

COSTS = (c.MISS, c.TREAT, c.LIMIT)

PAGE = Page(
    "foundations/deciding",
    "Whom should one treat, if one is not certain?",
    views=(View("decision", "Treat or not", views_decision.decision, c.DECISION, COSTS, needs=views_decision.needed),),
    scenes=(
        Scene("decision", "Missing is expensive", {}),
        Scene("cheap-miss", "Missing is cheap", {"miss": "2"}),
        Scene("everywhere", "People from everywhere", {"people": "everywhere"}),
    ),
    claim="The more a miss costs, the lower the risk at which treating pays on average; the mean alone does not know "
    "the risk.",
    explanation=Explanation(
        "The same 100 people twice, each at x with the y that will be seen: ill above the dotted limit, treated in the "
        "shade. Left, the rule knows the mean alone, right, also how uncertain it is. Orange: ill and not treated; "
        "blue rings: treated in vain. The black line at the bottom is the risk of being ill, from 0 to 100 %.",
        "Treating pays where the probability of being ill is above the cost of treating divided by the cost of "
        "missing. The mean alone says only 0 or 1. Where it is below the limit and uncertain, the probability can "
        "still be above that threshold, so too few are treated.",
        "A threshold of one half asks only on which side of the limit the mean lies, so uncertainty changes little. "
        "And a rule is only as good as its uncertainty: where the network is wrong and certain, it treats the wrong "
        "people.",
    ),
    exercises=DECIDING,
    try_this=(
        "Move *Cost of missing* from 1 to 100. Which shade grows, and which one does not?",
        "Let people come from everywhere. What does it cost that the network is certain where there are no data?",
    ),
    caveat=(
        "The 100 people are quantiles of the true distribution. Mean costs are over simulated people, the same for "
        "all rules. Both need a built-in data set with known noise. The noise at every x is learned."
    ),
    papers=(papers.KENDALL_2017, papers.LAKSHMINARAYANAN_2017),
)

show(PAGE)
