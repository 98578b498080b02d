"""The linearisation of a network in its weights at w*, and the posterior of the weights of the linear model.

It is written in numpy and float64. The Jacobian with respect to the weights of a layer is a product of its inputs and
of the gradients by its pre-activations. It is stored only if there are fewer weights than observations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bdlviz.models.activations import activation
from bdlviz.models.gaussian_process import cholesky, solve
from bdlviz.models.mlp import MLP
from bdlviz.predictive.weight_gradients import DERIVATIVES
from bdlviz.types import Array

CHUNK_NUMBERS = 2**22  # float64 numbers worked on at once
MAX_CHUNK_DRAWS = 256


class Layer(NamedTuple):
    """One layer at N points: its inputs (N, in), and the gradients of outputs by its pre-activations (N, K, out)."""

    inputs: Array
    slopes: Array


class Deviation(NamedTuple):
    """Deviations of the weights (S, in, out) and biases (S, out) of a layer, or their prior variances."""

    weight: Array
    bias: Array


def tangents(network: MLP, params: Mapping[str, Array], x: Array, first: int = 0) -> tuple[Array, list[Layer]]:
    r"""Outputs (N, K) of one network at x (N, D), and the factors of its Jacobian by the layers from ``first`` on.

    $$ \frac{\partial f_k}{\partial W_{\ell, ij}} = h_{\ell, i}\, \delta_{\ell, kj}, \qquad
       \delta_\ell = \left(\delta_{\ell + 1} W_{\ell + 1}^\top\right) \odot \phi'(a_\ell) $$
    """
    weights = [params[f"weight{layer}"].astype(np.float64) for layer in range(network.num_layers)]
    inputs, sums = [x.astype(np.float64)], []
    for layer, weight in enumerate(weights):
        sums.append(inputs[-1] @ weight + params[f"bias{layer}"])
        inputs.append(activation(network.activation)(sums[-1].copy()))
    num_outputs = network.sizes[-1]
    slopes = [np.broadcast_to(np.eye(num_outputs), (len(x), num_outputs, num_outputs))]
    for layer in reversed(range(first, network.num_layers - 1)):
        felt = slopes[0] @ weights[layer + 1].T
        slopes.insert(0, felt * DERIVATIVES[network.activation](sums[layer])[:, None])
    return sums[-1], [Layer(h, slope) for h, slope in zip(inputs[first:-1], slopes, strict=True)]


def jacobian(layers: Sequence[Layer]) -> Array:
    """The Jacobian by all weights and biases, (N, K, P): layer by layer, weights (in, out) before biases."""
    parts = []
    for h, slopes in layers:
        by_weight = h[:, None, :, None] * slopes[:, :, None, :]
        parts += [by_weight.reshape(*slopes.shape[:2], -1), slopes]
    return np.concatenate(parts, -1)


def tangent_kernel(layers: Sequence[Layer], others: Sequence[Layer], variances: Sequence[Deviation]) -> Array:
    r"""Prior covariance of the linear function's outputs at N and M inputs, (N, K, M, K).

    ``variances`` are those of one weight and one bias of each layer. The Jacobian is not needed.

    $$ J(x)\, \Lambda^{-1} J(x')^\top = \sum_\ell \left( \sigma_{w, \ell}^2\, h_\ell^\top h_\ell' + \sigma_{b, \ell}^2
       \right) \delta_\ell\, \delta_\ell'^\top $$
    """
    total: Array | float = 0.0
    for (h, slopes), (other_h, other_slopes), variance in zip(layers, others, variances, strict=True):
        both = variance.weight * (h @ other_h.T) + variance.bias
        total = total + both[:, None, :, None] * np.tensordot(slopes, other_slopes, (2, 2))
    return np.asarray(total)


def prior_covariance(layers: Sequence[Layer], variances: Sequence[Deviation]) -> Array:
    """The blocks of `tangent_kernel` between the outputs at the same x, (N, K, K)."""
    return np.sum(
        [
            (variance.weight * (h**2).sum(1) + variance.bias)[:, None, None] * (slopes @ slopes.swapaxes(1, 2))
            for (h, slopes), variance in zip(layers, variances, strict=True)
        ],
        axis=0,
    )


def push_forward(layers: Sequence[Layer], deviations: Sequence[Deviation]) -> Array:
    r"""The first-order change of the outputs for S deviations of the weights: (S, N, K).

    $$ J(x)\, \Delta w $$
    """
    total: Array | float = 0.0
    for (h, slopes), deviation in zip(layers, deviations, strict=True):
        change = h @ deviation.weight + deviation.bias[:, None]
        total = total + np.einsum("sno,nko->snk", change, slopes)
    return np.asarray(total)


def _squares(root: Array) -> Array:
    """R^T R at every point, of roots R (P, N, K): (N, K, K)."""
    by_point = root.swapaxes(0, 1)
    return by_point.swapaxes(1, 2) @ by_point


class LinearisedPosterior:
    r"""The Gaussian over the weights of a linearised network (Immer et al. 2021, arXiv 2008.08216).

    $$ f(x) = f(x; w^*) + J(x)\, (w - w^*), \qquad w \sim \mathcal{N}\left(w^*, \Sigma\right), \qquad
       \Sigma^{-1} = \sum_i J(x_i)^\top H_i\, J(x_i) + \Lambda $$

    With fewer observations than weights it is computed in function space, with a matrix of N K rows (`is_dual`), else
    in weight space, with a matrix of P rows. Both give the same result.

    Args:
        network: whose weights ``params`` are w*.
        params: (in, out) by name.
        x: (N, D), standardised.
        roots: (N, K, K), R with R R^T = H, the likelihood's curvature by the outputs at each point.
        variances: prior variances of a weight and a bias of each layer from ``first`` on; layers before stay at w*.
        first: the first uncertain layer.
        is_dual: True for function space, False for weight space; None for the smaller matrix.
    """

    def __init__(
        self,
        network: MLP,
        params: Mapping[str, Array],
        x: Array,
        roots: Array,
        variances: Sequence[Deviation],
        first: int = 0,
        is_dual: bool | None = None,
    ) -> None:
        self._network, self._params, self._first, self._variances = network, params, first, variances
        self._shapes = [network.shapes()[f"weight{layer}"] for layer in range(first, network.num_layers)]
        self.num_weights = sum((rows + 1) * columns for rows, columns in self._shapes)
        self.num_observed, self._roots = len(x) * network.sizes[-1], roots
        self.is_dual = self.num_observed <= self.num_weights if is_dual is None else is_dual
        _, self._layers = self._tangents(x)
        self._factor = self._dual_factor() if self.is_dual else self._primal_factor()

    def _tangents(self, x: Array) -> tuple[Array, list[Layer]]:
        return tangents(self._network, self._params, x, self._first)

    def _dual_factor(self) -> Array:
        kernel = tangent_kernel(self._layers, self._layers, self._variances)
        seen = np.einsum("nkmj,nki,mjl->niml", kernel, self._roots, self._roots, optimize=True)
        matrix = seen.reshape(self.num_observed, self.num_observed)
        return cholesky(matrix + np.eye(self.num_observed))[0]

    def _primal_factor(self) -> Array:
        rows = np.swapaxes(self._roots, 1, 2) @ jacobian(self._layers)
        rows = rows.reshape(-1, self.num_weights)
        return cholesky(rows.T @ rows + np.diag(1 / self._spread() ** 2))[0]

    def _spread(self) -> Array:
        """Prior standard deviation of every weight, (P,), in the Jacobian's order."""
        parts = [
            np.repeat(np.sqrt([float(variance.weight), float(variance.bias)]), [rows * columns, columns])
            for variance, (rows, columns) in zip(self._variances, self._shapes, strict=True)
        ]
        return np.concatenate(parts)

    def moments(self, x: Array) -> tuple[Array, Array]:
        """Exact mean and variance of the linearised outputs at x (N, D), (N, K) each."""
        mean, covariance = self._gaussian(x)
        return mean, np.maximum(np.diagonal(covariance, axis1=1, axis2=2), 0)

    def covariance(self, x: Array) -> Array:
        r"""Exact covariance between the linearised outputs at each x (N, D), (N, K, K).

        $$ J(x)\, \Sigma\, J(x)^\top $$
        """
        return self._gaussian(x)[1]

    def _gaussian(self, x: Array) -> tuple[Array, Array]:
        """Mean (N, K) and covariance (N, K, K) of the outputs at each x, in pieces of points."""
        rows = max(1, CHUNK_NUMBERS // (self._network.sizes[-1] * len(self._factor) or 1))
        pieces = [self._gaussian_at(x[start : start + rows]) for start in range(0, len(x), rows)]
        mean, covariance = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
        return mean, covariance

    def _gaussian_at(self, x: Array) -> tuple[Array, Array]:
        mean, layers = self._tangents(x)
        if not self.is_dual:
            root = solve(self._factor, jacobian(layers).reshape(-1, self.num_weights).T).reshape(-1, *mean.shape)
            return mean, _squares(root)
        kernel = tangent_kernel(self._layers, layers, self._variances)
        seen = np.einsum("nkmj,nki->nimj", kernel, self._roots).reshape(self.num_observed, mean.size)
        root = solve(self._factor, seen).reshape(-1, *mean.shape)
        return mean, prior_covariance(layers, self._variances) - _squares(root)

    def draw(self, rng: np.random.Generator, num_draws: int) -> list[Deviation]:
        r"""Deviations from w*, layer by layer; the first of more draws are the same.

        In function space they follow from Matheron's rule, which corrects a draw from the prior by the data:

        $$ \Delta w = \epsilon - \Lambda^{-1} J^\top R\, \left(I + R^\top J \Lambda^{-1} J^\top R\right)^{-1}
           \left(R^\top J \epsilon + e\right), \qquad \epsilon \sim \mathcal{N}(0, \Lambda^{-1}), \quad
           e \sim \mathcal{N}(0, I) $$
        """
        if not self.is_dual:
            normals = rng.standard_normal((num_draws, self.num_weights))
            return self._by_layer(solve(self._factor, normals.T, transposed=True).T)
        normals = rng.standard_normal((num_draws, self.num_weights + self.num_observed))
        prior = self._by_layer(self._spread() * normals[:, : self.num_weights])
        seen = np.einsum("snk,nki->sni", push_forward(self._layers, prior), self._roots).reshape(num_draws, -1)
        wanted = (seen + normals[:, self.num_weights :]).T
        solved = solve(self._factor, solve(self._factor, wanted), transposed=True).T
        pulls = np.einsum("sni,nki->snk", solved.reshape(num_draws, *self._roots.shape[:2]), self._roots)
        return [self._moved(*each, pulls) for each in zip(prior, self._layers, self._variances, strict=True)]

    def _moved(self, prior: Deviation, layer: Layer, variance: Deviation, pulls: Array) -> Deviation:
        felt = np.einsum("snk,nko->sno", pulls, layer.slopes)
        weight = prior.weight - variance.weight * (layer.inputs.T @ felt)
        return Deviation(weight, prior.bias - variance.bias * felt.sum(1))

    def _by_layer(self, flat: Array) -> list[Deviation]:
        """(S, P) -> the deviations of every layer."""
        found, start = [], 0
        for rows, columns in self._shapes:
            end = start + rows * columns
            found.append(Deviation(flat[:, start:end].reshape(-1, rows, columns), flat[:, end : end + columns]))
            start = end + columns
        return found

    def functions(self, rng: np.random.Generator, num_samples: int) -> LinearisedDraws:
        """S draws as functions of x."""
        return LinearisedDraws(self, rng, num_samples)

    def at(self, x: Array) -> tuple[Array, list[Layer]]:
        """Outputs at w* (N, K), and the factors of the Jacobian."""
        return self._tangents(x)


class LinearisedDraws:
    """S linearised functions: each has its own weights, the same for every x."""

    def __init__(self, posterior: LinearisedPosterior, rng: np.random.Generator, num_samples: int) -> None:
        self._posterior, self.num_samples = posterior, num_samples
        numbers = posterior.num_weights + posterior.num_observed
        self._chunk = int(np.clip(CHUNK_NUMBERS // numbers, 1, MAX_CHUNK_DRAWS))
        self._seeds = rng.integers(2**63, size=-(-num_samples // self._chunk))

    def __call__(self, x: Array) -> Array:
        """All draws at x (N, D), standardised: (S, N, K) float32."""
        mean, layers = self._posterior.at(x)
        widest = max(slopes.shape[2] for _, slopes in layers)
        outputs = np.empty((self.num_samples, *mean.shape), np.float32)
        rows = max(1, CHUNK_NUMBERS // (self._chunk * widest))
        for start, seed in zip(range(0, self.num_samples, self._chunk), self._seeds, strict=True):
            piece = outputs[start : start + self._chunk]
            deviations = self._posterior.draw(np.random.Generator(np.random.SFC64(int(seed))), len(piece))
            for row in range(0, len(x), rows):
                here = slice(row, row + rows)
                some = [Layer(h[here], slopes[here]) for h, slopes in layers]
                piece[:, here] = mean[here] + push_forward(some, deviations)
        return outputs
