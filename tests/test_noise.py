"""Noise of several outputs, noise from several inputs, and the constant noise that every network learns."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from sklearn.datasets import load_diabetes

import bdlviz
from bdlviz import data
from bdlviz.data import as_dataset, estimate_noise_std, smooth_noise
from bdlviz.fitted import shelf
from bdlviz.models.likelihoods import Gaussian
from bdlviz.models.scaling import Scaling
from bdlviz.settings import default_noise_std

RNG = np.random.default_rng(3)
X = RNG.uniform(-2, 2, (80, 2))
CLEAN = np.stack([X[:, 0] - X[:, 1], 1000 * X[:, 1]], 1)
Y = CLEAN + RNG.normal(size=(80, 2)) * [0.5, 20.0]
GRID: dict[str, Any] = {"hidden": (8,), "num_steps": 60, "dropout_rate": (0.0, 0.2), "seed": (0, 3), "num_snapshots": 3}


# From the data alone --------------------------------------------------------------------------------------------------


def test_the_estimate_is_unbiased():
    """On scikit-learn's diabetes data it is within 5 % of the residual of least squares, 54.2."""
    x, y = load_diabetes(return_X_y=True)
    design = np.column_stack([np.ones(len(x)), x])
    residual = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    found = default_noise_std(as_dataset((x, y)))
    assert found == pytest.approx(np.sqrt(np.square(residual).sum() / (len(x) - 11)), rel=0.05)
    for seed in range(4):
        rng = np.random.default_rng(seed)
        rows, columns = rng.permutation(len(x)), rng.permutation(10)
        assert default_noise_std(as_dataset((x[rows][:, columns], y[rows]))) == found
    # Over 20 draws its mean is the noise, within four standard errors and a tenth for the uniform prior of its share.
    for num_inputs in [2, 3, 10]:
        rng = np.random.default_rng(num_inputs)
        slopes, stds = rng.normal(size=num_inputs), []
        for _ in range(20):
            x = rng.normal(size=(100, num_inputs))
            stds.append(estimate_noise_std(x, 5 * x @ slopes + 0.3 * rng.normal(size=100)))
        assert abs(np.mean(stds) - 0.3) < 4 * np.std(stds) / np.sqrt(20) + 0.03
    x = np.random.default_rng(0).uniform(-2, 2, (3000, 2))
    noise = 0.2 * np.random.default_rng(1).normal(size=3000)
    assert estimate_noise_std(x, np.sin(2 * x[:, 0]) * np.cos(x[:, 1]) + noise) == pytest.approx(0.2, rel=0.1)
    x, y = X, Y[:, 0]
    found = estimate_noise_std(x, y)
    with_constant = np.column_stack([1e9 * x, np.ones(len(x))])
    assert estimate_noise_std(with_constant, 7 * y - 3) == pytest.approx(7 * found)
    assert estimate_noise_std(np.ones((50, 2)), y[:50]) == pytest.approx(y[:50].std(ddof=1), rel=0.02)
    repeated = np.repeat(np.random.default_rng(0).normal(size=(40, 2)), 5, 0)
    values = repeated[:, 0] + 0.3 * np.random.default_rng(1).normal(size=200)
    assert estimate_noise_std(repeated, values) == pytest.approx(0.3, rel=0.15)
    # Shipped fits are found by the noise of their configuration.
    shipped = shelf.manifest()["kinds_mc_dropout_homoscedastic"]["config"]
    assert default_noise_std(data.load(shipped["dataset"])) == shipped["noise_std"]


