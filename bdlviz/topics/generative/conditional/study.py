"""The shipped conditional VAEs: a plane of styles, the class being given.

Beside each, N being at most `NUM_CODES` of `bdlviz.topics.generative.vae.study`, are

- ``train_mean``, ``train_std`` (N, 2), ``train_labels`` (N,): codes of training images, each given its class;
  ``test_...`` of held-out ones;
- ``test_elbo_of_classes`` (N, classes): the bound on log p(x | y) of every held-out image given each class;
- ``test_elbo``: its mean given the right class.
"""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import numpy as np

from bdlviz.data import load
from bdlviz.fits import GenerativeFit, fit
from bdlviz.studies.study import Made, Study
from bdlviz.topics.generative.vae import study as vae_study
from bdlviz.types import Array

NUM_SAMPLES = 20  # codes of each held-out image and class


def conditional(name: str, **settings: Any) -> Made:
    """Codes of every image given its class, and the held-out bounds given each of the classes."""
    dataset = load(name)
    trained = cast(GenerativeFit, fit("conditional_vae", dataset, latent_dim=2, **settings))
    classes = [trained.given(label) for label in range(trained.num_classes)]
    extra: dict[str, Array] = {}
    for part, images, labels in (("train", dataset.x, dataset.y), ("test", dataset.x_test, dataset.y_test)):
        codes = np.array([each.encode(images[: vae_study.NUM_CODES]) for each in classes])  # (classes, 2, N, Z)
        mean, std = np.moveaxis(codes[labels[: vae_study.NUM_CODES], :, np.arange(len(codes[0, 0]))], 1, 0)
        extra[f"{part}_mean"], extra[f"{part}_std"] = mean.astype(np.float16), std.astype(np.float16)
        extra[f"{part}_labels"] = labels[: vae_study.NUM_CODES].astype(np.uint8)
    each = np.stack([given.elbo(dataset.x_test[: vae_study.NUM_CODES], NUM_SAMPLES) for given in classes], axis=1)
    known = np.take_along_axis(each, dataset.y_test[: vae_study.NUM_CODES, None], axis=1)
    return trained, extra | {"test_elbo_of_classes": each.astype(np.float32), "test_elbo": np.array(known.mean())}


def held_out_bound(seed: int) -> dict[str, float]:
    """The bound of held-out images of MNIST-1000 given their class (see `bdlviz.topics.shared.study_seeds`)."""
    dataset = load("mnist-1000")
    trained = cast(GenerativeFit, fit("conditional_vae", dataset, latent_dim=2, seed=seed))
    bounds = [
        trained.given(label).elbo(dataset.x_test[dataset.y_test == label], NUM_SAMPLES)
        for label in range(trained.num_classes)
    ]
    return {"conditional_elbo": float(np.concatenate(bounds).mean())}


STUDIES = {
    "conditional_vae_digits_2d": Study(
        "Conditional VAE with a plane of codes, 8x8 digits", partial(conditional, "digits", hidden=vae_study.SMALL)
    ),
    "conditional_vae_mnist_2d": Study(
        "Conditional VAE with a plane of codes, MNIST-1000", partial(conditional, "mnist-1000")
    ),
}
