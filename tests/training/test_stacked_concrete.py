"""Concrete dropout by hand: equal to the plain objective with autograd, whatever shares the stack."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bdlviz.methods import concrete_dropout
from bdlviz.methods.concrete_dropout import (
    LOGISTIC_QUANTILES,
    kl_to_prior,
    logistic_noise,
    relaxed_negative_log_likelihood,
)
from bdlviz.models.likelihoods import LIKELIHOODS, likelihood
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.training.by_gradient import Objective, by_gradient
from bdlviz.training.method import Method, Setup
from bdlviz.training.noise import generator
from bdlviz.training.stacked_concrete import LogisticStream, StackedConcreteMLP, Terms
from bdlviz.types import Array

R, C, B, NUM_DATA = 2, 3, 9, 30
SHAPES = [(1, 16, 16, 1), (2, 7, 5, 3), (3, 9, 2), (4, 2), (70, 90, 11, 8, 4)]
SMALLEST_OUTPUTS = {"heteroscedastic": 2, "gaussian_pixels": 3}


def a_setup(sizes: tuple[int, ...], activation: str = "tanh", name: str = "gaussian", **options: Any) -> Setup:
    """Two seeds, a batch of 9 of 30 points, cells that differ in everything."""
    axes = {"length_scale": np.linspace(0.3, 2, C), "temperature": np.array([0.5, 0.1, 2.0])}
    return Setup(
        Model(MLP(sizes, activation), likelihood(name)), axes, (3, 8), NUM_DATA, B, 10, 0.01, sizes[0],
        {"start_rate": 0.3} | options, "drop_at_half", 1.7,
    )  # fmt: skip


def plain(setup: Setup) -> Method:
    """The twin: the same objective, its gradient by autograd."""
    network, is_shared = setup.model.network, setup.options.get("shared_rate") == 1
    length_scale, temperature = (
        torch.from_numpy(setup.hyperparameters[name].astype(np.float32)) for name in ("length_scale", "temperature")
    )

    def init(rng: np.random.Generator) -> dict[str, Array]:
        start = np.float32(concrete_dropout.logit(setup.options["start_rate"]))
        widths = [1 if is_shared else width for width in network.sizes[:-1]]
        return network.init(rng) | {f"drop_logit{i}": np.full((1, width), start) for i, width in enumerate(widths)}

    def draw_noise(rng: np.random.Generator) -> list[Array]:
        return [logistic_noise(rng, (setup.batch_size, width)) for width in network.sizes[:-1]]

    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor, noise: Sequence[Tensor], step: int) -> Objective:
        misfit = relaxed_negative_log_likelihood(setup.model, params, x, y, noise, temperature)
        kl = kl_to_prior(params, length_scale, setup.options.get("entropy_weight", 1.0))
        value = setup.precision * misfit + kl / setup.num_data
        return Objective(value, value)

    return by_gradient(setup, init, draw_noise, loss)


def targets(setup: Setup, rng: np.random.Generator, rows: int = R) -> Array:
    """Targets (rows, 1, B, K) that the likelihood can make sense of."""
    chosen, width = setup.model.likelihood, setup.model.network.sizes[-1]
    if chosen.task == "classification":
        return rng.integers(0, width, (rows, 1, B, 1))
    count = next(k for k in range(1, width + 1) if chosen.num_outputs(k) == width)
    draw = rng.random if chosen.is_generative else rng.standard_normal
    return draw((rows, 1, B, count)).astype(np.float32)


def trained(method: Method, setup: Setup, num_steps: int, rows: int = R) -> tuple[dict[str, Array], list[Array]]:
    """Parameters after some steps on minibatches that do not depend on the method, and the loss of each."""
    rng, state, losses = np.random.default_rng(1), method.init(), []
    for _ in range(num_steps):
        x = rng.standard_normal((rows, 1, B, setup.model.network.sizes[0]), np.float32)
        state = method.update(state, (x, targets(setup, rng, rows)), True)
        losses.append(state.loss)
    return method.params(state), losses


def check_training(setup: Setup, rows: int = R) -> None:
    found, found_losses = trained(concrete_dropout.build(setup), setup, 6, rows)
    expected, expected_losses = trained(plain(setup), setup, 6, rows)
    assert list(found) == list(expected)
    for key in expected:
        assert found[key].shape == expected[key].shape and found[key].dtype == np.float32
        np.testing.assert_allclose(found[key], expected[key], rtol=1e-4, atol=2e-4, err_msg=key)
    np.testing.assert_allclose(found_losses, expected_losses, rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize("shared_rate", [0.0, 1.0])
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu", "silu"])
@pytest.mark.parametrize("sizes", SHAPES)
def test_it_is_the_plain_objective(sizes, activation, shared_rate):
    check_training(a_setup(sizes, activation, shared_rate=shared_rate))


def test_likelihoods_entropy_and_a_shared_batch():
    for name in LIKELIHOODS:
        check_training(a_setup((2, 7, 5, SMALLEST_OUTPUTS.get(name, 4)), name=name))
    for entropy_weight in [0.0, 0.3]:
        check_training(a_setup((2, 7, 5, 3), entropy_weight=entropy_weight))
    check_training(a_setup((2, 7, 5, 3)), rows=1)


def random_stack(sizes, activation, terms, num_seeds=R, num_cells=C, batch_size=B):
    """A stack in which every network has weights and rates of its own, and noise for all its layers."""
    rng, network = np.random.default_rng(0), MLP(sizes, activation)
    stack = StackedConcreteMLP(network, num_seeds, num_cells, batch_size, terms)
    for name, view in stack.parameters().items():
        view[:] = rng.standard_normal(view.shape) * (1 if name.startswith("drop") else 0.4)
    noise = LogisticStream(network, batch_size, range(num_seeds), LOGISTIC_QUANTILES).next()
    return stack, rng, noise


def some_terms(is_shared=False, temperature=(0.5, 0.1, 2.0)):
    return Terms(np.array(temperature), np.array([0.1, 0.5, 1.5]) / NUM_DATA, 0.8 / NUM_DATA, 1.7, is_shared)


def check_close(found: Array, expected: Tensor | None, tolerance: float, name: str) -> None:
    """Equal up to a share of the largest number of the network's array."""
    assert expected is not None and np.isfinite(found).all()
    scale = expected.abs().amax((-1, -2), keepdim=True).numpy()
    error = np.abs(found - expected.numpy()) / (scale + 1e-6)
    assert error.max() < tolerance, name


