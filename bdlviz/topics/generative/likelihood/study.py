"""The shipped VAEs that differ in their likelihood, or in the weight of the KL term, and in nothing else.

Small networks, so that many of them can be shipped. Beside a fit of one likelihood are, of held-out images,

- ``test_codes`` (25, Z): means of the codes of the first of them; ``test_codes_labels`` (25,);
- ``test_elbo`` (1,), the bound in its own terms, and ``test_density`` (1,), as a density of grey pixels, NaN where the
  model is none: a Bernoulli decoder is read as a continuous one, with the constant that its training left out;
- ``test_rmse`` (1,): of the expected pixels, root mean square over pixels and images, in grey values from 0 to 1.

Beside the grid of KL weights, C cells, are ``kl_per_dimension`` (C, Z), ``reconstruction`` (C,), ``rmse`` (C,), means
over held-out images, and ``test_codes`` (C, 25, Z).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from bdlviz.data import DATASETS, load
from bdlviz.fits import GenerativeFit, fit
from bdlviz.methods.vae import BETA
from bdlviz.models.likelihoods import likelihood
from bdlviz.studies.study import Made, Study
from bdlviz.types import Array

IMAGES = {"mnist": "mnist-1000", "digits": "digits"}  # what checkpoints are called by -> data set
LIKELIHOODS = ("bernoulli", "binarised_bernoulli", "continuous_bernoulli", "gaussian_pixels")
SETTINGS: dict[str, Any] = {"hidden": (128, 128), "latent_dim": 10}
NUM_SHOWN = 25
NUM_SAMPLES = 20  # codes of every held-out image


def name_of(images: str, chosen: str) -> str:
    """What the checkpoint of a likelihood is called."""
    return f"likelihood_{images}_{chosen}"


def of_likelihood(images: str, chosen: str) -> Made:
    """A VAE with one of the likelihoods, and what it makes of held-out images."""
    dataset = load(IMAGES[images])
    trained = fit("vae", dataset, likelihood=chosen, **SETTINGS)
    held_out = dataset.x_test
    return trained, {
        "test_codes": trained.encode(held_out[:NUM_SHOWN])[0].astype(np.float16),
        "test_codes_labels": dataset.y_test[:NUM_SHOWN].astype(np.uint8),
        "test_elbo": np.array([trained.elbo(held_out, NUM_SAMPLES).mean()]),
        "test_density": np.array([_as_density(trained, held_out)]),
        "test_rmse": np.array([rmse(trained, held_out)]),
    }


def _as_density(trained: GenerativeFit, images: Array) -> float:
    """The mean bound on the logarithm of a density of grey images, or NaN."""
    name = trained.config.likelihood
    if name == "binarised_bernoulli":
        return float("nan")
    density = likelihood("continuous_bernoulli" if name == "bernoulli" else name)
    read = replace(trained, model=replace(trained.model, likelihood=density))
    return float(read.elbo(images, NUM_SAMPLES).mean())


def rmse(trained: GenerativeFit, images: Array) -> float:
    """Root mean square error of the expected pixels, in grey values from 0 to 1."""
    return float(np.sqrt(np.square(trained.reconstruct(images) - images).mean()))


def errors(images: str, seed: int) -> dict[str, list[float]]:
    """`rmse` of held-out images for each of `LIKELIHOODS` (see `bdlviz.topics.shared.study_seeds`)."""
    dataset = load(IMAGES[images])
    fits = (fit("vae", dataset, likelihood=chosen, seed=seed, **SETTINGS) for chosen in LIKELIHOODS)
    return {f"rmse_{images}": [rmse(cast(GenerativeFit, each), dataset.x_test) for each in fits]}


def betas() -> Made:
    """One VAE of the 8x8 digits for every weight of the KL term."""
    dataset = load("digits")
    grid = fit("vae", dataset, beta=BETA.values, **SETTINGS)
    cells = [grid.cell(beta=beta) for beta in BETA.values]
    found = [cell.bound(dataset.x_test, NUM_SAMPLES) for cell in cells]
    return grid, {
        "kl_per_dimension": np.array([each.kl_per_dimension.mean(0) for each in found], np.float32),
        "reconstruction": np.array([each.reconstruction.mean() for each in found], np.float32),
        "rmse": np.array([rmse(cell, dataset.x_test) for cell in cells], np.float32),
        "test_codes": np.array([cell.encode(dataset.x_test[:NUM_SHOWN])[0] for cell in cells], np.float16),
    }


STUDIES = {
    **{
        name_of(images, chosen): Study(
            f"VAE of {DATASETS[dataset].title}, likelihood {chosen}", partial(of_likelihood, images, chosen)
        )
        for images, dataset in IMAGES.items()
        for chosen in LIKELIHOODS
    },
    "betas_digits": Study("VAEs of every weight of the KL term, 8x8 digits", betas),
}
