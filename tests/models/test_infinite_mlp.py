"""The kernel of the infinitely wide network: against quadrature, finite networks, and limits."""

import numpy as np
import pytest
from scipy.special import erf, ndtr

import bdlviz
from bdlviz.models.activations import ACTIVATIONS
from bdlviz.models.infinite_mlp import WIDE_ACTIVATIONS, InfiniteMLP, erf_covariance, gelu_covariance, relu_covariance
from bdlviz.models.mlp import MLP
from bdlviz.models.priors import prior_precisions

X = np.array([[-2.0], [-0.3], [0.0], [0.7], [0.71], [3.0]])
POINTS, WEIGHTS = np.polynomial.hermite_e.hermegauss(160)
SMOOTH = {"erf": (erf, erf_covariance), "gelu": (lambda a: a * ndtr(a), gelu_covariance)}
MOMENTS = [(1.0, 1.0, 0.5), (1.0, 2.0, -1.0), (0.1, 3.0, 0.2), (2.0, 2.0, 1.99), (0.01, 0.01, 0.0), (4.0, 1.0, -2.0)]


def expectation(function, first, second, both):
    """E[f(u) f(v)] by Gauss-Hermite quadrature in two dimensions."""
    u = np.sqrt(first) * POINTS[:, None]
    v = both / first * u + np.sqrt(max(second - both**2 / first, 0)) * POINTS[None]
    weights = WEIGHTS / WEIGHTS.sum()
    return float((weights[:, None] * weights * function(u) * function(v)).sum())


def test_covariances_equal_quadrature_and_known_values():
    for moments in MOMENTS:
        for name in SMOOTH:
            function, covariance = SMOOTH[name]
            assert covariance(*map(np.array, moments)) == pytest.approx(expectation(function, *moments), abs=1e-6)
    prior = InfiniteMLP.of(MLP((2, 1), "relu"), 2.0, False)
    x = np.array([[1.0, 2.0], [3.0, -1.0]])
    np.testing.assert_allclose(prior.covariance(x, x), (x @ x.T + 1) / 4, rtol=1e-14)
    features = prior.draw_features(np.random.default_rng(0), 2)(x)
    np.testing.assert_allclose(features @ features.T, prior.covariance(x, x), rtol=1e-14)
    # Equal inputs: half the variance; right angles: 1 / (2 pi); opposite ones: nothing.
    one = np.array(1.0)
    assert relu_covariance(one, one, one) == pytest.approx(0.5, abs=1e-15)
    assert relu_covariance(one, one, 0 * one) == pytest.approx(1 / (2 * np.pi), abs=1e-15)
    assert relu_covariance(one, one, -one) == pytest.approx(0, abs=1e-15)
    assert relu_covariance(4 * one, 9 * one, 3 * one) == pytest.approx(6 * relu_covariance(one, one, one / 2))
    with pytest.raises(bdlviz.InvalidInput, match="Unknown activation"):
        MLP((1, 3, 1), "sine")


def wide_networks(network, x, length_scale, by_width, count, activation=None):
    """Outputs (S, N) of networks drawn from the prior."""
    rng = np.random.default_rng(4)
    function = activation or ACTIVATIONS[network.activation]
    deviations = {name: np.sqrt(1 / p) for name, p in prior_precisions(network, length_scale, by_width).items()}
    outputs = []
    for _ in range(count):
        h = x
        for layer in range(network.num_layers):
            weight, bias = f"weight{layer}", f"bias{layer}"
            shapes = network.shapes()
            h = h @ (deviations[weight] * rng.standard_normal(shapes[weight]))
            h = h + deviations[bias] * rng.standard_normal(shapes[bias])
            h = function(h) if layer < network.num_layers - 1 else h
        outputs.append(h[:, 0])
    return np.array(outputs)


