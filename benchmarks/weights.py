"""A Gaussian for every weight: bdlviz compared with libraries that have such layers, and with the usual ARD layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import bdlviz
from bdlviz.types import Array, Dataset
from benchmarks.generative import images
from benchmarks.peers import check_alike, compared, imported
from benchmarks.report import Row
from benchmarks.timing import Contender, interleave

SIZES, BATCH, NUM_STEPS = (784, 400, 400, 10), 128, 64
SMALL_SIZES, SMALL_BATCH, SMALL_STEPS = (1, 64, 64, 1), 32, 400
# The last steps, whose mean loss is compared (two epochs of images, a tenth of the steps for a curve), and the number
# of rounds of bdlviz for them.
LAST_STEPS: dict[tuple[int, ...], int] = {SIZES: 16, SMALL_SIZES: 40}
LAST_ROUNDS: dict[tuple[int, ...], int] = {SIZES: 2, SMALL_SIZES: 4}
KL_WEIGHT = 1e-3  # the divergence is then about as large as the negative log-likelihood, so both affect the result
START_STD, LEARNING_RATE = 0.01, 1e-3
TOLERANCE = 0.1  # relative; early in training the loss changes fast
SMALLEST = 1e-8  # the constant that is usually added inside a square root or a logarithm

Objective = Callable[[Tensor], tuple[Tensor, Tensor]]  # inputs -> outputs, divergence in nats
Step = Callable[[Tensor, Tensor], float]  # inputs and targets of a minibatch -> the loss before the step
Maker = Callable[[str, tuple[int, ...], int], Step]  # method, sizes, number of data -> the step of a new network


def training(rounds: int, cores: int) -> list[Row]:
    """Rows for a classifier of digits with every method and for a small regression network; one thread each."""
    data = images()
    rows: list[Row] = []
    for name, rivals in (("bayes_by_backprop", LIBRARIES), ("sparse_variational_dropout", USUAL), ("ard", USUAL)):
        ours = _contender(name, data)
        contenders: dict[str, Contender] = {"bdlviz": ours, "products": lambda seed: products(NUM_STEPS)}
        contenders |= _rivals(rivals, data, name, SIZES, NUM_STEPS)
        runs = interleave(contenders, rounds)
        mine, speed = runs.pop("bdlviz"), runs.pop("products")
        what = f"{name}, 784-400-400-10, batch {BATCH}, one step"
        check_alike(what, mine, runs, TOLERANCE)
        rows += compared(what, mine, runs, ">= 1.8", 1e3 / NUM_STEPS, "ms")
        rows.append(Row(f"{what}: share of the products' speed", speed.over(mine)))
    return rows + _small(rounds)


def _small(rounds: int) -> list[Row]:
    data = bdlviz.dataset("x_sin_x")
    contenders: dict[str, Contender] = {"bdlviz": lambda seed: _fit("bayes_by_backprop", data, seed, small=True)}
    contenders |= _rivals(LIBRARIES, data, "bayes_by_backprop", SMALL_SIZES, SMALL_STEPS)
    runs = interleave(contenders, rounds)
    mine, what = runs.pop("bdlviz"), f"bayes_by_backprop, 1-64-64-1, batch {SMALL_BATCH}, one step"
    check_alike(what, mine, runs, TOLERANCE)
    return compared(what, mine, runs, ">= 4", 1e3 / SMALL_STEPS, "ms")


def _contender(name: str, data: Dataset) -> Contender:
    return lambda seed: _fit(name, data, seed)


def _fit(name: str, data: Dataset, seed: int, small: bool = False) -> Array:
    """The mean loss of the last steps of a training by bdlviz."""
    start = {"start_rho": np.log(np.expm1(START_STD))} if name == "bayes_by_backprop" else {}
    start |= {} if start else {"start_log_std": np.log(START_STD)}
    fit = bdlviz.fit(
        name, data, seed=seed, kl_weight=KL_WEIGHT, learning_rate=LEARNING_RATE, schedule="constant",
        hidden=SMALL_SIZES[1:-1] if small else SIZES[1:-1],
        batch_size=SMALL_BATCH if small else BATCH,
        num_steps=SMALL_STEPS if small else NUM_STEPS,
        **({"noise_std": float(data.y.std())} if small else {}),  # so that the precision is 1, as for the rivals
        **start,
    )  # fmt: skip
    return fit.history["loss"][-LAST_ROUNDS[SMALL_SIZES if small else SIZES] :].mean()


def _rivals(
    makers: dict[str, Maker], data: Dataset, name: str, sizes: tuple[int, ...], num_steps: int
) -> dict[str, Contender]:
    """The rivals that are installed."""
    installed = {rival: make for rival, make in makers.items() if rival == USUAL_LAYER or imported(MODULES[rival])}
    return {rival: _rival(make, data, name, sizes, num_steps) for rival, make in installed.items()}


def _rival(make: Maker, data: Dataset, name: str, sizes: tuple[int, ...], num_steps: int) -> Contender:
    """The usual training loop: minibatches of tensors in memory, no DataLoader."""
    batch = SMALL_BATCH if sizes == SMALL_SIZES else BATCH
    inputs, targets = _tensors(data)

    def run(seed: int) -> Array:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        step = make(name, sizes, len(inputs))
        order = torch.cat([torch.randperm(len(inputs)) for _ in range(-(-num_steps * batch // len(inputs)))])
        batches = order[: num_steps * batch].split(batch)
        losses = [step(inputs[some], targets[some]) for some in batches]
        return np.array(np.mean(losses[-LAST_STEPS[sizes] :]))

    return run


def _tensors(data: Dataset) -> tuple[Tensor, Tensor]:
    """Inputs and targets; for a curve they are standardised."""
    x, y = data.x.astype(np.float32), data.y
    if data.task == "regression":
        x, y = ((a - a.mean(0)) / a.std(0) for a in (x, y.astype(np.float32)))
    return torch.from_numpy(np.ascontiguousarray(x)), torch.from_numpy(y)


def negative_log_likelihood(outputs: Tensor, targets: Tensor) -> Tensor:
    """Mean negative log-likelihood of a minibatch, up to a constant."""
    if targets.is_floating_point():
        return 0.5 * functional.mse_loss(outputs, targets)
    return functional.cross_entropy(outputs, targets.ravel())


def _by_adam(objective: Callable[[str, tuple[int, ...]], tuple[nn.Module, Objective]]) -> Maker:
    """A maker whose steps minimise negative log-likelihood plus divergence with torch's Adam."""

    def make(name: str, sizes: tuple[int, ...], num_data: int) -> Step:
        net, evaluate = objective(name, sizes)
        _start_alike(net, sizes)
        adam = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)

        def step(x: Tensor, y: Tensor) -> float:
            adam.zero_grad()
            outputs, divergence = evaluate(x)
            loss = negative_log_likelihood(outputs, y) + KL_WEIGHT * divergence / num_data
            loss.backward()
            adam.step()
            return loss.item()

        return step

    return make


