"""Functions that measure published numbers: each returns one value per seed for each of its claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

import numpy as np

from bdlviz import data
from bdlviz.fits import Fit, GenerativeFit, fit
from bdlviz.fitted import shelf
from bdlviz.models.likelihoods import Categorical
from bdlviz.predictive.calibration import accuracy
from bdlviz.published.authors_study import AUTHORS_WIDTH, authors_study
from bdlviz.published.claims import (
    ACCURACY_TABLE,
    AUTHORS_STUDY,
    BLUNDELL,
    BLUNDELL_TRAINING,
    CLAIMS,
    DIGITS_LOG,
    LENET_TRAINING,
    VAE_LOG,
    WAYS,
)
from bdlviz.types import Array, Dataset

Values = Mapping[str, Sequence[float]]  # claim -> one value for each seed

LOG_SEEDS = tuple(range(40))  # of our runs, for comparison with a single published run
SEEDS = (0, 1, 2, 3, 4)
FEW_SEEDS = (0, 1, 2)  # of networks on all of MNIST
NUM_SAMPLES = 200  # as for the lecture's table
NUM_DRAWS = 100  # as for the table of Blundell et al.


def vae_log() -> Values:
    """The lecture's VAE: the first epochs of its training log, over many seeds."""
    dataset, num_epochs = data.load("mnist-1000"), len(VAE_LOG)
    values: dict[str, list[float]] = {}
    for seed in LOG_SEEDS:  # its first 50 epochs have one learning rate
        trained = fit("vae", dataset, latent_dim=20, seed=seed, num_epochs=num_epochs, schedule="constant")
        for epoch, value in enumerate(_plain(trained.history["elbo"]), 1):
            values.setdefault(f"vae_log_{epoch}", []).append(value)
    return values


def vae_100() -> Values:
    """The lecture's VAE after 100 epochs over five seeds: the bound in training, and of the held-out images."""
    dataset = data.load("mnist-1000")
    whole = fit("vae", dataset, latent_dim=20, seed=SEEDS)
    fits = [cast(GenerativeFit, whole.cell(seed=seed)) for seed in SEEDS]
    train = np.array([each.history["elbo"][-1] for each in fits])
    held_out = np.array([each.elbo(dataset.x_test, 20).mean() for each in fits])
    return {"vae_train_100": _plain(train), "vae_test_100": _plain(held_out)}


class _Watched(Categorical):
    """Records cross-entropy and accuracy of every minibatch; the history of a fit has only the loss with penalty."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    def loss(self, outputs: Array, y: Array) -> Array:
        found = super().loss(outputs, y)
        self.seen.append((float(found.mean()), float((outputs.argmax(-1) == y[..., 0]).mean())))
        return found


def mc_dropout_log() -> Values:
    """The lecture's training log of MC dropout, in three parts, over many seeds."""
    dataset, num_epochs = data.load("mnist-1000"), len(DIGITS_LOG["penalty"])
    values: dict[str, list[float]] = {}
    for seed in LOG_SEEDS:
        watched = _Watched()
        trained = fit("mc_dropout", dataset, seed=seed, num_epochs=num_epochs, schedule="constant", likelihood=watched)
        cross_entropy, right = np.reshape(watched.seen, (num_epochs, -1, 2)).mean(1).T
        penalty = 1000 * (trained.history["loss"] - cross_entropy)
        parts = {"cross_entropy": cross_entropy, "penalty": penalty, "accuracy": 100 * right}
        for quantity, log in parts.items():
            for epoch, value in enumerate(_plain(log), 1):
                values.setdefault(f"mc_dropout_{quantity}_{epoch}", []).append(value)
    return values


def digits_accuracy(method: str) -> Values:
    """A row of the lecture's table of test accuracies, over five seeds."""
    dataset = data.load("mnist-1000")
    values: dict[str, list[float]] = {}
    ways = [way for way, number in zip(WAYS, ACCURACY_TABLE[method], strict=True) if number is not None]
    for seed in SEEDS:
        trained = fit(method, dataset, seed=seed)
        for way in ways:
            found = trained.predict(dataset.x_test, NUM_SAMPLES, with_dropout=way == "monte_carlo").mean
            percent = round(100 * accuracy(found, dataset.y_test), 4)
            values.setdefault(f"accuracy_{method}_{way}", []).append(percent)
    return values


