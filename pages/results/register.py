"""Published numbers beside ours: what a source prints, what we measure, and whether they agree."""

from bdlviz.topics import papers
from bdlviz.topics.results.register import views
from bdlviz.topics.results.register.controls import CONTROLS
from bdlviz.topics.results.register.exercises import REGISTER
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "results/register",
    "Which published numbers can be reproduced?",
    views=(View("register", "Published numbers", views.register, CONTROLS),),
    scenes=(
        Scene("all", "All numbers", {}, "Every number by its source, beside the mean of our runs."),
        Scene(
            "contradicted",
            "Contradicted",
            {"verdict": "contradicted"},
            "Numbers that our runs do not reproduce, by the rule of their row.",
        ),
        Scene(
            "inconclusive",
            "Inconclusive",
            {"verdict": "inconclusive"},
            "Numbers that our runs cannot decide: one run has no interval, and the interval of three is wide.",
        ),
        Scene(
            "blundell",
            "Bayes by Backprop",
            {"source": "blundell"},
            "Four test errors of one table, with the full KL weight, and the order of the methods.",
        ),
    ),
    exercises=REGISTER,
    try_this=(
        "Choose *Contradicted*: which of the rows differ in size, and which in sign?",
        "Choose the study of concrete dropout: which of its trends are reproduced, although its numbers are not?",
        "Compare the rows of one seed with those of 40. Which rows would more seeds decide?",
    ),
    caveat=(
        "Sources print different things: a log of one run, a mean with a standard deviation, or a number alone. Each "
        "kind has one rule. Intervals are Student's, for as many runs as the row has; with few runs they are wide, and "
        "the row is often inconclusive. Where our training differs from that of the source, the row says so."
    ),
    papers=(papers.BLUNDELL_2015, papers.GAL_2017, papers.MOLCHANOV_2017, papers.LOUIZOS_2017),
    below=views.details,
)

show(PAGE)
