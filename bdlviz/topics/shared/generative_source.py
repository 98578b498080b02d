"""The fit that a page stands on: shipped, with its codes and their images."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np
import streamlit as st

from bdlviz import data
from bdlviz.data.images import first_of_mnist
from bdlviz.fits import GenerativeFit
from bdlviz.methods.common import LATENT_DIM
from bdlviz.topics.shared.reproduce import fit_snippet, load_snippet
from bdlviz.types import Array, Dataset
from bdlviz.ui.controls.control import Control
from bdlviz.ui.jobs import shipped
from bdlviz.ui.places import link

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
    "A code of 20 dimensions is flattened by t-SNE; one of 2 is shown as it is.",
    {"20d": "20 dimensions", "2d": "2 dimensions"},
)
PLANES = Control(
    CODES.key, CODES.label, CODES.options, "2d", CODES.kind, "How many numbers describe a digit.", CODES.names
)
PART = Control(
    "part", "Codes of", ("train", "test"), "train", "buttons", names={"train": "training", "test": "held out"}
)
DATASETS = {"mnist": "mnist-1000", "mnist60000": "mnist", "digits": "digits", "fashion": "fashion-mnist"}
LARGE = 140  # px, at least, of one picture shown large
SMALL = 56  # and of one among many


@dataclass(frozen=True, eq=False)
class Source:
    """A shipped autoencoder, and what is stored beside it."""

    images: str  # an option of `IMAGES`
    fit: GenerativeFit
    extra: dict[str, Array]

    @property
    def shape(self) -> tuple[int, int]:
        """Of an image, in pixels."""
        side = int(np.sqrt(self.fit.model.network.num_inputs))
        return side, side

    @property
    def latent_dim(self) -> int:
        """Dimensions of a code, Z."""
        return self.fit.model.network.latent_dim

    def mean(self, part: str) -> Array:
        """Means of the codes of the "train" or the "test" part, (N, Z)."""
        return self.extra[f"{part}_mean"].astype(np.float32)

    def std(self, part: str) -> Array:
        """Their standard deviations, (N, Z)."""
        return self.extra[f"{part}_std"].astype(np.float32)

    def labels(self, part: str) -> Array:
        """Classes, (N,)."""
        return self.extra[f"{part}_labels"].astype(int)

    def decode(self, codes: Array) -> Array:
        """Expected images of codes, (M, height, width)."""
        return self.fit.decode(codes).reshape(-1, *self.shape)

    def originals(self, part: str) -> Array:
        """The images whose codes are shown, (N, height, width)."""
        found = dataset(DATASETS[self.images])
        rows = found.x if part == "train" else found.x_test
        return rows[: len(self.labels(part))].reshape(-1, *self.shape)


def find(images: str, codes: str, method: str = "vae") -> Source | None:
    """The shipped fit for these options; None, and a sentence on the page, where it cannot be had."""
    found = shipped.fit_and_extra(f"{method}_{images}_{codes}")
    return found and Source(images, cast(GenerativeFit, found[0]), found[1])


def find_plane(images: str, method: str = "vae") -> Source | None:
    """`find` for pages that show planes of codes only; says so to a link that asks for other codes."""
    asked = link.arrived_with(CODES.key) or link.arrived_with(LATENT_DIM.name) or "2"
    if (codes := asked.removesuffix("d")) != "2":
        st.warning(
            f"This page shows planes, codes of 2 dimensions; the link asks for {link.quoted(codes, 20)}. "
            "*Decode pad* and *Latent space* show the others."
        )
    return find(images, "2d", method)


@lru_cache(maxsize=3)
def dataset(name: str) -> Dataset:
    """The images whose codes are shipped, which come with the package."""
    return first_of_mnist() if name == "mnist" else data.load(name)


@lru_cache(maxsize=1)
def whole(name: str, num_data: int | None) -> Dataset:
    """All images, or the first of them, to train on."""
    return data.load(name, num_data=num_data)


def scale_of(shape: tuple[int, int], size: int = SMALL) -> int:
    """How many screen pixels make one pixel of a digit, for pictures of about that size."""
    return max(2, round(size / shape[0]))


def snippet(fit: GenerativeFit, *last: str) -> str:
    """Code that trains the same model and ends with these lines."""
    text = "\n".join(last)
    imports = ["import bdlviz"]
    imports += ["import numpy as np"] if "np." in text else []
    imports += ["from bdlviz.predictive.embedding import embed"] if "embed(" in text else []
    walks = [name for name in ("code_grid", "traverse") if f" {name}(" in text or f"({name}(" in text]
    imports += [f"from bdlviz.predictive.latent import {', '.join(walks)}"] if walks else []
    return "\n".join([*imports, "", _load_snippet(fit), _fit_snippet(fit), *last])


def _load_snippet(fit: GenerativeFit) -> str:
    name = fit.config.dataset
    is_part = fit.num_data < data.DATASETS[name].max_num_data
    return load_snippet(name).replace(f"{name!r}", f"{name!r}, num_data={fit.num_data}" if is_part else f"{name!r}")


def _fit_snippet(fit: GenerativeFit) -> str:
    told = fit_snippet(fit.config)
    usual = fit.config.likelihood == "bernoulli"
    return told if usual else told.removesuffix(")") + f'    likelihood="{fit.config.likelihood}",\n)'
