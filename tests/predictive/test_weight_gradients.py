"""Three estimators of one gradient: against autograd, against each other, and against closed forms."""

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from bdlviz.errors import InvalidInput
from bdlviz.models.mlp import MLP
from bdlviz.predictive import weight_gradients
from bdlviz.predictive.weight_gradients import (
    ESTIMATORS,
    GROUPS,
    Layer,
    Noise,
    draw_noise,
    gradient,
    layers_of,
    split_variance,
    variance_course,
)
from bdlviz.types import Array

TORCH = {"relu": torch.relu, "tanh": torch.tanh, "gelu": torch.nn.functional.gelu, "silu": torch.nn.functional.silu}


def some_layers(sizes: tuple[int, ...] = (2, 5, 3, 1), seed: int = 0, std: float = 0.3) -> list[Layer]:
    rng = np.random.default_rng(seed)
    network = MLP(sizes)
    mean = network.init(rng)
    return layers_of(network, mean, {name: std * (0.5 + rng.random(m.shape)) for name, m in mean.items()})


def some_data(pairs: int, batch: int, seed: int = 1) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, 1, batch, 2), np.float32)
    return np.repeat(x, pairs, 0), np.repeat(y[..., :1], pairs, 0)


def linear_case(batch: int, pairs: int) -> tuple[list[Layer], Array, Array, Array]:
    """One weight and no bias to speak of: y = w x, in double precision where it matters."""
    layers = [Layer(np.array([[0.5], [0.0]], np.float32), np.array([[0.2], [0.0]], np.float32))]
    x = np.random.default_rng(3).standard_normal((batch, 1)).astype(np.float32)
    y = np.zeros_like(x)
    return layers, x, np.repeat(x[None], pairs, 0), np.repeat(y[None], pairs, 0)


def sums_of(kind: str, h: Any, mean: Any, std: Any, noise: Noise) -> Any:
    """A layer as the papers write it, in torch."""
    normal = torch.tensor(noise.normal, dtype=torch.float64)
    if kind == "weights":
        return h @ (mean + std * normal)
    if kind == "flipout":
        s, r = (torch.tensor(signs, dtype=torch.float64) for signs in (noise.signs_in, noise.signs_out))
        return h @ mean + ((h * s) @ (std * normal)) * r
    return h @ mean + torch.sqrt(h**2 @ std**2) * normal


@pytest.mark.parametrize("name", TORCH)
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_autograd_gives_the_same_gradient_for_the_same_noise(kind: str, name: str):
    layers, pairs = some_layers(), 4
    x, y = some_data(pairs, 6)
    noise = draw_noise(kind, layers, np.random.default_rng(2), pairs, 6)
    ours = gradient(kind, name, layers, x, y, noise, precision=3.0)
    mean = [torch.tensor(np.repeat(layer.mean[None], pairs, 0), dtype=torch.float64) for layer in layers]
    rho = [
        torch.tensor(np.log(np.expm1(np.repeat(layer.std[None], pairs, 0))), dtype=torch.float64) for layer in layers
    ]
    for each in mean + rho:
        each.requires_grad_()
    h: Any = torch.tensor(x, dtype=torch.float64)
    for index in range(len(layers)):
        ones = torch.ones((*h.shape[:-1], 1), dtype=h.dtype)
        std = torch.nn.functional.softplus(rho[index])
        h = sums_of(kind, torch.cat([h, ones], -1), mean[index], std, noise[index])
        h = TORCH[name](h) if index < len(layers) - 1 else h
    loss = 3.0 * 0.5 * (h - torch.tensor(y, dtype=torch.float64)).square().sum(-1).mean(-1).sum()
    for group, leaves in zip(GROUPS, (mean, rho), strict=True):
        theirs = torch.cat([g.reshape(pairs, -1) for g in torch.autograd.grad(loss, leaves, retain_graph=True)], 1)
        np.testing.assert_allclose(ours[group], theirs.numpy(), rtol=2e-4, atol=2e-5)


