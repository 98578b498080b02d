"""Recognises a fit that predicts the same everywhere although the data show that y depends on x."""

from __future__ import annotations

import warnings

import numpy as np

from bdlviz.fitted.fit import Fit
from bdlviz.types import Array, Dataset

MAX_POINTS, LEAST_POINTS = 200, 20  # that are looked at; with fewer than the least, neighbours show nothing
CONSTANT = 1e-5  # of the variance of y: predictions that vary less are the same everywhere
NUM_NEIGHBOURS = 5
CORRELATION, STANDARD_ERRORS = 0.3, 4  # least correlation of y with its neighbours' mean, also in units of 1 / sqrt(N)


def warn_if_trivial(fit: Fit, dataset: Dataset) -> None:
    """Warn, as of the caller's caller, if a network of a trained fit predicts a constant where neighbours do better.

    Networks of a grid are not looked at: its extreme values are often there to show this.
    """
    is_trained = fit.spec.inference == "optimised" and not fit.spec.is_generative and fit.is_done
    if not is_trained or any(size > 1 for size in fit.config.grid_shape) or len(dataset.x) < LEAST_POINTS:
        return
    rows = np.linspace(0, len(dataset.x) - 1, min(len(dataset.x), MAX_POINTS)).astype(int)
    x = fit.scaling.standardise_x(dataset.x[rows])
    y = _targets(fit, dataset)[rows]
    if not any(_is_constant(fit.cell(seed=seed), dataset.x[rows], y) for seed in fit.config.seeds):
        return
    if neighbour_correlation(x, y) > max(CORRELATION, STANDARD_ERRORS / np.sqrt(len(x))):
        has_kl = fit.spec.hyperparameter("kl_weight") is not None
        advice = (
            "a longer kl_warm_up or a smaller kl_weight"
            if has_kl
            else "more steps, a smaller learning_rate or weaker regularisation"
        )
        warnings.warn(
            f"This fit predicts the same at every point, although y depends on x: try {advice}.", stacklevel=3
        )


def _targets(fit: Fit, dataset: Dataset) -> Array:
    """Standardised values (N, K), or 1 for the class of a point and 0 for the others."""
    if dataset.task == "regression":
        return fit.scaling.standardise_y(dataset.y)
    return np.eye(dataset.num_classes)[dataset.codes]


def _is_constant(network: Fit, x: Array, y: Array) -> bool:
    """True if the prediction with the means of the weights is the same at all points x, in the user's units."""
    if network.diverged.any():
        return False
    means = network.model.likelihood.mean(network.draw_outputs(x, 1, with_dropout=False)).mean(0)
    return bool(means.var(0).sum() < CONSTANT * y.var(0).sum())


def neighbour_correlation(x: Array, y: Array) -> float:
    """Correlation of y (N, K) with its mean over each point's nearest other points in x (N, D).

    It needs no training and is at most about 1 / sqrt(N) where y does not depend on x.
    """
    lengths = np.square(x).sum(1)
    distances = lengths[:, None] + lengths - 2 * x @ x.T
    np.fill_diagonal(distances, np.inf)
    nearest = np.argpartition(distances, NUM_NEIGHBOURS, axis=1)[:, :NUM_NEIGHBOURS]
    theirs, y = y[nearest].mean(1), y - y.mean(0)
    theirs = theirs - theirs.mean(0)
    scale = np.sqrt(np.square(y).sum() * np.square(theirs).sum())
    return float((y * theirs).sum() / scale) if scale else 0.0
