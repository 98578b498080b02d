"""Functions that measure what sources print: one value per seed for each claim that they cover."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import cast

import numpy as np

from bdlviz import data, shelf
from bdlviz.fits import GenerativeFit, fit
from bdlviz.models.likelihoods import Categorical
from bdlviz.predictive.calibration import accuracy
from bdlviz.published.claims import ACCURACY_TABLE, AUTHORS_STUDY, CLAIMS, DIGITS_LOG, VAE_LOG, WAYS
from bdlviz.types import Array

Values = Mapping[str, Sequence[float]]  # claim -> one value for each seed

VAE_SEEDS = (0, 1, 2, 3, 4)


def vae_log() -> Values:
    """The lecture's VAE over five seeds: its training log, and the bound of the held-out images at the end."""
    dataset = data.load("mnist-1000")
    whole = fit("vae", dataset, latent_dim=20, seed=VAE_SEEDS)
    fits = [cast(GenerativeFit, whole.cell(seed=seed)) for seed in VAE_SEEDS]
    logs = np.array([each.history["elbo"] for each in fits])
    values = {f"vae_log_{epoch}": logs[:, epoch - 1] for epoch in range(1, len(VAE_LOG) + 1)}
    values["vae_train_100"] = logs[:, -1]
    values["vae_test_100"] = np.array([each.elbo(dataset.x_test, 20).mean() for each in fits])
    return {name: _plain(array) for name, array in values.items()}


DIGITS_SEEDS = (0, 1, 2, 3, 4)
NUM_SAMPLES = 200


class _Watched(Categorical):
    """Notes cross-entropy and accuracy of every minibatch: what a fit's history has is the loss with its penalty."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, float]] = []

    def loss(self, outputs: Array, y: Array) -> Array:
        found = super().loss(outputs, y)
        self.seen.append((float(found.mean()), float((outputs.argmax(-1) == y[..., 0]).mean())))
        return found


def mc_dropout_log() -> Values:
    """The lecture's training log of MC dropout, in three parts, over five seeds."""
    dataset, num_epochs = data.load("mnist-1000"), len(DIGITS_LOG["penalty"])
    values: dict[str, list[float]] = {}
    for seed in DIGITS_SEEDS:
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
    for seed in DIGITS_SEEDS:
        trained = fit(method, dataset, seed=seed)
        for way in ways:
            found = trained.predict(dataset.x_test, NUM_SAMPLES, with_dropout=way == "monte_carlo").mean
            percent = round(100 * accuracy(found, dataset.y_test), 4)
            values.setdefault(f"accuracy_{method}_{way}", []).append(percent)
    return values


def concrete_authors() -> Values:
    """The authors' study at their width, one repeat: what `python -m bdlviz train concrete_authors` left behind."""
    _, extra = shelf.shipped("concrete_authors")
    rates = extra["wide_rates"]
    found = {"hidden": rates[..., 1:].mean(-1), "input": rates[..., 0]}
    found |= {name: extra[f"wide_{name}"] for name in ("aleatoric", "epistemic")}
    at = {count: extra["num_data"].tolist().index(count) for count in AUTHORS_STUDY}
    return {f"concrete_{name}_{count}": _plain(each[:, at[count]]) for name, each in found.items() for count in at}


def lenet(method: str) -> Values:
    """LeNet-300-100 that prunes itself: what `python -m bdlviz train pruned_mnist_METHOD` left behind."""
    _, extra = shelf.shipped(f"pruned_mnist_{method}")
    name, shares = f"lenet_{method}", 100 * extra["seed_sparsity"]  # (R, L)
    found = {f"{name}_error": 100 * (1 - extra["seed_accuracy"]), f"{name}_compression": extra["seed_compression"]}
    found |= {f"{name}_layer_{layer}": shares[:, layer] for layer in range(shares.shape[1])}
    return {claim.name: _plain(found[claim.name]) for claim in CLAIMS if claim.name in found}


def bayes(preset: str) -> Values:
    """Bayes by Backprop on MNIST: what `python -m bdlviz train bayes_mnist_PRESET` left behind."""
    _, extra = shelf.shipped(f"bayes_mnist_{preset}")
    return {f"bayes_{preset}": _plain(100 * extra["error_many"])}


MEASUREMENTS: dict[str, Callable[[], Values]] = {
    "vae_log": vae_log,
    "mc_dropout_log": mc_dropout_log,
    "concrete_authors": concrete_authors,
    **{f"lenet_{method}": partial(lenet, method) for method in ("sparse_variational_dropout", "ard")},
    **{f"bayes_{preset}": partial(bayes, preset) for preset in ("small_sigma", "honest")},
    **{f"accuracy_{method}": partial(digits_accuracy, method) for method in ACCURACY_TABLE},
}


def _plain(array: Array) -> list[float]:
    return [round(float(value), 4) for value in array]
