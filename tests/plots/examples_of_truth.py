"""An example of every figure in which approximations meet exact answers, for the rules in test_every_figure.py."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz import plots
from bdlviz.plots.theme import Theme
from bdlviz.topics.foundations.bayes_rule import figures as bayes_rule
from bdlviz.topics.foundations.bayes_rule.figures import Estimate, Map
from bdlviz.topics.foundations.kinds_of_uncertainty import figures as kinds
from bdlviz.topics.foundations.kinds_of_uncertainty import figures_decisions as decisions
from bdlviz.topics.foundations.kinds_of_uncertainty import figures_dense as dense
from bdlviz.topics.regression.active_learning import figures as active
from bdlviz.topics.regression.active_learning import figures_bandit as bandit
from bdlviz.topics.regression.in_between import figures as in_between
from bdlviz.types import Dataset, Predictive

Build = Callable[[Theme, Predictive, Dataset], go.Figure]
RNG = np.random.default_rng(0)
rand = RNG.random
KINDS = [kinds.Against("A", rand((2, 3)), "dot", False), kinds.Against("B", rand((2, 3)))]
RULES = [decisions.Rule(name, rand(200), rand(200) < 0.5) for name in "abcd"]


def of(figure: Callable[..., go.Figure], *args: Any, **settings: Any) -> Build:
    """A figure that needs neither a predictive nor a data set."""
    return lambda look, p, d: figure(*args, theme=look, **settings)


def of_two_classes(p: Predictive) -> Predictive:
    """Draws of class probabilities, and an entropy in two parts."""
    draws, half = RNG.dirichlet(np.ones(2), (5, len(p.x))), np.full(len(p.x), 0.3)
    parts = {"predictive_entropy": 2 * half, "expected_entropy": half, "mutual_information": half}
    return replace(p, draws=draws, mean=draws.mean(0), **parts)


FIGURES: dict[str, Build] = {
    "belief_maps": lambda look, p, d: bayes_rule.posterior_maps(
        [Map(name, np.arange(5.0), np.arange(4.0), rand((4, 5)), 0.5) for name in "abc"],
        p,
        rand(3),
        rand(3),
        names=("a", "b"),
        estimates=[Estimate(which, np.ones((2, 2)), p.mean[:, 0]) for which in ("mle", "map", "mean")],
        average=p.mean[:, 0],
        truth=p.mean[:, 0],
        drawn=rand((4, 2)),
        reach=3.0,
        x_range=(-4.0, 4.0),
        y_range=(-4.0, 4.0),
        theme=look,
    ),
    "four_beliefs": lambda look, p, d: bayes_rule.four_posteriors(
        RNG.dirichlet(np.ones(4)),
        rand(4),
        RNG.dirichlet(np.ones(4)),
        replace(p, draws=p.draws[:4]),
        rand(3),
        rand(3),
        names=("1", "2", "3", "4"),
        picks=(0, 1),
        at=0.5,
        x_range=(-4.0, 4.0),
        y_range=(-4.0, 4.0),
        theme=look,
    ),
    "active_round": lambda look, p, d: active.active_round(p, d, np.arange(3), scores=rand(12), theme=look),
    "active_last_round": lambda look, p, d: active.active_round(p, d, np.arange(12), theme=look),
    "runs_against": of(
        active.runs_against,
        np.arange(4.0),
        {name: rand((3, 4)) for name in "abcd"},
        x_label="Labels",
        y_label="RMSE",
        x_range=(0.0, 4.0),
        y_range=(0.0, 1.0),
        interval={name: (rand(4), rand(4), 1 + rand(4)) for name in "abcd"},
        chosen="b",
        marked=2.0,
        levels={"half": 0.5},
        live=(np.arange(2.0), rand(2)),
    ),
    "bandit_round": of(
        bandit.bandit_round,
        np.linspace(0, 1, 5),
        rand(5),
        rand(5),
        rand(5),
        rand(5),
        chosen=2,
        tried=np.array([0, 1]),
        rewards=rand(2),
    ),
    "method_panels": lambda look, p, d: plots.method_panels(
        [plots.MethodPanel("A", p, "note"), plots.MethodPanel("B", problem="It diverged.")],
        d,
        reference=plots.Reference(p),
        theme=look,
    ),
    "distance_curves": lambda look, p, d: plots.distance_curves(
        p.x[:, 0], [plots.MethodCurve("A", rand(len(p.x)), 3)], d, floor=rand(len(p.x)), theme=look
    ),
    "spreads_in_between": lambda look, p, d: in_between.spreads_in_between(
        p.x[:, 0],
        [plots.MethodCurve("A", rand(len(p.x)), 0), plots.MethodCurve("E", rand(len(p.x)), 1, True)],
        [in_between.Ratio("A", 0, 0.1, 2.0), in_between.Ratio("E", 1, 1.0, 9.0, True)],
        d,
        (0.0, 1.0),
        ceilings={"at most": (rand(len(p.x)), plots.MethodCurve("A", rand(len(p.x)), 0))},
        theme=look,
    ),
    "kinds_of_noise": lambda look, p, d: kinds.kinds_of_noise(p, d, p.x[:, 0] ** 2, theme=look),
    "loss_of_noise": lambda look, p, d: kinds.loss_of_noise(
        np.geomspace(0.01, 10, 9), (rand(9), rand(9)), 0.5, p, d, p.x[:, 0] ** 2, theme=look
    ),
    "against_number": lambda look, p, d: kinds.against_number(
        np.array([1, 10, 100]), KINDS, KINDS, truth=0.3, chosen=1, predictive=p, data=d, theme=look
    ),
    "learned_noise": of(
        kinds.learned_noise,
        (list("abc"), KINDS, np.ones(3)),
        (np.array([1, 10, 100]), KINDS, 1.0),
        y_ranges=((0, 1), (0, 1)),
    ),
    "entropies_over_x": lambda look, p, d: decisions.entropies_over_x(
        of_two_classes(p), d, p.x[:, 0], p.x[:, 0], theme=look
    ),
    "decisions_over_x": lambda look, p, d: decisions.decisions_over_x(
        p, d, RULES[:3], RULES[3], limit=0.5, threshold=0.1, theme=look
    ),
    "pixel_panels": of(
        dense.pixel_panels,
        [
            dense.Pixels("a", rand((8, 8, 3))),
            dense.Pixels("b", RNG.integers(0, 5, (8, 8)), names=tuple("abcde")),
            dense.Pixels("c", rand((8, 8)), meaning="aleatoric", bar="m"),
        ],
        row=3,
    ),
    "depth_cut": of(dense.depth_cut, *rand((5, 8)), y_range=(0.0, 9.0)),
    "entropy_cut": of(dense.entropy_cut, *rand((3, 8))),
    "second_task": of(dense.second_task, ["a", "b"], rand((4, 2)), rand((4, 2))),
}
