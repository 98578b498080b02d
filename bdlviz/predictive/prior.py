"""Functions drawn from the prior of a network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.mlp import MLP
from bdlviz.predictive.functions import evaluate
from bdlviz.types import Array, Draws

BIAS_STD = 1.0  # in standardised units


def prior_draws(
    network: MLP, x: Array, length_scales: Sequence[float], rng: np.random.Generator, num_samples: int
) -> Array:
    r"""Function draws from the prior over weights, (S, N, K), for standardised x (N, D).

    ``length_scales`` holds one number for each layer, as `bdlviz.predictive.length_scale.layer_length_scales` gives
    them. A large length-scale means small weights: smooth, small functions. A small one means huge functions.

    A penalty on weights alone leaves the prior of the biases flat, and a flat prior cannot be sampled. Drawing the
    biases from a standard normal distribution is an assumption of these draws, not a part of the model.

    $$ W_l \sim \mathcal{N}(0, \ell_l^{-2}), \qquad b_l \sim \mathcal{N}(0, 1) \;\text{(assumed)} $$

    Raises:
        InvalidInput: not one length-scale for each layer, or one of them is not above 0.
    """
    if len(length_scales) != network.num_layers:
        raise InvalidInput(f"The network has {network.num_layers} layers: give as many length-scales.")
    if not all(0 < scale < np.inf for scale in length_scales):
        raise InvalidInput("A flat prior cannot be sampled: every length-scale must be above 0.")
    stds = {f"weight{layer}": 1 / scale for layer, scale in enumerate(length_scales)}
    params = {
        name: (rng.standard_normal((num_samples, *shape)) * stds.get(name, BIAS_STD)).astype(np.float32)
        for name, shape in network.shapes().items()
    }
    return evaluate(network, Draws(params, num_samples=num_samples), x)
