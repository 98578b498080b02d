"""The shipped fits on images, and beside each the arrays that its pages need without the data. Never an image."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from bdlviz.data import load
from bdlviz.fits import Fit, GenerativeFit, fit
from bdlviz.methods.concrete_dropout import keep_probabilities
from bdlviz.predictive.embedding import embed
from bdlviz.types import Array, Dataset

Made = tuple[Fit, dict[str, Array]]
SMALL = (256, 256)  # hidden units for 8x8 digits


def vae_digits_2d() -> Made:
    """A two-dimensional code of the 8x8 digits."""
    return _vae("digits", latent_dim=2, hidden=SMALL)


def vae_digits_20d() -> Made:
    """A code of 20 dimensions of the 8x8 digits: t-SNE has something to do."""
    return _vae("digits", latent_dim=20, hidden=SMALL)


def vae_mnist_2d() -> Made:
    """The lecture's manifold: a two-dimensional code of MNIST-1000."""
    return _vae("mnist-1000", latent_dim=2)


def vae_mnist_20d() -> Made:
    """The lecture's train log: a code of 20 dimensions of MNIST-1000."""
    return _vae("mnist-1000", latent_dim=20)


def concrete_digits() -> Made:
    """Learned dropout rates on the 8x8 digits. They move one learning rate a step, hence the many epochs."""
    return _concrete("digits", hidden=SMALL, num_epochs=300)


def concrete_mnist() -> Made:
    """Learned dropout rates on MNIST-1000."""
    return _concrete("mnist-1000", num_epochs=300)


def _vae(name: str, **settings: Any) -> Made:
    dataset = load(name)
    trained = cast(GenerativeFit, fit("vae", dataset, **settings))
    return trained, _codes(trained, dataset)


def _codes(trained: GenerativeFit, dataset: Dataset) -> dict[str, Array]:
    """Codes (N, Z) and labels (N,) of training and held-out images; of long codes their t-SNE embedding (N, 2)."""
    extra: dict[str, Array] = {}
    for part, images, labels in (("train", dataset.x, dataset.y), ("test", dataset.x_test, dataset.y_test)):
        mean, std = trained.encode(images)
        extra[f"{part}_mean"], extra[f"{part}_std"] = mean.astype(np.float16), std.astype(np.float16)
        extra[f"{part}_labels"] = labels.astype(np.uint8)
        if mean.shape[1] > 2:
            extra[f"{part}_embedding"] = embed(mean).astype(np.float16)
    return extra


def _concrete(name: str, **settings: Any) -> Made:
    trained = fit("concrete_dropout", name, **settings)
    keep = keep_probabilities(trained)
    return trained, {f"keep{layer}": values.astype(np.float16) for layer, values in keep.items()}