def test_expectation_and_variance():
    for group in GROUPS:
        layers, pairs = some_layers(), 20_000
        x, y = some_data(pairs, 4)
        means, errors = [], []
        for seed, kind in enumerate(ESTIMATORS):
            noise = draw_noise(kind, layers, np.random.default_rng(seed), pairs, 4)
            found = gradient(kind, "tanh", layers, x, y, noise, 1.0)[group].astype(float)
            means.append(found.mean(0))
            errors.append(found.std(0) / pairs**0.5)
        for first, second in itertools.combinations(range(3), 2):
            gap = np.abs(means[first] - means[second]) / np.hypot(errors[first], errors[second])
            assert gap.max() < 4
    # For y = 0 the gradient is the mean of x^2 w, of one w or of a w for each point.
    for batch in [1, 8]:
        pairs, std = 40_000, 0.2
        layers, column, x, y = linear_case(batch, pairs)
        square = np.square(column[:, 0].astype(float))
        known = {
            "weights": std**2 * square.mean() ** 2,
            "sums": std**2 * np.square(square).sum() / batch**2,
            "flipout": std**2 * np.square(square).sum() / batch**2,  # signs of different points are independent
        }
        for kind, expected in known.items():
            noise = draw_noise(kind, layers, np.random.default_rng(7), pairs, batch)
            found = gradient(kind, "relu", layers, x, y, noise, 1.0)["mean"][:, 0].astype(float)
            error = np.square(found - found.mean()).std() / pairs**0.5
            assert abs(found.var() - expected) < 4 * error, kind
    network = MLP((2, 3))
    mean, std = {"weight0": np.ones((2, 3)), "bias0": np.full((1, 3), 5.0)}, {"weight0": np.zeros((2, 3))}
    [layer] = layers_of(network, mean, std | {"bias0": np.full((1, 3), 0.1)})
    np.testing.assert_allclose(layer.mean[-1], 5)
    np.testing.assert_allclose(layer.std[:, 0], [0, 0, 0.1], rtol=1e-6)


def test_the_law_of_total_variance():
    rng = np.random.default_rng(0)
    batch, noise = rng.normal(0, 2, (4000, 1, 3)), rng.normal(0, 3, (4000, 8, 3))
    parts = split_variance((batch + noise).astype(np.float32), rng)
    for part, expected in ((parts.minibatch, 3 * 4.0), (parts.noise, 3 * 9.0)):
        assert part[1] < part[0] < part[2]
        assert abs(part[0] - expected) < 4 * (part[2] - part[1]) / 3.92
    rng, hits = np.random.default_rng(1), np.zeros(2)
    for _ in range(200):
        batch, noise = rng.normal(0, 1, (64, 1, 20)), rng.normal(0, 1, (64, 16, 20))
        parts = split_variance(batch + noise, rng, 200)
        hits += [part[1] <= 20 <= part[2] for part in parts]
    assert (hits > 0.85 * 200).all()
    with pytest.raises(InvalidInput, match="diverged"):
        split_variance(np.full((4, 2, 3), np.nan), np.random.default_rng(0))


@pytest.fixture(scope="module")
def course() -> weight_gradients.VarianceCourse:
    rng = np.random.default_rng(5)
    network = MLP((1, 16, 16, 1))
    mean = network.init(rng)
    std = {name: np.full_like(m, 0.1) for name, m in mean.items()}
    x = rng.standard_normal((64, 1)).astype(np.float32)
    return variance_course(network, layers_of(network, mean, std), x, np.sin(2 * x), 10.0, rng)


@pytest.mark.parametrize("group", GROUPS)
def test_sums_beat_flipout_and_flipout_beats_shared_weights(course: weight_gradients.VarianceCourse, group: str):
    at = list(course.batch_sizes).index(32)
    by_kind = {kind: course.noise[kind, group][at] for kind in ESTIMATORS}
    assert by_kind["sums"][2] < by_kind["flipout"][1] and by_kind["flipout"][2] < by_kind["weights"][1]
    np.testing.assert_allclose(
        course.total("sums", group)[at], course.minibatch[group][at] + by_kind["sums"], rtol=1e-12
    )
    first, last = 0, len(course.batch_sizes) - 1
    fall = {kind: course.noise[kind, group][first] / course.noise[kind, group][last] for kind in ESTIMATORS}
    size = course.batch_sizes[last]
    assert size / 2 < fall["sums"][0] < 2 * size
    assert fall["weights"][0] < size / 4


def test_the_full_batch_has_no_minibatch_noise_and_the_computation_can_be_stopped(
    course: weight_gradients.VarianceCourse,
):
    assert course.batch_sizes[-1] == 64
    for group in GROUPS:
        assert (course.minibatch[group][-1] == 0).all()
    assert (course.minibatch["mean"][:-1, 0] > 0).all()  # by rho it is too small beside the noise to be sure of
    rng, network = np.random.default_rng(5), MLP((1, 4, 1))
    mean = network.init(rng)
    layers = layers_of(network, mean, {name: np.full_like(m, 0.1) for name, m in mean.items()})
    x = rng.standard_normal((20, 1)).astype(np.float32)
    settings: dict[str, Any] = {"num_minibatches": 8, "num_draws": 4}
    asked: list[float] = []
    part = variance_course(
        network, layers, x, x, 1.0, rng, on_progress=lambda f: len(asked) < 2 and not asked.append(f), **settings
    )
    assert list(part.batch_sizes) == [1, 2] and asked[0] == 0
    whole = variance_course(network, layers, x, x, 1.0, rng, **settings)
    assert list(whole.batch_sizes) == [1, 2, 4, 8, 16, 20]
    with pytest.raises(InvalidInput, match="stopped"):
        variance_course(network, layers, x, x, 1.0, rng, on_progress=lambda f: False, **settings)
