"""The rival that compiles: the whole fit as one jitted lax.scan in JAX, dropout inside, Adam written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from bdlviz.models.mlp import MLP
from bdlviz.types import Array
from benchmarks.workload import LEARNING_RATE, Workload

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
RANDOM_BITS = ("threefry2x32", "rbg")


def compiled(work: Workload, random_bits: str) -> Callable[[int], Array]:
    """A function (seed) -> final loss, compiled here; ``random_bits`` is one of `RANDOM_BITS`."""
    x, y = map(jnp.asarray, work.columns)
    keep = 1 - work.dropout_rate
    num_layers = len(work.sizes) - 1

    def loss(params: dict[str, Any], inputs: Any, targets: Any, key: Any) -> Any:
        h = inputs
        for layer, layer_key in enumerate(jax.random.split(key, num_layers)):
            h = h @ params[f"weight{layer}"] + params[f"bias{layer}"]
            if layer < num_layers - 1:
                mask = jax.random.bernoulli(layer_key, keep, h.shape)
                h = jnp.where(mask, jax.nn.relu(h) / keep, 0.0)
        decay = sum(jnp.sum(jnp.square(params[f"weight{layer}"])) for layer in range(num_layers))
        return 0.5 * jnp.mean(jnp.square(h - targets)) + work.weight_decay * decay

    def step(carry: Any, batch: Any) -> tuple[Any, None]:
        params, first, second, count, key = carry
        key, mask_key = jax.random.split(key)
        gradient = jax.grad(loss)(params, x[batch], y[batch], mask_key)
        count = count + 1
        first = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, first, gradient)
        second = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, second, gradient)
        one, two = 1 - BETA1**count, 1 - BETA2**count
        params = jax.tree.map(
            lambda w, m, v: w - LEARNING_RATE * (m / one) / (jnp.sqrt(v / two) + EPSILON), params, first, second
        )
        return (params, first, second, count, key), None

    @jax.jit
    def run(params: Any, batches: Any, key: Any) -> Any:
        zeros = jax.tree.map(jnp.zeros_like, params)
        return lax.scan(step, (params, zeros, zeros, jnp.float32(0), key), batches)[0][0]

    def fit(seed: int) -> Array:
        start = MLP(work.sizes).init(np.random.default_rng(seed))
        fitted = run(start, work.minibatches(seed).astype(np.int32), jax.random.key(seed, impl=random_bits))
        return work.final_loss({name: np.asarray(value) for name, value in fitted.items()})

    fit(0)
    return fit
