"""Training code as in a typical notebook: nn.Sequential, torch.optim.Adam, a Python loop."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from bdlviz.types import Array
from benchmarks.timing import fastest
from benchmarks.workload import LEARNING_RATE, Workload

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh}
TRIAL_STEPS = 100


def network(work: Workload) -> nn.Sequential:
    """Linear, activation, Dropout, ..., Linear."""
    layers: list[nn.Module] = []
    for rows, columns in zip(work.sizes, work.sizes[1:], strict=False):
        layers += [nn.Linear(rows, columns), ACTIVATIONS[work.activation](), nn.Dropout(work.dropout_rate)]
    return nn.Sequential(*layers[:-2])


def optimiser(net: nn.Sequential, work: Workload, fused: bool = False) -> torch.optim.Adam:
    """Adam with weight decay on weights only; torch's penalty has a factor 1/2, bdlviz's penalty has none."""
    weights = [p for p in net.parameters() if p.ndim == 2]
    biases = [p for p in net.parameters() if p.ndim == 1]
    groups = [{"params": weights, "weight_decay": 2 * work.weight_decay}, {"params": biases}]
    return torch.optim.Adam(groups, lr=LEARNING_RATE, fused=fused or None)


def train(work: Workload, seed: int, threads: int, fused: bool = False, num_steps: int | None = None) -> nn.Sequential:
    """The usual loop. The minibatches are drawn beforehand, which is faster than a DataLoader."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    net = network(work)
    adam = optimiser(net, work, fused)
    x, y = map(torch.from_numpy, work.columns)
    is_full = work.num_batch == work.num_data
    for indices in torch.from_numpy(work.minibatches(seed)[:num_steps]):
        inputs, targets = (x, y) if is_full else (x[indices], y[indices])
        adam.zero_grad()
        loss = 0.5 * functional.mse_loss(net(inputs), targets)
        loss.backward()
        adam.step()
    return net


def best_threads(work: Workload, cores: int) -> int:
    """One thread or two, depending on which runs the loop faster on this machine."""
    return fastest({n: lambda n=n: train(work, 0, n, num_steps=TRIAL_STEPS) for n in range(1, min(2, cores) + 1)})


def params(net: nn.Sequential) -> dict[str, Array]:
    """Weights (in, out) and biases by the names that bdlviz gives them."""
    linear = [layer for layer in net if isinstance(layer, nn.Linear)]
    weights = {f"weight{i}": layer.weight.detach().numpy().T for i, layer in enumerate(linear)}
    return weights | {f"bias{i}": layer.bias.detach().numpy() for i, layer in enumerate(linear)}


def loss(work: Workload, seed: int, threads: int, fused: bool = False) -> Array:
    """Train and return the final loss."""
    return work.final_loss(params(train(work, seed, threads, fused)))


def draws(net: nn.Sequential, x: Tensor, num_samples: int, threads: int) -> Array:
    """Stochastic forward passes one by one: mean and standard deviation at every input, (2, N)."""
    torch.set_num_threads(threads)
    net.train()
    with torch.no_grad():
        outputs = torch.stack([net(x) for _ in range(num_samples)])
    return np.stack([outputs.mean(0)[:, 0].numpy(), outputs.std(0)[:, 0].numpy()])