def autograd_of(stack, rng, noise, dtype):
    """The KL term and the gradients of a backward pass, by autograd; the pass itself is left in the stack."""
    network, terms = stack.network, stack.terms
    x, y = (rng.standard_normal((R, 1, B, width), np.float32) for width in (network.sizes[0], network.sizes[-1]))
    model = Model(network, likelihood("gaussian"))
    model.likelihood.gradient(stack.forward(x, noise), y, stack.output_gradients)
    stack.backward()
    leaves = {n: torch.tensor(a, dtype=dtype, requires_grad=True) for n, a in stack.parameters().items()}
    pieces = [torch.tensor(noise[..., units], dtype=dtype) for units in stack.columns.units]
    inputs, targets = (torch.tensor(a, dtype=dtype) for a in (x, y))
    temperature, length_scale = (
        torch.tensor(a, dtype=dtype) for a in (terms.temperature, np.sqrt(terms.decay * NUM_DATA))
    )
    misfit = relaxed_negative_log_likelihood(model, leaves, inputs, targets, pieces, temperature)
    kl = kl_to_prior(leaves, length_scale, 0.8) / NUM_DATA
    (1.7 * misfit + kl).sum().backward()
    return kl.detach(), {name: leaf.grad for name, leaf in leaves.items()}


@pytest.mark.parametrize("is_shared", [False, True], ids=["per unit", "per layer"])
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu", "silu"])
@pytest.mark.parametrize("sizes", SHAPES)
def test_gradients_are_those_of_autograd_in_double_precision(sizes, activation, is_shared):
    stack, rng, noise = random_stack(sizes, activation, some_terms(is_shared))
    kl, expected = autograd_of(stack, rng, noise, torch.float64)
    np.testing.assert_allclose(stack.penalty(), kl, rtol=1e-5)
    for name, gradient in stack.gradients().items():
        # What units share is a sum of slopes of either sign.
        check_close(gradient, expected[name], 2e-4 if is_shared and name.startswith("drop") else 1e-5, name)


