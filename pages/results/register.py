"""Published numbers beside ours: what a source prints, what we measure, and whether the two agree."""

import streamlit as st

from bdlviz import published, ui
from bdlviz.topics.results.register import views
from bdlviz.topics.results.register.exercises import REGISTER

PAGE = ui.Page(
    title="Results · Published numbers",
    question="Do the published numbers come out again?",
    controls=(views.SOURCE, views.VERDICT),
    scenes=(
        ui.Scene("all", "All numbers", {}, "Every number by its source, with what our runs say of it."),
        ui.Scene(
            "contradicted",
            "Contradicted",
            {"verdict": "contradicted"},
            "Numbers that our runs do not give by the rule of their row. The table has the reasons.",
        ),
        ui.Scene(
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
    papers=(
        ui.Paper("Blundell et al. 2015, Weight uncertainty in neural networks", "https://arxiv.org/abs/1505.05424"),
        ui.Paper("Gal, Hron & Kendall 2017, Concrete dropout", "https://arxiv.org/abs/1705.07832"),
        ui.Paper(
            "Molchanov, Ashukha & Vetrov 2017, Variational dropout sparsifies deep neural networks",
            "https://arxiv.org/abs/1701.05369",
        ),
        ui.Paper("Louizos, Ullrich & Welling 2017, Bayesian compression", "https://arxiv.org/abs/1705.08665"),
    ),
)

with PAGE.frame() as view:
    with view.controls:
        for control in PAGE.controls:
            control.show()
        views.show_rules()
        st.caption(
            "`python -m bdlviz measure NAME` repeats a measurement. `python -m bdlviz register` prints the table as "
            "Markdown, with `--json` as JSON."
        )
    with view.picture:
        views.show_register()
    with view.below:
        views.show_register_table()
    view.footer(
        formulas=published.RULES,
        code=(published.rows, *published.RULES),
        snippet=views.REGISTER_SNIPPET,
    )
