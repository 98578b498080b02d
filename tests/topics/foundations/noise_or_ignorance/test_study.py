"""The shipped studies of kinds of uncertainty: how they are made, and what they say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from bdlviz import fits
from bdlviz.data import as_dataset, load, noisy_curves
from bdlviz.fitted import shelf
from bdlviz.topics.foundations.noise_or_ignorance import study, views_amount

QUICK: dict[str, Any] = {"num_steps": 60, "batch_size": 64}


def test_every_fit_of_the_page_is_shipped():
    dataset = load(study.DATASET)
    for method in study.SHIPPED:
        for head in study.HEADS:
            assert shelf.find(study.head_config(dataset, method, head)) is not None
        assert shelf.find(study.classes_config(noisy_curves.two_classes(), method)) is not None


@pytest.mark.parametrize("method", study.AGAINST_NUMBER)
def test_learned_noise_is_the_true_one_within_a_tenth_at_2000_points(method: str):
    """Chains were run up to 300 points."""
    _, found = shelf.shipped("kinds_amount")
    ratio, _ = views_amount.noise_ratio(found, method, views_amount.checked_at(found, method))
    assert ratio == pytest.approx(1, abs=0.1)


def test_the_study_stands_on_at_least_ten_ensembles():
    _, found = shelf.shipped("kinds_amount")
    for method in study.AGAINST_NUMBER:
        shape = (len(study.seeds_of(method)), len(study.AMOUNTS))
        assert all(found[f"{method}_{name}"].shape == shape for name in ("epistemic", "aleatoric", "gap"))
    assert len(study.seeds_of("deep_ensemble")) >= 10


def test_epistemic_uncertainty_falls_except_where_masks_set_it():
    _, found = shelf.shipped("kinds_amount")
    powers = {method: views_amount.power(found, method) for method in study.AGAINST_NUMBER}
    assert powers["hmc"][0] < -0.3
    assert powers["bayes_by_backprop"][0] == pytest.approx(-0.5, abs=0.1)
    power, std = powers["deep_ensemble"]
    assert power + 2 * std / np.sqrt(len(study.seeds_of("deep_ensemble"))) < 0
    assert abs(powers["mc_dropout"][0]) < 0.05


def test_noise_follows_the_second_feature():
    _, found = shelf.shipped("kinds_claims")
    truth = [noisy_curves.unseen_noise_std(error) for error in study.FEATURE_ERRORS]
    np.testing.assert_allclose(found["feature_truth"], truth, rtol=1e-5)
    for method in study.FEATURE_METHODS:
        assert (np.diff(found[f"{method}_feature"].mean(0)) < 0).all()


def test_the_learned_constant_is_stored_in_the_fit():
    """On pure noise it is the noise, within four standard errors of an estimate from N points."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, 2000), rng.normal(0, 2.5, 2000)
    dataset = as_dataset((x, y))
    fit = fits.fit("map", dataset, likelihood="homoscedastic", hidden=(4,), **QUICK)
    assert fit.noise_std == pytest.approx(2.5, abs=4 * 2.5 / np.sqrt(2 * 2000) + 0.02)
    assert fit.predict(np.zeros(1), 1).aleatoric_std.item() == pytest.approx(fit.noise_std)
    assumed = fits.fit("map", dataset, hidden=(4,), noise_std=0.5, **QUICK)
    assert assumed.noise_std == 0.5


def test_two_tasks_learn_a_noise_each():
    dataset = noisy_curves.two_tasks(300)
    fit = fits.run(replace(study.task_config(dataset), num_steps=300), dataset)
    assert np.shape(fit.noise_std) == (2,)
    predictive = fit.predict(dataset.x_test, 5)
    np.testing.assert_allclose(predictive.aleatoric_std, np.broadcast_to(fit.noise_std, (500, 2)))


def test_inputs_with_data():
    inside = study.where_data_are(np.array([-5, -2, 0, 0.5, 3, 4.5]))
    assert inside.tolist() == [False, True, False, False, True, False]
