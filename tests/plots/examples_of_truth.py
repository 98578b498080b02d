"""An example of every figure in which approximations meet exact answers, for the rules in test_every_figure.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from bdlviz import plots
from bdlviz.plots.theme import Theme
from bdlviz.topics.foundations.bayes_rule import figures as bayes_rule_figures
from bdlviz.topics.foundations.bayes_rule.figures import Estimate, Map
from bdlviz.topics.foundations.kinds_of_uncertainty import figures as kinds_of_uncertainty_figures
from bdlviz.topics.foundations.kinds_of_uncertainty import figures_decisions as kinds_of_uncertainty_figures_decisions
from bdlviz.topics.foundations.kinds_of_uncertainty import figures_dense as kinds_of_uncertainty_figures_dense
from bdlviz.topics.regression.active_learning import figures as active_learning_figures
from bdlviz.topics.regression.active_learning import figures_bandit as active_learning_figures_bandit
from bdlviz.topics.regression.in_between import figures as in_between_figures
from bdlviz.types import Dataset, Predictive

RNG = np.random.default_rng(0)
KINDS = [
    kinds_of_uncertainty_figures.Against("A", RNG.random((2, 3)), "dot", False),
    kinds_of_uncertainty_figures.Against("B", RNG.random((2, 3))),
]
RULES = [kinds_of_uncertainty_figures_decisions.Rule(name, RNG.random(200), RNG.random(200) < 0.5) for name in "abcd"]


def of_two_classes(p: Predictive) -> Predictive:
    """Draws of class probabilities, and an entropy in two parts."""
    draws, half = RNG.dirichlet(np.ones(2), (5, len(p.x))), np.full(len(p.x), 0.3)
    parts = {"predictive_entropy": 2 * half, "expected_entropy": half, "mutual_information": half}
    return replace(p, draws=draws, mean=draws.mean(0), **parts)


FIGURES: dict[str, Callable[[Theme, Predictive, Dataset], go.Figure]] = {
    "belief_maps": lambda look, p, d: bayes_rule_figures.posterior_maps(
        [Map(name, np.arange(5.0), np.arange(4.0), RNG.random((4, 5)), 0.5) for name in "abc"],
        p,
        RNG.random(3),
        RNG.random(3),
        names=("a", "b"),
        estimates=[Estimate(which, np.ones((2, 2)), p.mean[:, 0]) for which in ("mle", "map", "mean")],
        average=p.mean[:, 0],
        truth=p.mean[:, 0],
        drawn=RNG.random((4, 2)),
        reach=3.0,
        x_range=(-4.0, 4.0),
        y_range=(-4.0, 4.0),
        theme=look,
    ),
    "four_beliefs": lambda look, p, d: bayes_rule_figures.four_posteriors(
        RNG.dirichlet(np.ones(4)),
        RNG.random(4),
        RNG.dirichlet(np.ones(4)),
        replace(p, draws=p.draws[:4]),
        RNG.random(3),
        RNG.random(3),
        names=("1", "2", "3", "4"),
        picks=(0, 1),
        at=0.5,
        x_range=(-4.0, 4.0),
        y_range=(-4.0, 4.0),
        theme=look,
    ),
    "active_round": lambda look, p, d: active_learning_figures.active_round(
        p, d, np.arange(3), scores=RNG.random(12), theme=look
    ),
    "active_last_round": lambda look, p, d: active_learning_figures.active_round(p, d, np.arange(12), theme=look),
    "runs_against": lambda look, p, d: active_learning_figures.runs_against(
        np.arange(4.0),
        {name: RNG.random((3, 4)) for name in "abcd"},
        x_label="Labels",
        y_label="RMSE",
        x_range=(0.0, 4.0),
        y_range=(0.0, 1.0),
        interval={name: (RNG.random(4), RNG.random(4), 1 + RNG.random(4)) for name in "abcd"},
        chosen="b",
        marked=2.0,
        levels={"half": 0.5},
        live=(np.arange(2.0), RNG.random(2)),
        theme=look,
    ),
    "bandit_round": lambda look, p, d: active_learning_figures_bandit.bandit_round(
        np.linspace(0, 1, 5),
        RNG.random(5),
        RNG.random(5),
        RNG.random(5),
        RNG.random(5),
        chosen=2,
        tried=np.array([0, 1]),
        rewards=RNG.random(2),
        theme=look,
    ),
    "method_panels": lambda look, p, d: plots.method_panels(
        [plots.MethodPanel("A", p, "note"), plots.MethodPanel("B", problem="It diverged.")],
        d,
        reference=plots.Reference(p),
        theme=look,
    ),
    "distance_curves": lambda look, p, d: plots.distance_curves(
        p.x[:, 0], [plots.MethodCurve("A", RNG.random(len(p.x)), 3)], d, floor=RNG.random(len(p.x)), theme=look
    ),
    "spreads_in_between": lambda look, p, d: in_between_figures.spreads_in_between(
        p.x[:, 0],
        [plots.MethodCurve("A", RNG.random(len(p.x)), 0), plots.MethodCurve("E", RNG.random(len(p.x)), 1, True)],
        [in_between_figures.Ratio("A", 0, 0.1, 2.0), in_between_figures.Ratio("E", 1, 1.0, 9.0, True)],
        d,
        (0.0, 1.0),
        ceilings={"at most": (RNG.random(len(p.x)), plots.MethodCurve("A", RNG.random(len(p.x)), 0))},
        theme=look,
    ),
    "kinds_of_noise": lambda look, p, d: kinds_of_uncertainty_figures.kinds_of_noise(p, d, p.x[:, 0] ** 2, theme=look),
    "loss_of_noise": lambda look, p, d: kinds_of_uncertainty_figures.loss_of_noise(
        np.geomspace(0.01, 10, 9), (RNG.random(9), RNG.random(9)), 0.5, p, d, p.x[:, 0] ** 2, theme=look
    ),
    "against_number": lambda look, p, d: kinds_of_uncertainty_figures.against_number(
        np.array([1, 10, 100]), KINDS, KINDS, truth=0.3, chosen=1, predictive=p, data=d, theme=look
    ),
    "learned_noise": lambda look, p, d: kinds_of_uncertainty_figures.learned_noise(
        (list("abc"), KINDS, np.ones(3)), (np.array([1, 10, 100]), KINDS, 1.0), y_ranges=((0, 1), (0, 1)), theme=look
    ),
    "entropies_over_x": lambda look, p, d: kinds_of_uncertainty_figures_decisions.entropies_over_x(
        of_two_classes(p), d, p.x[:, 0], p.x[:, 0], theme=look
    ),
    "decisions_over_x": lambda look, p, d: kinds_of_uncertainty_figures_decisions.decisions_over_x(
        p, d, RULES[:3], RULES[3], limit=0.5, threshold=0.1, theme=look
    ),
    "pixel_panels": lambda look, p, d: kinds_of_uncertainty_figures_dense.pixel_panels(
        [
            kinds_of_uncertainty_figures_dense.Pixels("a", RNG.random((8, 8, 3))),
            kinds_of_uncertainty_figures_dense.Pixels("b", RNG.integers(0, 5, (8, 8)), names=tuple("abcde")),
            kinds_of_uncertainty_figures_dense.Pixels("c", RNG.random((8, 8)), meaning="aleatoric", bar="m"),
        ],
        row=3,
        theme=look,
    ),
    "depth_cut": lambda look, p, d: kinds_of_uncertainty_figures_dense.depth_cut(
        *RNG.random((5, 8)), y_range=(0.0, 9.0), theme=look
    ),
    "entropy_cut": lambda look, p, d: kinds_of_uncertainty_figures_dense.entropy_cut(*RNG.random((3, 8)), theme=look),
    "second_task": lambda look, p, d: kinds_of_uncertainty_figures_dense.second_task(
        ["a", "b"], RNG.random((4, 2)), RNG.random((4, 2)), theme=look
    ),
}
