"""The erratum about the gradient of a reparameterised draw: a derivative that is upside down."""

from __future__ import annotations

import numpy as np

from bdlviz.errata.base import Effect, Erratum, Number, written
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.errata.one_weight import one_weight
from bdlviz.types import Array


def chain_rule_as_printed(by_draw: Array, std: Array | float, noise: Array) -> Array:
    r"""Gradient by phi of draws u as printed, from the gradient by u; here u = mu + exp(phi) noise, all of one shape.

    $$ \frac{\partial f}{\partial \varphi} = \frac{\partial f}{\partial u}\, \frac{\partial \varphi}{\partial u} $$
    """
    return by_draw / (std * noise)


def chain_rule(by_draw: Array, std: Array | float, noise: Array) -> Array:
    r"""Gradient by phi of draws u, from the gradient by u; here u = mu + exp(phi) noise, all of one shape.

    $$ \frac{\partial f}{\partial \varphi} = \frac{\partial f}{\partial u}\, \frac{\partial u}{\partial \varphi} $$
    """
    return by_draw * std * noise


def measure_chain_rule() -> Effect:
    """The standard deviation of q over 150 steps with either gradient, on pairs of opposite noise.

    Both gradients are estimated at the posterior's mean. The entropy of q adds 1 to the gradient by phi.
    """
    model, num_steps, learning_rate = one_weight(), 150, 0.01
    mean, exact = model.posterior
    half = np.random.default_rng(7).standard_normal((num_steps, 500))
    paths = []
    for rule in (chain_rule_as_printed, chain_rule):
        phi, path = 0.0, [1.0]
        for noise in np.concatenate([half, -half], axis=1):
            std = float(np.exp(phi))
            draws = mean + std * noise
            slope = model.y.sum() - (1 + len(model.y)) * draws  # of log p(y | u) + log p(u)
            phi += learning_rate * (float(rule(slope, std, noise).mean()) + 1)
            path.append(float(np.exp(phi)))
        paths.append(np.array(path))
    off, good = (float(path[-1]) for path in paths)
    says = (
        f"Upside down, the derivative shrinks the width of q to nothing: after {num_steps} steps σ is "
        f"{written(off, '.0e')} (right: {good:.3g})."
    )
    steps = np.arange(num_steps + 1)
    panel = Panel(
        [
            Curve("with ∂φ/∂u", steps, paths[0], "wrong"),
            Curve("with ∂u/∂φ", steps, paths[1], "right"),
            Curve("exact posterior", steps, np.full(len(steps), exact), "exact"),
        ]
    )
    return Effect(
        Number("✗ σ, with ∂φ/∂u", off, ".0e", f"After {num_steps} steps."),
        Number("✓ σ, with ∂u/∂φ", good, help=f"After {num_steps} steps."),
        (Number("Exact posterior σ", exact), Number("σ at the start", 1.0)),
        says,
        Comparison([panel], "Step", "σ of the weight", (0.0, float(num_steps)), (1e-14, 2.0), (False, True), says),
    )


CHAIN_RULE = Erratum(
    "chain-rule",
    "∂φ/∂u instead of ∂u/∂φ",
    "Mittov: data term and doubly stochastic estimation",
    "φ changes the draw u, and the draw changes the likelihood: the chain rule multiplies by ∂u/∂φ. Upside down, draws "
    "with little noise count most, and the width of q shrinks without end.",
    chain_rule_as_printed,
    chain_rule,
    measure_chain_rule,
    "weights/bayes_by_backprop",
    "Bayes by Backprop: the noise of a gradient",
    (("look", "gradients"),),
)
