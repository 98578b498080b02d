"""Arrays of a grid of networks for a page: held-out scores, and the functions of all networks as one block of bytes."""

from __future__ import annotations

import numpy as np

from bdlviz.fitted import Fit
from bdlviz.predictive.summaries import rmse
from bdlviz.predictive.surface import pack_surface
from bdlviz.studies.study import Made
from bdlviz.types import Array, Dataset

SCORE_SAMPLES = 200
SURFACE_DRAWS, SURFACE_INPUTS = 50, 200  # numbers of functions per network and of inputs per function


def scored(fit: Fit, dataset: Dataset) -> Made:
    """A grid, its held-out scores (see `held_out_scores`), and ``surface``, the bytes of `function_surface`."""
    scores = held_out_scores(fit, dataset)
    surface = function_surface(fit, dataset, scores["nll"].mean(0))
    return fit, scores | {"surface": np.frombuffer(surface, np.uint8)}


def held_out_scores(fit: Fit, dataset: Dataset, num_samples: int = SCORE_SAMPLES) -> dict[str, Array]:
    """Held-out negative log-likelihood and RMSE of every network of a grid.

    Both have an axis for the seeds and one for every axis of the grid, such as (R, P, L) for dropout rates and weight
    decays: ``nll`` in nats per point, ``rmse`` in the units of y.
    """
    shape = (len(fit.config.seeds), *fit.config.grid_shape)
    scores = {"nll": np.empty(shape, np.float32), "rmse": np.empty(shape, np.float32)}
    for index in np.ndindex(shape):
        predictive = _cell(fit, *index).predict(dataset.x_test, num_samples)
        scores["nll"][index] = -predictive.log_prob(dataset.y_test).mean()
        scores["rmse"][index] = rmse(predictive, dataset.y_test)
    return scores


def function_surface(fit: Fit, dataset: Dataset, nll: Array | None = None) -> bytes:
    """The functions of all networks of a grid with the first seed, as one block (see `bdlviz.predictive.surface`).

    ``nll`` are held-out scores in the shape of the grid, from which views colour the grid.
    """
    x = np.linspace(*dataset.x_range, SURFACE_INPUTS)[:, None]
    cells = [_cell(fit, 0, *index).predict(x, SURFACE_DRAWS) for index in np.ndindex(fit.config.grid_shape)]
    num_draws = max(len(cell.draws) for cell in cells)  # without dropout a network has one draw, which is repeated
    draws = np.stack([np.broadcast_to(cell.draws[:, :, 0], (num_draws, SURFACE_INPUTS)) for cell in cells])
    return pack_surface(fit.config.axes, draws, dataset.y_range, {} if nll is None else {"nll": nll.ravel()})


def _cell(fit: Fit, seed: int, *index: int) -> Fit:
    """The network of a grid with these indices of the seed and of the axes."""
    values = {name: axis[position] for (name, axis), position in zip(fit.config.axes, index, strict=True)}
    return fit.cell(seed=fit.config.seeds[seed], **values)
