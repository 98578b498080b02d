"""JAX as a peer: a fit, or a grid of fits, as one compiled lax.scan with a hand-written Adam."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from bdlviz.models.mlp import MLP
from bdlviz.threads import num_cores
from bdlviz.types import Array
from benchmarks.timing import TRIALS
from benchmarks.workload import LEARNING_RATE, Workload

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8

jax.config.update("jax_num_cpu_devices", num_cores())  # so that a grid can be divided among them


@dataclass(frozen=True)
class Way:
    """Options for compiling the same fit.

    Masks are drawn for all steps before the scan, or for each step inside it; products run on one thread, or on as many
    as XLA chooses; a grid is on one device or divided among several, each of which is a core.
    """

    random_bits: str = "threefry2x32"
    masks_first: bool = False
    one_thread: bool = False
    num_devices: int = 1

    def __str__(self) -> str:
        """The options as text, for the note of a row."""
        options = [self.random_bits, "masks before the scan" if self.masks_first else "masks inside the scan"]
        options += ["one thread"] * self.one_thread
        return ", ".join(options + [f"{self.num_devices} devices"] * (self.num_devices > 1))


@dataclass(frozen=True)
class Compiled:
    """A compiled fit: ``run(seed)`` returns the losses of `Workload.some_losses`."""

    work: Workload
    num_networks: int
    way: Way
    seconds: float  # of compilation
    program: Any

    def run(self, seed: int) -> Array:
        """The losses after training."""
        fitted = self.program(*_arguments(self.work, self.num_networks, self.way, seed))
        params = {name: np.asarray(value) for name, value in fitted.items()}
        return self.work.some_losses(params) if self.num_networks > 1 else self.work.final_loss(params)

    @property
    def note(self) -> str:
        """The options and the seconds of the compilation, as text."""
        return f"{self.way}; compiled in {self.seconds:.1f} s, not counted"


def best(work: Workload, num_networks: int, cores: int, like: Way | None = None) -> Compiled:
    """The fastest program, found by changing one option after the other; masks are as in ``like`` if it is given."""
    changes = [] if like else _masks(num_networks)
    program = compiled(work, num_networks, Way(like.random_bits, like.masks_first) if like else Way())
    program_seconds = _seconds(program)
    for change in changes + _sharing(num_networks, cores):
        other = compiled(work, num_networks, replace(program.way, **change))
        if (seconds := _seconds(other)) < program_seconds:
            program, program_seconds = other, seconds
    return program


def _masks(num_networks: int) -> list[dict[str, Any]]:
    """Options of masks to try. The networks of a grid share masks, so drawing them first matters for one fit only."""
    return [{"random_bits": "rbg"}, *([{"masks_first": True}] if num_networks == 1 else [])]


def _sharing(num_networks: int, cores: int) -> list[dict[str, Any]]:
    devices = math.gcd(num_networks, cores)
    return [
        *([{"one_thread": True}] if cores > 1 else []),
        *([{"one_thread": False, "num_devices": devices}] if devices > 1 else []),
    ]


def _seconds(program: Compiled) -> float:
    seconds = []
    for _ in range(TRIALS):
        start = time.perf_counter()
        program.run(0)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def compiled(work: Workload, num_networks: int, way: Way) -> Compiled:
    """Compile a fit, or a grid of fits, for these numbers of networks and steps."""
    start = time.perf_counter()
    lowered = jax.jit(_program(work, num_networks, way)).lower(*_arguments(work, num_networks, way, 0))
    program = lowered.compile(compiler_options={"xla_cpu_multi_thread_eigen": not way.one_thread})
    return Compiled(work, num_networks, way, time.perf_counter() - start, program)


def _arguments(work: Workload, num_networks: int, way: Way, seed: int) -> tuple[Any, ...]:
    """Initial weights, weight decays, minibatches and the key of the masks; a grid has an axis of networks."""
    start = MLP(work.sizes).init(np.random.default_rng(seed))
    decays = np.array(work.decays(num_networks), np.float32)
    if num_networks > 1:
        start = {name: np.repeat(array[None], num_networks, 0) for name, array in start.items()}
    batches = work.minibatches(seed).astype(np.int32)
    return start, decays if num_networks > 1 else decays[0], batches, jax.random.key(seed, impl=way.random_bits)


def _program(work: Workload, num_networks: int, way: Way) -> Any:
    train = _training(work, num_networks > 1, way.masks_first)
    if way.num_devices == 1:
        return train
    mesh, grid, shared = (
        Mesh(np.array(jax.devices()[: way.num_devices]), ("grid",)),
        PartitionSpec("grid"),
        PartitionSpec(),
    )
    return jax.shard_map(train, mesh=mesh, in_specs=(grid, grid, shared, shared), out_specs=grid, check_vma=False)


def _training(work: Workload, is_grid: bool, masks_first: bool) -> Any:
    """The function (initial weights, weight decays, minibatches, key) -> trained weights."""
    x, y = work.columns
    is_full = work.num_batch == work.num_data
    gradient_of = jax.grad(_objective(work))
    if is_grid:
        gradient_of = jax.vmap(gradient_of, in_axes=(0, None, None, None, 0))

    def masks(key: Any, *steps: int) -> list[Any]:
        keys = jax.random.split(key, len(work.hidden))
        shapes = [(*steps, work.num_batch, width) for width in work.hidden]
        return [jax.random.bernoulli(k, 1 - work.dropout_rate, shape) for k, shape in zip(keys, shapes, strict=True)]

    def train(start: Any, decay: Any, batches: Any, key: Any) -> Any:
        def step(carry: Any, given: Any) -> tuple[Any, None]:
            params, first, second, count = carry
            batch, kept = given if masks_first else (given[0], masks(given[1]))
            inputs, targets = (x, y) if is_full else (jnp.asarray(x)[batch], jnp.asarray(y)[batch])
            gradient = gradient_of(params, inputs, targets, kept, decay)
            return _adam(params, first, second, count + 1, gradient), None

        zeros = jax.tree.map(jnp.zeros_like, start)
        num_steps = len(batches)
        noise = masks(key, num_steps) if masks_first else jax.random.split(key, num_steps)
        return lax.scan(step, (start, zeros, zeros, jnp.float32(0)), (batches, noise))[0][0]

    return train


def _objective(work: Workload) -> Any:
    """The function (params, inputs, targets, masks, weight decay) -> loss of one network."""
    keep, act = 1 - work.dropout_rate, {"relu": jax.nn.relu, "tanh": jnp.tanh}[work.activation]
    num_layers = len(work.sizes) - 1

    def objective(params: dict[str, Any], inputs: Any, targets: Any, masks: Sequence[Any], decay: Any) -> Any:
        h = inputs
        for layer in range(num_layers):
            h = h @ params[f"weight{layer}"] + params[f"bias{layer}"]
            if layer < num_layers - 1:
                h = jnp.where(masks[layer], act(h) / keep, 0.0)
        penalty = sum(jnp.sum(jnp.square(params[f"weight{layer}"])) for layer in range(num_layers))
        return 0.5 * jnp.mean(jnp.square(h - targets)) + decay * penalty

    return objective


def _adam(params: Any, first: Any, second: Any, count: Any, gradient: Any) -> tuple[Any, Any, Any, Any]:
    first = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, first, gradient)
    second = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, second, gradient)
    one, two = 1 - BETA1**count, 1 - BETA2**count
    params = jax.tree.map(
        lambda w, m, v: w - LEARNING_RATE * (m / one) / (jnp.sqrt(v / two) + EPSILON), params, first, second
    )
    return params, first, second, count
