"""The shipped fits of the first page: the Gaussian process of the infinite network over its prior length-scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bdlviz.data import load
from bdlviz.fits import configure, run
from bdlviz.predictive.surface import pack_surface
from bdlviz.studies.grids import SURFACE_DRAWS, SURFACE_INPUTS
from bdlviz.studies.study import Made, Study
from bdlviz.types import Predictive

DATA = "x_sin_x"
NAME = "home_gaussian_process"
LENGTH_SCALES = (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.85, 1.0)
DEFAULT = 0.3  # the 95 % band covers most of the truth, also outside the data


def with_exact_moments(predictive: Predictive) -> Predictive:
    r"""The prediction with draws that are shifted and scaled at every x, so that their moments are the exact ones.

    A view in the browser computes its bands from the draws. With 50 draws a standard deviation has an error of 10 %.

    $$ \tilde f_s(x) = \mu(x) + \frac{\sigma(x)}{\hat\sigma(x)} \left( f_s(x) - \hat\mu(x) \right) $$
    """
    draws = predictive.draws
    scale = predictive.epistemic_std / np.maximum(draws.std(0), 1e-12)
    return replace(predictive, draws=predictive.mean + scale * (draws - draws.mean(0)))


def grid() -> Made:
    """The exact posterior at every stop of the slider, and its functions as one block."""
    dataset = load(DATA)
    axes: dict[str, Any] = {"length_scale": LENGTH_SCALES}
    config = configure("gaussian_process", dataset, prior_by_width=1.0, **axes)
    fit = run(config, dataset)
    x = np.linspace(*dataset.x_range, SURFACE_INPUTS)[:, None]
    cells = [fit.cell(seed=None, length_scale=each).predict(x, SURFACE_DRAWS) for each in LENGTH_SCALES]
    draws = np.stack([with_exact_moments(cell).draws[:, :, 0] for cell in cells])
    return fit, {"surface": np.frombuffer(pack_surface(config.axes, draws, dataset.y_range, {}), np.uint8)}


STUDIES = {NAME: Study("Home, Gaussian process: every length-scale of the slider", grid, half=False)}
