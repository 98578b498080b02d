"""Standardisation: fits see x and y with mean 0 and sd 1 over the training set; people see their own units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz.types import Array, Dataset


@dataclass(frozen=True, eq=False)
class Scaling:
    """Means and scales of x (1, D) and y (1, K). Images and class labels stay as they are."""

    x_mean: Array
    x_scale: Array
    y_mean: Array
    y_scale: Array

    @classmethod
    def of(cls, dataset: Dataset) -> Scaling:
        """Measured on the training set. A constant column keeps its units: scale 1."""
        keep_x = dataset.image_shape is not None
        keep_y = dataset.task == "classification"
        x_mean, x_scale = _moments(dataset.x, keep_x)
        y_mean, y_scale = _moments(dataset.y.reshape(len(dataset.y), -1), keep_y)
        return cls(x_mean, x_scale, y_mean, y_scale)

    def standardise_x(self, x: Array) -> Array:
        """(N, D) in the user's units -> float32 (N, D); of images those given, without a copy."""
        if not self.x_mean.any() and (self.x_scale == 1).all():
            return np.asarray(x, np.float32)
        return ((x - self.x_mean) / self.x_scale).astype(np.float32)

    def standardise_y(self, y: Array) -> Array:
        """(N, K) in the user's units -> float32 (N, K)."""
        return ((y - self.y_mean) / self.y_scale).astype(np.float32)


def _moments(values: Array, keep: bool) -> tuple[Array, Array]:
    width = values.shape[1]
    if keep:
        return np.zeros((1, width)), np.ones((1, width))
    spread = values.std(0, keepdims=True)
    return values.mean(0, keepdims=True), np.where(spread > 1e-12 * np.abs(values).max(initial=1e-300), spread, 1.0)
