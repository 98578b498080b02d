"""Training of the lecture's VAE, compared with torch, Pyro and its matrix products alone; t-SNE of its codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice, pairwise
from typing import Any

import numpy as np
import torch
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits
from torch import Tensor, nn
from torch.nn import functional

import bdlviz
from bdlviz.data import available
from bdlviz.predictive.embedding import NUM_ITERATIONS, embed
from bdlviz.types import Array, Dataset
from benchmarks.report import Row
from benchmarks.timing import Contender, Runs, Spread, interleave

HIDDEN, LATENT_DIM = 500, 20
BATCH, LEARNING_RATE = 100, 1e-3
NUM_EPOCHS, MANY_IMAGES = 100, 60_000
TIMED_STEPS = 60  # all steps take the same time, except the first, which includes the setup
NUM_CODES = 1000
MARGIN = 0.01  # relative difference of bounds that is allowed in addition to standard errors, early in training


@dataclass(frozen=True)
class Training:
    """A training of ``num_steps`` steps on minibatches of these images."""

    what: str
    data: Dataset
    num_steps: int

    @property
    def per_epoch(self) -> int:
        """The number of steps in one epoch."""
        return len(self.data.x) // BATCH

    def reached(self, losses: list[float]) -> Array:
        """The mean bound over the last epoch, which may be incomplete, as bdlviz records it."""
        return np.array(-np.mean(losses[-(len(losses) % self.per_epoch or self.per_epoch) :]))

    def whole(self, first: Runs, timed: Runs) -> Runs:
        """Extrapolated runs of all steps, from the runs of the first step alone and of the first `TIMED_STEPS`."""
        share, one = (self.num_steps - 1) / (TIMED_STEPS - 1), min(first.seconds)
        if min(timed.seconds) <= one:
            raise RuntimeError(f"{TIMED_STEPS} steps took no longer than one step: this machine is too busy.")
        return Runs([one + share * (some - one) for some in timed.seconds], timed.reached)


Way = Callable[[Training, int, int], Array]  # (training, seed, number of steps) -> the bound it reached


def training(rounds: int, cores: int) -> list[Row]:
    """Rows for one VAE 784-500-500-20 on 1,000 images for 100 epochs."""
    data = images()
    return _compared(
        Training(f"{NUM_EPOCHS} epochs of 1,000 images", data, NUM_EPOCHS * len(data.x) // BATCH), rounds, cores
    )


def epoch(rounds: int, cores: int) -> list[Row]:
    """Rows for one epoch of the same VAE with as many images as MNIST has, resampled from the 1,000 images."""
    data = images()
    chosen = np.random.default_rng(0).integers(len(data.x), size=MANY_IMAGES)
    many = Dataset("many", data.title, data.x[chosen], data.y[chosen], task=data.task, image_shape=data.image_shape)
    return _compared(Training(f"an epoch of {MANY_IMAGES:,} images", many, MANY_IMAGES // BATCH), rounds, cores)


def _compared(work: Training, rounds: int, cores: int) -> list[Row]:
    """Rows that compare every loop with bdlviz; all must reach the same bound."""
    loops: dict[str, Way] = {"eager": eager, "eager with fused Adam": partial(eager, fused=True)}
    if find_spec("pyro"):
        loops["pyro"] = by_pyro
    threaded: dict[str, Way] = {}
    if cores > 1:
        threaded[f"eager with fused Adam on {cores} threads"] = partial(eager, fused=True, threads=cores)
    ways: dict[str, Way] = {"bdlviz": fitted, "products": products, **loops, **threaded}
    lengths = {f"{name} {steps}": (way, steps) for name, way in ways.items() for steps in (1, TIMED_STEPS)}
    timed = interleave({name: _contender(work, *how) for name, how in lengths.items()}, rounds)
    runs = {name: work.whole(timed[f"{name} 1"], timed[f"{name} {TIMED_STEPS}"]) for name in ways}
    _check_same({name: run for name, run in runs.items() if name != "products"})
    return _rows(work, runs, sorted(loops, key=lambda name: float(np.median(runs[name].seconds))), list(threaded))


def _check_same(runs: dict[str, Runs]) -> None:
    """Fail unless all bounds agree within five standard errors (with a common variance over seeds) plus 1 %."""
    reached = np.array([run.reached for run in runs.values()])
    means = dict(zip(runs, reached.mean(1), strict=True))
    allowed = 5 * np.sqrt(2 * reached.var(1, ddof=1).mean() / reached.shape[1]) + MARGIN * abs(means["bdlviz"])
    if np.ptp([*means.values()]) > allowed:
        raise AssertionError(f"VAE: the bounds {means} differ by more than {allowed:.3g}.")


def _contender(work: Training, way: Way, num_steps: int) -> Contender:
    return lambda seed: way(work, seed, num_steps)


def _rows(work: Training, runs: dict[str, Runs], loops: list[str], threaded: list[str]) -> list[Row]:
    mine, what = runs["bdlviz"], f"VAE 784-500-500-{LATENT_DIM}, {work.what}"
    rows = []
    for name in [*loops, *threaded]:
        note = f"{_seconds(runs[name])} / {_seconds(mine)} s"
        note += "; the fastest loop, one thread each" if name == loops[0] else ""
        target = ">= 1.6" if name == loops[0] else ""
        rows.append(Row(f"{what}: {name} / bdlviz", runs[name].over(mine), target, note=note))
    extrapolated = f"from {TIMED_STEPS} of {work.num_steps:,} steps; images: {work.data.title}"
    return [
        *rows,
        Row(f"{what}: share of the products' speed", runs["products"].over(mine), ">= 0.65", note="one thread each"),
        Row(what, Spread.of(mine.seconds), unit="s", note=extrapolated),
    ]


def embedding(rounds: int, cores: int) -> list[Row]:
    """Rows for t-SNE of the codes, compared with scikit-learn for as many iterations; one thread each."""
    dataset = images()
    codes = bdlviz.fit("vae", dataset, latent_dim=LATENT_DIM, num_epochs=20).encode(dataset.x)[0]
    contenders = {
        "bdlviz": lambda seed: embed(codes).std(0),
        "sklearn": lambda seed: _by_sklearn(codes, seed).std(0),
    }
    runs = interleave(contenders, rounds)
    what = f"t-SNE of {NUM_CODES:,} codes"
    return [
        Row(what, Spread.of(runs["bdlviz"].seconds), "<= 5", "s"),
        Row(f"{what}: scikit-learn / bdlviz", runs["sklearn"].over(runs["bdlviz"]), note="one thread each"),
    ]


def images() -> Dataset:
    """MNIST-1000; if it is missing, smooth noise of the same shape, which takes the same time."""
    if available("mnist-1000"):
        return bdlviz.dataset("mnist-1000")
    rng = np.random.default_rng(0)
    x = (rng.random((1000, 4)) @ rng.random((4, 784)) / 4).astype(np.float32)
    return Dataset("noise", "Noise", x, np.arange(1000) % 10, task="classification", image_shape=(28, 28))


def fitted(work: Training, seed: int, num_steps: int) -> Array:
    """The last recorded training ELBO of a VAE trained by bdlviz."""
    settings: dict[str, Any] = {"latent_dim": LATENT_DIM, "batch_size": BATCH, "schedule": "constant"}
    fit = bdlviz.fit("vae", work.data, seed=seed, num_steps=num_steps, learning_rate=LEARNING_RATE, **settings)
    return fit.history["elbo"][-1]


class Eager(nn.Module):
    """The VAE as it is usually written: a final sigmoid, and binary cross-entropy of probabilities."""

    def __init__(self, num_pixels: int) -> None:
        super().__init__()
        self.encoder = _mlp(num_pixels, HIDDEN, HIDDEN, 2 * LATENT_DIM)
        self.decoder = nn.Sequential(*_mlp(LATENT_DIM, HIDDEN, HIDDEN, num_pixels), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        """The negative bound, mean over images."""
        mean, rho = self.encoder(x).chunk(2, dim=-1)
        std = functional.softplus(rho)
        pixels = self.decoder(mean + std * torch.randn_like(std))
        negative_log_likelihood = functional.binary_cross_entropy(pixels, x, reduction="none").sum(-1)
        kl = 0.5 * (mean.square() + std.square() - 2 * std.log() - 1).sum(-1)
        return (negative_log_likelihood + kl).mean()


def eager(work: Training, seed: int, num_steps: int, threads: int = 1, fused: bool = False) -> Array:
    """The training ELBO of the last steps in the usual loop: torch's Adam, tensors in memory, no DataLoader."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    net = Eager(work.data.x.shape[1])
    adam = torch.optim.Adam(net.parameters(), lr=LEARNING_RATE, fused=fused or None)
    losses: list[float] = []
    for batch in minibatches(work, num_steps):
        adam.zero_grad()
        loss = net(batch)
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return work.reached(losses)


