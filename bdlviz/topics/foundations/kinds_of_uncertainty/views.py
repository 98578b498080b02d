"""The views of the page on kinds of uncertainty, in the order of their menu."""

from __future__ import annotations

from bdlviz.topics.foundations.kinds_of_uncertainty import controls as c
from bdlviz.topics.foundations.kinds_of_uncertainty import (
    run,
    views_amount,
    views_classes,
    views_decision,
    views_dense,
    views_dense_studies,
    views_heads,
    views_next,
)
from bdlviz.ui.model import View

CURVES = (
    View("heads", "a curve and its noise", views_heads.heads, c.HEADS, c.LIVE_HEADS, needs=run.fit_needed),
    View("loss", "the loss of a learned noise", views_heads.loss, c.LOSS, c.LIVE_LOSS, needs=run.fit_needed),
    View(
        "amount", "more and more data", views_amount.amount, c.AGAINST, c.LIVE_AMOUNT, needs=views_amount.amount_needed
    ),
    View(
        "claims",
        "a second feature, a second task",
        views_amount.claims,
        (views_amount.SEEDS_OF_CLAIMS,),
        needs=views_amount.claims_needed,
    ),
    View("labels", "two classes", views_classes.labels, c.LABELS, c.LIVE_LABELS, needs=views_classes.needed),
    View("decision", "treat or not", views_decision.decision, c.DECISION, c.LIVE_DECISION, needs=views_decision.needed),
)
DENSE = (
    View(
        "depth",
        "depth, pixel by pixel",
        views_dense.depth,
        views_next.DEPTH,
        c.LIVE_ROW,
        needs=views_dense.depth_needed,
    ),
    View(
        "classes",
        "classes, pixel by pixel",
        views_dense.classes,
        views_next.CLASSES,
        c.LIVE_ROW,
        needs=views_dense.networks_needed,
    ),
    View(
        "scenes",
        "depth, with more scenes",
        views_dense_studies.sizes,
        live=(c.NUM_SCENES,),
        needs=views_dense_studies.sizes_needed,
    ),
    View(
        "second_task",
        "depth, with a second task",
        views_dense_studies.tasks,
        (views_dense_studies.ABOUT_TASKS,),
        needs=views_dense_studies.tasks_needed,
    ),
)
