"""The shipped plain autoencoders. Their networks and data are those of the VAEs with a plane of codes."""

from __future__ import annotations

from functools import partial

from bdlviz.studies.study import Study
from bdlviz.topics.generative.vae import study as vae_study

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
}