def by_pyro(work: Training, seed: int, num_steps: int) -> Array:
    """The training ELBO of the last steps with Pyro's stochastic variational inference of the same two networks."""
    pyro, dist, infer, optim = (import_module(f"pyro{part}") for part in ("", ".distributions", ".infer", ".optim"))
    torch.set_num_threads(1)
    pyro.set_rng_seed(seed)
    pyro.clear_param_store()
    pyro.enable_validation(False)
    net = Eager(work.data.x.shape[1])

    def model(x: Tensor) -> None:
        pyro.module("decoder", net.decoder)
        with pyro.plate("images", len(x)):
            code = pyro.sample("code", dist.Normal(x.new_zeros(len(x), LATENT_DIM), 1.0).to_event(1))
            pyro.sample("pixels", dist.Bernoulli(net.decoder(code)).to_event(1), obs=x)

    def guide(x: Tensor) -> None:
        pyro.module("encoder", net.encoder)
        with pyro.plate("images", len(x)):
            mean, rho = net.encoder(x).chunk(2, dim=-1)
            pyro.sample("code", dist.Normal(mean, functional.softplus(rho)).to_event(1))

    svi = infer.SVI(model, guide, optim.Adam({"lr": LEARNING_RATE}), loss=infer.Trace_ELBO())
    return work.reached([svi.step(batch) / BATCH for batch in minibatches(work, num_steps)])


