"""What the first page shows: one picture, and a card for each page."""

from __future__ import annotations

import numpy as np

from bdlviz import plots
from bdlviz.data.gaps import at_the_data
from bdlviz.digits import number
from bdlviz.topics.shared.coverage import describe_coverage
from bdlviz.topics.start.home.first import METHOD, First, method_of
from bdlviz.topics.start.home.views_moving import moves, moving_picture, switch_row
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.model import Figure, Result, Says, Screen, Setting, Words

EDGE = 10.0  # per cent of the range of x, at both ends


def first(setting: Setting, screen: Screen, study: First) -> Result:
    """Functions over the data, with a slider that redraws them; a plain figure where the browser cannot do that."""
    predictive, dataset = study.predict(), study.dataset
    says = Says(where_it_does_not_know(predictive, dataset))
    if moves(setting):
        return Result([says, switch_row(), moving_picture(setting, study)], call=study.call())
    fig = plots.function_draws(predictive, dataset, theme=screen.theme, height=480)
    covered = describe_coverage(predictive, dataset, METHOD.name(method_of(setting)))
    alt = f"{plots.describe_function_draws(predictive, dataset)} {covered}"
    return Result([says, switch_row(), Figure("first_figure", fig, alt), Words(covered)], call=study.call())


def where_it_does_not_know(predictive: Predictive, dataset: Dataset) -> str:
    """The standard deviation of the functions at the points and at the ends of the range."""
    x, sd = predictive.x[:, 0], predictive.epistemic_std[:, 0]
    ends = np.percentile(x, (EDGE, 100 - EDGE))
    at, away = float(sd[at_the_data(x, dataset.x[:, 0])].mean()), float(sd[(x < ends[0]) | (x > ends[1])].mean())
    told = f"(sd {number(at, 2)} at the {len(dataset.x)} points, {number(away, 2)} at the ends)"
    return f"Bayesian deep learning draws many functions. Where they differ {told}, it does not know."
