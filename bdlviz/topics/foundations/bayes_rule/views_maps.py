"""Two parameters: prior times likelihood is the posterior, and what each choice of parameters predicts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from plotly.graph_objects import Figure as PlotlyFigure

from bdlviz.data.tables import STARTING_POINTS
from bdlviz.digits import compact
from bdlviz.models import bayes_rule
from bdlviz.plots.panels import panel_axes
from bdlviz.topics.foundations.bayes_rule import controls as c
from bdlviz.topics.foundations.bayes_rule import figures, grid_posterior, inference, sentences, two_parameters
from bdlviz.topics.foundations.bayes_rule.figures import PREDICTION, Map
from bdlviz.topics.foundations.bayes_rule.inference import NUM_DRAWS, Inference
from bdlviz.topics.foundations.bayes_rule.points import (
    SEEDS,
    USUAL,
    Points,
    made_points,
    number,
    own_points,
    points_snippet,
    reach_for,
)
from bdlviz.topics.foundations.bayes_rule.two_parameters import FAMILIES, Family
from bdlviz.topics.foundations.bayes_rule.views_pointer import function_under_pointer
from bdlviz.types import Array
from bdlviz.ui.controls import data_choice, picked
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Words
from bdlviz.ui.places import link

NUM_INPUTS = 121
LATTICE = 41  # to a side: invisible points that make the empty plot clickable
RULE = Formula(
    bayes_rule.update,
    "The posterior of every pair of parameters: prior times likelihood, divided by the sum over all pairs.",
    {
        "p(w)": "prior probability of the parameters w",
        r"p(D \mid w)": "density that they give to the points D",
        r"p(w \mid D)": "posterior probability of w",
    },
    {"p(w)": "prior", r"p(w \mid D)": "exact"},
)
FUNCTION = {
    "line": Formula(two_parameters.line, "The line.", {"a": "slope, in y per x", "b": "intercept, in units of y"}),
    "network": Formula(
        two_parameters.tiny_network,
        "The network of one hidden unit. With both signs turned it is the same function.",
        {"w_1": "weight of the input", "w_2": "weight of the hidden unit, in units of y"},
    ),
}
PENALTY = Formula(
    two_parameters.most_likely,
    "MAP: the smallest sum of squared errors and squared parameters; with a flat prior it is least squares, the MLE.",
    {r"\sigma": "sd of the noise, in units of y", r"\sigma_w": "sd of the prior", r"\hat w": "the MAP estimate"},
    {r"\hat w": "mean"},
)
KEY = "belief_maps"


def maps(setting: Setting, screen: Screen, _: object) -> Result:
    """The maps, the prediction, and the numbers that matter."""
    family = FAMILIES[setting[c.FAMILY]]
    points = points_of(setting, family)
    found = inference.infer(family, points, setting.number(c.NOISE), setting.number(c.PRIOR_STD))
    reach, by_last = inference.reach_of(found), setting[c.ORDER] == "last" and len(points.x) > 0
    shown = inference.three_maps(found, reach, by_last)
    wins = None
    if not c.has_own_points(setting):
        wins = inference.wins_of_average(family, points, found.noise_std, found.prior_std, setting[c.POINTS] == "same")
    parts: list[Part] = [Words(remark) for remark in sentences.remarks(found, setting[c.BY], reach)]
    return Result(
        [
            Says(sentences.sentence(found, shown, by_last)),
            *_picture(setting, screen, found, shown, reach),
            *parts,
            Numbers(_key_numbers(found, wins)),
        ],
        (RULE, FUNCTION[family.name], PENALTY),
        (bayes_rule.update, grid_posterior.grid_posterior, grid_posterior.log_likelihood, two_parameters.most_likely),
        _snippet(found),
        _latex(found),
    )


def points_of(setting: Setting, family: Family) -> Points:
    """The points that are chosen."""
    if c.has_own_points(setting):
        return own_points(STARTING_POINTS if setting.own is None else setting.own.points)
    return made_points(family, int(setting[c.SEEN]), int(setting[c.SEED]), setting[c.POINTS] == "same")


# The picture ----------------------------------------------------------------------------------------------------------


def _picture(setting: Setting, screen: Screen, found: Inference, shown: Sequence[Map], reach: float) -> list[Part]:
    points, by = found.points, setting[c.BY]
    x_reach, y_reach = map(reach_for, (points.x, points.y), USUAL)
    inputs = np.linspace(-x_reach, x_reach, NUM_INPUTS)
    estimates = inference.single_choices(found, inputs)
    fig = figures.posterior_maps(
        shown,
        inference.predict(found, by, inputs),
        points.x,
        points.y,
        names=found.family.parameters,
        estimates=estimates,
        average=found.posterior.moments(inputs)[0],
        truth=None if points.truth is None else found.family.at(points.truth, inputs),
        drawn=found.posterior.draw(NUM_DRAWS, inference.DRAW_SEED) if by == "average" else None,
        reach=reach,
        x_range=(-x_reach, x_reach),
        y_range=(-y_reach, y_reach),
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    alt = figures.describe_posterior_maps(shown, estimates, len(points.x))
    made = None if c.has_own_points(setting) else np.column_stack([points.x, points.y])
    click = _make_clickable(fig, np.array([[-x_reach, x_reach], [-y_reach, y_reach]]), made)
    told = Words(
        "Point at a place in a map: its function is drawn into the prediction. "
        "Click into the prediction to add a point, and on a point to remove it."
    )
    pointer = function_under_pointer(KEY, found.family, screen.theme)
    return [Figure(KEY, fig, alt, on_select=click), told, pointer]


def _make_clickable(fig: PlotlyFigure, limits: Array, made: Array | None) -> Callable[[], None]:
    """Fill the prediction with invisible points; what is returned adds a point where one was clicked, or removes one.

    The last trace of the figure is the data; ``limits`` (2, 2) are those of x and y. With the first click the points
    that were ``made`` (N, 2) become the visitor's own; None if they are already.
    """
    from_curve = len(fig.data) - 1  # type: ignore[arg-type]  # the data; the lattice comes next
    xs, ys = (np.linspace(low, high, LATTICE) for low, high in limits)
    grid_x, grid_y = map(compact, np.meshgrid(xs, ys))
    hint = "Click: a point at (%{x:.1f}, %{y:.1f})<extra></extra>"
    look = {"mode": "markers", "marker": {"size": 9, "opacity": 0}, "hovertemplate": hint, "showlegend": False}
    fig.add_scatter(x=grid_x, y=grid_y, **look, **panel_axes(PREDICTION))

    def click() -> None:
        chosen = [each for each in picked.points(KEY) if _curve(each) >= from_curve]
        place = picked.place(chosen[-1]) if chosen else None
        if place is not None:
            across, up = (limits[:, 1] - limits[:, 0]) / 50
            x, y = (round(value, 3) for value in place)  # the lattice is sent in single precision
            data_choice.add_or_remove((x, y), (across, up), made)

    return click


def _curve(point: dict[str, Any]) -> int:
    """The trace that a chosen point belongs to; -1 where it says none."""
    found = link.whole_number(point.get("curve_number"), picked.MAX_POINTS)
    return -1 if found is None else found


# Numbers --------------------------------------------------------------------------------------------------------------


def _key_numbers(found: Inference, wins: int | None) -> list[tuple[str, str, str]]:
    help_text = "The logarithm of p(D), the probability that the model, prior included, gave to the points."
    if found.is_flat:
        help_text += " Here the prior is uniform within ±10."
    row = [("Evidence log p(D) (nats)", number(found.posterior.terms.log_evidence), help_text)]
    if not len(found.points.x_test):
        std = np.sqrt(np.diag(found.posterior.covariance))
        for name, mean, sd in zip(found.family.parameters, found.posterior.mean, std, strict=True):
            row.append((f"{name[0].upper()}{name[1:]}", f"{number(mean)} ± {sd:.2f}", "Posterior mean and sd."))
        return row
    new = f"{len(found.points.x_test)} new points"
    for which, name in (("mle", "MLE"), ("map", "MAP")):
        loss = found.loss(which)
        told = f"Average surprise: mean of −log density of {new}, with the {name} parameters plugged in."
        row.append((f"Surprise, {name} (nats)", "–" if loss is None else number(loss), told))
    told = "The same under the posterior average. Lower is better; the order may differ for another data seed."
    row.append(("Surprise, average (nats)", number(found.loss_of_average()), told))
    if wins is not None:
        told = "Data sets with as many points, one for each data seed, in which the average is surprised less than MAP."
        row.append(("Average is better", f"In {wins} of {len(SEEDS)}", told))
    return row


def _latex(found: Inference) -> str:
    if found.is_flat:
        return r"\sigma^2 / \sigma_w^2 = 0"
    return rf"\sigma^2 / \sigma_w^2 = {found.noise_std:g}^2 / {found.prior_std:g}^2 = {found.ridge_weight:.3g}"


def _snippet(found: Inference) -> str:
    prior = "np.inf" if found.is_flat else f"{found.prior_std:g}"
    reach = reach_for(found.points.x, USUAL[0])
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.topics.foundations.bayes_rule import two_parameters",
            "from bdlviz.topics.foundations.bayes_rule.grid_posterior import grid_posterior",
            "",
            points_snippet(found.points),
            f"family, noise_std, prior_std = two_parameters.{found.family.name.upper()}, {found.noise_std:g}, {prior}",
            "posterior = grid_posterior(family, x, y, noise_std=noise_std, prior_std=prior_std)",
            "best = two_parameters.most_likely(family, x, y, ridge_weight=(noise_std / prior_std) ** 2)  # MAP",
            f"predictive = posterior.predict(np.linspace({-reach!r}, {reach!r}, {NUM_INPUTS}), num_draws={NUM_DRAWS})",
            "print(posterior.mean, posterior.terms.log_evidence)",
        ]
    )
