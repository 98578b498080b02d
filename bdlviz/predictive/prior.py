"""Functions a network draws before it has seen any data."""

from __future__ import annotations

import numpy as np

from bdlviz.models.mlp import MLP
from bdlviz.predictive.functions import evaluate
from bdlviz.types import Array, Draws


def prior_draws(network: MLP, x: Array, length_scale: float, rng: np.random.Generator, num_samples: int) -> Array:
    r"""Function draws from the prior over weights and biases, (S, N, K), for standardised x (N, D).

    A large length-scale means small weights: smooth, small functions. A small one means huge functions.

    $$ w \sim \mathcal{N}(0, \ell^{-2}) $$
    """
    params = {
        name: (rng.standard_normal((num_samples, *shape)) / length_scale).astype(np.float32)
        for name, shape in network.shapes().items()
    }
    return evaluate(network, Draws(params, num_samples=num_samples), x)
