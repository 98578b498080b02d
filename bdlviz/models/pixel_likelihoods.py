"""Likelihoods of images, whose pixels are grey values in [0, 1]: for the decoders of generative models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.models.elementary import sigmoid, softplus
from bdlviz.models.likelihood_base import HALF_LOG_TWO_PI, Likelihood
from bdlviz.types import Array

if TYPE_CHECKING:
    from torch import Tensor

SMALL_LOGIT = 1e-30  # replaces 0 in (exp(f) - 1) / f, whose limit at 0 is 1
SERIES_LOGIT = 0.5  # below, a series is used: it is exact in float32 and has no cancellation
MIN_PIXEL_STD = 0.01


class Bernoulli(Likelihood):
    r"""Pixels in [0, 1] of an image, one logit each (Kingma & Welling 2014, appendix C.1).

    For grey pixels it is the usual loss, but not a normalised density (Loaiza-Ganem & Cunningham 2019).

    $$ -\log p(x \mid z) = \sum_d \log(1 + e^{f_d}) - x_d f_d $$
    """

    name = "bernoulli"
    is_generative = True

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        from torch.nn.functional import softplus

        return (softplus(outputs) - self.observe(y) * outputs).sum(-1)

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        return np.vecdot(self.observe(y), outputs) - softplus(outputs).sum(-1)

    def mean(self, outputs: Array) -> Array:
        """Expected pixels."""
        return sigmoid(outputs)

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        sigmoid(outputs, out=out)
        np.subtract(out, self.observe(y), out=out)
        np.multiply(out, np.float32(1 / y.shape[-2]), out=out)

    def loss(self, outputs: Array, y: Array) -> Array:
        return -self.log_likelihood(outputs, y).mean(-1)


class BinarisedBernoulli(Bernoulli):
    r"""A Bernoulli variable for each pixel, black or white: the image is thresholded at one half first.

    A normalised distribution of binary images; its bounds are not comparable with those of grey images.

    $$ -\log p(b \mid z) = \sum_d \log(1 + e^{f_d}) - b_d f_d, \qquad b_d = [x_d \ge \tfrac12] $$
    """

    name = "binarised_bernoulli"

    def observe(self, images: Any) -> Any:
        is_black = images >= 0.5
        return is_black.to(images.dtype) if hasattr(images, "grad_fn") else is_black.astype(np.float32)


class ContinuousBernoulli(Likelihood):
    r"""A density on [0, 1] for each pixel: the Bernoulli term, normalised (Loaiza-Ganem & Cunningham 2019).

    In terms of the logit f the normaliser is smooth, also where the parameter of a pixel is 1/2:

    $$ -\log p(x \mid z) = \sum_d \log\frac{e^{f_d} - 1}{f_d} - x_d f_d, \qquad
       \mathbb{E}[x_d] = \frac{1}{1 - e^{-f_d}} - \frac{1}{f_d} $$

    The mean is not the parameter sigmoid(f): reconstructions show the mean.
    """

    name = "continuous_bernoulli"
    is_generative = True

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        import torch

        is_small, square = outputs.abs() < SERIES_LOGIT, outputs.square()
        size = torch.where(is_small, 1.0, outputs.abs())
        far = outputs.clamp_min(0) + torch.log(-torch.expm1(-size) / size)
        near = outputs / 2 + square * (1 / 24 - square * (1 / 2880 - square / 181440))
        return (torch.where(is_small, near, far) - y * outputs).sum(-1)

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        size = np.maximum(np.abs(outputs), np.float32(SMALL_LOGIT))
        log_partition = np.maximum(outputs, 0) + np.log(-np.expm1(-size) / size)
        return np.vecdot(y, outputs) - log_partition.sum(-1)

    def mean(self, outputs: Array) -> Array:
        """Expected pixels; by a series where the difference of the two fractions would lose digits."""
        square = np.square(outputs)
        near = 0.5 + outputs * (1 / 12 - square * (1 / 720 - square / 30240))
        safe = np.where(np.abs(outputs) < SERIES_LOGIT, np.float32(1), outputs)
        with np.errstate(over="ignore"):  # the inverse of an overflow is 0, which is correct
            far = 1 / -np.expm1(-safe) - 1 / safe
        return np.where(np.abs(outputs) < SERIES_LOGIT, near, far).astype(outputs.dtype, copy=False)

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        np.subtract(self.mean(outputs), y, out=out)
        np.multiply(out, np.float32(1 / y.shape[-2]), out=out)

    def loss(self, outputs: Array, y: Array) -> Array:
        return -self.log_likelihood(outputs, y).mean(-1)


class GaussianPixels(Likelihood):
    r"""Gaussian noise with one learned standard deviation for all pixels of an image, from a further output s.

    $$ -\log p(x \mid z) = \sum_d \frac{(x_d - m_d)^2}{2 \sigma^2} + \log \sigma + \tfrac12 \log 2\pi, \qquad
       m_d = \frac{1}{1 + e^{-f_d}}, \quad \sigma = 0.01 + \log(1 + e^s) $$

    The minimum is 2.5 grey levels of 8 bits, since pixels are rounded and narrower densities have no meaning.
    """

    name = "gaussian_pixels"
    is_generative = True

    def num_outputs(self, num_targets: int) -> int:
        return num_targets + 1

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        from torch.nn.functional import softplus

        std = MIN_PIXEL_STD + softplus(outputs[..., -1])
        squares = (y - outputs[..., :-1].sigmoid()).square().sum(-1)
        return squares / (2 * std**2) + y.shape[-1] * (std.log() + HALF_LOG_TWO_PI)

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        std = self.noise_std(outputs)
        squares = np.square(y - self.mean(outputs)).sum(-1)
        return -squares / (2 * std**2) - y.shape[-1] * (np.log(std) + HALF_LOG_TWO_PI)

    def mean(self, outputs: Array) -> Array:
        """Expected pixels."""
        return sigmoid(outputs[..., :-1])

    def noise_std(self, outputs: Array) -> Array:
        """The learned noise of every image, (...), in grey values from 0 to 1."""
        return MIN_PIXEL_STD + softplus(outputs[..., -1])

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        mean, std, batch = self.mean(outputs), self.noise_std(outputs)[..., None], y.shape[-2]
        residual = mean - y
        out[..., :-1] = residual * mean * (1 - mean) / (batch * std**2)
        squares = np.square(residual).sum(-1, keepdims=True)
        out[..., -1:] = (y.shape[-1] / std - squares / std**3) * sigmoid(outputs[..., -1:]) / batch

    def loss(self, outputs: Array, y: Array) -> Array:
        return -self.log_likelihood(outputs, y).mean(-1)


def log_normaliser(logits: Array) -> Array:
    r"""Log normaliser of the continuous Bernoulli distribution, per pixel in nats; at least log 2.

    From the logit f of the parameter. Source: Loaiza-Ganem & Cunningham 2019, equation 8.

    $$ \log C(\lambda) = \log \frac{2 \operatorname{artanh}(1 - 2 \lambda)}{1 - 2 \lambda}
       = \log \frac{f}{\tanh(f / 2)}, \qquad f = \log \frac{\lambda}{1 - \lambda} $$
    """
    size = np.maximum(np.abs(logits), SMALL_LOGIT)
    return np.log(size / np.tanh(size / 2))
