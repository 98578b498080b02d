"""What the first page shows: one picture, six questions, and a card for each page."""

from __future__ import annotations

from bdlviz import plots
from bdlviz.topics.shared.coverage import describe_coverage
from bdlviz.topics.start.home.first import METHOD, First, method_of
from bdlviz.topics.start.home.views_moving import moves, moving_picture, switch_row
from bdlviz.ui.model import Figure, Result, Screen, Setting, Words

CAPTION = "Twenty points do not determine one function: each thin line is a function that fits them."
QUESTIONS = {  # page -> the question that it answers
    "foundations/bayes_rule": "What do data change about the weights?",
    "foundations/kinds_of_uncertainty": "Which uncertainty shrinks with more data?",
    "regression/compare": "Which method states its uncertainty correctly?",
    "digits/mc_dropout": "Which digits is a network uncertain about?",
    "weights/sparsity": "How many weights can be removed?",
    "generative/manifold": "Which images does a decoder generate?",
}


def first(setting: Setting, screen: Screen, study: First) -> Result:
    """Functions over the data, with a slider that redraws them; a plain figure where the browser cannot do that."""
    if moves(setting):
        return Result([switch_row(), moving_picture(setting, study), Words(CAPTION)], call=study.call())
    predictive, dataset = study.predict(), study.dataset
    fig = plots.function_draws(predictive, dataset, theme=screen.theme, height=480)
    covered = describe_coverage(predictive, dataset, METHOD.name(method_of(setting)))
    alt = f"{plots.describe_function_draws(predictive, dataset)} {covered}"
    parts = [switch_row(), Figure("first_figure", fig, alt), Words(covered), Words(CAPTION)]
    return Result(parts, call=study.call())
