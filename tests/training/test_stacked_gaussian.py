"""Networks of Gaussian weights by hand: equal to the plain objective with autograd, whatever shares the stack."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bdlviz.methods import METHODS
from bdlviz.methods.common import with_prefix
from bdlviz.models import divergences
from bdlviz.models.likelihoods import likelihood
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.models.priors import HALF_LOG_TWO_PI, Logarithms, log_scale_mixture
from bdlviz.training.by_gradient import Objective, by_gradient
from bdlviz.training.gaussian_weights import (
    SMALLEST_SQUARE,
    TENSORS,
    exp,
    locally_reparameterised,
    log,
    softplus,
    total,
)
from bdlviz.training.kl_schedule import kl_factor
from bdlviz.training.method import Method, Setup
from bdlviz.training.normals import Normals
from bdlviz.training.stacked_gaussian import StackedGaussianMLP
from bdlviz.types import Array

OPTIONS = {"start_rho": -3.0, "start_log_std": -4.0, "mixture_weight": 1.0, "narrow_std": 0.01}
MIXTURE = {"mixture_weight": 0.25}
DIVERGENCES = {"ard": divergences.ard, "sparse_variational_dropout": divergences.sparse_variational}
SHAPES = [
    ((1, 16, 16, 1), "tanh"),
    ((2, 7, 5, 3), "gelu"),
    ((3, 9, 2), "silu"),
    ((3, 2), "relu"),
    ((70, 90, 10), "relu"),
]


def a_setup(name: str, sizes: tuple[int, ...], activation: str, num_cells: int = 1, **options: float) -> Setup:
    """Two seeds, a batch of 9 of 30 points, a warm-up, cells that differ in everything."""
    axes = {"kl_weight": np.linspace(1, 0.3, num_cells)}
    if name == "bayes_by_backprop":
        axes["length_scale"] = np.linspace(0.7, 2, num_cells)
    return Setup(
        Model(MLP(sizes, activation), likelihood("gaussian")), axes, (3, 8), 30, 9, 10, 0.01, sizes[0],
        OPTIONS | {"kl_warm_up": 0.5} | options, "constant", 1.7,
    )  # fmt: skip


def plain(setup: Setup, name: str) -> Method:
    """The twin: the same objective, its gradient by autograd."""
    weight = torch.from_numpy(setup.hyperparameters["kl_weight"].astype(np.float32))
    return by_softplus(setup, weight) if name == "bayes_by_backprop" else by_log_std(setup, weight, DIVERGENCES[name])


def by_softplus(setup: Setup, weight: Tensor) -> Method:
    """Bayes by Backprop."""
    length_scale = torch.from_numpy(setup.hyperparameters["length_scale"].astype(np.float32))[:, None, None]

    def init(rng: np.random.Generator) -> dict[str, Array]:
        start = setup.model.network.init(rng)
        return start | {"rho_" + name: np.full_like(mean, setup.options["start_rho"]) for name, mean in start.items()}

    def spread(params: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {name: softplus(rho) for name, rho in with_prefix(params, "rho_").items()}

    def penalty(params: Mapping[str, Tensor], std: Mapping[str, Tensor], drawn: Sequence[Tensor]) -> Tensor:
        if setup.options["mixture_weight"] == 1:
            return weight * total({n: divergences.gaussian(params[n], s, length_scale, log) for n, s in std.items()})
        narrow_std, share = (torch.tensor(setup.options[name]) for name in ("narrow_std", "mixture_weight"))
        prior = 1 / length_scale, narrow_std, share
        weights = {name: params[name] + s * e for (name, s), e in zip(std.items(), drawn, strict=True)}
        of_prior = {n: log_scale_mixture(w, *prior, Logarithms(torch.log, torch.logaddexp)) for n, w in weights.items()}
        return -weight * total({n: log(s) + HALF_LOG_TWO_PI + 0.5 + of_prior[n] for n, s in std.items()})

    return by_autograd(setup, init, spread, penalty)


def by_log_std(setup: Setup, weight: Tensor, divergence: Callable[..., Tensor]) -> Method:
    """Sparse variational dropout and ARD."""

    def init(rng: np.random.Generator) -> dict[str, Array]:
        start = setup.model.network.init(rng)
        names = [name for name in start if name.startswith("weight")]
        return start | {"log_std_" + n: np.full_like(start[n], setup.options["start_log_std"]) for n in names}

    def spread(params: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {name: exp(value) for name, value in with_prefix(params, "log_std_").items()}

    def penalty(params: Mapping[str, Tensor], std: Mapping[str, Tensor], drawn: Sequence[Tensor]) -> Tensor:
        noise = {
            n: 2 * v - log(params[n].square() + SMALLEST_SQUARE) for n, v in with_prefix(params, "log_std_").items()
        }
        return weight * total({name: divergence(values, TENSORS) for name, values in noise.items()})

    return by_autograd(setup, init, spread, penalty)


def by_autograd(setup: Setup, init: Any, spread: Any, penalty: Any) -> Method:
    """Sums are drawn first, then weights where the prior is a mixture."""
    network, draws_weights = setup.model.network, setup.options["mixture_weight"] < 1

    def draw_noise(rng: np.random.Generator) -> list[Array]:
        weights = list(network.shapes().values()) if draws_weights else []
        shapes = [*((setup.batch_size, width) for width in network.sizes[1:]), *weights]
        sizes = [int(np.prod(shape)) for shape in shapes]
        row = np.empty(sum(sizes), np.float32)
        Normals(len(row)).fill(rng, row)
        pieces = np.split(row, np.cumsum(sizes)[:-1])
        return [piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True)]

    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor, noise: Sequence[Tensor], step: int) -> Objective:
        std, count = spread(params), network.num_layers
        outputs = locally_reparameterised(network, params, std, x, noise[:count])
        misfit = setup.precision * setup.model.likelihood.negative_log_likelihood(outputs, y).mean(-1)
        cost = penalty(params, std, noise[count:]) / setup.num_data
        return Objective(misfit + kl_factor(setup, step) * cost, misfit + cost)

    return by_gradient(setup, init, draw_noise, loss)


def trained(method: Method, setup: Setup, num_steps: int) -> tuple[dict[str, Array], list[Array]]:
    """Parameters after some steps on minibatches that do not depend on the method, and the loss of each."""
    sizes, rng = setup.model.network.sizes, np.random.default_rng(1)
    state, losses = method.init(), []
    for _ in range(num_steps):
        x = rng.standard_normal((2, 1, setup.batch_size, sizes[0]), np.float32)
        y = rng.standard_normal((2, 1, setup.batch_size, sizes[-1]), np.float32)
        state = method.update(state, (x, y), True)
        losses.append(state.loss)
    return method.params(state), losses


@pytest.mark.parametrize(("sizes", "activation"), SHAPES)
@pytest.mark.parametrize(
    ("name", "options"),
    [("bayes_by_backprop", {}), ("bayes_by_backprop", MIXTURE), ("ard", {}), ("sparse_variational_dropout", {})],
)
def test_it_is_the_plain_objective(name, options, sizes, activation):
    setup = a_setup(name, sizes, activation, num_cells=3, **options)
    found, found_losses = trained(METHODS[name].build(setup), setup, 6)
    expected, expected_losses = trained(plain(setup, name), setup, 6)
    assert list(found) == list(expected)
    for key in expected:
        np.testing.assert_allclose(found[key], expected[key], rtol=1e-4, atol=1e-4, err_msg=key)
    np.testing.assert_allclose(found_losses, expected_losses, rtol=1e-5)


@pytest.mark.parametrize("certain_biases", [False, True])
@pytest.mark.parametrize(("sizes", "activation"), [*SHAPES, ((784, 128, 10), "relu")])
def test_gradients_by_means_and_variances_are_those_of_autograd(sizes, activation, certain_biases):
    network, rng = MLP(sizes, activation), np.random.default_rng(0)
    stack = StackedGaussianMLP(network, 2, 3, 9, certain_biases)
    stack.mean[:] = rng.standard_normal(stack.mean.shape) / 4
    stack.variance[:] = rng.uniform(1e-3, 0.1, stack.variance.shape)
    names = [name for name in network.shapes() if name.startswith("weight") or not certain_biases]
    mean = {name: torch.tensor(stack.view(stack.mean, name), requires_grad=True) for name in network.shapes()}
    variance = {name: torch.tensor(stack.view(stack.variance, name), requires_grad=True) for name in names}
    x = rng.standard_normal((2, 1, 9, sizes[0]), np.float32)
    noise = [rng.standard_normal((2, 1, 9, width), np.float32) for width in sizes[1:]]
    std = {name: value.sqrt() for name, value in variance.items()}
    expected = locally_reparameterised(network, mean, std, torch.from_numpy(x), [torch.from_numpy(e) for e in noise])
    found = stack.forward(x, noise)
    np.testing.assert_allclose(found, expected.detach().numpy(), rtol=1e-4, atol=1e-4)
    expected.square().sum().backward()
    stack.output_gradients[:] = 2 * found
    stack.backward()
    for name, tensor in mean.items():
        assert tensor.grad is not None
        assert_close(stack.view(stack.by_mean, name), tensor.grad)
    for name, tensor in variance.items():
        assert tensor.grad is not None
        assert_close(stack.view(stack.by_variance, name), 2 * tensor.grad)


def assert_close(found: Array, expected: Tensor) -> None:
    """Equal within float32's rounding of the largest of them."""
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5 * float(expected.abs().max()))


