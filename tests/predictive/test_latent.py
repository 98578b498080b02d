"""Walks among codes, and codes drawn at random."""

import numpy as np
import pytest
from scipy.stats import norm

import bdlviz
from bdlviz.predictive import latent

CODE = np.array([1.0, -2.0, 0.5], np.float32)


def test_codes():
    codes = latent.traverse(CODE, 1, np.array([-1.0, 0.0, 3.0]))
    np.testing.assert_array_equal(codes, [[1, -1, 0.5], [1, 0, 0.5], [1, 3, 0.5]])
    codes = latent.interpolate(CODE, -CODE, 5)
    np.testing.assert_array_equal(codes[[0, 2, 4]], [CODE, 0 * CODE, -CODE])
    np.testing.assert_allclose(np.diff(codes, axis=0), np.tile(-CODE / 2, (4, 1)), atol=1e-6)
    codes = np.array([[0, 0, 0], [1, -2, 0.5], [1, -2, 1.5], [9, 9, 9]], np.float32)
    rows, distances = latent.nearest(codes, CODE, 3)
    np.testing.assert_array_equal(rows, [1, 2, 0])
    np.testing.assert_allclose(distances, [0, 1, np.sqrt(5.25)], rtol=1e-6)
    codes = latent.code_grid(2, 3)
    assert codes.dtype == np.float32
    np.testing.assert_array_equal(codes[:4], [[-2, 2], [0, 2], [2, 2], [-2, 0]])
    np.testing.assert_array_equal(codes, -codes[::-1])
    # The same mass between two neighbours, the ends where they were asked for.
    first = latent.code_grid(2.5, 12, "quantile")[:12, 0]
    np.testing.assert_allclose(first[[0, -1]], [-2.5, 2.5], rtol=1e-6)
    mass = np.diff(norm.cdf(first))
    np.testing.assert_allclose(mass, mass.mean(), rtol=1e-5)


def test_moments_of_codes():
    mean, std = np.array([[0.0, 1.0]]), np.array([[1.0, 0.5]])
    parts = latent.kl_per_dimension(mean, std)
    np.testing.assert_allclose(parts, [[0, 0.5 * (1 + 0.25 - np.log(0.25) - 1)]])
    np.testing.assert_allclose(latent.kl_to_prior(mean, std), parts.sum(1))
    # Of one image it is that image's own; of several, within four standard errors, that of draws from all of them.
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=(5, 3)), rng.uniform(0.1, 2, (5, 3))
    np.testing.assert_allclose(latent.average_posterior(mean[:1], std[:1]), [mean[0], std[0]])
    centre, spread = latent.average_posterior(mean, std)
    draws = (mean[:, None] + std[:, None] * rng.normal(size=(5, 20_000, 3))).reshape(-1, 3)
    assert (np.abs(draws.mean(0) - centre) < 4 * spread / 100_000**0.5).all()
    np.testing.assert_allclose(draws.std(0), spread, rtol=0.02)
    # Of the prior, or of given codes, correlations included: within four standard errors.
    rng, count = np.random.default_rng(0), 40_000
    prior = latent.draw_codes(count, 3, rng)
    assert np.abs(prior.mean(0)).max() < 4 / count**0.5
    assert np.abs(np.cov(prior.T) - np.eye(3)).max() < 4 * (2 / count) ** 0.5
    like = rng.standard_normal((500, 3)) @ np.array([[2, 1, 0], [0, 0.5, 0.5], [0, 0, 0.1]]) + [5, -1, 0]
    drawn, covariance = latent.draw_codes(count, 3, rng, like), np.cov(like.T)
    sd = np.sqrt(np.diag(covariance))
    assert (np.abs(drawn.mean(0) - like.mean(0)) < 4 * sd / count**0.5).all()
    assert (np.abs(np.cov(drawn.T) - covariance) < 4 * (2 / count) ** 0.5 * np.outer(sd, sd)).all()


def test_walks_of_a_fit(vae, digits):
    images = digits.x_test
    mean, _ = vae.encode(images)
    np.testing.assert_allclose(vae.reconstruct(images[:3]), vae.decode(mean[:3]), atol=1e-6)
    np.testing.assert_allclose(vae.traverse(images[0], 0, [mean[0, 0]])[0], vae.reconstruct(images[0])[0], atol=1e-6)
    line = vae.interpolate(images[0], images[1], 7)
    assert line.shape == (7, 64)
    np.testing.assert_allclose(line[[0, -1]], vae.reconstruct(images[:2]), atol=1e-5)
    assert vae.sample(5, like=mean).shape == (5, 64)
    expected = vae.bound(images[:4], 400).reconstruction
    assert (vae.reconstruction(images[:4]) > expected).all()  # at the mean of the code it is best


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda fit, x: latent.traverse(CODE, 3, CODE), "dimension"),
        (lambda fit, x: latent.interpolate(CODE, CODE[:2], 4), "dimensions"),
        (lambda fit, x: latent.interpolate(CODE, CODE, 1), "num_steps"),
        (lambda fit, x: latent.code_grid(0, 5), "reach"),
        (lambda fit, x: latent.code_grid(2, 1), "steps"),
        (lambda fit, x: latent.code_grid(2, 5, "odd"), "odd"),
        (lambda fit, x: latent.average_posterior(CODE, CODE), r"N, Z"),
        (lambda fit, x: latent.average_posterior(CODE[None][:0], CODE[None][:0]), r"N, Z"),
        (lambda fit, x: latent.nearest(CODE[None], CODE, 2), "count"),
        (lambda fit, x: latent.nearest(CODE[None], CODE[:2], 1), "fit"),
        (lambda fit, x: fit.decode(np.zeros((2, 20))), "dimensions"),
        (lambda fit, x: fit.sample(3, like=np.zeros((1, 2))), "codes"),
        (lambda fit, x: fit.sample(0), "num_samples"),
        (lambda fit, x: fit.traverse(x[0], 2, [0.0]), "dimension"),
    ],
)
def test_refusals(vae, digits, make, message):
    with pytest.raises(bdlviz.InvalidInput, match=message):
        make(vae, digits.x_test)


def test_the_density_of_codes_is_that_of_a_mixture():
    rng = np.random.default_rng(0)
    mean, std, codes = rng.normal(size=(7, 3)), rng.uniform(0.1, 1, (7, 3)), rng.normal(size=(5, 3))
    each = [np.mean([norm.pdf(code, m, s).prod() for m, s in zip(mean, std, strict=True)]) for code in codes]
    np.testing.assert_allclose(latent.log_average_posterior(codes, mean, std), np.log(each), rtol=1e-9)
