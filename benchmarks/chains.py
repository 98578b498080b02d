"""Chains that reach a posterior: the default HMC fit on 40 points, beside numpyro's NUTS where it is installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import bdlviz
from bdlviz.predictive.chains import split_r_hat
from bdlviz.types import Array
from benchmarks.report import Row
from benchmarks.timing import Contender, Spread, interleave

NUM_HIDDEN, NOISE_STD = 50, 0.1
LARGEST_R_HAT = 1.05
NUTS_CHAINS, NUTS_WARM_UP, NUTS_KEPT = 4, 50, 50  # about the fewest that reach that R-hat
ACTIVATIONS = ("relu", "tanh")


def points() -> tuple[Array, Array]:
    """Two clusters of 20 points."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(-4, -1, 20), rng.uniform(1, 4, 20)])
    return x, np.sin(1.5 * x) + NOISE_STD * rng.standard_normal(40)


def sampling(rounds: int, cores: int) -> list[Row]:
    """The time until chains agree; R-hat is the largest over the inputs of a picture."""
    rows: list[Row] = []
    for activation in ACTIVATIONS:
        contenders: dict[str, Contender] = {"bdlviz": lambda seed, name=activation: ours(name, seed)}
        if find_spec("numpyro"):
            contenders["NUTS"] = nuts(activation)
        runs = interleave(contenders, rounds)
        what = f"hmc, 1-{NUM_HIDDEN}-1 {activation}, 40 points"
        rows.append(Row(what, Spread.of(runs["bdlviz"].seconds), "<= 3", "s"))
        for name, found in runs.items():
            reached = Spread.of([float(value) for value in found.reached])
            rows.append(Row(f"{what}: R-hat, {name}", reached, f"<= {LARGEST_R_HAT}", ""))
        if "NUTS" in runs:
            rows.append(Row(f"{what}: numpyro's NUTS / bdlviz", runs["NUTS"].over(runs["bdlviz"]), ">= 1.5"))
    return rows


def ours(activation: str, seed: int) -> Array:
    """Split R-hat of the default fit."""
    x, y = points()
    settings: dict[str, Any] = {"hidden": (NUM_HIDDEN,), "activation": activation, "noise_std": NOISE_STD}
    fit = bdlviz.fit("hmc", (x, y), seed=seed, **settings)
    return np.array(fit.convergence(np.linspace(-5, 5, 100)).worst)


def nuts(activation: str) -> Contender:
    """The same posterior by numpyro, compiled before the clock starts."""
    jax, numpy_of_jax = import_module("jax"), import_module("jax.numpy")
    numpyro, dist, infer = (import_module(f"numpyro{part}") for part in ("", ".distributions", ".infer"))
    x, y = points()
    scale, shift = y.std(), y.mean()
    inputs, targets = (x - x.mean()) / x.std(), (y - shift) / scale
    places = (np.linspace(-5, 5, 100) - x.mean()) / x.std()
    act = {"tanh": numpy_of_jax.tanh, "relu": lambda a: numpy_of_jax.maximum(a, 0)}[activation]

    def network(weights: dict[str, Any], at: Array) -> Any:
        return (act(at[:, None] @ weights["w0"] + weights["b0"]) @ weights["w1"] + weights["b1"])[:, 0]

    def model() -> None:
        shapes = {"w0": (1, NUM_HIDDEN), "b0": (1, NUM_HIDDEN), "w1": (NUM_HIDDEN, 1), "b1": (1, 1)}
        weights = {}
        for name, shape in shapes.items():
            std = shape[0] ** -0.5 if name.startswith("w") else 1.0
            weights[name] = numpyro.sample(name, dist.Normal(0, std).expand(shape).to_event(2))
        numpyro.sample("y", dist.Normal(network(weights, inputs), NOISE_STD / scale), obs=targets)

    chains = infer.MCMC(
        infer.NUTS(model),
        num_warmup=NUTS_WARM_UP,
        num_samples=NUTS_KEPT,
        num_chains=NUTS_CHAINS,
        chain_method="vectorized",
        progress_bar=False,
    )
    predict = jax.jit(jax.vmap(jax.vmap(lambda weights: network(weights, places))))

    def run(seed: int) -> Array:
        chains.run(jax.random.PRNGKey(seed))
        return np.array(split_r_hat(np.asarray(predict(chains.get_samples(group_by_chain=True)))).max())

    return run
