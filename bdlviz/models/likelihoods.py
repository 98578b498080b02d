"""Likelihoods: what the network's outputs say about y.

A new likelihood needs `negative_log_likelihood` (in torch: its gradient comes from autograd), `mean` and, unless the
noise is a constant, `variance`. The built-in ones write their gradient out instead and need no torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Task

if TYPE_CHECKING:
    from torch import Tensor

SMALL_LOGIT = 1e-30  # stands for 0 in (exp(f) - 1) / f, which is 1 there
SERIES_LOGIT = 0.5  # below, a few terms of a series say the same to the last digit of float32, without cancellation
MIN_PIXEL_STD = 0.01
MIN_NOISE_VAR = 1e-4  # of a learned constant noise, in units of y's variance: one point alone would ask for none
HALF_LOG_TWO_PI = 0.9189385332046727


class Likelihood:
    """Base class of a user's own likelihood, and of the built-in ones. Units: standardised y."""

    name = "custom"
    task: Task = "regression"
    is_generative = False  # of x itself, not of y given x

    def num_outputs(self, num_targets: int) -> int:
        """Network outputs K needed for targets of that dimension (or that many classes)."""
        return num_targets

    def observe(self, images: Any) -> Any:
        """What the density is of: images (..., D), numpy or torch, as they are or, for instance, thresholded."""
        return images

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Negative log density per data point: (..., B, K) and (..., B, K_y) -> (..., B)."""
        raise NotImplementedError

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        """Log density per data point in numpy, (..., N), with its constants; a generative model's bound needs it.

        Scores use it where a likelihood of your own has it, else `negative_log_likelihood`, if y is one number.
        """
        raise NotImplementedError

    def cdf(self, outputs: Array, y: Array) -> Array:
        """Probability of values below y (..., N, K), for each output of y; only coverage and decisions need it."""
        raise InvalidInput(
            f"The likelihood {self.name!r} does not say how probable values below y are: give it a cdf(outputs, y)."
        )

    def mean(self, outputs: Array) -> Array:
        """E[y | x, w] from outputs (S, N, K)."""
        raise NotImplementedError

    def variance(self, outputs: Array) -> Array | None:
        """Var[y | x, w] from outputs (S, N, K), or None when it is the constant given as ``noise_std``."""
        return None

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        """Gradient of the minibatch's mean loss by the outputs, written into ``out``; all (R, C, B, K)."""
        import torch

        leaf = torch.tensor(outputs, requires_grad=True)
        loss = self.negative_log_likelihood(leaf, torch.as_tensor(y)).mean(-1).sum()
        (result,) = torch.autograd.grad(loss, leaf)
        out[:] = result.numpy()

    def loss(self, outputs: Array, y: Array) -> Array:
        """Mean negative log likelihood over the minibatch, (R, C)."""
        import torch

        return self.negative_log_likelihood(torch.tensor(outputs), torch.as_tensor(y)).mean(-1).numpy()


class Gaussian(Likelihood):
    r"""Gaussian noise of a known size.

    The data term is written without its constants, so that it does not change with the noise; the mean precision of the
    outputs enters through the weight decay (see `bdlviz.predictive.length_scale`). Where outputs have different noise,
    ``output_weights`` (K,) are their precisions divided by the mean one (`bdlviz.models.scaling.Scaling`).

    $$ \tfrac12 \sum_k \frac{\tau_k}{\tau} (y_k - f_k)^2, \qquad \tau = \frac1K \sum_k \tau_k $$
    """

    name = "gaussian"

    def __init__(self, output_weights: Sequence[float] = ()) -> None:
        self.output_weights = tuple(output_weights)  # none: 1 for each output

    def output_precisions(self, precision: float) -> Array:
        """The precision of every output, (K,), from the mean one; (1,) where all outputs have the same."""
        return precision * np.array(self.output_weights or (1.0,))

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        squares = (outputs - y).square()
        if self.output_weights:
            squares = squares * squares.new_tensor(self.output_weights)
        return 0.5 * squares.sum(-1)

    def mean(self, outputs: Array) -> Array:
        return outputs

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        np.subtract(outputs, y, out=out)
        np.multiply(out, np.float32(1 / y.shape[-2]), out=out)
        if self.output_weights:
            np.multiply(out, np.array(self.output_weights, np.float32), out=out)

    def loss(self, outputs: Array, y: Array) -> Array:
        squares = np.square(outputs - y)
        if self.output_weights:
            squares *= np.array(self.output_weights, np.float32)
        return 0.5 * squares.sum(-1).mean(-1)


