"""Bayes' rule over two parameters: the posterior, single choices of parameters, and what each of them predicts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from bdlviz.digits import percent
from bdlviz.models import bayes_rule
from bdlviz.topics.foundations.bayes_rule import two_parameters
from bdlviz.topics.foundations.bayes_rule.figures import CREDIBLE, Choice, Estimate, Map
from bdlviz.topics.foundations.bayes_rule.grid_posterior import GridPosterior, grid_posterior
from bdlviz.topics.foundations.bayes_rule.points import SEEDS, Points, made_points
from bdlviz.topics.foundations.bayes_rule.two_parameters import Family
from bdlviz.types import Array, Predictive

USUAL_REACH = 3.0  # of the maps, on both sides of 0, unless the posterior lies farther
NUM_DRAWS = 25
DRAW_SEED = 0
WORTH_SAYING = 0.01  # of the evidence or the posterior


@dataclass(frozen=True, eq=False)
class Inference:
    """What the points tell about two parameters.

    ``mle`` and ``map`` are (2,), or None where many parameters are equally likely; ``determined`` is the number of
    directions of the two parameters that the data say something of.
    """

    family: Family
    points: Points
    noise_std: float
    prior_std: float
    posterior: GridPosterior
    mle: Array | None
    map: Array | None
    determined: int

    @property
    def ridge_weight(self) -> float:
        """The variance of the noise over that of the prior."""
        return (self.noise_std / self.prior_std) ** 2

    @property
    def is_flat(self) -> bool:
        """True for a flat prior."""
        return bool(np.isinf(self.prior_std))

    def parameters(self, which: str) -> Array | None:
        """One choice of parameters, (2,)."""
        return {"mle": self.mle, "map": self.map, "mean": self.posterior.mean}[which]

    def loss(self, which: str) -> float | None:
        """Mean negative log density of the held-out points with one choice plugged in; None where there is none."""
        parameters = self.parameters(which)
        if parameters is None:
            return None
        errors = self.points.y_test - self.family.at(parameters, self.points.x_test)
        return -float(bayes_rule.log_normal(np.square(errors), 1, self.noise_std).mean())

    def loss_of_average(self) -> float:
        """The same under the posterior average."""
        return -float(self.posterior.log_predictive(self.points.x_test, self.points.y_test).mean())


def infer(family: Family, points: Points, noise_std: float, prior_std: float) -> Inference:
    """The posterior and the single choices after these points.

    Raises:
        InvalidInput: see `grid_posterior`.
    """
    x, y = points.x, points.y
    posterior = grid_posterior(family, x, y, noise_std=noise_std, prior_std=prior_std)
    mle = two_parameters.most_likely(family, x, y, ridge_weight=0.0) if len(x) else None
    if np.isinf(prior_std):
        best = None if mle is None or np.abs(mle).max() > two_parameters.REACH else mle
    else:
        best = two_parameters.most_likely(family, x, y, ridge_weight=(noise_std / prior_std) ** 2)
    determined = two_parameters.num_determined(family, mle, x) if mle is not None else 0
    return Inference(family, points, noise_std, prior_std, posterior, mle, best, determined)


def wins_of_average(family: Family, points: Points, noise_std: float, prior_std: float, at_one_x: bool) -> int | None:
    """For how many data seeds the average of all lines predicts new points better than MAP, after as many points.

    The posterior of a line is a Gaussian, so this needs no grid; None for a network and for a flat prior.
    """
    if family.has_twin or np.isinf(prior_std):
        return None
    losses = (
        losses_of_line(made_points(family, len(points.x), seed, at_one_x), noise_std, prior_std) for seed in SEEDS
    )
    return sum(average < plugged_in for plugged_in, average in losses)


def losses_of_line(points: Points, noise_std: float, prior_std: float) -> tuple[float, float]:
    """Mean negative log density of the held-out points under MAP and under the average of all lines, in closed form."""
    seen, new = (np.column_stack([x, np.ones_like(x)]) for x in (points.x, points.x_test))
    covariance = np.linalg.inv(seen.T @ seen / noise_std**2 + np.eye(2) / prior_std**2)
    squares = np.square(points.y_test - new @ covariance @ seen.T @ points.y / noise_std**2)
    std = np.sqrt(noise_std**2 + ((new @ covariance) * new).sum(1))
    plugged_in, average = (-bayes_rule.log_normal(squares, 1, each).mean() for each in (noise_std, std))
    return float(plugged_in), float(average)


def reach_of(found: Inference) -> float:
    """How far the maps go: as far as usual, or in doublings until all but a hundredth of the posterior is on them."""
    reach = USUAL_REACH
    while found.posterior.outside(reach) > WORTH_SAYING:
        reach *= 2
    return reach


def three_maps(found: Inference, reach: float, by_last: bool) -> tuple[Map, Map, Map]:
    """Prior, likelihood and posterior as maps that reach so far; of the last point only, or of all."""
    posterior, x, y = found.posterior, found.points.x, found.points.y
    count = len(x)
    before = count - 1 if by_last else 0
    grid = partial(grid_posterior, found.family, noise_std=found.noise_std)
    prior = grid(x[:before], y[:before], prior_std=found.prior_std)
    likelihood = grid(x[before:], y[before:], prior_std=np.inf, reach=reach)
    what = f"× point {count} alone" if by_last else "× data: likelihood"
    return (
        _map(
            "Before: prior" if before == 0 else f"After {before} point{'s' * (before > 1)}",
            prior,
            prior.level(CREDIBLE),
        ),
        _map(what, likelihood),
        _map(f"= after: posterior ({percent(CREDIBLE)} inside)", posterior, posterior.level(CREDIBLE)),
    )


def _map(title: str, grid: GridPosterior, level: float = 0.0) -> Map:
    return Map(title, grid.first, grid.second, grid.density, level)


def single_choices(found: Inference, inputs: Array) -> list[Estimate]:
    """A unique MLE and MAP, with their twins, and for a network the mean parameters, each with its function."""
    wanted: list[Choice] = ["mle", "map", "mean"] if found.family.has_twin else ["mle", "map"]
    estimates = []
    for which in wanted:
        parameters = found.parameters(which)
        if parameters is None or (which == "mle" and found.determined < 2):
            continue
        twins = np.array([parameters, -parameters] if found.family.has_twin and which != "mean" else [parameters])
        estimates.append(Estimate(which, twins, found.family.at(parameters, inputs)))
    return estimates


def predict(found: Inference, by: str, inputs: Array) -> Predictive:
    """What the posterior average or one choice of parameters predicts; the average where there is no such choice."""
    parameters = None if by == "average" else found.parameters(by)
    if parameters is None:
        return found.posterior.predict(inputs, NUM_DRAWS, DRAW_SEED)
    return two_parameters.plug_in(found.family, parameters, inputs, found.noise_std)
