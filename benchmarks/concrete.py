"""Concrete dropout: bdlviz against the usual layer in torch, since no compared library has one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import bdlviz
from bdlviz.fits import Fit
from bdlviz.types import Array
from benchmarks import cases
from benchmarks.cases import Case
from benchmarks.peers import check_alike, compared
from benchmarks.report import Row
from benchmarks.timing import Contender, Runs, interleave
from benchmarks.workload import LEARNING_RATE, NOISE_STD

USUAL = "usual layer"
START_RATE, TEMPERATURE, LENGTH_SCALE = 0.12, 0.1, 0.1
GRID = np.geomspace(LENGTH_SCALE, 1.0, 32).tolist()  # length-scales; the first is that of the single fit
TOLERANCE = 0.1
SMALLEST = 1e-7  # the constant that is usually added inside a logarithm


class ConcreteLinear(nn.Module):
    """A linear layer with a relaxed mask of its inputs and one learned rate (Gal, Hron & Kendall 2017)."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.linear = nn.Linear(before, after)
        self.drop_logit = nn.Parameter(torch.tensor(np.log(START_RATE / (1 - START_RATE)), dtype=torch.float32))

    def forward(self, x: Tensor) -> Tensor:
        rate, uniform = torch.sigmoid(self.drop_logit), torch.rand_like(x)
        odds = torch.log(rate + SMALLEST) - torch.log(1 - rate + SMALLEST)
        odds = odds + torch.log(uniform + SMALLEST) - torch.log(1 - uniform + SMALLEST)
        return self.linear(x * (1 - torch.sigmoid(odds / TEMPERATURE)) / (1 - rate))

    def divergence(self) -> Tensor:
        """The divergence from the prior, up to a constant, in nats."""
        rate = torch.sigmoid(self.drop_logit)
        squares = self.linear.weight.square().sum() / (1 - rate) + self.linear.bias.square().sum()
        negative_entropy = rate * torch.log(rate) + (1 - rate) * torch.log(1 - rate)
        return 0.5 * LENGTH_SCALE**2 * squares + self.linear.in_features * negative_entropy


def training(rounds: int, cores: int) -> list[Row]:
    """Rows for a curve (one fit, and a grid of 32 length-scales) and for digits, with one thread each."""
    rows: list[Row] = []
    for case, num_networks in ((cases.curve(NOISE_STD**-2), len(GRID)), (cases.digits(80), 1)):
        runs = interleave(_contenders(case, num_networks), rounds)
        what = f"concrete dropout, {case.what}, one step"
        rows += _rows(what, runs["bdlviz"], runs[USUAL], 1e3 / case.num_steps)
        if num_networks > 1:
            shared = Runs([seconds / num_networks for seconds in runs["grid"].seconds], runs["grid"].reached)
            rows += _rows(f"{what} of a network in a grid of {num_networks}", shared, runs[USUAL], 1e3 / case.num_steps)
    return rows


def _contenders(case: Case, num_networks: int) -> dict[str, Contender]:
    contenders: dict[str, Contender] = {
        "bdlviz": lambda seed: _ours(case, seed, GRID[:1]),
        USUAL: lambda seed: _usual(case, seed),
    }
    if num_networks > 1:
        contenders["grid"] = lambda seed: _ours(case, seed, GRID[:num_networks])
    return contenders


def _rows(what: str, mine: Runs, theirs: Runs, per: float) -> list[Row]:
    peers = {USUAL: theirs}
    check_alike(what, mine, peers, TOLERANCE)
    return compared(what, mine, peers, ">= 1.8", per, "ms")


def _ours(case: Case, seed: int, length_scales: list[float]) -> Array:
    """The negative bound of the network with the first length-scale, trained by bdlviz."""
    noise: dict[str, Any] = {} if case.is_classifier else {"noise_std": NOISE_STD}
    fit = bdlviz.fit(
        "concrete_dropout", case.data, seed=seed, hidden=case.hidden, batch_size=case.batch, num_steps=case.num_steps,
        learning_rate=LEARNING_RATE, schedule="constant", start_rate=START_RATE, temperature=TEMPERATURE,
        length_scale=length_scales, shared_rate=1, **noise,
    )  # fmt: skip
    return _bound(case, _module(case, fit))


def _module(case: Case, fit: Fit) -> nn.Sequential:
    """The first network of a fit as a torch module."""
    net = _network(case)
    with torch.no_grad():
        for layer, each in enumerate(_layers(net)):
            weight, bias, drop_logit = (
                torch.from_numpy(fit.single()[f"{kind}{layer}"].copy()) for kind in ("weight", "bias", "drop_logit")
            )
            each.linear.weight.copy_(weight.T)
            each.linear.bias.copy_(bias[0])
            each.drop_logit.copy_(drop_logit.squeeze())
    return net


def _network(case: Case) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise(case.sizes):
        layers += [ConcreteLinear(before, after), nn.ReLU()]
    net = nn.Sequential(*layers[:-1])
    case.start_alike(net)
    return net


def _layers(net: nn.Sequential) -> list[ConcreteLinear]:
    return [layer for layer in net if isinstance(layer, ConcreteLinear)]


def _divergence(net: nn.Sequential) -> Tensor:
    return torch.stack([layer.divergence() for layer in _layers(net)]).sum()


def _usual(case: Case, seed: int) -> Array:
    """The negative bound after the usual training loop: torch's Adam, tensors in memory, no DataLoader."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    net = _network(case)
    adam = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE)
    for x, y in case.minibatches():
        adam.zero_grad()
        loss = case.negative_log_likelihood(net(x), y) + _divergence(net) / case.data.num_data
        loss.backward()
        adam.step()
    return _bound(case, net)


def _bound(case: Case, net: nn.Sequential) -> Array:
    """Negative log-likelihood (with the same random masks for all contenders) plus divergence, per data point."""
    torch.manual_seed(0)
    x, y = case.tensors
    with torch.no_grad():
        negative_log_likelihood = torch.stack([case.negative_log_likelihood(net(x), y) for _ in range(10)]).mean()
        return (negative_log_likelihood + _divergence(net) / len(x)).numpy()
