"""Shipped autoencoders with the codes of images, and the controls of the pages on generative models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np

from bdlviz import data
from bdlviz.data.images import first_of_mnist
from bdlviz.fits import Fit, GenerativeFit
from bdlviz.plots.images import scale_of
from bdlviz.predictive import latent
from bdlviz.topics.shared.calls import fit_snippet, load_snippet
from bdlviz.types import Array, Dataset
from bdlviz.ui.cache import DATA, memoised, remembered
from bdlviz.ui.controls.control import Control
from bdlviz.ui.jobs.shipped import shipped_need
from bdlviz.ui.model import Need, Part, Sheet, Words

IMAGES = Control(
    "images",
    "Images",
    ("mnist", "mnist60000", "digits"),
    "mnist",
    "buttons",
    "The first 100 images of each class of MNIST, all of MNIST, or scikit-learn's 8×8 digits.",
    {"mnist": "MNIST-1000", "mnist60000": "MNIST", "digits": "8×8 digits"},
)
CODES = Control(
    "codes",
    "Code",
    ("20d", "2d"),
    "20d",
    "buttons",
    "Codes of 20 dimensions are projected to the plane by t-SNE; codes of 2 dimensions are shown directly.",
    {"20d": "20 dimensions", "2d": "2 dimensions"},
)
PART = Control(
    "part", "Codes of", ("train", "test"), "train", "buttons", names={"train": "training", "test": "held out"}
)
LIKELIHOOD_NAMES = {
    "bernoulli": "Bernoulli on grey pixels",
    "binarised_bernoulli": "Bernoulli, pixels binarised",
    "continuous_bernoulli": "continuous Bernoulli",
    "gaussian_pixels": "Gaussian, σ learned",
}
EDGE = 0.05  # grey values nearer to paper or ink count as these
NUM_AROUND = 1000  # training images whose average posterior says where images have their codes
NUM_NEAR = 20  # nearest codes of training images that say which digit is drawn at a place
NUM_NEIGHBOURS = 8  # nearest other codes of an image that are kept
RARE = 0.01  # share of held-out images whose codes are far out
DATASETS = {"mnist": "mnist-1000", "mnist60000": "mnist", "digits": "digits", "fashion": "fashion-mnist"}
ReadT = TypeVar("ReadT")


@dataclass(frozen=True, eq=False)
class Autoencoder:
    """A shipped autoencoder with the arrays of its file (see `bdlviz.topics.generative.vae.study`)."""

    images: str  # an option of `IMAGES`
    fit: GenerativeFit
    extra: dict[str, Array]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of an image, in pixels."""
        return shape_of(self.fit)

    @property
    def latent_dim(self) -> int:
        """Dimensions of a code, Z."""
        return self.fit.model.network.latent_dim

    def mean(self, part: str) -> Array:
        """Means of the codes of the "train" or the "test" part, (N, Z)."""
        return self.extra[f"{part}_mean"].astype(np.float32)

    def std(self, part: str) -> Array:
        """Standard deviations of the codes of the "train" or the "test" part, (N, Z)."""
        return self.extra[f"{part}_std"].astype(np.float32)

    def labels(self, part: str) -> Array:
        """Classes of the "train" or the "test" part, (N,)."""
        return self.extra[f"{part}_labels"].astype(int)

    def decode(self, codes: Array) -> Array:
        """Expected images for M codes, (M, height, width)."""
        return self.fit.decode(codes).reshape(-1, *self.shape)

    def originals(self, part: str) -> Array:
        """The images whose codes are stored, (N, height, width)."""
        loaded = dataset(DATASETS[self.images])
        rows = loaded.x if part == "train" else loaded.x_test
        return rows[: len(self.labels(part))].reshape(-1, *self.shape)

    def first_of_class(self, digit: int) -> int:
        """The row of the first held-out image of a class."""
        return int(np.flatnonzero(self.labels("test") == digit)[0])

    def log_density(self, codes: Array) -> Array:
        """Log density of codes (M, Z) under the average posterior of training images, (M,)."""
        return latent.log_average_posterior(codes, self.mean("train")[:NUM_AROUND], self.std("train")[:NUM_AROUND])

    def held_out_densities(self) -> Array:
        """`log_density` at the codes of the held-out images, (N,)."""
        return remembered(self.fit, "held-out densities", lambda: self.log_density(self.mean("test")))

    def rare_density(self) -> float:
        """Codes of a lower log density are far out: only `RARE` of the held-out images have their codes there."""
        return float(np.quantile(self.held_out_densities(), RARE))

    def is_far_out(self, codes: Array) -> Array:
        """True for codes (M, Z) where hardly any image has its code, (M,)."""
        return self.log_density(codes) < self.rare_density()

    def clear_example(self, digit: int) -> int:
        """The row of a held-out image of a class whose code is among codes of the class and decoded to a crisp image.

        Of those with less grey than half of the class, and with the most nearest codes of the class or one fewer, it is
        where codes are densest.
        """
        return remembered(self.fit, ("clear", digit), lambda: self._clear_example(digit))

    def _clear_example(self, digit: int) -> int:
        rows = np.flatnonzero(self.labels("test") == digit)
        images = self.decode(self.mean("test")[rows])
        grey = (images * (1 - images)).sum((1, 2)) / images.sum((1, 2))
        rows = rows[grey < np.median(grey)]
        near = [latent.nearest(self.mean("train"), code, NUM_NEAR)[0] for code in self.mean("test")[rows]]
        same = (self.labels("train")[np.array(near)] == digit).sum(1)
        rows = rows[same >= same.max() - 1]
        return int(rows[self.held_out_densities()[rows].argmax()])

    def same_class_nearest(self, part: str) -> float:
        """The share of images, in per cent, whose nearest other code belongs to an image of the same class."""
        return float(100 * self.has_same_class_nearest(part).mean())

    def has_same_class_nearest(self, part: str) -> Array:
        """Whether the nearest other code belongs to an image of the same class, of every image (N,)."""
        labels = self.labels(part)
        return labels[self.nearest_others(part)[:, 0]] == labels

    def nearest_others(self, part: str) -> Array:
        """The rows of the nearest other codes, nearest first, of every image (N, `NUM_NEIGHBOURS`)."""
        return remembered(self.fit, ("nearest", part), lambda: self._nearest_others(part))

    def _nearest_others(self, part: str) -> Array:
        codes = self.mean(part)
        squares = np.square(codes).sum(1)
        distances = squares[:, None] + squares - 2 * codes @ codes.T
        np.fill_diagonal(distances, np.inf)
        return distances.argsort(1, kind="stable")[:, :NUM_NEIGHBOURS]

    def sheet(self, images: Array, columns: int, caption: str, alt: str, size: int | None = None) -> list[Part]:
        """A sheet of images and its caption, as parts of a page; ``size`` is the size of one image in px."""
        scale = scale_of(self.shape) if size is None else scale_of(self.shape, size)
        return [Sheet(images.reshape(-1, *self.shape), columns, alt, scale), Words(caption)]


