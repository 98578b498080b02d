"""Errata about Bayes' rule: densities that integrate to one, and masses of doubled entries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from bdlviz.errata import (
    bayes,
    one_weight,
)
from bdlviz.models import bayes_rule, four_networks

gaussian: Any = stats.norm  # frozen by a call; the stubs of scipy are vague about the result


def test_the_posterior_integrates_to_one():
    model = one_weight.one_weight(4)
    w, likelihood, prior = bayes.grid_of(model)
    mean, std = model.posterior
    right, wrong = (rule(likelihood, prior, 0.01) for rule in (bayes.posterior_density, bayes.posterior_as_printed))
    np.testing.assert_allclose(right, gaussian(mean, std).pdf(w), atol=1e-6)
    assert np.log(wrong.sum() * 0.01) == pytest.approx(model.log_evidence, abs=1e-6)
    assert wrong.argmax() == right.argmax()


def test_one_theta_has_the_masses_of_all_its_entries():
    masses = bayes.masses_of_thetas(bayes.MASSES, bayes.THETAS)
    assert masses[0] == masses[1] == pytest.approx(0.5) == bayes.MASSES[:2].sum()
    np.testing.assert_array_equal(masses[2:], bayes.MASSES[2:])
    np.testing.assert_array_equal(bayes.masses_as_printed(bayes.MASSES, bayes.THETAS), bayes.MASSES)


def test_a_theta_listed_twice_changes_no_average():
    """Bayes' rule over three networks with one mass of 1/2, against the list of four."""
    once, first = np.unique(bayes.THETAS, return_index=True)
    prior = bayes.masses_of_thetas(bayes.MASSES, bayes.THETAS)[first]
    x = np.linspace(-3, 3, 9)
    for posterior in bayes.beliefs(np.array([0, 1, 5])):
        merged = bayes.masses_of_thetas(posterior, bayes.THETAS)[first]
        assert merged.sum() == pytest.approx(1)
        functions = four_networks.evaluate(x)
        listed, _ = bayes_rule.average(posterior, functions[bayes.THETAS])
        np.testing.assert_allclose(listed, bayes_rule.average(merged, functions[once])[0])
        assert posterior[1] / posterior[0] == pytest.approx(2)  # as before: no data tell equal entries apart
    assert bayes.masses_of_thetas(bayes.beliefs(np.array([0]))[0], bayes.THETAS)[first] == pytest.approx(prior)
