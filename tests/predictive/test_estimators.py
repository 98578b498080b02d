"""The two estimators of the encoder's gradient: the same mean, very different variances, both falling as 1/S."""

from dataclasses import replace

import numpy as np
import pytest

import bdlviz
from bdlviz.models.likelihoods import LIKELIHOODS
from bdlviz.predictive import bounds
from bdlviz.predictive.estimators import value_and_slope

PIXELS = [name for name, chosen in LIKELIHOODS.items() if chosen.is_generative]


@pytest.fixture(scope="module")
def found(vae, digits):
    return vae.gradient_variance(digits.x_test[2], (1, 4, 16, 64))


def test_variances_fall_with_the_number_of_codes_and_reparameterisation_has_the_least(found):
    gap = np.abs(found.mean_reparameterised - found.mean_score_function)
    assert (gap < 4 * found.mean_error + 1e-3).all()
    assert np.abs(found.mean_reparameterised).max() > 0
    # By 1/S, within four standard errors of a variance from that many groups (heavy tails doubled).
    np.testing.assert_array_equal(found.num_samples, [1, 4, 16, 64])
    for variances in (found.reparameterised, found.score_function, found.score_function_with_baseline):
        groups = 10_000 / found.num_samples
        np.testing.assert_allclose(
            variances * found.num_samples / variances[0], 1, atol=(8 * np.sqrt(2 / groups)).max()
        )
    assert (found.score_function > 10 * found.score_function_with_baseline).all()
    assert (found.score_function_with_baseline > 2 * found.reparameterised).all()


@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu", "silu"])
@pytest.mark.parametrize("name", PIXELS)
def test_slope_is_the_derivative_of_the_value(digits, name, activation):
    settings = {"hidden": (12, 8), "num_epochs": 1, "likelihood": name, "activation": activation}
    fit = bdlviz.fit("vae", digits, **settings)
    params = fit.single(np.float64)
    image, codes, step = digits.x_test[1].astype(float), np.array([[0.3, -1.2], [2.0, 0.7]]), 1e-3
    image = fit.model.likelihood.observe(image)
    value, slope = value_and_slope(fit.model, params, codes, image)
    copies = np.broadcast_to(image, (2, 64))
    np.testing.assert_allclose(value, bounds.log_likelihood(fit.model, params, codes, copies), rtol=1e-4)
    for dimension in range(2):
        moved = [codes + sign * step * np.eye(2)[dimension] for sign in (1, -1)]
        above, below = (value_and_slope(fit.model, params, each, image)[0] for each in moved)
        expected = (above - below) / (2 * step)
        np.testing.assert_allclose(slope[:, dimension], expected, rtol=0.02, atol=0.02 * np.abs(slope).max())


def test_what_has_no_variance(vae, digits):
    found = vae.gradient_variance(digits.x_test[2], (1, 10_000))
    np.testing.assert_array_equal(found.num_samples, [1])
    plain = replace(vae, model=replace(vae.model, network=replace(vae.model.network, is_variational=False)))
    with pytest.raises(bdlviz.InvalidInput, match="distribution"):
        plain.gradient_variance(digits.x_test[2])