def assert_moments(outputs, expected, slack=0.0):
    """The mean products of draws (S, N) within four standard errors, and the slack of a finite width."""
    products = outputs[:, :, None] * outputs[:, None, :]
    errors = products.std(0) / np.sqrt(len(outputs))
    assert (np.abs(products.mean(0) - expected) < 4 * errors + slack * np.abs(expected).max()).all()


def test_wide_networks_and_features():
    """With one hidden layer at any width; deeper, up to a share of the order of 1 / width."""
    for num_layers in [1, 2, 3]:
        for name in ["relu", "tanh", "gelu"]:
            network = MLP((1, *[96] * num_layers, 1), name)
            expected = InfiniteMLP.of(network, 0.8, True).covariance(X, X)
            outputs = wide_networks(network, X, 0.8, True, 4000, WIDE_ACTIVATIONS[name])
            assert_moments(outputs, expected, slack=0.0 if num_layers == 1 else 0.01)
    network = MLP((2, 7, 1), "relu")
    x = np.array([[0.2, -1.0], [1.5, 0.4], [-2.0, 2.0]])
    expected = InfiniteMLP.of(network, 1.3, False).covariance(x, x)
    assert_moments(wide_networks(network, x, 1.3, False, 20000), expected)
    widened = InfiniteMLP.of(MLP((2, 70, 1), "relu"), 1.3, False).covariance(x, x)
    bias = 1.3**-2
    np.testing.assert_allclose(widened - bias, 10 * (expected - bias), rtol=1e-12)
    scaled = [InfiniteMLP.of(MLP((2, width, 1), "relu"), 1.3, True) for width in (7, 70)]
    assert scaled[0] == scaled[1]
    # On average over draws of the features exactly with one hidden layer; any of them nearly.
    for name in ["relu", "tanh", "gelu"]:
        prior = InfiniteMLP.of(MLP((1, 8, 1), name), 1.0, True)
        expected, found = prior.covariance(X, X), []
        for seed in range(200):
            features = prior.draw_features(np.random.default_rng(seed), 1)(X)
            found.append(features @ features.T)
        errors = np.std(found, 0) / np.sqrt(len(found))
        assert (np.abs(np.mean(found, 0) - expected) < 4 * errors + 1e-12).all()
        assert np.abs(np.array(found) - expected).max() < 0.5 * expected.max()


@pytest.mark.parametrize(("name", "largest"), [("tanh", 0.036), ("silu", 0.035)])
def test_the_substitute_is_near_the_activation(name, largest):
    """Everywhere, in the slope at 0, and in the covariance of networks with the activation itself."""
    a = np.linspace(-8, 8, 4001)
    assert np.abs(WIDE_ACTIVATIONS[name](a) - ACTIVATIONS[name](a.copy())).max() < largest
    tiny = np.array([-1e-4, 1e-4])
    slopes = [np.diff(f(tiny.copy()))[0] for f in (WIDE_ACTIVATIONS[name], ACTIVATIONS[name])]
    assert slopes[0] == pytest.approx(slopes[1], rel=1e-6)
    for length_scale in (0.3, 1.0, 3.0):
        network = MLP((1, 64, 1), name)
        expected = InfiniteMLP.of(network, length_scale, True).covariance(X, X)
        assert_moments(wide_networks(network, X, length_scale, True, 4000), expected, slack=0.05)


@pytest.mark.parametrize("name", WIDE_ACTIVATIONS)
@pytest.mark.parametrize("num_layers", [0, 1, 4, 10])
def test_covariance_is_symmetric_positive_and_has_its_diagonal(name, num_layers):
    prior = InfiniteMLP.of(MLP((1, *[8] * num_layers, 1), name), 0.3, True)
    x = np.linspace(-4, 4, 60)[:, None]
    covariance = prior.covariance(x, x)
    np.testing.assert_allclose(covariance, covariance.T, rtol=1e-13)
    np.testing.assert_allclose(prior.variance(x), np.diag(covariance), rtol=1e-12)
    spread = np.sqrt(prior.variance(x))
    assert np.linalg.eigvalsh(covariance / np.outer(spread, spread)).min() > -1e-12
