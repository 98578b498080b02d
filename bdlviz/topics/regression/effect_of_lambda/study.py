"""The shipped grids of weight decays and dropout rates, on the page's first data and on two clusters."""

from __future__ import annotations

from functools import partial

import numpy as np

from bdlviz.data import load
from bdlviz.fits import configure, run
from bdlviz.studies.grids import scored
from bdlviz.studies.scene_fit import GROUP
from bdlviz.studies.study import Made, Study
from bdlviz.types import Dataset, FitConfig

# The data are noisy, and the learning rate is high enough to fit that noise when nothing penalises the weights: the
# held-out score then shows that a lambda is too small.
LAMBDA_DECAYS = tuple(float(f"{value:.3g}") for value in np.geomspace(1e-7, 10, 33))
LAMBDA_RATES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)
LAMBDA_NOISE_STD = 0.9
LAMBDA_SEEDS = (0, 1, 2)


def lambda_config(dataset: Dataset) -> FitConfig:
    """The grid of the page, on any one-dimensional data."""
    return configure(
        "mc_dropout",
        dataset,
        dropout_rate=LAMBDA_RATES,
        weight_decay=LAMBDA_DECAYS,
        seed=LAMBDA_SEEDS,
        num_steps=2000,
        learning_rate=5e-3,
    )


def grid(name: str, noise_std: float | None = None) -> Made:
    """The scores of all seeds, and the weights of the first seed, which are all that the pictures need."""
    dataset = load(name, noise_std=noise_std)
    fit, extra = scored(run(lambda_config(dataset), dataset), dataset)
    return fit.cell(seed=LAMBDA_SEEDS[0]), extra


STUDIES = {
    "effect_of_lambda": Study(
        "Effect of lambda: 33 weight decays x 6 dropout rates x 3 seeds", partial(grid, "x_sin_x", LAMBDA_NOISE_STD)
    ),
    "effect_of_lambda_gap": Study(
        "Effect of lambda, two clusters: the same grid", partial(grid, "two_clusters"), group=GROUP
    ),
}
