"""A Gaussian for every weight: bdlviz against the libraries that have such layers, and against the usual ARD layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

import bdlviz
from bdlviz.types import Array, Dataset
from benchmarks.generative import images
from benchmarks.report import Row
from benchmarks.timing import Contender, Runs, interleave

SIZES, BATCH, NUM_STEPS = (784, 400, 400, 10), 128, 320
SMALL_SIZES, SMALL_BATCH, SMALL_STEPS = (1, 64, 64, 1), 32, 1000
KL_WEIGHT = 1e-3  # the divergence is then about as large as the misfit, and neither hides the other
START_STD, LEARNING_RATE, NUM_ROUNDS = 0.01, 1e-3, 40
TOLERANCE = 0.05
SMALLEST = 1e-8  # what people add under the root

Objective = Callable[[Tensor], tuple[Tensor, Tensor]]  # inputs -> outputs, divergence in nats


def training(rounds: int, cores: int) -> list[Row]:
    """One thread each: a classifier of digits by every method, and a small regression network."""
    data = images()
    rows: list[Row] = []
    for name, rivals in (("bayes_by_backprop", LIBRARIES), ("sparse_variational_dropout", USUAL), ("ard", USUAL)):
        ours = _contender(name, data)
        contenders: dict[str, Contender] = {"bdlviz": ours, "products": lambda seed: products(NUM_STEPS)}
        contenders |= {rival: _rival(make, data, name, SIZES, NUM_STEPS) for rival, make in available(rivals).items()}
        runs = interleave(contenders, rounds)
        rows += _compared(f"{name}, 784-400-400-10, batch {BATCH}", runs, NUM_STEPS, ">= 1.8")
        share = runs["products"].over(runs["bdlviz"])
        rows.append(Row(f"{name}: share of the products' speed", share))
    return rows + _small(rounds)


def _small(rounds: int) -> list[Row]:
    data = bdlviz.dataset("x_sin_x")
    contenders: dict[str, Contender] = {"bdlviz": lambda seed: _fit("bayes_by_backprop", data, seed, small=True)}
    for rival, make in available(LIBRARIES).items():
        contenders[rival] = _rival(make, data, "bayes_by_backprop", SMALL_SIZES, SMALL_STEPS)
    runs = interleave(contenders, rounds)
    return _compared(f"bayes_by_backprop, 1-64-64-1, batch {SMALL_BATCH}", runs, SMALL_STEPS, ">= 4")


def _compared(what: str, runs: dict[str, Runs], steps: int, target: str) -> list[Row]:
    """Rivals over bdlviz, the fastest with the target; all must have reached a similar loss."""
    mine = runs["bdlviz"]
    rivals = sorted(runs.keys() - {"bdlviz", "products"}, key=lambda name: float(np.median(runs[name].seconds)))
    for rival in rivals:
        ours, theirs = (float(np.mean(run.reached)) for run in (mine, runs[rival]))
        if abs(theirs - ours) > TOLERANCE * ours:
            raise AssertionError(f"{what}: {rival} reached {theirs:.4g} and bdlviz {ours:.4g}.")
    rows = []
    for rival in rivals:
        note = f"{_milliseconds(runs[rival], steps)} / {_milliseconds(mine, steps)} ms a step"
        rows.append(Row(f"{what}: {rival} / bdlviz", runs[rival].over(mine), target, note=note))
        target = ""  # the others are only reported
    return rows


def _milliseconds(runs: Runs, steps: int) -> str:
    return f"{1e3 * np.median(runs.seconds) / steps:.2g}"


def _contender(name: str, data: Dataset) -> Contender:
    return lambda seed: _fit(name, data, seed)


def _fit(name: str, data: Dataset, seed: int, small: bool = False) -> Array:
    """Train by bdlviz; the mean loss of the last fortieth of all steps."""
    start = {"start_rho": np.log(np.expm1(START_STD))} if name == "bayes_by_backprop" else {}
    start |= {} if start else {"start_log_std": np.log(START_STD)}
    fit = bdlviz.fit(
        name, data, seed=seed, kl_weight=KL_WEIGHT, learning_rate=LEARNING_RATE, schedule="constant",
        hidden=SMALL_SIZES[1:-1] if small else SIZES[1:-1],
        batch_size=SMALL_BATCH if small else BATCH,
        num_steps=SMALL_STEPS if small else NUM_STEPS,
        **({"noise_std": float(data.y.std())} if small else {}),  # the precision is then 1, as the rivals have it
        **start,
    )  # fmt: skip
    return fit.history["loss"][-4:].mean()


def _rival(make: Any, data: Dataset, name: str, sizes: tuple[int, ...], num_steps: int) -> Contender:
    """The usual loop: torch's own Adam, tensors in memory, no DataLoader."""
    is_small = sizes == SMALL_SIZES
    batch = SMALL_BATCH if is_small else BATCH
    x, y = data.x.astype(np.float32), data.y
    if is_small:
        x, y = ((a - a.mean(0)) / a.std(0) for a in (x, y.astype(np.float32)))
    inputs, targets = torch.from_numpy(np.ascontiguousarray(x)), torch.from_numpy(y)

    def run(seed: int) -> Array:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        net, objective = make(name, sizes)
        _start_alike(net)
        adam = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
        losses: list[float] = []
        order = torch.cat([torch.randperm(len(x)) for _ in range(-(-num_steps * batch // len(x)))])
        for some in order[: num_steps * batch].split(batch):
            adam.zero_grad()
            outputs, divergence = objective(inputs[some])
            if is_small:
                misfit = 0.5 * functional.mse_loss(outputs, targets[some])
            else:
                misfit = functional.cross_entropy(outputs, targets[some])
            loss = misfit + KL_WEIGHT * divergence / len(x)
            loss.backward()
            adam.step()
            losses.append(loss.item())
        return np.array(np.mean(losses[-num_steps // 10 :]))

    return run


def _start_alike(net: nn.Module) -> None:
    """Means as `MLP.init` draws them, and the same standard deviation everywhere."""
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if "rho" in name:
                parameter.fill_(float(np.log(np.expm1(START_STD))))
            elif "sigma" in name:
                parameter.fill_(float(np.log(START_STD)))
            elif parameter.ndim == 2:
                nn.init.xavier_uniform_(parameter)
            else:
                parameter.zero_()


def _stacked(layer: Callable[[int, int], nn.Module], sizes: tuple[int, ...]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise(sizes):
        layers += [layer(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def torchbnn(name: str, sizes: tuple[int, ...]) -> tuple[nn.Module, Objective]:
    """One draw of all weights a step; the divergence in closed form, by a second walk over the layers."""
    library = import_module("torchbnn")
    net = _stacked(lambda before, after: library.BayesLinear(0, 1.0, before, after), sizes)
    divergence = library.BKLLoss(reduction="sum", last_layer_only=False)
    return net, lambda x: (net(x), divergence(net))


def bayesian_torch(name: str, sizes: tuple[int, ...]) -> tuple[nn.Module, Objective]:
    """One draw of all weights a step. Its divergence is a mean over weights, here made the sum again."""
    layers = import_module("bayesian_torch.layers.variational_layers.linear_variational")
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
    """One draw of all weights a step; the divergence at that draw."""
    modules, losses = import_module("blitz.modules"), import_module("blitz.losses")
    net = _stacked(lambda before, after: modules.BayesianLinear(before, after, prior_sigma_1=1.0, prior_pi=1), sizes)
    return net, lambda x: (net(x), losses.kl_divergence_from_nn(net))


class UsualLinear(nn.Module):
    """Sparse variational dropout and ARD as notebooks have them (Molchanov et al. 2017; Kharitonov et al. 2018)."""

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
        """By the usual formulas, log alpha clipped as usual."""
        log_alpha = 2 * self.log_sigma - 2 * torch.log(torch.abs(self.weight) + SMALLEST)
        log_alpha = torch.clamp(log_alpha, -10, 10)
        half = 0.5 * torch.log1p(torch.exp(-log_alpha))
        if name == "ard":
            return half.sum()
        k1, k2, k3 = 0.63576, 1.87320, 1.48695
        return (k1 - k1 * torch.sigmoid(k2 + k3 * log_alpha) + half).sum()


def usual(name: str, sizes: tuple[int, ...]) -> tuple[nn.Module, Objective]:
    """Layers of `UsualLinear`."""
    net = _stacked(UsualLinear, sizes)

    def objective(x: Tensor) -> tuple[Tensor, Tensor]:
        divergence = sum((layer.divergence(name) for layer in net if isinstance(layer, UsualLinear)), torch.zeros(()))
        return net(x), divergence

    return net, objective


LIBRARIES = {"torchbnn": torchbnn, "bayesian_torch": bayesian_torch, "blitz": blitz}
USUAL = {"usual layer": usual}


def available(rivals: dict[str, Any]) -> dict[str, Any]:
    """Those rivals whose library is installed, and those that are written here."""
    return {name: make for name, make in rivals.items() if name not in LIBRARIES or find_spec(name)}


def products(num_steps: int) -> Array:
    """The matrix products of all steps and nothing else, of means and of variances, on one thread."""
    torch.set_num_threads(1)
    operands = 2 * list(_operands())
    for _ in range(num_steps):
        for a, b, out in operands:
            torch.mm(a, b, out=out)
    return np.array(0.0)


def _operands() -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Contiguous factors, and room for the product: forwards, by weights and by inputs."""
    for layer, (rows, columns) in enumerate(pairwise(SIZES)):
        shapes = [(BATCH, rows, columns), (rows, BATCH, columns), (BATCH, columns, rows)]
        for height, inner, width in shapes[: 3 if layer else 2]:
            yield torch.randn(height, inner), torch.randn(inner, width), torch.empty(height, width)