@pytest.mark.parametrize(("num_inputs", "largest"), [(1, 0.12), (2, 0.12), (5, 0.13), (10, 0.25)])
def test_the_noise_beside_a_function_of_several_inputs_is_not_that_of_its_bends(num_inputs, largest):
    """The nearest neighbour in 5 or 10 inputs is so far that differences of y would be those of the function."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal((500, num_inputs))
        y = np.sin(2 * x).sum(1) + 0.1 * rng.standard_normal(500)
        assert 0.08 < estimate_noise_std(x, y) < largest


def test_the_estimate_is_the_posterior_mean_of_its_formula():
    """Written again with matrices instead of eigenvalues, summed over the same grid."""
    rng = np.random.default_rng(4)
    x = rng.standard_normal((13, 2))
    x = (x - x.mean(0)) / x.std(0)
    y = rng.standard_normal(13)
    squares = np.square(x[:, None] - x).mean(-1)
    nearest = [min(np.sqrt(squares[i, j]) for j in range(13) if j != i) for i in range(13)]
    q = scipy.linalg.null_space(np.column_stack([np.ones(13), x]).T)
    top = bottom = 0.0
    shares = np.sqrt(smooth_noise.RATIOS / (1 + smooth_noise.RATIOS))
    for length_scale in np.geomspace(np.median(nearest) / 2, smooth_noise.LONGEST, smooth_noise.NUM_LENGTH_SCALES):
        for ratio, step in zip(smooth_noise.RATIOS, np.gradient(shares), strict=True):
            v = q.T @ np.exp(-squares / 2 / length_scale**2) @ q + ratio * np.eye(10)
            quadratic = y @ q @ np.linalg.solve(v, q.T @ y)
            evidence = step * np.linalg.det(v) ** -0.5 * quadratic**-5
            top, bottom = top + evidence * np.sqrt(ratio * quadratic / 10), bottom + evidence
    assert smooth_noise.smooth_noise_std(x, y) == pytest.approx(top / bottom, rel=1e-6)
    assert estimate_noise_std(x, y) == pytest.approx(top / bottom, rel=1e-5)


# Of several outputs ---------------------------------------------------------------------------------------------------


def test_every_output_has_its_own_noise():
    config = bdlviz.configure("map", as_dataset((X, Y)))
    assert isinstance(config.noise_std, tuple)
    assert config.noise_std == pytest.approx((0.5, 20.0), rel=0.2)
    assert bdlviz.configure("map", as_dataset((X, Y)), noise_std=0.3).noise_std == (0.3, 0.3)
    assert bdlviz.configure("map", as_dataset((X, Y)), noise_std=[0.3, 7]).noise_std == (0.3, 7.0)
    assert bdlviz.configure("map", as_dataset((X, Y[:, :1])), noise_std=[0.3]).noise_std == 0.3
    hash(config)
    for noise_std in [(0.1, 0.2, 0.3), (0.1, 0.0), (0.1, np.nan), "loud", [[0.1, 0.2]]]:
        with pytest.raises(bdlviz.InvalidInput, match="noise_std must be"):
            bdlviz.configure("map", as_dataset((X, Y)), noise_std=noise_std)
    # Noise in the proportion of the outputs' standard deviations leaves the data term as it is.
    scales = Scaling.of(as_dataset((X, Y))).y_scale[0]
    settings: dict[str, Any] = {"hidden": (4,), "num_steps": 50, "weight_decay": 1e-3}
    plain = bdlviz.fit("map", (X, Y), noise_std=0.1 * scales, **settings)
    assert plain.precision == pytest.approx(100)
    np.testing.assert_allclose(weights_of(plain), (1.0, 1.0))
    config = bdlviz.configure("map", as_dataset((X, Y)), noise_std=(0.5, 20.0), length_scale=2.0)
    precision = np.mean((scales / [0.5, 20.0]) ** 2)
    assert dict(config.axes)["weight_decay"] == pytest.approx([4.0 / (2 * 80 * precision)])
    follows = bdlviz.configure("map", as_dataset((X, Y)), length_scale=2.0, weight_decay=1e-3).noise_std
    assert follows is not None
    np.testing.assert_allclose(follows, scales * np.sqrt(2 * 80 * 1e-3) / 2.0)


def weights_of(fit: bdlviz.Fit) -> tuple[float, ...]:
    assert isinstance(fit.model.likelihood, Gaussian)
    return fit.model.likelihood.output_weights


def linear_posterior(noise: float, target: int, length_scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation at X of one output of a linear model, in y's units, by its closed form."""
    scaling = Scaling.of(as_dataset((X, Y)))
    x = scaling.standardise_x(X).astype(float)
    y, scale = scaling.standardise_y(Y)[:, target].astype(float), scaling.y_scale[0, target]
    design = np.column_stack([x, np.ones(len(x))])
    covariance = np.linalg.inv((scale / noise) ** 2 * design.T @ design + length_scale**2 * np.eye(3))
    mean = design @ covariance @ design.T @ y * (scale / noise) ** 2
    std = np.sqrt(np.einsum("nd,de,ne->n", design, covariance, design))
    return mean * scale + scaling.y_mean[0, target], std * scale