class HeteroscedasticGaussian(Likelihood):
    r"""Gaussian noise whose size is an output of the network too: K means, then K log variances (Kendall & Gal 2017).

    Only the residuals teach the variance; the logarithm keeps it positive without a division.

    $$ -\log p(y \mid x, w) = \tfrac12 \sum_k \left[ e^{-s_k} (y_k - f_k)^2 + s_k + \log 2\pi \right],
       \qquad s_k = \log \sigma_k^2(x) $$
    """

    name = "heteroscedastic"

    def num_outputs(self, num_targets: int) -> int:
        return 2 * num_targets

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        mean, log_variance = outputs.chunk(2, -1)
        squares = (y - mean).square() * (-log_variance).exp()
        return 0.5 * (squares + log_variance).sum(-1) + y.shape[-1] * HALF_LOG_TWO_PI

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        mean, log_variance = np.split(outputs, 2, axis=-1)
        squares = np.square(y - mean) * np.exp(-log_variance)
        return -0.5 * (squares + log_variance).sum(-1) - y.shape[-1] * HALF_LOG_TWO_PI

    def mean(self, outputs: Array) -> Array:
        return outputs[..., : outputs.shape[-1] // 2]

    def variance(self, outputs: Array) -> Array:
        return np.exp(outputs[..., outputs.shape[-1] // 2 :])

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        half, share = outputs.shape[-1] // 2, np.float32(1 / y.shape[-2])
        residual, precision = outputs[..., :half] - y, np.exp(-outputs[..., half:])
        out[..., :half] = share * residual * precision
        out[..., half:] = 0.5 * share * (1 - np.square(residual) * precision)

    def loss(self, outputs: Array, y: Array) -> Array:
        return -self.log_likelihood(outputs, y).mean(-1)


class HomoscedasticGaussian(Likelihood):
    r"""Gaussian noise of a learned size, one for each output, the same at every x (Kendall, Gal & Cipolla 2018).

    At given functions the best size is the root mean square of what is left, so it needs no parameter: it stands at its
    optimum in every step. Each output's squares are then divided by its own noise, which weighs several tasks. Over all
    data, this is also what is left when the noise is integrated out under the prior 1/sigma (Jeffreys), so that methods
    which draw from the posterior stay exact. Over a minibatch of B points the noise is estimated from those B alone.

    $$ -\frac1B \log p(Y \mid X, w) = \sum_k \log \sigma_k + \tfrac12 \log 2 \pi e, \qquad
       \sigma_k^2 = \frac1B \sum_i (y_{ik} - f_k(x_i))^2 $$

    The learned noise itself follows from a fit and its data: `bdlviz.predictive.kinds.noise_left`.
    """

    name = "homoscedastic"

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        """The same share of the whole for each point."""
        variance = (outputs - y).square().mean(-2) + MIN_NOISE_VAR
        share = (0.5 * (variance.log() + 1) + HALF_LOG_TWO_PI).sum(-1)
        return share[..., None].expand(outputs.shape[:-1])

    def mean(self, outputs: Array) -> Array:
        return outputs

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        np.subtract(outputs, y, out=out)
        variance = np.square(out).mean(-2, keepdims=True) + np.float32(MIN_NOISE_VAR)
        np.divide(out, variance * np.float32(y.shape[-2]), out=out)

    def loss(self, outputs: Array, y: Array) -> Array:
        variance = np.square(outputs - y).mean(-2) + MIN_NOISE_VAR
        return (0.5 * (np.log(variance) + 1) + HALF_LOG_TWO_PI).sum(-1)


class Categorical(Likelihood):
    r"""Classes through a softmax; y holds class numbers, (..., B, 1).

    $$ -\log p(y = c \mid x, w) = -f_c + \log \sum_k e^{f_k} $$
    """

    name = "categorical"
    task: Task = "classification"

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        log_probabilities = outputs.log_softmax(-1)
        return -log_probabilities.gather(-1, y.expand(*outputs.shape[:-1], 1))[..., 0]

    def mean(self, outputs: Array) -> Array:
        """Class probabilities."""
        shifted = np.exp(outputs - outputs.max(-1, keepdims=True))
        return shifted / shifted.sum(-1, keepdims=True)

    def variance(self, outputs: Array) -> Array:
        probabilities = self.mean(outputs)
        return probabilities * (1 - probabilities)

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        out[:] = self.mean(outputs)
        out -= y == np.arange(outputs.shape[-1])
        np.multiply(out, np.float32(1 / y.shape[-2]), out=out)

    def loss(self, outputs: Array, y: Array) -> Array:
        shifted = outputs - outputs.max(-1, keepdims=True)
        log_probabilities = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
        chosen = np.broadcast_to(y, (*outputs.shape[:-1], 1))
        return -np.take_along_axis(log_probabilities, chosen, -1)[..., 0].mean(-1)


class Bernoulli(Likelihood):
    r"""Pixels in [0, 1] of an image, one logit each (Kingma & Welling 2014, appendix C.1).

    On grey pixels this is no normalised density, only the usual loss (Loaiza-Ganem & Cunningham 2019).

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
        return _sigmoid(outputs)

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        _sigmoid(outputs, out=out)
        np.subtract(out, self.observe(y), out=out)
        np.multiply(out, np.float32(1 / y.shape[-2]), out=out)

    def loss(self, outputs: Array, y: Array) -> Array:
        return -self.log_likelihood(outputs, y).mean(-1)


class BinarisedBernoulli(Bernoulli):
    r"""A Bernoulli variable for each pixel, black or white: the image is thresholded at one half first.

    A proper distribution, of binary images; its bounds are not comparable with those of grey ones.

    $$ -\log p(b \mid z) = \sum_d \log(1 + e^{f_d}) - b_d f_d, \qquad b_d = [x_d \ge \tfrac12] $$
    """

    name = "binarised_bernoulli"

    def observe(self, images: Any) -> Any:
        return images.round() if hasattr(images, "grad_fn") else (images >= 0.5).astype(np.float32)


class ContinuousBernoulli(Likelihood):
    r"""A density on [0, 1] for each pixel: the Bernoulli term, normalised (Loaiza-Ganem & Cunningham 2019).

    In terms of the logit f the normaliser is smooth, so that nothing is unstable where a pixel's parameter is 1/2:

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
        """Expected pixels, by a series where the two fractions would cancel."""
        square = np.square(outputs)
        near = 0.5 + outputs * (1 / 12 - square * (1 / 720 - square / 30240))
        safe = np.where(np.abs(outputs) < SERIES_LOGIT, np.float32(1), outputs)
        with np.errstate(over="ignore"):  # e to a large power: its inverse is 0, as it should be
            far = 1 / -np.expm1(-safe) - 1 / safe
        return np.where(np.abs(outputs) < SERIES_LOGIT, near, far).astype(outputs.dtype, copy=False)

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        np.subtract(self.mean(outputs), y, out=out)
        np.multiply(out, np.float32(1 / y.shape[-2]), out=out)

    def loss(self, outputs: Array, y: Array) -> Array:
        return -self.log_likelihood(outputs, y).mean(-1)


class GaussianPixels(Likelihood):
    r"""Gaussian noise of a learned size on all pixels of an image; the decoder has one output more, s, that says it.

    $$ -\log p(x \mid z) = \sum_d \frac{(x_d - m_d)^2}{2 \sigma^2} + \log \sigma + \tfrac12 \log 2\pi, \qquad
       m_d = \frac{1}{1 + e^{-f_d}}, \quad \sigma = 0.01 + \log(1 + e^s) $$

    The floor is about one grey level of 8 bits: pixels are rounded, and a density finer than that describes nothing.
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
        return _sigmoid(outputs[..., :-1])

    def noise_std(self, outputs: Array) -> Array:
        """The learned noise of every image, (...), in grey values from 0 to 1."""
        return MIN_PIXEL_STD + softplus(outputs[..., -1])

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        mean, std, batch = self.mean(outputs), self.noise_std(outputs)[..., None], y.shape[-2]
        residual = mean - y
        out[..., :-1] = residual * mean * (1 - mean) / (batch * std**2)
        squares = np.square(residual).sum(-1, keepdims=True)
        out[..., -1:] = (y.shape[-1] / std - squares / std**3) * _sigmoid(outputs[..., -1:]) / batch

    def loss(self, outputs: Array, y: Array) -> Array:
        return -self.log_likelihood(outputs, y).mean(-1)


def log_normaliser(logits: Array) -> Array:
    r"""What the Bernoulli term leaves out of a density of grey pixels, per pixel and in nats, at least log 2.

    From the logit f of the parameter. Source: Loaiza-Ganem & Cunningham 2019, equation 8.

    $$ \log C(\lambda) = \log \frac{2 \operatorname{artanh}(1 - 2 \lambda)}{1 - 2 \lambda}
       = \log \frac{f}{\tanh(f / 2)}, \qquad f = \log \frac{\lambda}{1 - \lambda} $$
    """
    size = np.maximum(np.abs(logits), SMALL_LOGIT)
    return np.log(size / np.tanh(size / 2))


def softplus(a: Array) -> Array:
    """The function log(1 + exp(a)), twenty times as fast as np.logaddexp."""
    out = np.abs(a)
    np.negative(out, out=out)
    np.exp(out, out=out)
    np.log1p(out, out=out)
    return np.add(out, np.maximum(a, 0), out=out)


def _sigmoid(a: Array, out: Array | None = None) -> Array:
    """The function 1 / (1 + exp(-a))."""
    out = np.negative(a, out=out)
    with np.errstate(over="ignore"):  # an infinite power has the inverse 0, as it should have
        np.exp(out, out=out)
    np.add(out, 1, out=out)
    return np.divide(1, out, out=out)


LIKELIHOODS: dict[str, Likelihood] = {
    likelihood.name: likelihood
    for likelihood in (
        Gaussian(),
        HeteroscedasticGaussian(),
        HomoscedasticGaussian(),
        Categorical(),
        Bernoulli(),
        BinarisedBernoulli(),
        ContinuousBernoulli(),
        GaussianPixels(),
    )
}


def likelihood(name: str) -> Likelihood:
    """The built-in likelihood of that name."""
    if name not in LIKELIHOODS:
        raise InvalidInput(f"Unknown likelihood {name!r}: choose one of {', '.join(LIKELIHOODS)}.")
    return LIKELIHOODS[name]


def is_built_in(chosen: Likelihood) -> bool:
    """Is this one of `LIKELIHOODS` itself, not a subclass of one?"""
    return type(chosen) in map(type, LIKELIHOODS.values())
