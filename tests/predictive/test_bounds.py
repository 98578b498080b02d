"""Bounds on log p(x): against each other, against sums over a plane of codes, and where the answer is known."""

import numpy as np
import pytest

import bdlviz
from bdlviz.fits import GenerativeFit
from bdlviz.predictive import bounds


def errors(values):
    """Four standard errors of their mean."""
    return 4 * np.std(values) / len(values) ** 0.5


def test_the_bound_has_two_parts_and_one_importance_weight_is_it_on_average(vae, digits):
    found = vae.bound(digits.x_test[:50], 4, seed=1)
    np.testing.assert_allclose(found.elbo, found.reconstruction - found.kl)
    np.testing.assert_allclose(found.kl, found.kl_per_dimension.sum(1))
    np.testing.assert_array_equal(found.elbo, vae.elbo(digits.x_test[:50], 4, seed=1))
    assert found.kl_per_dimension.shape == (50, 2) and (found.kl_per_dimension >= 0).all()
    images = np.repeat(digits.x_test[:1], 20_000, axis=0)
    importance, plain = vae.elbo(images, 1, importance=True), vae.elbo(images, 1, seed=5)
    assert abs(importance.mean() - plain.mean()) < errors(importance) + errors(plain)


def test_bounds_are_in_order(vae, digits):
    """ELBO < IWAE-5 < IWAE-50 <= log p(x) < plug-in's illusion, means over images."""
    images = digits.x_test[:60]
    elbo, five = (
        vae.elbo(images, 200).mean(),
        np.mean([vae.elbo(images, 5, importance=True, seed=s) for s in range(20)]),
    )
    fifty = np.mean([vae.elbo(images, 50, importance=True, seed=s) for s in range(10)])
    truth = np.mean([vae.posterior_grid(image, num_steps=61).log_evidence for image in images])
    assert elbo < five < fifty < truth + 0.02
    assert truth - fifty < 0.5 * (truth - elbo)
    assert vae.plug_in(images).mean() > elbo + 0.3


def test_curve_of_one_image_agrees_with_the_bound_and_rises_to_the_truth(vae, digits):
    """Within four standard errors of the plain way at every K; never above log p(x), and near it at K = 1,000."""
    image = digits.x_test[3]
    curve = vae.importance_curve(image, (1, 4, 30, 1000), num_draws=20_000)
    for count, bound, error in zip(curve.num_samples[:3], curve.bound, curve.error, strict=False):
        plain = vae.elbo(np.repeat(image[None], 2000, axis=0), int(count), importance=True, seed=1)
        assert abs(bound - plain.mean()) < 4 * error + errors(plain)
    truth = vae.posterior_grid(image).log_evidence
    assert (np.diff(curve.bound) > 0).all() and curve.bound[-1] < truth + 4 * curve.error[-1]
    assert curve.bound[-1] == pytest.approx(truth, abs=0.05)
    assert curve.plug_in == vae.plug_in(image)[0]


def test_bayes_rule_over_classes():
    """Equal evidence leaves the prior; log 3 more makes a class three times as probable; no overflow."""
    np.testing.assert_allclose(bounds.class_posterior(np.full((2, 4), -2000.0)), 0.25)
    np.testing.assert_allclose(bounds.class_posterior(np.array([np.log(3) - 900, -900])), [0.75, 0.25])


@pytest.mark.parametrize("index", [0, 7, 23])
def test_sampled_and_summed_evidence_agree(vae, digits, index):
    image = digits.x_test[index]
    summed, sampled = vae.posterior_grid(image).identity, vae.identity(image, 20_000)
    assert summed.log_evidence_error == 0
    assert abs(sampled.log_evidence - summed.log_evidence) < 4 * sampled.log_evidence_error + 1e-3
    assert sampled.kl == pytest.approx(summed.kl, rel=1e-3)
    values = vae.elbo(np.repeat(image[None], 20_000, axis=0), 1) + sampled.kl
    assert abs(summed.reconstruction - values.mean()) < errors(values)


def test_the_grid_holds_the_mass_and_has_a_chosen_box(vae, digits):
    grid = vae.posterior_grid(digits.x_test[3])
    area = (grid.first[1] - grid.first[0]) * (grid.second[1] - grid.second[0])
    assert grid.posterior.sum() * area == pytest.approx(1)
    assert grid.approximation.sum() * area == pytest.approx(1, abs=1e-3)
    mean, std = vae.encode(digits.x_test[3])
    first = (grid.approximation.sum(0) * area * grid.first).sum()
    second = (grid.approximation.sum(1) * area * grid.second).sum()
    np.testing.assert_allclose([first, second], mean[0], atol=0.02 * std.max())
    grid = vae.posterior_grid(digits.x_test[0], box=(-3, 3, -2, 2), num_steps=41)
    assert (grid.first[0], grid.first[-1], grid.second[0], grid.second[-1]) == (-3, 3, -2, 2)
    assert grid.posterior.shape == (41, 41)
    # The gap, summed as KL[q || p(z|x)], is what is missing between the bound and the evidence.
    for image in digits.x_test[:8]:
        grid = vae.posterior_grid(image, num_steps=121)
        assert grid.gap == pytest.approx(grid.identity.gap, abs=1e-3)
        assert grid.gap > 0
    fit = bdlviz.fit("vae", digits, hidden=(8,), num_epochs=1, latent_dim=3)
    assert isinstance(fit, GenerativeFit)
    with pytest.raises(bdlviz.InvalidInput, match="dimensions"):
        fit.posterior_grid(digits.x_test[0])


