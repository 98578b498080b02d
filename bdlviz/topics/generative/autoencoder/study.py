"""The shipped plain autoencoders, and VAEs of MNIST-1000 between one and a VAE.

Networks and data are those of the VAEs with a plane of codes. `WEIGHTS` are the W weights of the KL term; at 0 stands
the plain autoencoder. Beside the VAEs are

- ``train_codes``, ``test_codes`` (W, N, 2), means of codes, and their classes ``train_labels``, ``test_labels`` (N,);
- ``new_images`` (W, `NUM_NEW`, D) uint8, decoded from the same draws of the prior.
"""

from __future__ import annotations

from functools import partial
from typing import cast

import numpy as np

from bdlviz.data import load
from bdlviz.fits import GenerativeFit, fit
from bdlviz.predictive import latent
from bdlviz.studies.study import Made, Study
from bdlviz.topics.generative.vae import study as vae_study
from bdlviz.types import Array

WEIGHTS = (0.0, 0.001, 0.01, 0.1, 0.3, 1.0)
BETWEEN = "autoencoder_to_vae_mnist"  # what the checkpoint is called
NUM_NEW = 25


def from_prior(count: int) -> Array:
    """Codes drawn from the prior, (count, 2); every call draws the same ones."""
    return latent.draw_codes(count, 2, np.random.Generator(np.random.SFC64(0)))


def autoencoder_to_vae() -> Made:
    """The VAEs, and the codes and new images of every weight."""
    dataset = load("mnist-1000")
    plain = cast(GenerativeFit, fit("autoencoder", dataset, latent_dim=2))
    grid = cast(GenerativeFit, fit("vae", dataset, latent_dim=2, beta=WEIGHTS[1:]))
    models = [plain, *(grid.cell(beta=beta) for beta in WEIGHTS[1:])]
    return grid, {
        "train_codes": np.array([each.encode(dataset.x)[0] for each in models], np.float16),
        "test_codes": np.array([each.encode(dataset.x_test)[0] for each in models], np.float16),
        "train_labels": dataset.y.astype(np.uint8),
        "test_labels": dataset.y_test.astype(np.uint8),
        "new_images": np.rint(255 * np.array([each.decode(from_prior(NUM_NEW)) for each in models])).astype(np.uint8),
    }


STUDIES = {
    "autoencoder_digits_2d": Study(
        "Plain autoencoder, 8x8 digits",
        partial(vae_study.autoencoder, "autoencoder", "digits", latent_dim=2, hidden=vae_study.SMALL),
    ),
    "autoencoder_mnist_2d": Study(
        "Plain autoencoder, MNIST-1000", partial(vae_study.autoencoder, "autoencoder", "mnist-1000", latent_dim=2)
    ),
    "autoencoder_mnist60000_2d": Study(
        "Plain autoencoder, all of MNIST",
        partial(vae_study.autoencoder, "autoencoder", "mnist", latent_dim=2, num_epochs=vae_study.EPOCHS_OF_PLANES),
        needs="mnist",
    ),
    BETWEEN: Study("From a plain autoencoder to a VAE, MNIST-1000", autoencoder_to_vae, keeps_weights=False),
}