@pytest.mark.parametrize("method", ["gaussian_process", "laplace", "hmc"])
def test_linear_models_of_two_noises_have_their_closed_forms(method):
    """Neither a noise of its own nor the prior N(0, 1/l^2) of each of three weights is that of another output."""
    noise, length_scale = (3.0, 200.0), 4.0
    training = {"laplace": {"num_steps": 4000, "learning_rate": 0.02}, "hmc": {"num_steps": 600}}.get(method, {})
    fit = bdlviz.fit(method, (X, Y), hidden=(), noise_std=noise, length_scale=length_scale, **training)
    found = fit.predict(X, 20_000)
    tolerance = 0.1 if method == "hmc" else 0.01  # chains: about four standard errors of 4,000 correlated draws
    for target in (0, 1):
        mean, std = linear_posterior(noise[target], target, length_scale)
        np.testing.assert_allclose(found.epistemic_std[:, target], std, rtol=tolerance)
        np.testing.assert_array_less(np.abs(found.mean[:, target] - mean), tolerance * std + 1e-6 * np.abs(mean).max())
        np.testing.assert_allclose(found.aleatoric_std[:, target], noise[target])


def test_a_fit_of_two_noises_is_saved_and_loaded(tmp_path):
    fit = bdlviz.fit("map", (X, Y), hidden=(4,), num_steps=50, noise_std=(0.5, 20.0))
    fit.save(tmp_path / "fit.safetensors")
    again = bdlviz.load(tmp_path / "fit.safetensors")
    assert again.config == fit.config and again.precision == fit.precision
    assert weights_of(again) == weights_of(fit)
    np.testing.assert_array_equal(again.predict(X).aleatoric_std, fit.predict(X).aleatoric_std)
    fit = bdlviz.fit("map", (X, Y[:, 0]), hidden=(4,), num_steps=20, noise_std=0.3, weight_decay=(0.0, 1e-3))
    assert fit.noise_std == 0.3 and fit.cell(weight_decay=0.0).noise_std == 0.3


# Learned --------------------------------------------------------------------------------------------------------------


def learned(**settings: Any) -> bdlviz.Fit:
    return bdlviz.fit("mc_dropout", (X, Y), likelihood="homoscedastic", **GRID | settings)


def test_a_cell_in_a_grid_has_the_noise_that_it_learns_alone(tmp_path):
    grid = learned()
    assert np.shape(grid.noise_std) == (2, 2, 2)
    grid.save(tmp_path / "grid.safetensors")
    loaded = bdlviz.load(tmp_path / "grid.safetensors")
    config = grid.config
    (swept,) = bdlviz.sweep([config], (X, Y))
    for seed in (0, 3):
        for rate in (0.0, 0.2):
            alone = learned(dropout_rate=rate, seed=seed)
            for found in (grid, loaded, swept, bdlviz.run(config, as_dataset((X, Y)))):
                cell = found.cell(dropout_rate=rate, seed=seed)
                np.testing.assert_array_equal(cell.noise_std, alone.noise_std)
                np.testing.assert_array_equal(cell.predict(X, 5).aleatoric_std, alone.predict(X, 5).aleatoric_std)
    assert len(np.unique(np.round(np.ravel(grid.noise_std), 9))) == 8  # or the test could not fail


def test_a_snapshot_has_its_own_learned_noise(tmp_path):
    """That of its parameters; the last one's differ from the fit's by half precision only."""
    grid = learned()
    grid.save(tmp_path / "grid.safetensors")
    for found in (grid, bdlviz.load(tmp_path / "grid.safetensors")):
        cell = found.cell(dropout_rate=0.2, seed=3)
        noises = np.array([cell.at_snapshot(i).noise_std for i in range(3)])
        np.testing.assert_allclose(noises[-1], cell.noise_std, rtol=2e-3)
        assert (noises[0] > 1.02 * noises[-1]).all()  # the fit improves
        then = found.at_snapshot(0).cell(dropout_rate=0.2, seed=3)
        np.testing.assert_array_equal(then.noise_std, noises[0])
        outputs = then.draw_outputs(X, 200) * then.scaling.y_scale + then.scaling.y_mean
        np.testing.assert_allclose(then.noise_std, np.sqrt(np.mean((outputs - Y) ** 2, axis=(0, 1))), rtol=1e-5)


def test_learned_noise_of_fits_that_are_looked_at_or_diverge():
    seen: list[bdlviz.Fit] = []
    bdlviz.fit(
        "map",
        (X, Y),
        likelihood="homoscedastic",
        hidden=(8,),
        num_steps=60,
        on_snapshot=lambda snapshot: seen.append(snapshot.take()),
    )
    first, last = (np.asarray(seen[i].noise_std) for i in (0, -1))
    assert (first > last).all()
    settings: dict[str, Any] = {"learning_rate": 10.0, "num_steps": 200, "hidden": (8, 8), "weight_decay": (0.0, 1e-3)}
    grid = bdlviz.fit("map", (X, 1e3 * Y), likelihood="homoscedastic", **settings)
    noise = np.asarray(grid.noise_std)
    assert np.array_equal(np.isnan(noise).all(-1), grid.diverged)
