"""The figure of decisions: shades are where a rule treats, and dots have the colours of their places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz.topics.foundations.deciding import figures_decisions
from bdlviz.topics.foundations.deciding.decisions import Costs, Outcome
from bdlviz.topics.foundations.deciding.figures_decisions import Rule
from bdlviz.types import Dataset, Predictive
from tests.told import numbers_in


@pytest.mark.parametrize("stacked", [False, True])
def test_shades_and_dots_are_where_a_rule_treats(predictive: Predictive, data: Dataset, stacked: bool):
    x = predictive.x[:, 0]
    rules = [Rule(name, np.clip(x, 0, 1), mask) for name, mask in (("a", x > 0), ("b", abs(x) > 1))]
    people = np.random.default_rng(0).uniform([[x[0]], [-2]], [[x[-1]], [2]], (2, 60))
    outcomes = [Outcome(people[1] > 0.5, rule.treats_at(x, people[0])) for rule in rules]
    fig: Any = figures_decisions.people_and_rules(
        predictive, data, rules, (people[0], people[1]), outcomes, limit=0.5, costs=Costs(1.0, 4.0), stacked=stacked
    )
    for axis, limits in (("x", [(x[x > 0][0], x[-1])]), ("x2", [(x[0], x[x < -1][-1]), (x[x > 1][0], x[-1])])):
        shades = [(shade.x0, shade.x1) for shade in fig.layout.shapes if shade.xref == axis]
        assert shades == [pytest.approx(each) for each in limits]
        width = x[1] - x[0]
        seen = 0
        for name, is_ill, is_treated in (
            *(("Healthy", False, False), ("Healthy, treated", False, True)),
            *(("Ill, treated", True, True), ("Ill, missed", True, False)),
        ):
            [dots] = [each for each in fig.data if each.name == name and (each.xaxis or "x") == axis]
            at, y = (np.array(values)[:-1] for values in (dots.x, dots.y))
            inside = np.any([(at > low) & (at < high) for low, high in limits], axis=0)
            at_an_end = np.any([abs(at - end) <= width for pair in limits for end in pair], axis=0)
            assert ((y > 0.5) == is_ill).all() and ((inside == is_treated) | at_an_end).all()
            seen += len(at)
        assert seen == 60
    told, _ = [note.text for note in fig.layout.annotations if "cost" in note.text]
    is_in, is_ill = people[0] > 0, people[1] > 0.5
    assert numbers_in(told)[-1] == pytest.approx(is_in.sum() + 4 * (is_ill & ~is_in).sum(), abs=4)
