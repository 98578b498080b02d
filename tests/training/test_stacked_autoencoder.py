"""The hand-written passes of autoencoders against plain autograd, network by network."""

import numpy as np
import pytest
import torch

from bdlviz.methods.vae import negative_elbo
from bdlviz.models.autoencoder import MIN_STD, Autoencoder
from bdlviz.models.likelihood_base import Likelihood
from bdlviz.models.likelihoods import LIKELIHOODS, likelihood
from bdlviz.training.autoencoding import _share
from bdlviz.training.stacked_autoencoder import StackedAutoencoder

R, C, B, D, Z = 2, 2, 5, 7, 3
PIXELS = [name for name, chosen in LIKELIHOODS.items() if chosen.is_generative]
BETA = np.array([0.3, 4.0])


def network(name: str = "bernoulli", **settings) -> Autoencoder:
    num_outputs = likelihood(name).num_outputs(D)
    return Autoencoder(D, (6, 4), Z, **{"num_outputs": num_outputs, **settings})


def random_stack(chosen: Autoencoder) -> tuple[StackedAutoencoder, np.random.Generator]:
    """A stack in which every network has weights of its own."""
    rng, stack = np.random.default_rng(0), StackedAutoencoder(chosen, R, C, B)
    stack.load({name: 0.5 * rng.standard_normal(a.shape, np.float32) for name, a in stack.parameters().items()})
    return stack, rng


def as_doubles(stack: StackedAutoencoder) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(a, dtype=torch.float64).requires_grad_() for name, a in stack.parameters().items()}


def assert_same_gradients(stack: StackedAutoencoder, loss: torch.Tensor, params: dict[str, torch.Tensor]) -> None:
    """The sum's gradient is every network's own."""
    for name, gradient in zip(params, torch.autograd.grad(loss.sum(), list(params.values())), strict=True):
        atol = 2e-5 * max(1.0, float(gradient.abs().max()))
        np.testing.assert_allclose(stack.gradients()[name], gradient, rtol=1e-3, atol=atol, err_msg=name)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu", "silu"])
def test_gradient_of_the_bound(activation, shared):
    check_gradient_of_the_bound(network(activation=activation), likelihood("bernoulli"), shared)


@pytest.mark.parametrize("name", PIXELS)
def test_gradient_with_every_likelihood(name):
    check_gradient_of_the_bound(network(name), likelihood(name), shared=False)


def check_gradient_of_the_bound(chosen: Autoencoder, pixels: Likelihood, shared: bool) -> None:
    """All gradients of all networks; ``shared`` images as of a full batch."""
    stack, rng = random_stack(chosen)
    x = pixels.observe(rng.random((1 if shared else R, 1, B, D)).astype(np.float32))
    noise = rng.standard_normal((R, B, Z), np.float32)
    codes = stack.forward(x, noise)
    pixels.gradient(stack.outputs, x, stack.output_gradients)
    stack.backward(codes, BETA)

    params = as_doubles(stack)
    images, eps, beta = torch.tensor(x).double(), torch.tensor(noise)[:, None].double(), torch.tensor(BETA)
    objective = negative_elbo(chosen, pixels, params, images, eps, beta)
    assert_same_gradients(stack, objective.minimised, params)


def test_gradient_of_a_plain_autoencoder():
    chosen = network(is_variational=False)
    stack, rng = random_stack(chosen)
    assert stack.parameters()["encoder.weight2"].shape == (R, C, 4, Z)
    x, pixels = rng.random((R, 1, B, D)).astype(np.float32), likelihood("bernoulli")
    codes = stack.forward(x, None)
    assert codes.std is None
    pixels.gradient(stack.outputs, x, stack.output_gradients)
    stack.backward(codes)

    params, h = as_doubles(stack), torch.tensor(x).double()
    for layer in range(6):
        part, number = ("encoder", layer) if layer < 3 else ("decoder", layer - 3)
        h = h @ params[f"{part}.weight{number}"] + params[f"{part}.bias{number}"]
        h = torch.relu(h) if number < 2 else h
    assert_same_gradients(stack, pixels.negative_log_likelihood(h, torch.tensor(x).double()).mean(-1), params)


def one_hot(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return np.eye(4, dtype=np.float32)[rng.integers(0, 4, shape)]


@pytest.mark.parametrize("shared", [False, True])
def test_gradient_of_a_network_that_is_told_the_classes(shared):
    chosen = network(num_classes=4)
    stack, rng = random_stack(chosen)
    x = rng.random((1 if shared else R, 1, B, D)).astype(np.float32)
    classes, noise = one_hot(rng, len(x), 1, B), rng.standard_normal((R, B, Z), np.float32)
    codes = stack.forward(x, noise, classes)
    pixels = likelihood("bernoulli")
    pixels.gradient(stack.outputs, x, stack.output_gradients)
    stack.backward(codes, BETA)

    params = as_doubles(stack)
    images, eps, told = (torch.tensor(each).double() for each in (x, noise[:, None], classes))
    objective = negative_elbo(chosen, pixels, params, images, eps, torch.tensor(BETA), told)
    assert_same_gradients(stack, objective.minimised, params)


def test_classes_without_weights_change_nothing():
    """Then outputs and gradients are those of a network that is told nothing."""
    told, rng = random_stack(network(num_classes=4))
    plain = StackedAutoencoder(network(), R, C, B)
    for name, array in told.parameters().items():
        if name in ("encoder.weight0", "decoder.weight0"):
            array[..., -4:, :] = 0
    plain.load({name: told.parameters()[name][..., : a.shape[-2], :] for name, a in plain.parameters().items()})
    x, noise = rng.random((R, 1, B, D)).astype(np.float32), rng.standard_normal((R, B, Z), np.float32)
    pixels, both = likelihood("bernoulli"), []
    for stack, classes in ((told, one_hot(rng, R, 1, B)), (plain, None)):
        codes = stack.forward(x, noise, classes)
        pixels.gradient(stack.outputs, x, stack.output_gradients)
        stack.backward(codes, BETA)
        both.append((stack.outputs, stack.gradients()))
    np.testing.assert_allclose(both[0][0], both[1][0], rtol=1e-5)
    for name, gradient in both[1][1].items():
        np.testing.assert_allclose(both[0][1][name][..., : gradient.shape[-2], :], gradient, rtol=1e-3, atol=1e-5)


def test_std_on_its_floor_has_no_slope():
    stack, rng = random_stack(network())
    params = stack.parameters()
    params["encoder.weight2"][..., Z:] = 0
    params["encoder.bias2"][..., Z:] = -50
    x = rng.random((R, 1, B, D)).astype(np.float32)
    codes = stack.forward(x, rng.standard_normal((R, B, Z), np.float32))
    assert codes.std is not None and np.all(codes.std == np.float32(MIN_STD))
    likelihood("bernoulli").gradient(stack.outputs, x, stack.output_gradients)
    stack.backward(codes, BETA)
    assert not stack.gradients()["encoder.bias2"][..., Z:].any()
    assert np.isfinite(stack.flat_gradient).all()
    assert [_share(step, 4) for step in (0, 1, 3, 4, 9)] == [0.25, 0.5, 1, 1, 1]
    assert _share(0, 0) == 1
    check_gradient_of_the_bound(Autoencoder(D, (), Z), likelihood("bernoulli"), shared=False)
