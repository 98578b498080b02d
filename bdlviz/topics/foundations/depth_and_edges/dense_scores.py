"""Predictions of every pixel from draws of a network (depth or classes, with both uncertainties), and their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bdlviz import threads
from bdlviz.errors import InvalidInput
from bdlviz.predictive.summaries import summarise_classification, summarise_regression
from bdlviz.topics.foundations.depth_and_edges.convolutional import Convolutional, NumpyOperations, with_places
from bdlviz.types import Array

CHUNK = 5  # number of draws that are evaluated together; more do not fit into the processor's cache


@dataclass(frozen=True, eq=False)
class DepthPicture:
    """Depth of every pixel in metres with its two uncertainties, all (H, W)."""

    mean: Array
    aleatoric_std: Array
    epistemic_std: Array

    @property
    def total_std(self) -> Array:
        """The root of the sum of both variances."""
        return np.hypot(self.aleatoric_std, self.epistemic_std)


@dataclass(frozen=True, eq=False)
class ClassPicture:
    """Class probabilities (H, W, K), and the expected entropy of a draw and the mutual information, in nats (H, W)."""

    probabilities: Array
    expected_entropy: Array
    mutual_information: Array

    @property
    def classes(self) -> Array:
        """The most probable class of every pixel, (H, W)."""
        return self.probabilities.argmax(-1)


def draw_outputs(
    network: Convolutional, params: Mapping[str, Array], image: Array, masks: Mapping[str, Array]
) -> Array:
    """S draws of the outputs for one image (H, W, 3), (S, H, W, num_outputs). Draw s uses mask s at all pixels."""
    x, use = with_places(image[None]), NumpyOperations()
    if not masks:
        return network.outputs(use, params, x, {})
    starts = range(0, len(next(iter(masks.values()))), CHUNK)
    parts = [{name: mask[start : start + CHUNK] for name, mask in masks.items()} for start in starts]
    return np.concatenate(threads.map_drawing(lambda part: network.outputs(use, params, x, part), parts))


def depth_picture(mean: Array, log_variance: Array, *, offset: float = 0.0, scale: float = 1.0) -> DepthPicture:
    r"""Depth from S draws of its mean and log variance, both (S, H, W) in units of ``scale`` metres from ``offset``.

    Every draw has its own noise (Kendall & Gal 2017, eq. 9):

    $$ \operatorname{Var}[y] \approx
       \underbrace{\frac1S \sum_s f_s^2 - \Bigl(\frac1S \sum_s f_s\Bigr)^2}_{\text{epistemic}}
       + \underbrace{\frac1S \sum_s \sigma_s^2}_{\text{aleatoric}} $$
    """
    shape, samples = mean.shape[1:], len(mean)
    means, variances = offset + scale * mean.astype(float), scale**2 * np.exp(log_variance.astype(float))
    per_pixel = (means.reshape(samples, -1, 1), variances.reshape(samples, -1, 1))
    summary = summarise_regression(_pixels(shape), *per_pixel, 0.0)
    pictures = (each.reshape(shape) for each in (summary.mean, summary.aleatoric_std, summary.epistemic_std))
    return DepthPicture(*pictures)


def class_picture(logits: Array) -> ClassPicture:
    """Classes from S draws of logits (S, H, W, K); the entropy is split as in `summarise_classification`."""
    samples, height, width, kinds = logits.shape
    shifted = np.exp(logits.astype(float) - logits.max(-1, keepdims=True))
    probabilities = (shifted / shifted.sum(-1, keepdims=True)).reshape(samples, -1, kinds)
    summary = summarise_classification(_pixels((height, width)), probabilities)
    entropies = (summary.expected_entropy, summary.mutual_information)
    expected, information = (np.asarray(each).reshape(height, width) for each in entropies)
    return ClassPicture(summary.mean.reshape(height, width, kinds), expected, information)


def coverage(y: Array, mean: Array, std: Array, widths: float = 1.96) -> float:
    r"""The share of readings y inside the band of ``widths`` standard deviations about the mean, 0 to 1.

    $$ \frac1P \sum_i \left[\,|y_i - \mathbb{E}[y_i]| \le 1.96\, \sigma_i\right] $$

    If the noise is Gaussian and both mean and standard deviation are right, the share is 95 % for ``widths`` = 1.96.

    Raises:
        InvalidInput: the arrays do not have the same shape.
    """
    if not np.shape(y) == np.shape(mean) == np.shape(std):
        raise InvalidInput("Readings, means and standard deviations must have the same shape.")
    return float(np.mean(np.abs(y - mean) <= widths * std))


def correlation(one: Array, other: Array) -> float:
    r"""Pearson's correlation over pixels, -1 to 1; NaN if one of the arrays is constant.

    $$ r = \frac{\sum_i (a_i - \bar a)(b_i - \bar b)}{\sqrt{\sum_i (a_i - \bar a)^2 \sum_i (b_i - \bar b)^2}} $$
    """
    a, b = one.ravel() - np.mean(one), other.ravel() - np.mean(other)
    norm = np.sqrt(np.sum(a**2) * np.sum(b**2))
    return float(np.sum(a * b) / norm) if norm > 0 else float("nan")


def _pixels(shape: tuple[int, ...]) -> Array:
    """Row and column of every pixel, (P, 2)."""
    return np.indices(shape).reshape(len(shape), -1).T.astype(float)
