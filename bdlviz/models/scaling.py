"""Standardisation: fits use x and y with mean 0 and sd 1 over the training set; results are in the user's units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz.checks import FARTHEST, varies
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset, Noise


@dataclass(frozen=True, eq=False)
class Scaling:
    """Means and scales of x (1, D) and y (1, K). Images and class labels stay as they are."""

    x_mean: Array
    x_scale: Array
    y_mean: Array
    y_scale: Array

    @classmethod
    def of(cls, dataset: Dataset, standardises_y: bool = True) -> Scaling:
        """The scaling of a training set; y may stay as it is. A constant column has the scale 1 and becomes 0."""
        keep_x = dataset.image_shape is not None
        keep_y = dataset.task == "classification" or not standardises_y
        x_mean, x_scale = _moments(dataset.x, keep_x)
        y_mean, y_scale = _moments(dataset.y.reshape(len(dataset.y), -1), keep_y)
        return cls(x_mean, x_scale, y_mean, y_scale)

    def precision(self, noise_std: Noise | Array) -> float:
        r"""Precision of the noise in standardised units, the mean over outputs; see `output_weights`.

        $$ \tau_k = \left( \frac{\text{scale}_k}{\sigma_k} \right)^2, \qquad \tau = \frac1K \sum_k \tau_k $$
        """
        return float(self._precisions(noise_std).mean())

    def output_weights(self, noise_std: Noise | Array) -> tuple[float, ...]:
        r"""The weight of each output's squared error in the data term, $\tau_k / \tau$: 1 on average over outputs.

        Mean precision and weights together give the precision of every output. So weight decay, length-scale and noise
        have the same relation as with one output (`bdlviz.predictive.length_scale`).
        """
        precisions = self._precisions(noise_std)
        return tuple((precisions / precisions.mean()).tolist())

    def _precisions(self, noise_std: Noise | Array) -> Array:
        scales = self.y_scale[0].tolist()
        noises = np.broadcast_to(noise_std, len(scales)).tolist()
        return np.array([(scale / noise) ** 2 for scale, noise in zip(scales, noises, strict=True)])

    def standardise_x(self, x: Array) -> Array:
        """(N, D) in the user's units -> float32 (N, D); images are returned unchanged, without a copy.

        Raises:
            InvalidInput: a point is so far from the training data that a network would overflow.
        """
        is_unchanged = not self.x_mean.any() and (self.x_scale == 1).all()
        standardised = x if is_unchanged else (x - self.x_mean) / self.x_scale
        if max(-float(standardised.min()), float(standardised.max())) > FARTHEST:
            raise InvalidInput(f"x must lie within {FARTHEST:g} standard deviations of the training data.")
        return np.asarray(standardised, np.float32)

    def standardise_y(self, y: Array) -> Array:
        """(N, K) in the user's units -> float32 (N, K)."""
        return ((y - self.y_mean) / self.y_scale).astype(np.float32)


def _moments(values: Array, keep: bool) -> tuple[Array, Array]:
    width = values.shape[1]
    if keep:
        return np.zeros((1, width)), np.ones((1, width))
    is_varied = varies(values)
    mean = np.where(is_varied, values.mean(0, keepdims=True, dtype=np.float64), values[:1])
    spread = values.std(0, keepdims=True, dtype=np.float64)
    return mean, np.where(is_varied, spread, np.maximum(1.0, np.ptp(values, 0)))
