"""Blocks for the function picture: all cells of a shipped grid, one fit, and the snapshots of its training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bdlviz.digits import compact
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import method
from bdlviz.predictive.surface import pack, pack_surface
from bdlviz.studies.grids import SURFACE_DRAWS, SURFACE_INPUTS, function_surface
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.cache import RESULTS, data_key

TRUTH_POINTS = 400


def whole_grid(config: FitConfig) -> FitConfig:
    """The configuration with all stops of the sliders as its axes."""
    stops = {parameter.name: parameter.values for parameter in method(config.method).hyperparameters}
    return replace(config, axes=tuple((name, stops[name]) for name, _ in config.axes), num_snapshots=0)


def grid_block(config: FitConfig, dataset: Dataset) -> bytes | None:
    """The block of the shipped grid that contains a configuration; None if there is no such grid."""
    whole = whole_grid(config)
    if not all(values[0] in stops for (_, values), (_, stops) in zip(config.axes, whole.axes, strict=True)):
        return None

    def compute() -> bytes | None:
        fit = shelf.find(whole)
        return None if fit is None else _pack(fit, dataset)

    try:
        return RESULTS.obtain(("shipped grid", whole, data_key(dataset)), compute)
    except CheckpointError:  # the page reports it when it obtains the fit
        return None


def _pack(fit: Fit, dataset: Dataset) -> bytes:
    shipped = shelf.extra(fit.config) or {}
    return shipped["surface"].tobytes() if "surface" in shipped else function_surface(fit, dataset)


def block_of_grid(fit: Fit, dataset: Dataset, scored: Mapping[str, Array] | None) -> bytes | None:
    """The block of a grid fit with its scores; None while it trains."""
    if not fit.is_done or fit.diverged.any():
        return None

    def compute() -> bytes:
        try:
            shipped = shelf.extra(fit.config) or {}
        except CheckpointError:
            shipped = {}
        nll = None if scored is None else scored["nll"].mean(0)
        return shipped["surface"].tobytes() if "surface" in shipped else function_surface(fit, dataset, nll)

    return RESULTS.obtain(("grid", fit.config, data_key(dataset)), compute)


def cell_block(predictive: Predictive, dataset: Dataset, reference: Predictive | None = None) -> bytes:
    """The block of one fit, with the data and, if known, the true function and a reference at the same x."""
    arrays: dict[str, Array] = {
        "draws": predictive.draws[:, :, 0],
        "noise": predictive.aleatoric_std[:, 0],
        "data_x": dataset.x[:, 0],
        "data_y": dataset.y[:, 0],
    }
    if dataset.truth is not None:
        x = np.linspace(*dataset.x_range, TRUTH_POINTS)
        arrays |= {"truth_x": x, "truth_y": np.ravel(dataset.truth(x[:, None]))}
    if reference is not None:
        arrays |= {"reference_mean": reference.mean[:, 0], "reference_sd": reference.total_std[:, 0]}
        arrays["reference_epistemic"] = reference.epistemic_std[:, 0]
    header = {"draws": len(predictive.draws), "x": predictive.draws.shape[1]}
    (left, right), (low, high) = dataset.x_range, dataset.y_range
    spans = {name: right - left if name.endswith("_x") else high - low for name in arrays}
    return pack(header, {name: compact(values, spans[name]).reshape(values.shape) for name, values in arrays.items()})


def film_block(fit: Fit, dataset: Dataset) -> bytes | None:
    """The block of the draws of a finished fit at all its snapshots; None without snapshots."""
    steps = fit.snapshot_steps
    if len(steps) < 2 or not fit.is_done:
        return None

    def compute() -> bytes:
        x = np.linspace(*dataset.x_range, SURFACE_INPUTS)[:, None]
        moments = [fit.at_snapshot(i).predict(x, SURFACE_DRAWS).draws[:, :, 0] for i in range(len(steps))]
        return pack_surface([("training_step", steps.tolist())], np.stack(moments), dataset.y_range)

    return RESULTS.obtain(("film", fit.config, data_key(dataset)), compute)
