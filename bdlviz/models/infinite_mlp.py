"""A network with infinitely wide hidden layers: its prior over functions is a Gaussian process.

Neal 1996, chapter 2; deep networks: Lee et al. 2018 (arXiv 1711.00165) and Matthews et al. 2018. Everything is in
float64 and standardised units.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import erf, ndtr

from bdlviz.models.mlp import MLP
from bdlviz.models.priors import prior_precisions
from bdlviz.types import Array

ERF_SCALE = np.sqrt(np.pi) / 2  # erf(a sqrt(pi) / 2) has the derivative of tanh a at 0, which is 1
SIGMOID_SCALE = 1.702  # Phi(a / 1.702) is within 0.01 of the logistic function everywhere
NUM_FEATURES = 512

Covariance = Callable[[Array, Array, Array], Array]


def relu_covariance(first: Array, second: Array, both: Array) -> Array:
    r"""E[relu(u) relu(v)] of two Gaussian numbers around 0: the arc-cosine kernel of order 1.

    Variances ``first`` and ``second`` and covariance ``both`` broadcast. Source: Cho & Saul 2009, with n = 1.

    $$ \mathbb{E}[\phi(u)\, \phi(v)] = \frac{\sqrt{q_{11}\, q_{22}}}{2\pi}
       \left[ \sin\theta + (\pi - \theta) \cos\theta \right], \qquad
       \cos\theta = \frac{q_{12}}{\sqrt{q_{11}\, q_{22}}} $$
    """
    size = np.sqrt(first) * np.sqrt(second)
    cosine = np.clip(both / size, -1, 1)
    return size / (2 * np.pi) * (np.sqrt(1 - cosine**2) + (np.pi - np.arccos(cosine)) * cosine)


def erf_covariance(first: Array, second: Array, both: Array) -> Array:
    r"""E[erf(u) erf(v)] of two Gaussian numbers around 0, given as in `relu_covariance`.

    Source: Williams 1997.

    $$ \mathbb{E}[\operatorname{erf}(u) \operatorname{erf}(v)] = \frac2\pi \arcsin
       \frac{2 q_{12}}{\sqrt{(1 + 2 q_{11})(1 + 2 q_{22})}} $$
    """
    return 2 / np.pi * np.arctan2(2 * both, _other_side(2 * first, 2 * second, 2 * both))


def gelu_covariance(first: Array, second: Array, both: Array) -> Array:
    r"""E[GELU(u) GELU(v)] of two Gaussian numbers around 0, given as in `relu_covariance`.

    Source: Tsuchida et al. 2021 (arXiv 2002.08517).

    $$ \mathbb{E}[\phi(u)\, \phi(v)] = \frac{q_{12}}4 + \frac{q_{12}}{2\pi} \arcsin \frac{q_{12}}{\sqrt{r_1 r_2}}
       + \frac{q_{12}^2 + q_{11}\, q_{22}\, \delta^2}{2\pi\, r_1 r_2\, \delta}, \qquad
       r_i = 1 + q_{ii}, \quad \delta^2 = r_1 r_2 - q_{12}^2 $$
    """
    product, delta = (1 + first) * (1 + second), _other_side(first, second, both)
    last = (both**2 + first * second * delta**2) / (product * delta)
    return both / 4 + (both * np.arctan2(both, delta) + last) / (2 * np.pi)


def _other_side(first: Array, second: Array, both: Array) -> Array:
    """sqrt((1 + q11) (1 + q22) - q12^2), without a difference of nearly equal numbers.

    The angle by both sides stays exact where q12 is nearly as long as the longest, as it is for neighbouring inputs.
    """
    return np.sqrt(1 + first + second + np.maximum(first * second - both**2, 0))


@dataclass(frozen=True)
class WideActivation:
    """An activation whose covariance behind Gaussian inputs is known: ``scale_out`` times phi(``scale_in`` a)."""

    function: Callable[[Array], Array]
    of_function: Covariance
    scale_in: float = 1.0
    scale_out: float = 1.0

    def __call__(self, a: Array) -> Array:
        """The activation itself, elementwise."""
        return self.scale_out * self.function(self.scale_in * a)

    def covariance(self, first: Array, second: Array, both: Array) -> Array:
        """The covariance of its values at two Gaussian numbers around 0, given as in `relu_covariance`."""
        squared = self.scale_in**2
        return self.scale_out**2 * self.of_function(squared * first, squared * second, squared * both)


# tanh and SiLU have no closed form; they are replaced by functions with the same derivative at 0 and similar values.
WIDE_ACTIVATIONS = {
    "relu": WideActivation(lambda a: np.maximum(a, 0), relu_covariance),
    "tanh": WideActivation(erf, erf_covariance, scale_in=float(ERF_SCALE)),
    "gelu": WideActivation(lambda a: a * ndtr(a), gelu_covariance),
    "silu": WideActivation(lambda a: a * ndtr(a), gelu_covariance, scale_in=1 / SIGMOID_SCALE, scale_out=SIGMOID_SCALE),
}


@dataclass(frozen=True)
class InfiniteMLP:
    """The Gaussian process prior of one output of an infinitely wide network.

    Attributes:
        activation: of the hidden layers; erf replaces tanh, and a scaled GELU replaces SiLU (`WIDE_ACTIVATIONS`).
        weight_variances: for every layer, the number of its inputs times the prior variance of one weight.
        bias_variances: prior variance of one bias of every layer.
    """

    activation: str
    weight_variances: tuple[float, ...]
    bias_variances: tuple[float, ...]

    @classmethod
    def of(cls, network: MLP, length_scale: float, by_width: bool) -> InfiniteMLP:
        """The limit of a network with the prior of `bdlviz.models.priors.prior_precisions`.

        With ``by_width`` the hidden widths do not matter. Without it weights do not shrink as layers widen: then this
        is the process with the covariance that the widths give, exactly for one hidden layer.
        """
        precisions, shapes = prior_precisions(network, length_scale, by_width), network.shapes()
        layers = range(network.num_layers)
        weights = tuple(float(shapes[f"weight{layer}"][0] / precisions[f"weight{layer}"]) for layer in layers)
        return cls(network.activation, weights, tuple(float(1 / precisions[f"bias{layer}"]) for layer in layers))

    def covariance(self, x: Array, other: Array) -> Array:
        r"""Prior covariance of the function at x (N, D) and at other inputs (M, D): (N, M).

        $$ k^{0}(x, x') = \sigma_w^2\, \frac{x^\top x'}{D} + \sigma_b^2, \qquad
           k^{\ell}(x, x') = \sigma_w^2\, \mathbb{E}_{(u, v) \sim \mathcal{N}(0, k^{\ell - 1})}[\phi(u)\, \phi(v)]
           + \sigma_b^2 $$

        Source: Lee et al. 2018, equations 4 and 5.
        """
        x, other = x.astype(np.float64), other.astype(np.float64)
        first, second = self._first((x**2).sum(1)[:, None], x), self._first((other**2).sum(1)[None], x)
        both = self._first(x @ other.T, x)
        for layer in range(1, len(self.weight_variances)):
            both = self._next(layer, first, second, both)
            first, second = self._next(layer, first, first, first), self._next(layer, second, second, second)
        return both

    def variance(self, x: Array) -> Array:
        """Prior variance of the function at x (N, D): (N,)."""
        variance = self._first((x.astype(np.float64) ** 2).sum(1), x)
        for layer in range(1, len(self.weight_variances)):
            variance = self._next(layer, variance, variance, variance)
        return variance

    def _first(self, products: Array, x: Array) -> Array:
        return self.weight_variances[0] / x.shape[1] * products + self.bias_variances[0]

    def _next(self, layer: int, first: Array, second: Array, both: Array) -> Array:
        behind = WIDE_ACTIVATIONS[self.activation].covariance(first, second, both)
        return self.weight_variances[layer] * behind + self.bias_variances[layer]

    def draw_features(self, rng: np.random.Generator, num_inputs: int) -> Callable[[Array], Array]:
        r"""Random features of one wide network drawn from this prior: (N, D) -> (N, M).

        The sum of features with Gaussian weights is nearly a draw of this prior; without hidden layers, exactly.

        $$ k(x, x') \approx \psi(x)^\top \psi(x') $$
        """
        layers: list[tuple[Array, Array]] = []
        sizes = [num_inputs, *[NUM_FEATURES] * (len(self.weight_variances) - 1)]
        for layer, width in enumerate(sizes[1:]):
            scale = np.sqrt(self.weight_variances[layer] / sizes[layer])
            weight = scale * rng.standard_normal((sizes[layer], width))
            layers.append((weight, np.sqrt(self.bias_variances[layer]) * rng.standard_normal(width)))
        last = np.sqrt(self.weight_variances[-1] / sizes[-1])

        def features(x: Array) -> Array:
            h = x.astype(np.float64)
            for weight, bias in layers:
                h = WIDE_ACTIVATIONS[self.activation](h @ weight + bias)
            return np.hstack([last * h, np.full((len(x), 1), np.sqrt(self.bias_variances[-1]))])

        return features