@pytest.fixture
def stacks(monkeypatch: pytest.MonkeyPatch) -> list[StackedGaussianMLP]:
    """Every stack that is made from now on."""
    made: list[StackedGaussianMLP] = []
    allocate = StackedGaussianMLP._allocate_parameters

    def watch(self: StackedGaussianMLP) -> None:
        allocate(self)
        made.append(self)

    monkeypatch.setattr(StackedGaussianMLP, "_allocate_parameters", watch)
    return made


def test_halving_moves_the_divergence_within_an_epoch_and_adds_nothing(stacks):
    """The same gradient over an epoch's four minibatches, step by step another one."""
    gradients = []
    for halving in (0.0, 1.0):
        setup = replace(
            a_setup("bayes_by_backprop", (2, 16, 3), "tanh", kl_warm_up=0.0, kl_halving=halving), learning_rate=1e-12
        )
        method, rng = METHODS["bayes_by_backprop"].build(setup), np.random.default_rng(0)
        state, seen = method.init(), []
        for _ in range(4):
            x, y = (rng.standard_normal((2, 1, 9, width)).astype(np.float32) for width in (2, 3))
            state = method.update(state, (x, y), False)
            seen.append(stacks[-1].flat_gradient.copy())
        gradients.append(np.array(seen))
    equal, halved = gradients
    scale = np.abs(equal).max()
    np.testing.assert_allclose(halved.sum(0), equal.sum(0), atol=1e-5 * scale, rtol=1e-4)
    assert np.abs(halved[0] - equal[0]).max() > 1e-3 * scale
