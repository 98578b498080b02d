"""Published numbers beside ours: what a source prints, what we measure, and whether they agree."""

from bdlviz.topics import papers
from bdlviz.topics.results.register import views
from bdlviz.topics.results.register.controls import CONTROLS, SOURCE
from bdlviz.topics.results.register.exercises import REGISTER
from bdlviz.ui import Explanation, Page, Scene, View, show

PAGE = Page(
    "results/register",
    "Which published numbers can be reproduced?",
    views=(View("register", "Published numbers", views.register, CONTROLS, (SOURCE,)),),
    scenes=(
        Scene("all", "All numbers", {}),
        Scene("contradicted", "Contradicted", {"verdict": "contradicted"}),
        Scene("inconclusive", "Inconclusive", {"verdict": "inconclusive"}),
        Scene("blundell", "Four errors of one table", {"source": "blundell"}),
    ),
    claim="Most numbers of one lecture are reproduced; of the papers few are, and often our runs cannot decide.",
    explanation=Explanation(
        "How many printed numbers come out again when we train as the source says. Of a chosen source or verdict, each "
        "dot is our number minus the printed one, in units of the most that its rule allows, with its 95 % interval.",
        "Sources print different things: a log of one run, a mean with a standard deviation, or a number alone. Each "
        "kind has one rule, and the interval of ours decides, not the point.",
        "With few runs the interval is wide and the row is inconclusive, which is no agreement. With many rows some "
        "verdicts are wrong by chance; the panel *How verdicts are made* says how many are expected.",
    ),
    exercises=REGISTER,
    try_this=(
        "Choose *Contradicted*: which of the rows differ in size, and which in sign?",
        "Compare the rows of one seed with those of 40. Which rows would more seeds decide?",
    ),
    caveat="Intervals are Student's. Where our training differs from that of the source, the row says so.",
    papers=(papers.BLUNDELL_2015, papers.GAL_2017, papers.MOLCHANOV_2017, papers.LOUIZOS_2017),
    below=views.details,
)

show(PAGE)
