"""Deep ensembles of five networks: bdlviz, a loop of single fits, torch.func and a library."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

import bdlviz
from bdlviz.types import Array
from benchmarks import cases
from benchmarks.cases import Case
from benchmarks.peers import check_alike, compared, imported
from benchmarks.report import Row
from benchmarks.timing import Contender, interleave
from benchmarks.workload import LEARNING_RATE

NUM_MEMBERS = 5
WEIGHT_DECAY = 1e-4
TOLERANCE = 0.15
LIBRARY = "torch_uncertainty.methods"


def training(rounds: int, cores: int) -> list[Row]:
    """Rows for a curve and for digits, with one thread each."""
    return [row for case in (cases.curve(), cases.digits(40)) for row in _rows(case, rounds)]


def _rows(case: Case, rounds: int) -> list[Row]:
    contenders: dict[str, Contender] = {
        "bdlviz": lambda seed: _ours(case, seed),
        "loop of fits": lambda seed: _loop(case, seed, fused=False),
        "loop of fits with fused Adam": lambda seed: _loop(case, seed, fused=True),
        "torch.func.vmap": lambda seed: _stacked(case, seed),
    }
    library = imported(LIBRARY)
    if library is not None:
        contenders["torch-uncertainty"] = lambda seed: _library(library, case, seed)
    runs = interleave(contenders, rounds)
    mine, what = runs.pop("bdlviz"), f"{NUM_MEMBERS} members, {case.what}, one step of all"
    check_alike(what, mine, runs, TOLERANCE)
    return compared(what, mine, runs, ">= 1.8", 1e3 / case.num_steps, "ms")


def _ours(case: Case, seed: int) -> Array:
    fit = bdlviz.fit(
        "deep_ensemble", case.data, seed=seed, hidden=case.hidden, batch_size=case.batch, num_steps=case.num_steps,
        learning_rate=LEARNING_RATE, schedule="constant", weight_decay=WEIGHT_DECAY, num_members=NUM_MEMBERS,
    )  # fmt: skip
    members = []
    for member in range(NUM_MEMBERS):
        net = _network(case)
        for layer, linear in enumerate(each for each in net if isinstance(each, nn.Linear)):
            linear.weight.data = torch.from_numpy(fit.params[f"weight{layer}"][0, 0, member].T.copy())
            linear.bias.data = torch.from_numpy(fit.params[f"bias{layer}"][0, 0, member, 0].copy())
        members.append(net)
    return _final_loss(case, members)


def _network(case: Case) -> nn.Sequential:
    """Linear, ReLU, ..., Linear."""
    layers: list[nn.Module] = []
    for before, after in pairwise(case.sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    net = nn.Sequential(*layers[:-1])
    case.start_alike(net)
    return net


def _final_loss(case: Case, members: Sequence[nn.Module]) -> Array:
    """Mean loss of the members on all data."""
    x, y = case.tensors
    with torch.no_grad():
        return torch.stack([case.negative_log_likelihood(member(x), y) for member in members]).mean().numpy()


def _adam(parameters: Sequence[Tensor], dims: int, fused: bool) -> torch.optim.Adam:
    """Adam with weight decay on weights, which have ``dims`` axes; torch's penalty has a factor 1/2, bdlviz's none."""
    weights = [each for each in parameters if each.ndim == dims]
    biases = [each for each in parameters if each.ndim < dims]
    groups: list[dict[str, Any]] = [{"params": weights, "weight_decay": 2 * WEIGHT_DECAY}, {"params": biases}]
    return torch.optim.Adam(groups, lr=LEARNING_RATE, fused=fused or None)


def _start(seed: int) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(seed)


def _loop(case: Case, seed: int, fused: bool) -> Array:
    """The final loss after training one network after the other."""
    _start(seed)
    members = [_network(case) for _ in range(NUM_MEMBERS)]
    for net in members:
        adam = _adam(list(net.parameters()), 2, fused)
        for x, y in case.minibatches():
            adam.zero_grad()
            case.negative_log_likelihood(net(x), y).backward()
            adam.step()
    return _final_loss(case, members)


def _stacked(case: Case, seed: int) -> Array:
    """The final loss after training all networks together with torch.func and fused Adam; minibatches are shared."""
    _start(seed)
    members = [_network(case) for _ in range(NUM_MEMBERS)]
    parameters, _ = stack_module_state(members)
    skeleton = copy.deepcopy(members[0]).to("meta")

    def loss(weights: dict[str, Tensor], x: Tensor, y: Tensor) -> Tensor:
        return case.negative_log_likelihood(functional_call(skeleton, weights, (x,)), y)

    losses = vmap(loss, in_dims=(0, None, None))
    adam = _adam(list(parameters.values()), 3, fused=True)
    for x, y in case.minibatches():
        adam.zero_grad()
        losses(parameters, x, y).sum().backward()
        adam.step()
    with torch.no_grad():
        x, y = case.tensors
        return losses(parameters, x, y).mean().numpy()


def _library(library: Any, case: Case, seed: int) -> Array:
    """The final loss of the ensemble of torch-uncertainty, whose members are trained together with fused Adam."""
    _start(seed)
    kind = {"task": "classification"} if case.is_classifier else {"task": "regression", "probabilistic": False}
    ensemble = library.deep_ensembles(_network(case), num_estimators=NUM_MEMBERS, **kind)
    case.start_alike(ensemble)  # the library has drawn new weights
    adam = _adam(list(ensemble.parameters()), 2, fused=True)
    for x, y in case.minibatches():
        adam.zero_grad()
        repeated = y.repeat(NUM_MEMBERS, *[1] * (y.ndim - 1))
        (NUM_MEMBERS * case.negative_log_likelihood(ensemble(x), repeated)).backward()
        adam.step()
    return _final_loss(case, list(ensemble.core_models))
