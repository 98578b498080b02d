"""The points that Bayes' rule has seen: made ones and the visitor's own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz.digits import exact
from bdlviz.models import four_networks
from bdlviz.topics.foundations.bayes_rule.two_parameters import Family
from bdlviz.types import Array

MAX_POINTS = 20  # of those that are made
NOISE_STD = 0.7  # in the points that are made, whatever the model assumes
TRUTH = {"line": (0.9, -0.6), "network": (1.2, 1.5)}
SAME_X = 1.5
SEEDS = range(10)  # of the data that can be chosen
NUM_HELD_OUT = 30
MAX_OWN = 200  # of the visitor's points that are used
FARTHEST = (10.0, 100.0)  # x and y of a visitor's point that is used
USUAL = (4.0, 5.0)  # how far from 0 x and y go in pictures, unless they must go farther

MOST_OF_FOUR = 100  # points of one of the four networks
FOUR_WITHIN = (-3.0, 1.8)  # x of these points: beyond, the functions of networks 1 and 3 differ
FOUR_NOISE_STD = 0.5  # in these points, whatever is assumed
FOUR_REACH = 4.0  # how far from 0 their held-out x go


@dataclass(frozen=True, eq=False)
class Points:
    """The points that have been seen, x and y (N,), and held-out ones where the truth is known."""

    x: Array
    y: Array
    x_test: Array
    y_test: Array
    truth: Array | None = None  # the parameters (2,) behind the points
    note: str = ""  # what was left out


def made_points(family: Family, count: int, seed: int, at_one_x: bool) -> Points:
    """So many noisy points of the family's true function, and held-out ones; more points begin with the same ones."""
    rng = np.random.default_rng(seed)
    x, noise = rng.uniform(-2.5, 2.5, MAX_POINTS), NOISE_STD * rng.standard_normal(MAX_POINTS)
    x = np.full_like(x, SAME_X) if at_one_x else x
    x_test = rng.uniform(-USUAL[0], USUAL[0], NUM_HELD_OUT)
    truth = np.array(TRUTH[family.name])
    y_test = family.at(truth, x_test) + NOISE_STD * rng.standard_normal(NUM_HELD_OUT)
    y = family.at(truth, x) + noise
    return Points(x[:count].round(3), y[:count].round(3), x_test, y_test, truth)


def own_points(table: Array) -> Points:
    """The visitor's points (N, 2) as far as this page can use them."""
    near = (np.abs(table) <= FARTHEST).all(1)
    used = table[near][:MAX_OWN]
    none = np.empty(0)
    notes = []
    if not near.all():
        notes.append(
            f"{int((~near).sum())} of {len(table)} points lie beyond |x| = {FARTHEST[0]:g} or |y| = {FARTHEST[1]:g} "
            "and are left out: scale them to stay near 0."
        )
    if near.sum() > MAX_OWN:
        notes.append(f"Only the first {MAX_OWN} points are used.")
    return Points(used[:, 0], used[:, 1], none, none, note=" ".join(notes))


def points_of_networks(network: int | None, count: int, seed: int) -> Points:
    """So many noisy points of one of the four networks, from 0; None: half-way between the second and the fourth."""
    rng = np.random.default_rng(100 + seed)
    x, noise = rng.uniform(*FOUR_WITHIN, MOST_OF_FOUR), FOUR_NOISE_STD * rng.standard_normal(MOST_OF_FOUR)
    x_test = rng.uniform(-FOUR_REACH, FOUR_REACH, NUM_HELD_OUT)
    noise_test = FOUR_NOISE_STD * rng.standard_normal(NUM_HELD_OUT)
    x = x.round(3)
    y, y_test = _true_function(network, x) + noise, _true_function(network, x_test) + noise_test
    return Points(x[:count], y[:count].round(3), x_test, y_test)


def _true_function(network: int | None, x: Array) -> Array:
    functions = four_networks.evaluate(x)
    return (functions[1] + functions[3]) / 2 if network is None else functions[network]


def reach_for(values: Array, usual: float) -> float:
    """How far an axis goes from 0: as far as usual, or in doublings until it holds all values."""
    reach, farthest = usual, float(np.abs(values).max(initial=0.0))
    while reach < farthest:
        reach *= 2
    return reach


def points_snippet(points: Points) -> str:
    """Code that makes the points of the page."""
    x, y = (", ".join(map(exact, column)) for column in (points.x, points.y))
    return f"x, y = np.array([{x}], float), np.array([{y}], float)"


def number(value: float, digits: int = 2) -> str:
    """A number with a true minus sign, and none before 0."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")