def minibatches(work: Training, num_steps: int) -> Iterator[Tensor]:
    """The images of every step, in a new order each epoch."""
    x = torch.from_numpy(work.data.x)
    epochs = -(-num_steps // work.per_epoch)
    batches = (batch for _ in range(epochs) for batch in torch.randperm(len(x)).split(BATCH))
    yield from (x[batch] for batch in islice(batches, num_steps))


def products(work: Training, seed: int, num_steps: int) -> Array:
    """Compute only the matrix products of all steps, in the order of a step, on one thread."""
    torch.set_num_threads(1)
    operands = list(_operands())
    for _ in range(num_steps):
        for a, b, out in operands:
            torch.mm(a, b, out=out)
    return np.array(0.0)


def _operands() -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Contiguous factors and results of the products of all layers: forward, then gradients of weights and inputs."""
    shapes = [(784, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 2 * LATENT_DIM)]
    shapes += [(LATENT_DIM, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 784)]
    generator = torch.Generator().manual_seed(0)

    def product(rows: int, inner: int, columns: int) -> tuple[Tensor, Tensor, Tensor]:
        a, b = (torch.randn(size, generator=generator) for size in ((rows, inner), (inner, columns)))
        return a, b, torch.empty(rows, columns)

    yield from (product(BATCH, rows, columns) for rows, columns in shapes)
    for layer, (rows, columns) in reversed(list(enumerate(shapes))):
        yield product(rows, BATCH, columns)
        if layer:
            yield product(BATCH, columns, rows)


def _mlp(*sizes: int) -> nn.Sequential:
    """Linear, ReLU, ..., Linear, with Glorot weights and zero biases."""
    layers: list[nn.Module] = []
    for rows, columns in pairwise(sizes):
        linear = nn.Linear(rows, columns)
        nn.init.xavier_uniform_(linear.weight)
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def _by_sklearn(codes: Array, seed: int) -> Array:
    with threadpool_limits(1):
        return TSNE(init="pca", max_iter=NUM_ITERATIONS, random_state=seed).fit_transform(codes)


def _seconds(runs: Runs) -> str:
    return f"{np.median(runs.seconds):.3g}"