@pytest.mark.parametrize("is_shared", [False, True], ids=["per unit", "per layer"])
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu", "silu"])
@pytest.mark.parametrize(("sizes", "batch"), [*((sizes, B) for sizes in SHAPES), ((1, 100, 100, 1), 32), ((1, 1), 1)])
def test_a_network_does_not_depend_on_its_place(sizes, batch, activation, is_shared):
    """Whatever the widths: what is left over behind whole vector registers is padded."""
    stack, rng, noise = random_stack(sizes, activation, some_terms(is_shared), batch_size=batch)
    x, y = (rng.standard_normal((R, 1, batch, width), np.float32) for width in (sizes[0], sizes[-1]))
    chosen = likelihood("gaussian")
    chosen.gradient(stack.forward(x, noise), y, stack.output_gradients)
    stack.backward()
    terms = stack.terms
    for r in range(R):
        for c in range(C):
            own = Terms(terms.temperature[c : c + 1], terms.decay[c : c + 1], terms.entropy, 1.7, is_shared)
            alone = StackedConcreteMLP(stack.network, 1, 1, batch, own)
            alone.load({name: array[r : r + 1, c : c + 1] for name, array in stack.parameters().items()})
            outputs = alone.forward(x[r : r + 1], noise[r : r + 1])
            chosen.gradient(outputs, y[r : r + 1], alone.output_gradients)
            alone.backward()
            np.testing.assert_array_equal(outputs[0, 0], stack.outputs[r, c])
            np.testing.assert_array_equal(alone.penalty()[0, 0], stack.penalty()[r, c])
            for name, gradient in alone.gradients().items():
                np.testing.assert_array_equal(gradient[0, 0], stack.gradients()[name][r, c], err_msg=name)


@pytest.mark.parametrize("batch_size", [9, 32])
@pytest.mark.parametrize("sizes", [(1, 10, 3, 2), (784, 400, 10)])
def test_noise_is_drawn_layer_by_layer_and_step_by_step(sizes, batch_size):
    """However many steps the stream prepares at once, and whichever seeds are beside."""
    network, seeds = MLP(sizes), (5, 2)
    stream = LogisticStream(network, batch_size, seeds, LOGISTIC_QUANTILES)
    rngs = [generator(seed, "noise") for seed in seeds]
    for _ in range(70):
        noise, columns = stream.next(), 0
        assert noise.shape == (2, 1, batch_size, sum(sizes[:-1]) + len(sizes) - 1)
        for width in sizes[:-1]:
            for seed, rng in enumerate(rngs):
                expected = logistic_noise(rng, (batch_size, width))
                np.testing.assert_array_equal(noise[seed, 0, :, columns : columns + width], expected)
            assert not noise[..., columns + width].any()
            columns += width + 1


@pytest.mark.parametrize(
    ("drop_logit", "temperature"),  # at 20 and 10 the gradients of autograd itself are infinite
    [*product((-90.0, -20.0, 10.0, 20.0), (0.001, 1.0)), *product((-90.0, -20.0, 10.0), (10.0,))],
)
def test_extremes_are_finite_and_those_of_autograd(drop_logit, temperature):
    """Units that are hardly ever or nearly always dropped, masks that are all or nothing or hardly masks."""
    stack, rng, noise = random_stack((3, 8, 1), "relu", some_terms(temperature=(temperature,) * C))
    for name, view in stack.parameters().items():
        if name.startswith("drop"):
            view[..., ::2] = drop_logit
    _, expected = autograd_of(stack, rng, noise, torch.float32)
    for name, gradient in stack.gradients().items():
        check_close(gradient, expected[name], 1e-3, name)
