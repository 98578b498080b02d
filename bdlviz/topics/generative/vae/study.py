"""The shipped fits on images, and beside each the arrays that its pages need without the data. Never the
data's images.

Beside an autoencoder, N being at most `NUM_CODES`, are

- ``train_mean``, ``train_std`` (N, Z), ``train_labels`` (N,): codes of training images; ``test_...`` of held-out ones;
- ``train_embedding``, ``test_embedding`` (N, 2): their t-SNE, where codes have more than two dimensions;
- ``scrub_epoch`` (E,), ``train_scrub``, ``test_scrub`` (E, 25, D) uint8: what the model made of the first 25 images as
  it learned; and for a plane of codes ``train_path``, ``test_path`` (E, N, Z): where it put them;
- ``test_elbo``, ``test_reconstruction``, ``test_kl`` (E,), ``test_kl_per_dimension`` (E, Z): the bound of held-out
  images at those epochs, as far as the model has one;
- ``bound_samples``, ``bound_importance`` (K,), ``bound_elbo``, ``bound_plug_in``: means over `NUM_BOUNDED` held-out
  images, of the importance-weighted bound too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import numpy as np

from bdlviz.data import load
from bdlviz.fits import GenerativeFit, Snapshot, configure, fit, run
from bdlviz.predictive.embedding import embed
from bdlviz.studies.scene_fit import GROUP
from bdlviz.studies.study import Made, Study
from bdlviz.types import Array, Dataset, FitConfig

SMALL = (256, 256)  # hidden units for 8x8 digits
NUM_CODES = 2000
NUM_SCRUBBED = 25
NUM_BOUNDED = 500
NUM_SAMPLES = 20  # codes of every held-out image in `planes`
BOUND_SAMPLES = (1, 5, 20, 50, 100, 500)
SCRUB_EPOCHS = (1, 2, 3, 5, 8, 12, 20, 30, 45, 60, 80, 100)
EPOCHS_OF_60000 = 60  # of 600 steps; the bound still rises a little after
SCENE_EPOCHS = (1, 2, 3, 5, 10, 15, 20, 30, 40, 50)  # moments of the two VAEs of scenes; the last ends the training
SCENE_SETTINGS: dict[str, Any] = {"latent_dim": 20, "hidden": SMALL, "num_epochs": SCENE_EPOCHS[-1]}
SCENE_BETAS = {"vae_digits_free": 0.0, "vae_digits_collapse": 10.0}  # weights of the KL term
EPOCHS_OF_PLANES = 30  # two dimensions have learned by then what they can hold


def vae_digits_2d() -> Made:
    """A two-dimensional code of the 8x8 digits."""
    return autoencoder("vae", "digits", latent_dim=2, hidden=SMALL)


def vae_digits_20d() -> Made:
    """A code of 20 dimensions of the 8x8 digits: t-SNE has something to do."""
    return autoencoder("vae", "digits", latent_dim=20, hidden=SMALL)


def vae_mnist_2d() -> Made:
    """The lecture's manifold: a two-dimensional code of MNIST-1000."""
    return autoencoder("vae", "mnist-1000", latent_dim=2)


def vae_mnist_20d() -> Made:
    """The lecture's train log: a code of 20 dimensions of MNIST-1000."""
    return autoencoder("vae", "mnist-1000", latent_dim=20)


def vae_mnist60000_2d() -> Made:
    """A two-dimensional code of all of MNIST."""
    return autoencoder("vae", "mnist", latent_dim=2, num_epochs=EPOCHS_OF_PLANES)


def vae_mnist60000_20d() -> Made:
    """A code of 20 dimensions of all of MNIST."""
    return autoencoder("vae", "mnist", latent_dim=20, num_epochs=EPOCHS_OF_60000)