def test_a_decoder_that_ignores_its_code(vae, params, digits):
    """Then p(x | z) = p(x): the evidence is known, the posterior is the prior, and every bound shows it."""
    image = digits.x_test[0]
    deaf = dict(params) | {"decoder.weight0": np.zeros_like(params["decoder.weight0"])}
    truth = bounds.log_likelihood(vae.model, deaf, np.zeros((1, 2), np.float32), image[None])[0]
    grid = bounds.posterior_grid(vae.model, deaf, image)
    assert grid.log_evidence == pytest.approx(truth, abs=1e-4)
    density = np.exp(-0.5 * (grid.first[None] ** 2 + grid.second[:, None] ** 2)) / (2 * np.pi)
    np.testing.assert_allclose(grid.posterior, density, atol=1e-4)
    assert grid.gap == pytest.approx(grid.kl, abs=1e-3)
    # Then a group's mean weight is p(x) times the mean of p(z) / q(z|x), whose expectation is 1.
    curve = bounds.importance_curve(vae.model, deaf, image, np.random.default_rng(0), (1,), 20_000)
    kl = bounds.kl_to_prior(*bounds.encode(vae.model.network, deaf, image[None]))[0]
    assert curve.bound[0] == pytest.approx(truth - kl, abs=4 * curve.error[0])


def test_held_out_history_is_the_bound_at_every_snapshot(digits):
    fit = bdlviz.fit("vae", digits, hidden=(16,), num_epochs=6, num_snapshots=3)
    assert isinstance(fit, GenerativeFit)
    history = fit.held_out_history(digits.x_test, 2)
    np.testing.assert_array_equal(history["step"], fit.snapshot_steps)
    assert history["elbo"].shape == (3,) and history["kl_per_dimension"].shape == (3, 2)
    np.testing.assert_allclose(history["elbo"], history["reconstruction"] - history["kl"], rtol=1e-5)
    assert history["elbo"][-1] == pytest.approx(fit.elbo(digits.x_test, 2).mean(), abs=0.05)  # half precision
    assert fit.at_snapshot(0).history["kl"].shape == (6,)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda fit, x: fit.elbo(x, 0), "num_samples"),
        (lambda fit, x: fit.identity(x[0], 10**6), "num_samples"),
        (lambda fit, x: fit.importance_curve(x[0], (1, 600), num_draws=1000), "1000"),
        (lambda fit, x: fit.importance_curve(x[0], ()), r"\bK\b"),
        (lambda fit, x: fit.elbo(3 * x), "pixels"),
        (lambda fit, x: fit.elbo(x[:0]), "least one"),
        (lambda fit, x: fit.elbo(np.full_like(x, np.nan)), "pixels"),
        (lambda fit, x: fit.elbo([["a"]]), "numbers"),
        (lambda fit, x: fit.elbo(x[:, :9]), "64"),
        (lambda fit, x: fit.importance_curve(x[0], [1.5]), "num_samples must be a whole number, not 1.5"),
        (lambda fit, x: fit.gradient_variance(x[0], [2.5]), "num_samples must be a whole number, not 2.5"),
        (lambda fit, x: fit.gradient_variance(x[0], [1, 0]), "num_samples must be at least 1, not 0"),
        (lambda fit, x: fit.gradient_variance(x[0], -1), "num_samples must be at least 1, not -1"),
        (lambda fit, x: fit.posterior_grid(x[0], num_steps=2), "num_steps must be at least 21, not 2"),
        (lambda fit, x: fit.posterior_grid(x[0], num_steps=40.5), "num_steps must be a whole number, not 40.5"),
        (lambda fit, x: fit.posterior_grid(x[0], box=(1, -1, -1, 1)), "left < right"),
        (lambda fit, x: fit.posterior_grid(x[0], box=(1, -1, 1, -1)), "left < right"),
        (lambda fit, x: fit.posterior_grid(x[0], box=(-1, 1, 1, 1)), "bottom < top"),
        (lambda fit, x: fit.posterior_grid(x[0], box=(-1, np.nan, -1, 1)), "left < right"),
        (lambda fit, x: fit.posterior_grid(x[0], box=(-1, 1, -1)), "left, right, bottom, top"),
        (lambda fit, x: fit.identity(x[:3]), "one image, not 3"),
        (lambda fit, x: fit.importance_curve(x[:3]), "one image, not 3"),
        (lambda fit, x: fit.posterior_grid(x[:3]), "one image, not 3"),
        (lambda fit, x: fit.gradient_variance(x[:3]), "one image, not 3"),
        (lambda fit, x: fit.traverse(x[:3], 0, [0.0]), "one image, not 3"),
        (lambda fit, x: fit.interpolate(x[0], x[:3]), "one image, not 3"),
        (lambda fit, x: fit.interpolate(x[:3], x[0]), "one image, not 3"),
    ],
)
def test_refusals(vae, digits, make, message):
    with pytest.raises(bdlviz.InvalidInput, match=message):
        make(vae, digits.x_test)


def test_the_least_steps_of_a_grid_suffice(vae, digits):
    for image in digits.x_test[:3]:
        found = [vae.posterior_grid(image, num_steps=count).log_evidence for count in (bounds.LEAST_STEPS, 161)]
        assert found[0] == pytest.approx(found[1], abs=0.02)
