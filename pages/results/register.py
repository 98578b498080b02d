"""Published numbers beside ours: what a source prints, what we measure, and whether the two agree."""

from bdlviz.topics import papers
from bdlviz.topics.results.register import views
from bdlviz.topics.results.register.controls import CONTROLS
from bdlviz.topics.results.register.exercises import REGISTER
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "results/register",
    "Do the published numbers come out again?",
    views=(View("register", "Published numbers", views.register, CONTROLS),),
    scenes=(
        Scene("all", "All numbers", {}, "Every number by its source, with what our runs say of it."),
        Scene(
            "contradicted",
            "Contradicted",
            {"verdict": "contradicted"},
            "Numbers that our runs do not give by the rule of their row. The table has the reasons.",
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
        "Choose the study of concrete dropout: which of its trends come out again, though its numbers do not?",
        "Compare the rows of one seed with those of 40. Which verdicts could other seeds change?",
    ),
    caveat=(
        "A rule compares what a source prints with what it leaves open: a log is of one run, a table of means says how "
        "far single runs lie apart, and many numbers stand alone. Rows with few seeds have verdicts that another seed "
        "may change. Training differs from the source's where a row says so."
    ),
    papers=(papers.BLUNDELL_2015, papers.GAL_2017, papers.MOLCHANOV_2017, papers.LOUIZOS_2017),
    below=views.table,
)

show(PAGE)
