"""Elementwise computations of a step for all weights: variances, penalties, and their gradients.

They work in place on pieces of the flat buffers of `bdlviz.training.stacked_gaussian`. The pieces are small enough for
the cache, which makes a pass over the weights three times as fast.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from bdlviz.models.divergences import SIGMOIDAL
from bdlviz.models.priors import HALF_LOG_TWO_PI, Logarithms, log_scale_mixture, log_scale_mixture_slope
from bdlviz.training.stacked_gaussian import StackedGaussianMLP
from bdlviz.types import Array

LARGEST_EXPONENT = 80.0  # its exponential does not overflow in float32
SCRATCH_NUMBERS = 2**15  # numbers per piece, so that the arrays of a piece fit into the cache


class Piece:
    """Some of the numbers of some networks: views (rows, columns) of the buffers of a fit.

    ``raw_std`` is the trained parameter of the standard deviation. ``by_variance`` first contains twice the gradient of
    the negative log-likelihood with respect to the variance, and at the end the gradient with respect to ``raw_std``.
    ``normals`` is the standard normal noise of one draw; the two ``scratches`` are working memory.
    """

    def __init__(
        self,
        rows: slice,
        scratches: Array,
        mean: Array,
        raw_std: Array,
        variance: Array,
        by_mean: Array,
        by_variance: Array,
        normals: Array,
    ) -> None:
        self.rows, self.mean, self.raw_std, self.variance = rows, mean, raw_std, variance
        self.by_mean, self.by_variance, self.normals = by_mean, by_variance, normals
        self.scratch, self.other_scratch = scratches
        self.raw_std_torch, self.variance_torch, self.scratch_torch, self.other_torch = map(
            torch.from_numpy, (raw_std, variance, *scratches)
        )


class Family(Protocol):
    """A parametrisation of Gaussian weights, with its penalty."""

    prefix: str  # prefix of the names of the raw standard deviations
    certain_biases: bool  # True if biases have no noise
    draws_weights: bool  # True if the penalty needs a draw of all weights

    def set_variance(self, piece: Piece) -> None:
        """Compute ``variance`` from ``raw_std``."""
        ...

    def set_gradients(self, piece: Piece, weight: Array, wants_total: bool) -> Array | None:
        """Add the gradient of the penalty times ``weight`` (rows, 1) to ``by_mean``; compute that of ``raw_std``.

        Returns the sum of all penalties, (rows,), if ``wants_total``, because it shares computations with the gradient.
        """
        ...


class Prior(Protocol):
    """A prior of fixed width: the divergence from it, and the gradient."""

    draws_weights: bool

    def set_gradients(self, piece: Piece, weight: Array) -> None:
        """Add the gradient to ``by_mean``; set ``by_variance`` to the standard deviation times its gradient."""
        ...

    def total(self, piece: Piece) -> Array:
        """The sum of all divergences, (rows,)."""
        ...


class SoftplusFamily:
    r"""Standard deviations as the softplus of a parameter; biases have standard deviations, too.

    $$ \sigma = \log(1 + e^\rho), \qquad \frac{\partial \sigma}{\partial \rho} = \frac{1}{1 + e^{-\rho}} $$
    """

    certain_biases = False

    def __init__(self, prefix: str, prior: Prior) -> None:
        self.prefix, self._prior, self.draws_weights = prefix, prior, prior.draws_weights

    def set_variance(self, piece: Piece) -> None:
        torch.exp(piece.raw_std_torch, out=piece.variance_torch).log1p_().square_()

    def set_gradients(self, piece: Piece, weight: Array, wants_total: bool) -> Array | None:
        total = self._prior.total(piece) if wants_total else None
        self._prior.set_gradients(piece, weight)
        torch.sigmoid(piece.raw_std_torch, out=piece.scratch_torch)
        np.sqrt(piece.variance, out=piece.other_scratch)
        np.divide(piece.scratch, piece.other_scratch, out=piece.scratch)
        np.multiply(piece.by_variance, piece.scratch, out=piece.by_variance)
        return total


class GaussianPrior:
    r"""The divergence from one Gaussian, `bdlviz.models.divergences.gaussian`; ``length_scale`` is (M, 1).

    $$ \frac{\partial}{\partial \mu} = \ell^2 \mu, \qquad
       \sigma \frac{\partial}{\partial \sigma} = \ell^2 \sigma^2 - 1 $$
    """

    draws_weights = False

    def __init__(self, length_scale: Array) -> None:
        self._precision = np.square(length_scale)

    def set_gradients(self, piece: Piece, weight: Array) -> None:
        precision = weight * self._precision[piece.rows]
        np.multiply(piece.mean, precision, out=piece.scratch)
        np.add(piece.by_mean, piece.scratch, out=piece.by_mean)
        np.add(piece.by_variance, precision, out=piece.by_variance)
        np.multiply(piece.by_variance, piece.variance, out=piece.by_variance)
        np.subtract(piece.by_variance, weight, out=piece.by_variance)

    def total(self, piece: Piece) -> Array:
        precision = self._precision[piece.rows, 0].astype(float)
        squares = np.vecdot(piece.mean, piece.mean) + np.add.reduce(piece.variance, 1)
        torch.log(piece.variance_torch, out=piece.scratch_torch)
        logarithms = np.add.reduce(piece.scratch, 1) + piece.mean.shape[1] * (1 + np.log(precision))
        return 0.5 * (precision * squares - logarithms)


class MixturePrior:
    r"""The divergence from a mixture, `bdlviz.models.priors.log_scale_mixture`, estimated by one draw of every weight.

    The entropy of q is exact. ``wide_std`` is (M, 1).

    $$ \log q(w) - \log p(w) \approx -\log \sigma - \tfrac12 \log 2 \pi e - \log p(\mu + \sigma \epsilon) $$
    """

    draws_weights = True

    def __init__(self, wide_std: Array, narrow_std: float, share: float) -> None:
        self._wide_std, self._narrow_std, self._share = wide_std, np.float32(narrow_std), np.float32(share)

    def set_gradients(self, piece: Piece, weight: Array) -> None:
        std, drawn = self._draw(piece)
        gradient = log_scale_mixture_slope(drawn, self._wide_std[piece.rows], self._narrow_std, self._share, _sigmoid)
        np.multiply(gradient, weight, out=gradient)
        np.subtract(piece.by_mean, gradient, out=piece.by_mean)
        np.multiply(gradient, piece.normals, out=gradient)
        np.multiply(gradient, std, out=gradient)
        np.multiply(piece.by_variance, piece.variance, out=piece.by_variance)
        np.subtract(piece.by_variance, gradient, out=piece.by_variance)
        np.subtract(piece.by_variance, weight, out=piece.by_variance)

    def total(self, piece: Piece) -> Array:
        std, drawn = self._draw(piece)
        of_prior = log_scale_mixture(drawn, self._wide_std[piece.rows], self._narrow_std, self._share, _LOGARITHMS)
        terms = np.log(std) + of_prior
        return -np.add.reduce(terms, 1) - terms.shape[1] * (HALF_LOG_TWO_PI + 0.5)

    def _draw(self, piece: Piece) -> tuple[Array, Array]:
        std = np.sqrt(piece.variance, out=piece.scratch)
        drawn = np.multiply(std, piece.normals, out=piece.other_scratch)
        return std, np.add(drawn, piece.mean, out=drawn)


LogAlphaDivergence = Callable[[Tensor, bool], tuple[Array, Array | None]]


def ard(log_alpha: Tensor, wants_total: bool) -> tuple[Array, Array | None]:
    """The derivative of `bdlviz.models.divergences.ard` by log alpha, (rows, columns), and the sum of `ard` (rows,).

    The sum is None unless ``wants_total``. Its error is at most 1e-7 per weight, and a weight adds at most 40 nats.
    """
    inverse = log_alpha.neg().clamp_(max=LARGEST_EXPONENT).exp_()  # 1 / alpha
    above = inverse + 1
    gradient = inverse.div_(above).mul_(-0.5).numpy()
    return gradient, 0.5 * np.add.reduce(above.log_().numpy(), 1) if wants_total else None


def sparse_variational(log_alpha: Tensor, wants_total: bool) -> tuple[Array, Array | None]:
    """Derivative and sum of `bdlviz.models.divergences.sparse_variational`; arguments and shapes as in `ard`."""
    k1, k2, k3 = SIGMOIDAL
    gradient, total = ard(log_alpha, wants_total)
    share = torch.mul(log_alpha, k3).add_(k2).sigmoid_()
    if total is not None:
        total = total + k1 * (share.shape[1] - np.add.reduce(share.numpy(), 1))
    torch.from_numpy(gradient).add_(share.mul_(share - 1), alpha=k1 * k3)
    return gradient, total


class LogStdFamily:
    r"""Standard deviations by their logarithms; the penalty is a function of log alpha, and biases have no noise.

    $$ \log \alpha = 2 \log \sigma - \log q, \quad q = \theta^2 + 10^{-16}, \qquad
       \frac{\partial \log \alpha}{\partial \log \sigma} = 2, \qquad
       \frac{\partial \log \alpha}{\partial \theta} = -\frac{2 \theta}{q} $$
    """

    certain_biases = True
    draws_weights = False

    def __init__(self, prefix: str, divergence: LogAlphaDivergence, smallest_square: float) -> None:
        self.prefix, self._divergence, self._smallest = prefix, divergence, np.float32(smallest_square)

    def set_variance(self, piece: Piece) -> None:
        np.add(piece.raw_std, piece.raw_std, out=piece.variance)
        piece.variance_torch.exp_()

    def set_gradients(self, piece: Piece, weight: Array, wants_total: bool) -> Array | None:
        gradient, total = self._divergence(self._log_alpha(piece), wants_total)
        np.multiply(gradient, 2 * weight, out=gradient)
        np.multiply(piece.by_variance, piece.variance, out=piece.by_variance)
        np.add(piece.by_variance, gradient, out=piece.by_variance)
        np.multiply(gradient, piece.mean, out=gradient)
        np.divide(gradient, piece.scratch, out=gradient)
        np.subtract(piece.by_mean, gradient, out=piece.by_mean)
        return total

    def _log_alpha(self, piece: Piece) -> Tensor:
        """Log alpha; the squared mean remains in ``scratch``."""
        np.square(piece.mean, out=piece.scratch)
        np.add(piece.scratch, self._smallest, out=piece.scratch)
        torch.log(piece.scratch_torch, out=piece.other_torch)
        return torch.add(piece.raw_std_torch, piece.other_torch, alpha=-0.5, out=piece.other_torch).mul_(2)


class Pieces:
    """All numbers of a stack that have a standard deviation, divided into pieces."""

    def __init__(self, stack: StackedGaussianMLP, family: Family) -> None:
        self._family, self._networks = family, stack.num_networks
        layout, count = stack.layout, stack.num_uncertain
        self.normals = np.zeros((self._networks, layout.num_all if family.draws_weights else 0), np.float32)
        unused = (layout.gap, slice(layout.tail.start, count))
        # Their gradients are set to 0, so that the padding stays 0.
        self._unused = [a[:, some] for a in (stack.by_mean, stack.by_variance) for some in unused if a[:, some].size]
        width = min(count, SCRATCH_NUMBERS)
        height = max(1, SCRATCH_NUMBERS // width)
        arrays = (stack.mean, stack.raw_std, stack.variance, stack.by_mean, stack.by_variance, self.normals)
        scratches = np.zeros((2, min(height, self._networks), width), np.float32)
        self._pieces = [
            _piece(
                slice(row, min(row + height, self._networks)),
                slice(start, min(start + width, count)),
                arrays,
                scratches,
            )
            for row in range(0, self._networks, height)
            for start in range(0, count, width)
        ]
        self._padding_penalty = self._penalty_of_zeros(sum(max(0, some.stop - some.start) for some in unused))

    def _penalty_of_zeros(self, count: int) -> Array:
        """The penalty of ``count`` parameters that are 0, as padding is, (M,)."""
        size = (self._networks, count)
        rows, arrays = slice(0, self._networks), [np.zeros(size, np.float32) for _ in range(6)]
        piece = _piece(rows, slice(0, count), arrays, np.zeros((2, *size), np.float32))
        self._family.set_variance(piece)
        total = self._family.set_gradients(piece, np.zeros((self._networks, 1), np.float32), wants_total=True)
        assert total is not None
        return total

    def set_variances(self) -> None:
        """Compute the variances from the raw standard deviations."""
        for piece in self._pieces:
            self._family.set_variance(piece)

    def set_gradients(self, weight: Array, wants_penalty: bool) -> Array | None:
        """Add the gradient of the penalty times ``weight`` (M, 1), and compute that of the raw standard deviations.

        Returns the penalty of each network, (M,), if ``wants_penalty``.
        """
        penalty = -self._padding_penalty.astype(float)
        for piece in self._pieces:
            total = self._family.set_gradients(piece, weight[piece.rows], wants_penalty)
            if total is not None:
                penalty[piece.rows] += total
        for gradient in self._unused:
            gradient.fill(0)
        return penalty if wants_penalty else None


def _piece(rows: slice, columns: slice, arrays: tuple[Array, ...] | list[Array], scratches: Array) -> Piece:
    height, width = rows.stop - rows.start, columns.stop - columns.start
    return Piece(rows, scratches[:, :height, :width], *(array[rows, columns] for array in arrays))


def _sigmoid(a: Array) -> Array:
    return torch.sigmoid(torch.from_numpy(a)).numpy()


def _logaddexp(a: Array, b: Array) -> Array:
    return torch.logaddexp(torch.from_numpy(a), torch.from_numpy(b)).numpy()


_LOGARITHMS = Logarithms(np.log, _logaddexp)
