"""Bayes' rule over two parameters: prior times likelihood is the posterior, and what each choice predicts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.models import bayes_rule
from bdlviz.topics.foundations.bayes_rule import figures, grid_posterior, two_parameters
from bdlviz.topics.foundations.bayes_rule import views_setting as setting
from bdlviz.topics.foundations.bayes_rule.figures import CREDIBLE, PREDICTION, Choice, Estimate, Map
from bdlviz.topics.foundations.bayes_rule.grid_posterior import GridPosterior
from bdlviz.topics.foundations.bayes_rule.two_parameters import FAMILIES, Family
from bdlviz.topics.foundations.bayes_rule.views_setting import Points, number
from bdlviz.types import Array, Predictive
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

FLAT = "inf"
USUAL_REACH = 3.0  # of the maps, on both sides of 0, unless the posterior lies farther
NUM_INPUTS = 121
NUM_DRAWS = 25
DRAW_SEED = 0
WORTH_SAYING = 0.01  # of the evidence or the posterior

FAMILY = Control(
    "family",
    "Functions",
    tuple(FAMILIES),
    "line",
    "buttons",
    "A line f(x) = a x + b, or a network of one hidden unit, f(x) = w₂ tanh(w₁ x).",
    {name: family.title for name, family in FAMILIES.items()},
)
PRIOR_STD = Control(
    "prior_std",
    "Prior sd σ_w",
    ("0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", FLAT),
    "1",
    "slider",
    "Both parameters have the prior N(0, σ_w²). Flat: the same density wherever both lie within ±10.",
    {FLAT: "flat"},
)
NOISE = number_control(
    "assumed_std",
    "Noise sd σ assumed",
    (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5),
    0.7,
    "What the likelihood takes the noise to be; that in the made points is 0.7.",
)
BY = Control(
    "predict_by",
    "Show the prediction of",
    ("average", "map", "mle", "mean"),
    "average",
    "menu",
    "Whose uncertainty the bands show. A single choice of parameters knows of noise only.",
    {
        "average": "the posterior average",
        "map": "MAP, plugged in",
        "mle": "maximum likelihood, plugged in",
        "mean": "the mean parameters, plugged in",
    },
)
ORDER = Control(
    "update_by",
    "Update by",
    ("all", "last"),
    "all",
    "buttons",
    "All points at once; or the last one alone, with the posterior of those before it as the prior.",
    {"all": "all points", "last": "the last point"},
)
CONTROLS = (FAMILY, PRIOR_STD, NOISE, BY, ORDER)


@dataclass(frozen=True, eq=False)
class Found:
    """Everything that the picture shows."""

    family: Family
    points: Points
    noise_std: float
    prior_std: float
    posterior: GridPosterior
    mle: Array | None  # (2,); None where every choice is as likely
    map: Array | None
    determined: int  # directions of the two parameters that the data say something of

    @property
    def ridge_weight(self) -> float:
        """The noise's variance over the prior's."""
        return (self.noise_std / self.prior_std) ** 2

    def parameters(self, which: str) -> Array | None:
        """One choice of parameters, (2,)."""
        return {"mle": self.mle, "map": self.map, "mean": self.posterior.mean}[which]


def choose() -> None:
    """Draw the controls of this view."""
    FAMILY.show()
    setting.choose_points()
    PRIOR_STD.show()
    NOISE.show()
    BY.show()
    ORDER.show()


def show_maps() -> Shown | None:
    """The maps, the prediction, and the numbers that matter."""
    try:
        found = find(
            FAMILIES[FAMILY.present()],
            setting.present_points(FAMILIES[FAMILY.present()]),
            float(NOISE.present()),
            float(PRIOR_STD.present()),
        )
    except InvalidInput as error:
        st.error(str(error))
        return None
    _draw(found, BY.present(), ORDER.present() == "last")
    numbers(_key_numbers(found))
    return Shown(
        (
            bayes_rule.update,
            grid_posterior.grid_posterior,
            getattr(two_parameters, {"line": "line", "network": "tiny_network"}[found.family.name]),
            two_parameters.most_likely,
        ),
        (bayes_rule.update, grid_posterior.grid_posterior, grid_posterior.log_likelihood, two_parameters.most_likely),
        _snippet(found),
        _latex(found),
    )


def find(family: Family, points: Points, noise_std: float, prior_std: float) -> Found:
    """The posterior and the single choices after these points."""
    x, y = points.x, points.y
    posterior = grid_posterior.grid_posterior(family, x, y, noise_std=noise_std, prior_std=prior_std)
    mle = two_parameters.most_likely(family, x, y, ridge_weight=0.0) if len(x) else None
    if np.isinf(prior_std):
        best = None if mle is None or np.abs(mle).max() > two_parameters.REACH else mle
    else:
        best = two_parameters.most_likely(family, x, y, ridge_weight=(noise_std / prior_std) ** 2)
    determined = two_parameters.num_determined(family, mle, x) if mle is not None else 0
    return Found(family, points, noise_std, prior_std, posterior, mle, best, determined)


def _draw(found: Found, by: str, by_last: bool) -> None:
    reach = reach_of(found)
    maps = three_maps(found, reach, by_last and len(found.points.x) > 0)
    x_reach, y_reach = map(setting.reach_for, (found.points.x, found.points.y), setting.USUAL)
    inputs = np.linspace(-x_reach, x_reach, NUM_INPUTS)
    predictive = predict(found, by, inputs)
    estimates = single_choices(found, inputs)
    drawn = found.posterior.draw(NUM_DRAWS, DRAW_SEED) if by == "average" else None
    fig = figures.belief_maps(
        maps,
        predictive,
        found.points.x,
        found.points.y,
        names=found.family.parameters,
        estimates=estimates,
        average=found.posterior.moments(inputs)[0],
        truth=None if found.points.truth is None else found.family.at(found.points.truth, inputs),
        drawn=drawn,
        reach=reach,
        x_range=(-x_reach, x_reach),
        y_range=(-y_reach, y_reach),
        theme=present_theme(),
        stacked=is_narrow(),
    )
    alt = figures.describe_belief_maps(maps, estimates, len(found.points.x))
    limits = np.array([[-x_reach, x_reach], [-y_reach, y_reach]])
    setting.show_clickable(fig, panel=PREDICTION, limits=limits, key="belief_maps", alt=alt)
    for sentence in says(found, by, reach):
        st.caption(sentence)


def reach_of(found: Found) -> float:
    """How far the maps go: as far as usual, or in doublings until all but a hundredth of the posterior is on them."""
    reach = USUAL_REACH
    while found.posterior.outside(reach) > WORTH_SAYING:
        reach *= 2
    return reach


def three_maps(found: Found, reach: float, by_last: bool) -> tuple[Map, Map, Map]:
    """Prior, likelihood and posterior as maps that reach so far; of the last point only, or of all."""
    posterior, x, y = found.posterior, found.points.x, found.points.y
    count = len(x)
    before = count - 1 if by_last else 0
    grid = partial(grid_posterior.grid_posterior, found.family, noise_std=found.noise_std)
    prior = grid(x[:before], y[:before], prior_std=found.prior_std)
    likelihood = grid(x[before:], y[before:], prior_std=np.inf, reach=reach)
    what = f"× Point {count}" if by_last else "× Likelihood"
    return (
        _map("Prior" if before == 0 else f"After {before} point{'s' * (before > 1)}", prior),
        _map(what, likelihood),
        _map(f"= Posterior, {CREDIBLE:.0%} outlined", posterior, posterior.level(CREDIBLE)),
    )


def _map(title: str, grid: GridPosterior, level: float = 0.0) -> Map:
    return Map(title, grid.first, grid.second, grid.density, level)


def single_choices(found: Found, inputs: Array) -> list[Estimate]:
    """MLE and MAP, with their twins, and for a network the mean parameters, each with its function."""
    wanted: list[Choice] = ["mle", "map", "mean"] if found.family.has_twin else ["mle", "map"]
    estimates = []
    for which in wanted:
        parameters = found.parameters(which)
        if parameters is None:
            continue
        twins = np.array([parameters, -parameters] if found.family.has_twin and which != "mean" else [parameters])
        estimates.append(Estimate(which, twins, found.family.at(parameters, inputs)))
    return estimates


def predict(found: Found, by: str, inputs: Array) -> Predictive:
    """What the posterior average or one choice of parameters predicts; the average where there is no such choice."""
    parameters = None if by == "average" else found.parameters(by)
    if parameters is None:
        return found.posterior.predict(inputs, NUM_DRAWS, DRAW_SEED)
    return two_parameters.plug_in(found.family, parameters, inputs, found.noise_std)


# Words and numbers ----------------------------------------------------------------------------------------------------


def says(found: Found, by: str, reach: float) -> list[str]:
    """What is to be seen at this setting, and what is wrong with it."""
    count, said = len(found.points.x), [found.points.note] if found.points.note else []
    if by in ("mle", "map") and found.parameters(by) is None:
        said.append(f"There is no {by.upper()} estimate yet, so the posterior average is shown.")
    said.append(_about_estimates(found, count))
    if found.family.has_twin:
        first, second = map(number, found.posterior.mean)
        said.append(
            f"Both signs turned give the same function, so belief lies on two sides and the mean parameters are "
            f"({first}, {second}): plugged in, they predict no curve at all. Averages are to be taken of functions."
        )
    if reach > USUAL_REACH:
        share = found.posterior.outside(USUAL_REACH)
        said.append(f"{share:.0%} of the posterior lies beyond ±{USUAL_REACH:g}, so the maps reach ±{reach:g}.")
    if found.posterior.lost > WORTH_SAYING:
        said.append(f"{found.posterior.lost:.0%} of the evidence lies outside the grid: the numbers are too small.")
    if found.posterior.unresolved > 0.5:
        said.append(
            "This posterior is thinner than the grid is fine, and the evidence uncertain. Assume more noise, or move "
            "the points apart."
        )
    return said


def _about_estimates(found: Found, count: int) -> str:
    """One sentence on maximum likelihood, MAP and the posterior."""
    is_flat = np.isinf(found.prior_std)
    if count == 0:
        what = "uniform within ±10" if is_flat else "the prior"
        return f"No data: every choice of parameters is as likely, nothing is the MLE, and the posterior is {what}."
    if found.determined < 2:
        kind = "line" if not found.family.has_twin else "curve"
        points = "One point" if count == 1 else f"{count} points at one x"
        return f"{points} cannot fix two parameters: a whole {kind} of them is as likely. " + (
            "The flat prior does not choose either." if is_flat else "The prior chooses among them."
        )
    if is_flat and found.map is None:
        return "The points ask for parameters beyond ±10, where the flat prior ends: choose another one."
    if is_flat:
        return "Flat prior: the posterior has the shape of the likelihood, and MAP = MLE."
    text = (
        f"MAP is ridge regression with the weight σ²/σ_w² = {found.ridge_weight:.3g}, which pulls it from the MLE to 0."
    )
    return text if found.family.has_twin else text + " For a line, MAP, mean parameters and average are the same curve."


def _key_numbers(found: Found) -> list[tuple[str, str, str]]:
    evidence = found.posterior.belief.log_evidence
    help_text = "The logarithm of p(D): how well the model, prior included, foresaw the points."
    if np.isinf(found.prior_std):
        help_text += " Here the prior is uniform within ±10."
    row = [("Evidence log p(D) (nats)", number(evidence), help_text)]
    points = found.points
    if not len(points.x_test):
        std = np.sqrt(np.diag(found.posterior.covariance))
        for name, mean, spread in zip(found.family.parameters, found.posterior.mean, std, strict=True):
            row.append((f"{name[0].upper()}{name[1:]}", f"{number(mean)} ± {spread:.2f}", "Posterior mean and sd."))
        return row
    for which, name in (("mle", "MLE"), ("map", "MAP")):
        parameters = found.parameters(which)
        help_text = f"Mean negative log density of {len(points.x_test)} new points under the plugged-in {name}."
        row.append((f"Loss, {name} (nats)", "–" if parameters is None else _loss(found, parameters), help_text))
    average = -float(found.posterior.log_predictive(points.x_test, points.y_test).mean())
    row.append(
        (
            "Loss, average (nats)",
            number(average),
            "The same under the posterior average. Lower is better; another data seed may turn it.",
        )
    )
    return row


def _loss(found: Found, parameters: Array) -> str:
    errors = found.points.y_test - found.family.at(parameters, found.points.x_test)
    return number(-float(bayes_rule.log_normal(np.square(errors), 1, found.noise_std).mean()))


def _latex(found: Found) -> str:
    if np.isinf(found.prior_std):
        return r"\sigma^2 / \sigma_w^2 = 0"
    return rf"\sigma^2 / \sigma_w^2 = {found.noise_std:g}^2 / {found.prior_std:g}^2 = {found.ridge_weight:.3g}"


def _snippet(found: Found) -> str:
    prior = "np.inf" if np.isinf(found.prior_std) else f"{found.prior_std:g}"
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.models import two_parameters",
            "from bdlviz.topics.foundations.bayes_rule.grid_posterior import grid_posterior",
            "",
            points_snippet(found.points),
            f"family, noise_std, prior_std = two_parameters.{found.family.name.upper()}, {found.noise_std:g}, {prior}",
            "posterior = grid_posterior(family, x, y, noise_std=noise_std, prior_std=prior_std)",
            "best = two_parameters.most_likely(family, x, y, ridge_weight=(noise_std / prior_std) ** 2)  # MAP",
            f"predictive = posterior.predict(np.linspace(-4, 4, {NUM_INPUTS}), num_draws={NUM_DRAWS})",
            "print(posterior.mean, posterior.belief.log_evidence)",
        ]
    )


def points_snippet(points: Points) -> str:
    """Code that makes the points of the page."""
    x, y = (", ".join(f"{value:.9g}" for value in column) for column in (points.x, points.y))
    return f"x, y = np.array([{x}], float), np.array([{y}], float)"