def autoencoder(method: str, name: str, **settings: Any) -> Made:
    """An autoencoder of a data set of images, and the arrays of this module's first lines."""
    dataset = load(name)
    watch = Watch(dataset, steps_per_epoch=-(-dataset.num_data // 100))
    trained = cast(GenerativeFit, fit(method, dataset, on_snapshot=watch, **settings))
    return trained, _codes(trained, dataset) | watch.arrays() | _bounds(trained, dataset)


@dataclass
class Watch:
    """Looks at a fit after some of its epochs: reconstructions, codes, and the bound of held-out images."""

    dataset: Dataset
    steps_per_epoch: int
    epochs: Sequence[int] = SCRUB_EPOCHS
    _epochs_seen: list[int] = field(default_factory=list)
    _seen: list[dict[str, Array]] = field(default_factory=list)

    def __call__(self, snapshot: Snapshot[GenerativeFit]) -> None:
        """Between two epochs."""
        epoch = snapshot.step // self.steps_per_epoch
        if epoch in self.epochs and epoch not in self._epochs_seen:
            self._epochs_seen.append(epoch)
            self._seen.append(self._look(snapshot.take()))

    def _look(self, now: GenerativeFit) -> dict[str, Array]:
        found: dict[str, Array] = {}
        for part, images in (("train", self.dataset.x), ("test", self.dataset.x_test)):
            found[f"{part}_scrub"] = np.rint(255 * now.reconstruct(images[:NUM_SCRUBBED])).astype(np.uint8)
            if now.model.network.latent_dim == 2:
                found[f"{part}_path"] = now.encode(images[:NUM_CODES])[0].astype(np.float16)
        return found | _held_out(now, self.dataset.x_test)

    def arrays(self) -> dict[str, Array]:
        """What was seen, epochs first."""
        epochs = np.array(self._epochs_seen, np.uint16)
        stacked = {name: np.stack([seen[name] for seen in self._seen]) for name in self._seen[0]}
        return {"scrub_epoch": epochs} | stacked


def _held_out(now: GenerativeFit, images: Array) -> dict[str, Array]:
    """The bound of held-out images and its parts, means over images; without KL term the log-likelihood alone."""
    if not now.is_variational:
        return {"test_reconstruction": np.array(now.reconstruction(images).mean(), np.float32)}
    found = now.bound(images, num_samples=5)
    parts = ("elbo", "reconstruction", "kl", "kl_per_dimension")
    return {f"test_{part}": getattr(found, part).mean(0).astype(np.float32) for part in parts}


def _codes(trained: GenerativeFit, dataset: Dataset) -> dict[str, Array]:
    """Codes and labels of the first training and held-out images; of long codes their t-SNE embedding."""
    extra: dict[str, Array] = {}
    for part, images, labels in (("train", dataset.x, dataset.y), ("test", dataset.x_test, dataset.y_test)):
        mean, std = trained.encode(images[:NUM_CODES])
        extra[f"{part}_mean"], extra[f"{part}_std"] = mean.astype(np.float16), std.astype(np.float16)
        extra[f"{part}_labels"] = labels[:NUM_CODES].astype(np.uint8)
        if mean.shape[1] > 2:
            extra[f"{part}_embedding"] = embed(mean).astype(np.float16)
    return extra


def _bounds(trained: GenerativeFit, dataset: Dataset) -> dict[str, Array]:
    """The bounds of some held-out images, mean over images: plug-in, Monte Carlo, importance-weighted."""
    if not trained.is_variational:
        return {}
    images = dataset.x_test[:NUM_BOUNDED]
    return {
        "bound_samples": np.array(BOUND_SAMPLES, np.uint16),
        "bound_importance": np.array([trained.elbo(images, k, importance=True).mean() for k in BOUND_SAMPLES]),
        "bound_elbo": np.array(trained.elbo(images, 100).mean()),
        "bound_plug_in": np.array(trained.plug_in(images).mean()),
    }


def beta_config(dataset: Dataset, beta: float) -> FitConfig:
    """The VAE of the 8x8 digits with another weight of the KL term."""
    return configure("vae", dataset, beta=beta, **SCENE_SETTINGS)


def of_beta(beta: float) -> Made:
    """Such a VAE, and what `Watch` noted at `SCENE_EPOCHS`."""
    dataset = load("digits")
    config = beta_config(dataset, beta)
    watch = Watch(dataset, config.num_steps // SCENE_EPOCHS[-1], SCENE_EPOCHS)
    return run(config, dataset, on_snapshot=watch), watch.arrays()


def planes(images: str, seed: int) -> dict[str, list[float]]:
    """Codes of a plain autoencoder and of a VAE with a plane of codes (see `bdlviz.topics.shared.study_seeds`).

    ``images`` is ``"digits"`` or ``"mnist"`` (MNIST-1000). For the second there is the VAE's bound, too.
    """
    dataset = load("digits" if images == "digits" else "mnist-1000")
    settings: dict[str, Any] = {"hidden": SMALL} if images == "digits" else {}
    plain, vae = (
        cast(GenerativeFit, fit(each, dataset, latent_dim=2, seed=seed, **settings)) for each in ("autoencoder", "vae")
    )
    found = {f"codes_std_{images}": [float(each.encode(dataset.x)[0].std()) for each in (plain, vae)]}
    if images == "mnist":
        held_out = float(vae.elbo(dataset.x_test, NUM_SAMPLES).mean())
        found["plane_elbo"] = [float(vae.history["elbo"].ravel()[-1]), held_out]
    return found


STUDIES = {
    "vae_digits_2d": Study("VAE with a plane of codes, 8x8 digits", vae_digits_2d),
    "vae_digits_20d": Study("VAE with 20 code dimensions, 8x8 digits", vae_digits_20d),
    "vae_mnist_2d": Study("VAE with a plane of codes, MNIST-1000", vae_mnist_2d),
    "vae_mnist_20d": Study("VAE with 20 dimensions, MNIST-1000", vae_mnist_20d),
    "vae_mnist60000_2d": Study("VAE with a plane of codes, all of MNIST", vae_mnist60000_2d, needs="mnist"),
    "vae_mnist60000_20d": Study("VAE with 20 dimensions, all of MNIST", vae_mnist60000_20d, needs="mnist"),
    **{
        f"scene_{name}": Study(f"VAE, 8x8 digits, KL weight {beta:g}", partial(of_beta, beta), group=GROUP)
        for name, beta in SCENE_BETAS.items()
    },
}