def shape_of(fit: GenerativeFit) -> tuple[int, int]:
    """Height and width of an image of a fit, in pixels."""
    side = int(np.sqrt(fit.model.network.num_inputs))
    return side, side


def needed(images: str, codes: str, method: str = "vae") -> Need[Autoencoder]:
    """The shipped autoencoder of these options."""
    return needed_together(images, (method, codes), read=lambda models: models[0])


def needed_together(images: str, *models: tuple[str, str], read: Callable[[list[Autoencoder]], ReadT]) -> Need[ReadT]:
    """What ``read`` returns for several shipped autoencoders of the same images, given as pairs (method, codes)."""

    def read_all(fits: list[tuple[Fit, dict[str, Array]]]) -> ReadT:
        return read([Autoencoder(images, cast(GenerativeFit, fit), extra) for fit, extra in fits])

    return shipped_need(*(f"{method}_{images}_{codes}" for method, codes in models), read=read_all)


def grey_share(images: Array) -> float:
    """The share of pixels that are neither paper nor ink, to a twentieth; images hold 0 to 1."""
    return float(((images > EDGE) & (images < 1 - EDGE)).mean())


@memoised(DATA)
def dataset(name: str) -> Dataset:
    """The data set whose codes are shipped; the images of MNIST-1000 come with the package."""
    return first_of_mnist() if name == "mnist" else data.load(name)


def snippet(fit: GenerativeFit, *last: str) -> str:
    """Code that trains the same model, followed by these lines."""
    text = "\n".join(last)
    imports = ["import bdlviz"]
    imports += ["import numpy as np"] if "np." in text else []
    imports += ["from bdlviz.predictive.embedding import embed"] if "embed(" in text else []
    used = [name for name in ("code_grid", "traverse") if f" {name}(" in text or f"({name}(" in text]
    imports += [f"from bdlviz.predictive.latent import {', '.join(used)}"] if used else []
    return "\n".join([*imports, "", _load_snippet(fit), _fit_snippet(fit), *last])


def _load_snippet(fit: GenerativeFit) -> str:
    name = fit.config.dataset
    is_part = fit.num_data < data.DATASETS[name].max_num_data
    return load_snippet(name).replace(f"{name!r}", f"{name!r}, num_data={fit.num_data}" if is_part else f"{name!r}")


def _fit_snippet(fit: GenerativeFit) -> str:
    call, likelihood = fit_snippet(fit.config), fit.config.likelihood
    return call if likelihood == "bernoulli" else call.removesuffix(")") + f'    likelihood="{likelihood}",\n)'
