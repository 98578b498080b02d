"""What the first page shows: one picture, and a card for each page."""

from __future__ import annotations

from bdlviz import plots
from bdlviz.topics.shared.coverage import describe_coverage
from bdlviz.topics.start.home.first import METHOD, First, method_of
from bdlviz.topics.start.home.views_moving import moves, moving_picture, switch_row
from bdlviz.ui.model import Figure, Result, Says, Screen, Setting, Words

SAYS = Says("Bayesian deep learning draws many functions. Where they differ, the blue band is wide: it does not know.")


def first(setting: Setting, screen: Screen, study: First) -> Result:
    """Functions over the data, with a slider that redraws them; a plain figure where the browser cannot do that."""
    predictive, dataset = study.predict(), study.dataset
    if moves(setting):
        return Result([SAYS, switch_row(), moving_picture(setting, study)], call=study.call())
    fig = plots.function_draws(predictive, dataset, theme=screen.theme, height=480)
    covered = describe_coverage(predictive, dataset, METHOD.name(method_of(setting)))
    alt = f"{plots.describe_function_draws(predictive, dataset)} {covered}"
    return Result([SAYS, switch_row(), Figure("first_figure", fig, alt), Words(covered)], call=study.call())