def concrete_authors() -> Values:
    """The authors' study at their width: the shipped repeat of `python -m bdlviz train concrete_authors`, and two more.

    The shipped one has seed 0.
    """
    _, extra = shelf.shipped("concrete_authors")
    shipped = {name: extra[f"wide_{name}"] for name in ("rates", "aleatoric", "epistemic")}
    counts, steps = (extra[name].tolist() for name in ("num_data", "num_steps"))
    more, _ = authors_study(counts, steps, AUTHORS_WIDTH, FEW_SEEDS[1:])
    rates, aleatoric, epistemic = (np.concatenate([shipped[name], more[name]]) for name in shipped)
    found = {"hidden": rates[..., 1:].mean(-1), "input": rates[..., 0], "aleatoric": aleatoric, "epistemic": epistemic}
    at = {count: counts.index(count) for count in AUTHORS_STUDY}
    return {f"concrete_{name}_{count}": _plain(each[:, at[count]]) for name, each in found.items() for count in at}


def lenet(method: str) -> Values:
    """Pruned LeNet-300-100: values of the checkpoints of `python -m bdlviz train pruned_mnist_METHOD`."""
    _, extra = shelf.shipped(f"pruned_mnist_{method}")
    name, shares = f"lenet_{method}", 100 * extra["seed_sparsity"]  # (R, L)
    found = {f"{name}_error": 100 * (1 - extra["seed_accuracy"]), f"{name}_compression": extra["seed_compression"]}
    found |= {f"{name}_layer_{layer}": shares[:, layer] for layer in range(shares.shape[1])}
    return {claim.name: _plain(found[claim.name]) for claim in CLAIMS if claim.name in found}


def lenet_original() -> Values:
    """LeNet-300-100 without pruning."""
    dataset = data.load("mnist")
    fits = (fit("map", dataset, seed=seed, **LENET_TRAINING) for seed in FEW_SEEDS)
    return {"lenet_original": [_error(each, dataset, 1) for each in fits]}


def blundell(row: str) -> Values:
    """A row of Blundell et al.'s table, on all of MNIST."""
    dataset, name = data.load("mnist"), f"blundell_{row}"
    settings = BLUNDELL_TRAINING | BLUNDELL[row].settings
    fits = (fit(BLUNDELL[row].method, dataset, seed=seed, **settings) for seed in FEW_SEEDS)
    return {name: [_error(each, dataset, NUM_DRAWS) for each in fits]}


def _error(trained: Fit, dataset: Dataset, num_draws: int) -> float:
    """The error rate of the mean of the draws on test images, in %."""
    return round(100 * (1 - accuracy(trained.predict(dataset.x_test, num_draws).mean, dataset.y_test)), 4)


def bayes_small_sigma() -> Values:
    """Bayes by Backprop with nearly constant sigma: values of the checkpoint ``bayes_mnist_small_sigma``."""
    _, extra = shelf.shipped("bayes_mnist_small_sigma")
    return {"bayes_small_sigma": _plain(100 * extra["error_many"])}


MEASUREMENTS: dict[str, Callable[[], Values]] = {
    "vae_log": vae_log,
    "vae_100": vae_100,
    "mc_dropout_log": mc_dropout_log,
    "concrete_authors": concrete_authors,
    **{f"lenet_{method}": partial(lenet, method) for method in ("sparse_variational_dropout", "ard")},
    "lenet_original": lenet_original,
    **{f"blundell_{row}": partial(blundell, row) for row in BLUNDELL},
    "bayes_small_sigma": bayes_small_sigma,
    **{f"accuracy_{method}": partial(digits_accuracy, method) for method in ACCURACY_TABLE},
}


def _plain(array: Array) -> list[float]:
    return [round(float(value), 4) for value in array]
