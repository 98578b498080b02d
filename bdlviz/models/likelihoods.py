"""Likelihoods: what the network's outputs say about y.

A new likelihood needs `negative_log_likelihood` (in torch: its gradient comes from autograd), `mean` and, unless the
noise is a constant, `variance`. The built-in ones write their gradient out instead and need no torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Task

if TYPE_CHECKING:
    from torch import Tensor


class Likelihood:
    """Base class of a user's own likelihood, and of the built-in ones. Units: standardised y."""

    name = "custom"
    task: Task = "regression"
    is_generative = False  # of x itself, not of y given x

    def num_outputs(self, num_targets: int) -> int:
        """Network outputs K needed for targets of that dimension (or that many classes)."""
        return num_targets

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Negative log density per data point: (..., B, K) and (..., B, K_y) -> (..., B)."""
        raise NotImplementedError

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        """Log density per data point in numpy, (..., N); a generative model's bound needs it."""
        raise NotImplementedError

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

    The data term is written without its constants, so that it does not change with the noise; the noise enters
    through the weight decay (see `bdlviz.predictive.length_scale`).

    $$ \tfrac12 (y - f)^2 $$
    """

    name = "gaussian"

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        return 0.5 * (outputs - y).square().sum(-1)

    def mean(self, outputs: Array) -> Array:
        return outputs

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        np.subtract(outputs, y, out=out)
        np.multiply(out, np.float32(1 / y.shape[-2]), out=out)

    def loss(self, outputs: Array, y: Array) -> Array:
        return 0.5 * np.square(outputs - y).sum(-1).mean(-1)


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

        return (softplus(outputs) - y * outputs).sum(-1)

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        return (y * outputs - np.logaddexp(0, outputs)).sum(-1)

    def mean(self, outputs: Array) -> Array:
        """Expected pixels."""
        from scipy.special import expit

        return expit(outputs)


LIKELIHOODS: dict[str, Likelihood] = {
    likelihood.name: likelihood for likelihood in (Gaussian(), Categorical(), Bernoulli())
}


def likelihood(name: str) -> Likelihood:
    """The built-in likelihood of that name."""
    if name not in LIKELIHOODS:
        raise InvalidInput(f"Unknown likelihood {name!r}: choose one of {', '.join(LIKELIHOODS)}.")
    return LIKELIHOODS[name]
