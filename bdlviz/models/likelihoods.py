"""Likelihoods p(y | f(x)) of targets given the outputs of a network, and the registry of all likelihoods.

A new likelihood needs `negative_log_likelihood` (in torch: its gradient comes from autograd), `mean` and, unless the
noise is a constant, `variance`. The built-in ones write out their gradients and do not need torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.likelihood_base import HALF_LOG_TWO_PI, Likelihood
from bdlviz.models.pixel_likelihoods import Bernoulli, BinarisedBernoulli, ContinuousBernoulli, GaussianPixels
from bdlviz.types import Array, Task

if TYPE_CHECKING:
    from torch import Tensor

MIN_NOISE_VAR = 1e-4  # of learned constant noise, relative to the variance of y; one point alone would give 0


class Gaussian(Likelihood):
    r"""Gaussian noise of a known size.

    The data term has no constants, so that it does not depend on the noise; the mean precision of the outputs enters
    through the weight decay (see `bdlviz.predictive.length_scale`). If outputs have different noise,
    ``output_weights`` (K,) are their precisions divided by the mean (`bdlviz.models.scaling.Scaling`).

    $$ \tfrac12 \sum_k \frac{\tau_k}{\tau} (y_k - f_k)^2, \qquad \tau = \frac1K \sum_k \tau_k $$
    """

    name = "gaussian"
    standardises_y = True

    def __init__(self, output_weights: Sequence[float] = ()) -> None:
        self.output_weights = tuple(output_weights)  # empty: 1 for each output

    def output_precisions(self, precision: float) -> Array:
        """The precision of every output, (K,), from the mean precision; (1,) if all are equal."""
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
    r"""Gaussian noise whose variance is predicted, too: K means, then K log variances (Kendall & Gal 2017).

    The variance is learned from the residuals alone; its logarithm is predicted, so that it is positive.

    $$ -\log p(y \mid x, w) = \tfrac12 \sum_k \left[ e^{-s_k} (y_k - f_k)^2 + s_k + \log 2\pi \right],
       \qquad s_k = \log \sigma_k^2(x) $$
    """

    name = "heteroscedastic"
    standardises_y = True

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
        with np.errstate(over="ignore"):  # an infinite variance is refused where it is used
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

    For given functions the optimal standard deviation is the root mean square of the residuals, so it needs no
    parameter: the loss uses the optimum in every step. The squared errors of each output are divided by its own noise,
    which weights several tasks. Over all data, the same loss results from integrating out the noise under the prior
    1/sigma (Jeffreys), so that methods which sample the posterior stay exact. In a minibatch of B points the noise is
    estimated from these B points.

    $$ -\frac1B \log p(Y \mid X, w) = \sum_k \log \sigma_k + \tfrac12 \log 2 \pi e, \qquad
       \sigma_k^2 = \frac1B \sum_i (y_{ik} - f_k(x_i))^2 $$

    The learned noise itself follows from a fit and its data: `bdlviz.predictive.kinds.noise_left`.
    """

    name = "homoscedastic"
    standardises_y = True

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        """The loss of the batch divided equally among its points."""
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
    """True if the type of ``chosen`` is one of `LIKELIHOODS`, not a subclass of one."""
    return type(chosen) in map(type, LIKELIHOODS.values())


def has_gaussian_noise(chosen: Likelihood) -> bool:
    """True if y given the outputs is Gaussian with `mean` and `variance`; a subclass may have another density."""
    return type(chosen) in (Gaussian, HeteroscedasticGaussian, HomoscedasticGaussian)
