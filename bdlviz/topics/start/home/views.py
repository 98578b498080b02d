"""What the first page shows: one picture, and a card for each page."""

from __future__ import annotations

from bdlviz import plots
from bdlviz.digits import number
from bdlviz.plots.theme import tint
from bdlviz.topics.start.home.first import First, sentence, spread
from bdlviz.topics.start.home.views_moving import moves, moving_picture, switch_row
from bdlviz.ui.model import Figure, Result, Says, Screen, Setting


def first(setting: Setting, screen: Screen, study: First) -> Result:
    """Functions over the data, with a slider that redraws them; a plain figure where the browser cannot do that."""
    predictive, dataset, theme = study.predict(), study.dataset, screen.theme
    says = Says(sentence(setting, study))
    if moves(setting):
        return Result([says, switch_row(), moving_picture(setting, study)], call=study.call())
    fig = plots.function_draws(predictive, dataset, theme=theme, height=480)
    look = {"font": theme.font(bold=True), "bgcolor": tint(theme.paper, 0.75), "showarrow": False, "yanchor": "bottom"}
    for x, mean, two_sd in spread(predictive, dataset):
        fig.add_shape(type="line", x0=x, x1=x, y0=mean - two_sd, y1=mean + two_sd, line=theme.line(theme.ink, 2))
        fig.add_annotation(x=x, y=mean + two_sd, text=f"±{number(two_sd, 2)}", **look)
    alt = plots.describe_function_draws(predictive, dataset)
    return Result([says, switch_row(), Figure("first_figure", fig, alt)], call=study.call())
