"""What the first page shows: one picture, and a card for each page."""

from __future__ import annotations

from bdlviz import plots
from bdlviz.topics.shared.coverage import covered_at, describe_coverage, mark_coverage, sentence_on
from bdlviz.topics.start.home.first import METHOD, WHO, First, method_of
from bdlviz.topics.start.home.views_moving import moves, moving_picture, switch_row
from bdlviz.ui.model import Figure, Result, Says, Screen, Setting, Words


def first(setting: Setting, screen: Screen, study: First) -> Result:
    """Functions over the data, with a slider that redraws them; a plain figure where the browser cannot do that."""
    predictive, dataset = study.predict(), study.dataset
    is_one = not predictive.epistemic_std.any()
    says = Says(sentence_on(covered_at(predictive, dataset), is_one, WHO[method_of(setting)]))
    if moves(setting):
        return Result([says, switch_row(), moving_picture(setting, study)], call=study.call())
    fig = plots.function_draws(predictive, dataset, theme=screen.theme, height=480)
    mark_coverage(fig, predictive, dataset, screen.theme)
    covered = describe_coverage(predictive, dataset, METHOD.name(method_of(setting)))
    alt = f"{plots.describe_function_draws(predictive, dataset)} {covered}"
    return Result([says, switch_row(), Figure("first_figure", fig, alt), Words(covered)], call=study.call())
