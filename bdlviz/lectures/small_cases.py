"""Functions for the small cases of several derivations: exact expectations, and means of draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.models.likelihoods import Gaussian
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.types import Array

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup

LOG_TWO_PI = float(np.log(2 * np.pi))
NODES = 60  # of a Gauss-Hermite rule: exact for polynomials of degree 119
REACH = 12.0  # half-width of integrals around a mode, in standard deviations


def log_normal(value: Any, mean: Any, std: Any) -> Any:
    """Log density of N(mean, std^2) in nats, of the shape that the arguments broadcast to."""
    return -0.5 * np.square((value - mean) / std) - np.log(std) - 0.5 * LOG_TWO_PI


def normal_nodes() -> tuple[Array, Array]:
    """Points (60,) and weights (60,) that take expectations of smooth functions over N(0, 1)."""
    points, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return points, weights / weights.sum()


def integral(function: Callable[[float], Any], low: float, high: float, breaks: Sequence[float] = ()) -> float:
    """The integral of a function of one number, split at points where it is not smooth."""
    from scipy.integrate import quad

    ends = sorted({low, *breaks, high})
    return float(sum(quad(function, a, b, epsabs=1e-12, epsrel=1e-11, limit=400)[0] for a, b in pairwise(ends)))


def mean_and_error(values: Array) -> tuple[float, float]:
    """The mean of independent draws (S,) and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def masked_weight_kl(dropout_rate: float, mean: float, std: float, length_scale: float) -> float:
    """KL in nats of p N(0, std^2) + (1 - p) N(mean, std^2) from N(0, length_scale^-2), by quadrature.

    ``std`` is the width of the two spikes of a dropped weight.
    """
    log_shares = np.log([dropout_rate, 1 - dropout_rate])

    def integrand(w: float) -> float:
        log_q = np.logaddexp.reduce(log_shares + log_normal(w, np.array([0.0, mean]), std))
        return np.exp(log_q) * (log_q - log_normal(w, 0.0, 1 / length_scale))

    near = [centre + side * REACH * std for centre in (0.0, mean) for side in (-1, 1)]
    return integral(integrand, min(near), max(near), [*near, 0.0, mean])


@dataclass(frozen=True, eq=False)
class FirstStep:
    """The first step of a training: its loss in nats per data point, its starting parameters and its noise."""

    loss: float
    params: Mapping[str, Array]  # of one network, (in, out) by name
    noise: Sequence[Array]  # standard normal, (B, in) for each layer where scales are drawn, then (B, out) for each


def first_loss(
    build: Callable[[Setup], Method],
    x: Array,
    y: Array,
    num_data: int,
    options: Mapping[str, float],
    *,
    draws_scales: bool = False,
) -> FirstStep:
    """Take one training step of a method on a minibatch x (B, D), y (B, 1), for a network without hidden layers."""
    from bdlviz.training.method import Setup
    from bdlviz.training.noise import generator

    model, batch = Model(MLP((x.shape[1], 1)), Gaussian()), len(x)
    hyperparameters = {"kl_weight": np.ones(1)}
    setup = Setup(model, hyperparameters, (0,), num_data, batch, 1, 1e-3, x.shape[1], options)
    method = build(setup)
    state = method.init()
    params = {name: array[0, 0].astype(float) for name, array in method.params(state).items()}
    points = x.astype(np.float32)[None, None], y.astype(np.float32)[None, None]
    loss = method.update(state, points, True).loss
    assert loss is not None
    rng = generator(0, "noise")
    widths = [*([x.shape[1]] if draws_scales else []), 1]
    noise = [rng.standard_normal((batch, width), np.float32).astype(float) for width in widths]
    return FirstStep(float(loss[0, 0]), params, noise)
