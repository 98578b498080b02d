"""The constant noise that every network of a fit has learned, by one rule for grids, cells and snapshots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bdlviz.fitted.fit import LEARNED_NOISE, Fit, of_one_network
from bdlviz.models.likelihoods import HomoscedasticGaussian
from bdlviz.predictive.kinds import noise_left
from bdlviz.types import Array, Dataset

NOISE_SAMPLES = 200  # draws over which a learned noise is averaged


class NoiseLearner:
    """Sets the noise of the fits of one training run: the residual standard deviation on their training data.

    Fits whose likelihood learns no constant (see `bdlviz.models.likelihoods.HomoscedasticGaussian`) stay as they are.
    The noise of a snapshot is computed once, however often the run is looked at.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._of_snapshots: dict[int, Array] = {}  # by step: (R, C, K)

    def __call__(self, fit: Fit) -> Fit:
        if not isinstance(fit.model.likelihood, HomoscedasticGaussian):
            return fit
        snapshots = dict(fit.snapshots)
        if snapshots:
            snapshots[LEARNED_NOISE] = np.stack([self._at_snapshot(fit, i) for i in range(len(fit.snapshot_steps))])
        return replace(fit, noise_std=of_one_network(self._learned(fit)), snapshots=snapshots)

    def _at_snapshot(self, fit: Fit, index: int) -> Array:
        step = int(fit.snapshot_steps[index])
        if step not in self._of_snapshots:
            self._of_snapshots[step] = self._learned(fit.at_snapshot(index))
        return self._of_snapshots[step]

    def _learned(self, fit: Fit) -> Array:
        """The noise of every network in y's units, (R, C, K); NaN where it diverged."""
        stack, num_outputs = fit.diverged.shape, fit.scaling.y_scale.size
        noise = np.full((*stack, num_outputs), np.nan)
        for row, column in np.argwhere(~fit.diverged):
            place = np.unravel_index(column, fit.config.grid_shape)
            values = {name: stops[at] for (name, stops), at in zip(fit.config.axes, place, strict=True)}
            network = fit.cell(seed=fit.config.seeds[row], **values)
            outputs = network.draw_outputs(self._dataset.x, NOISE_SAMPLES).astype(np.float64)
            noise[row, column] = noise_left(outputs * fit.scaling.y_scale + fit.scaling.y_mean, self._dataset.y)
        return noise