def _start_alike(net: nn.Module, sizes: tuple[int, ...]) -> None:
    """Initialise the means as bdlviz does, and all standard deviations with `START_STD`."""
    num_inputs = sizes[0]
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if "log_sigma" in name:
                parameter.fill_(float(np.log(START_STD)))
            elif "rho" in name or "sigma" in name:
                parameter.fill_(float(np.log(np.expm1(START_STD))))
            else:
                num_inputs = parameter.shape[1] if parameter.ndim == 2 else num_inputs
                _draw_means(parameter, num_inputs, sizes)


def _draw_means(means: Tensor, num_inputs: int, sizes: tuple[int, ...]) -> Tensor:
    """Initialise weights or biases of a layer in place, as `MLP.init` does for curves or for images."""
    if sizes == SMALL_SIZES:
        return means.uniform_(-(num_inputs**-0.5), num_inputs**-0.5)
    return nn.init.xavier_uniform_(means) if means.ndim == 2 else means.zero_()


def _stacked(layer: Callable[[int, int], nn.Module], sizes: tuple[int, ...]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [layer(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def torchbnn(name: str, sizes: tuple[int, ...]) -> tuple[nn.Module, Objective]:
    """One draw of all weights per step; the divergence has a closed form and needs a second loop over the layers."""
    library = imported("torchbnn")
    net = _stacked(lambda before, after: library.BayesLinear(0, 1.0, before, after), sizes)
    divergence = library.BKLLoss(reduction="sum", last_layer_only=False)
    return net, lambda x: (net(x), divergence(net))


def bayesian_torch(name: str, sizes: tuple[int, ...]) -> tuple[nn.Module, Objective]:
    """One draw of all weights per step. The library's divergence is a mean over weights; here it is a sum."""
    layers = imported("bayesian_torch.layers.variational_layers.linear_variational")
    net = nn.ModuleList(layers.LinearReparameterization(before, after) for before, after in pairwise(sizes))

    def divergence(layer: Any, kind: str) -> Tensor:
        mean, rho = getattr(layer, f"mu_{kind}"), getattr(layer, f"rho_{kind}")
        prior = getattr(layer, f"prior_{kind}_mu"), getattr(layer, f"prior_{kind}_sigma")
        return layer.kl_div(mean, torch.log1p(torch.exp(rho)), *prior) * mean.numel()

    def objective(h: Tensor) -> tuple[Tensor, Tensor]:
        for index, layer in enumerate(net):
            h = layer(torch.relu(h) if index else h, return_kl=False)
        return h, sum((divergence(layer, kind) for layer in net for kind in ("weight", "bias")), torch.zeros(()))

    return net, objective


def blitz(name: str, sizes: tuple[int, ...]) -> tuple[nn.Module, Objective]:
    """One draw of all weights per step; the divergence is estimated at this draw."""
    modules, losses = imported("blitz.modules"), imported("blitz.losses")
    net = _stacked(lambda before, after: modules.BayesianLinear(before, after, prior_sigma_1=1.0, prior_pi=1), sizes)
    return net, lambda x: (net(x), losses.kl_divergence_from_nn(net))


def torch_uncertainty(name: str, sizes: tuple[int, ...]) -> tuple[nn.Module, Objective]:
    """One draw of all weights per step; the divergence is estimated at this draw, without 1/2 for every weight.

    Its prior is a mixture, of which only one component has weight here. The library returns the mean over layers.
    """
    layers, losses = imported(MODULES["torch-uncertainty"]), imported("torch_uncertainty.losses.bayesian")
    net = _stacked(lambda before, after: layers.BayesLinear(before, after, prior_sigma_1=1.0, prior_pi=1), sizes)
    divergence, num_layers = losses.KLDiv(net), len(sizes) - 1
    missing = 0.5 * sum((before + 1) * after for before, after in pairwise(sizes))
    return net, lambda x: (net(x), num_layers * divergence() + missing)


def pyro(name: str, sizes: tuple[int, ...], num_data: int) -> Step:
    """A prior on every weight, a Gaussian guide for each, and a step of stochastic variational inference.

    The negative log-likelihood and the divergence are per data point, as for the other contenders.
    """
    library, nnlib, infer = imported("pyro"), imported("pyro.nn"), imported("pyro.infer")
    guides, dist = imported("pyro.infer.autoguide"), imported("pyro.distributions")
    library.clear_param_store()

    def linear(before: int, after: int) -> nn.Module:
        layer = nnlib.PyroModule[nn.Linear](before, after)
        layer.weight = nnlib.PyroSample(dist.Normal(0.0, 1.0).expand([after, before]).to_event(2))
        layer.bias = nnlib.PyroSample(dist.Normal(0.0, 1.0).expand([after]).to_event(1))
        return layer

    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [linear(before, after), nn.ReLU()]
    net = nnlib.PyroModule[nn.Sequential](*layers[:-1])

    def model(x: Tensor, y: Tensor) -> None:
        with library.poutine.scale(scale=KL_WEIGHT / num_data):
            outputs = net(x)
        library.factor("negative_log_likelihood", -negative_log_likelihood(outputs, y))

    def start(site: dict[str, Any]) -> Tensor:
        layer = int(site["name"].split(".")[-2]) // 2  # every other module is an activation
        return _draw_means(torch.empty(site["fn"].shape()), sizes[layer], sizes)

    guide = guides.AutoNormal(model, init_loc_fn=start, init_scale=START_STD)
    scaled = library.poutine.scale(guide, scale=KL_WEIGHT / num_data)
    inference = infer.SVI(model, scaled, library.optim.Adam({"lr": LEARNING_RATE}), infer.TraceMeanField_ELBO())
    return inference.step


class UsualLinear(nn.Module):
    """Sparse variational dropout and ARD as in typical notebooks (Molchanov et al. 2017; Kharitonov et al. 2018)."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(after, before))
        self.log_sigma = nn.Parameter(torch.empty(after, before))
        self.bias = nn.Parameter(torch.empty(after))

    def forward(self, x: Tensor) -> Tensor:
        mean = functional.linear(x, self.weight, self.bias)
        std = torch.sqrt(functional.linear(x * x, torch.exp(2 * self.log_sigma)) + SMALLEST)
        return mean + std * torch.randn_like(mean)

    def divergence(self, name: str) -> Tensor:
        """The divergence from the prior by the usual formulas, with log alpha clipped."""
        log_alpha = 2 * self.log_sigma - 2 * torch.log(torch.abs(self.weight) + SMALLEST)
        log_alpha = torch.clamp(log_alpha, -10, 10)
        half = 0.5 * torch.log1p(torch.exp(-log_alpha))
        if name == "ard":
            return half.sum()
        k1, k2, k3 = 0.63576, 1.87320, 1.48695
        return (k1 - k1 * torch.sigmoid(k2 + k3 * log_alpha) + half).sum()


def usual(name: str, sizes: tuple[int, ...]) -> tuple[nn.Module, Objective]:
    """A network of `UsualLinear` layers."""
    net = _stacked(UsualLinear, sizes)

    def objective(x: Tensor) -> tuple[Tensor, Tensor]:
        divergence = sum((layer.divergence(name) for layer in net if isinstance(layer, UsualLinear)), torch.zeros(()))
        return net(x), divergence

    return net, objective


LIBRARIES: dict[str, Maker] = {
    "torchbnn": _by_adam(torchbnn),
    "Bayesian-Torch": _by_adam(bayesian_torch),
    "BLiTZ": _by_adam(blitz),
    "torch-uncertainty": _by_adam(torch_uncertainty),
    "pyro": pyro,
}
MODULES = {
    "torchbnn": "torchbnn",
    "Bayesian-Torch": "bayesian_torch.layers.variational_layers.linear_variational",
    "BLiTZ": "blitz.modules",
    "torch-uncertainty": "torch_uncertainty.layers.bayesian",
    "pyro": "pyro",
}
USUAL_LAYER = "usual layer"
USUAL: dict[str, Maker] = {USUAL_LAYER: _by_adam(usual)}


def products(num_steps: int) -> Array:
    """Compute only the matrix products of all steps, of means and of variances, on one thread."""
    torch.set_num_threads(1)
    operands = 2 * list(_operands())
    for _ in range(num_steps):
        for a, b, out in operands:
            torch.mm(a, b, out=out)
    return np.array(0.0)


def _operands() -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Contiguous factors and results of the products: forward, gradients of weights, gradients of inputs."""
    for layer, (rows, columns) in enumerate(pairwise(SIZES)):
        shapes = [(BATCH, rows, columns), (rows, BATCH, columns), (BATCH, columns, rows)]
        for height, inner, width in shapes[: 3 if layer else 2]:
            yield torch.randn(height, inner), torch.randn(inner, width), torch.empty(height, width)
