"""Autoencoders: the lecture's VAE against the eager loop and the matrix products alone, and t-SNE of its codes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import cast

import numpy as np
import torch
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits
from torch import Tensor, nn
from torch.nn import functional

import bdlviz
from bdlviz.data import available
from bdlviz.fits import GenerativeFit
from bdlviz.predictive.embedding import NUM_ITERATIONS, embed
from bdlviz.types import Array, Dataset
from benchmarks.report import Row
from benchmarks.timing import Runs, Spread, check_same, fastest, interleave

HIDDEN, LATENT_DIM = 500, 20
NUM_EPOCHS, BATCH = 100, 100
NUM_CODES = 1000
TRIAL_EPOCHS = 3


def training(rounds: int, cores: int) -> list[Row]:
    """One VAE 784-500-500-20 on MNIST-1000: 100 epochs, that is 1,000 steps."""
    dataset = images()
    shares = range(1, min(2, cores) + 1)
    best = fastest({n: lambda n=n: eager(dataset, 0, n, TRIAL_EPOCHS) for n in shares})
    contenders = {
        "bdlviz": lambda seed: fitted(dataset, seed),
        "products": lambda seed: products(NUM_EPOCHS * len(dataset.x) // BATCH),
        "eager": lambda seed: eager(dataset, seed, 1, NUM_EPOCHS),
    }
    if best > 1:
        contenders["threaded"] = lambda seed: eager(dataset, seed, best, NUM_EPOCHS)
    runs = interleave(contenders, rounds)
    check_same("VAE", *(run for name, run in runs.items() if name != "products"))
    mine, what = runs["bdlviz"], f"VAE 784-500-500-{LATENT_DIM}, {NUM_EPOCHS} epochs of 1,000 images"
    note = f"{_seconds(runs['eager'])} / {_seconds(mine)} s; both on one thread"
    rows = [
        Row(f"{what}: eager / bdlviz", runs["eager"].over(mine), ">= 1.6", note=note),
        Row(f"{what}: share of the products' speed", runs["products"].over(mine), ">= 0.65"),
        Row(what, Spread.of(mine.seconds), unit="s"),
    ]
    if best > 1:
        rows.append(Row(f"{what}: eager on {best} threads / bdlviz on one", runs["threaded"].over(mine)))
    return rows


def embedding(rounds: int, cores: int) -> list[Row]:
    """t-SNE of the VAE's codes on one thread, against scikit-learn's for as many iterations."""
    dataset = images()
    codes = cast(GenerativeFit, bdlviz.fit("vae", dataset, latent_dim=LATENT_DIM, num_epochs=20)).encode(dataset.x)[0]
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
    """MNIST-1000; where it is not here, blurred noise of the same shape, which takes the same time."""
    if available("mnist-1000"):
        return bdlviz.dataset("mnist-1000")
    rng = np.random.default_rng(0)
    x = (rng.random((1000, 4)) @ rng.random((4, 784)) / 4).astype(np.float32)
    return Dataset("noise", "Noise", x, np.arange(1000) % 10, task="classification", image_shape=(28, 28))


def fitted(dataset: Dataset, seed: int) -> Array:
    """Train by bdlviz; the last epoch's training ELBO."""
    fit = bdlviz.fit("vae", dataset, seed=seed, latent_dim=LATENT_DIM, num_epochs=NUM_EPOCHS)
    return fit.history["elbo"][-1]


class Eager(nn.Module):
    """The VAE as everybody writes it: a sigmoid at the end, binary cross-entropy on probabilities."""

    def __init__(self, num_pixels: int) -> None:
        super().__init__()
        self.encoder = _mlp(num_pixels, HIDDEN, HIDDEN, 2 * LATENT_DIM)
        self.decoder = nn.Sequential(*_mlp(LATENT_DIM, HIDDEN, HIDDEN, num_pixels), nn.Sigmoid())

    def forward(self, x: Tensor) -> Tensor:
        """The negative bound, mean over images."""
        mean, rho = self.encoder(x).chunk(2, dim=-1)
        std = functional.softplus(rho)
        pixels = self.decoder(mean + std * torch.randn_like(std))
        misfit = functional.binary_cross_entropy(pixels, x, reduction="none").sum(-1)
        kl = 0.5 * (mean.square() + std.square() - 2 * std.log() - 1).sum(-1)
        return (misfit + kl).mean()


def eager(dataset: Dataset, seed: int, threads: int, num_epochs: int) -> Array:
    """The usual loop with torch's own Adam; tensors in memory, no DataLoader. The last epoch's training ELBO."""
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    x = torch.from_numpy(dataset.x)
    net = Eager(x.shape[1])
    adam = torch.optim.Adam(net.parameters(), lr=1e-3)
    losses: list[float] = []
    for epoch in range(num_epochs):
        adam.param_groups[0]["lr"] = 1e-3 if 2 * epoch < num_epochs else 1e-4
        losses = []
        for batch in torch.randperm(len(x)).split(BATCH):
            adam.zero_grad()
            loss = net(x[batch])
            loss.backward()
            adam.step()
            losses.append(loss.item())
    return np.array(-np.mean(losses))


def products(num_steps: int) -> Array:
    """The matrix products of all steps and nothing else, in the order of a step, on one thread."""
    torch.set_num_threads(1)
    operands = list(_operands())
    for _ in range(num_steps):
        for a, b, out in operands:
            torch.mm(a, b, out=out)
    return np.array(0.0)


def _operands() -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Contiguous factors, and room for the product, of all layers: forwards, then by weights and by inputs."""
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
    """Linear, ReLU, ..., Linear, from Glorot's weights and zero biases."""
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
    return f"{np.median(runs.seconds):.2g}"
