"""What the first page shows: one picture, and a card for each page."""

from __future__ import annotations

from bdlviz import plots
from bdlviz.data.gaps import places
from bdlviz.digits import number
from bdlviz.topics.shared.coverage import describe_coverage
from bdlviz.topics.start.home.first import METHOD, First, method_of
from bdlviz.topics.start.home.views_moving import moves, moving_picture, switch_row
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.model import Figure, Result, Says, Screen, Setting, Words

LEAST = 0.001  # a smaller width cannot be seen


def first(setting: Setting, screen: Screen, study: First) -> Result:
    """Functions over the data, with a slider that redraws them; a plain figure where the browser cannot do that."""
    predictive, dataset = study.predict(), study.dataset
    says = Says(how_far(predictive, dataset))
    if moves(setting):
        return Result([says, switch_row(), moving_picture(setting, study)], call=study.call())
    fig = plots.function_draws(predictive, dataset, theme=screen.theme, height=480)
    covered = describe_coverage(predictive, dataset, METHOD.name(method_of(setting)))
    alt = f"{plots.describe_function_draws(predictive, dataset)} {covered}"
    return Result([says, switch_row(), Figure("first_figure", fig, alt), Words(covered)], call=study.call())


def how_far(predictive: Predictive, dataset: Dataset) -> str:
    """How far the functions differ among the data and outside, two standard deviations each.

    The picture in the browser says the same during a drag (client/picture/told.js).
    """
    spread = predictive.epistemic_std[:, 0]
    at = places(predictive.x[:, 0], dataset.x[:, 0])
    near, away = (2 * float(spread[at[place]].mean()) for place in ("at the data", "outside"))
    if away < LEAST:
        return "All functions are the same here, so that they do not show what the model does not know."
    verdict = ": there the model does not know" if away > near else ""
    return (
        f"Functions that fit the data differ by {_width(near)} among the data and by {_width(away)} outside{verdict}."
    )


def _width(width: float) -> str:
    return f"less than ±{LEAST}" if width < LEAST else f"±{number(width, 2)}"
