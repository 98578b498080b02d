"""Treat or not: probabilities of need against closed forms, and what rules cost."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bdlviz.errors import InvalidInput
from bdlviz.topics.foundations.deciding import decisions, views_decision
from bdlviz.topics.foundations.deciding.decisions import Costs
from bdlviz.types import Array, Predictive


def gaussian(num_draws: int, epistemic: float, noise: float, mean: Array) -> Predictive:
    draws = mean + epistemic * np.random.default_rng(0).standard_normal((num_draws, 1))
    between, around = (np.full((len(mean), 1), value) for value in (epistemic, noise))
    return Predictive(mean[:, None], draws[..., None], mean[:, None], between, around, num_draws)


def test_the_full_probability_is_that_of_a_gaussian_with_both_variances():
    mean, count = np.linspace(-2, 2, 9), 40_000
    predictive = gaussian(count, 0.6, 0.8, mean)
    exact = stats.norm(mean, 1.0).sf(0.5)
    spread = 4 * 0.5 / np.sqrt(count)
    np.testing.assert_allclose(decisions.full_probability(predictive, 0.5), exact, atol=spread)
    alone = stats.norm(mean, 0.6).sf(0.5)
    np.testing.assert_allclose(decisions.epistemic_probability(predictive, 0.5), alone, atol=spread)
    np.testing.assert_array_equal(decisions.plug_in_probability(predictive, 0.5), mean > 0.5)


def test_limits_of_the_full_probability():
    mean = np.array([0.0, 1.0])
    sure = gaussian(5, 0.0, 1e-6, mean)
    np.testing.assert_allclose(decisions.full_probability(sure, 0.5), decisions.plug_in_probability(sure, 0.5))
    one = gaussian(1, 0.0, 0.3, mean)
    exact = decisions.true_probability(mean, np.full(2, 0.3), 0.5)
    np.testing.assert_allclose(decisions.full_probability(one, 0.5), exact)
    np.testing.assert_allclose(exact, stats.norm(mean, 0.3).sf(0.5))


def test_the_threshold_is_where_both_actions_cost_the_same():
    costs = Costs(2.0, 8.0)
    assert costs.threshold == 0.25
    at = np.array([costs.threshold])
    both = [decisions.expected_cost(np.array([is_treated]), at, costs).item() for is_treated in (True, False)]
    assert both[0] == both[1] == 2.0
    np.testing.assert_array_equal(decisions.treats(np.array([0.2, 0.3]), costs), [False, True])


def test_no_rule_has_a_lower_expected_cost():
    p, costs = np.linspace(0, 1, 101), Costs(1.0, 3.0)
    best = decisions.expected_cost(decisions.treats(p, costs), p, costs)
    for other in (np.ones_like(p, bool), np.zeros_like(p, bool), p > 0.5):
        assert (best <= decisions.expected_cost(other, p, costs)).all()


def test_costs_of_people_agree_with_expected_ones():
    rng, costs = np.random.default_rng(0), Costs(1.0, 10.0)
    p = np.tile(rng.random(200), 500)
    is_treated = p > 0.6
    expected = decisions.expected_cost(is_treated, p, costs).mean()
    found = decisions.expected_cost(is_treated, rng.random(len(p)) < p, costs)
    assert set(found) == {0.0, 1.0, 10.0}
    assert abs(found.mean() - expected) < 4 * found.std() / np.sqrt(len(found))


@pytest.mark.parametrize("given", [(-1, 1), (1, 0), (np.nan, 1), (1, np.inf)])
def test_bad_costs_are_refused(given):
    with pytest.raises(InvalidInput, match="finite"):
        Costs(*given)


def test_a_rule_costs_least_only_if_the_others_are_shown_to_cost_more():
    """Costs of the same people: a difference of 0.001 among 20,000 is not shown, one of 0.1 is."""
    rng = np.random.default_rng(1)
    one = rng.integers(0, 2, 20_000).astype(float)
    other = one.copy()
    other[:20] = 1 - one[:20]
    told = views_decision.which_costs_least({"a": one, "b": other, "c": one + 0.1})
    assert "*a*" in told and "*b*" in told and "*c*" not in told
    clear = views_decision.which_costs_least({"a": one, "b": one + 0.1, "c": one + 0.2})
    assert "*a*" in clear and "*b*" not in clear
