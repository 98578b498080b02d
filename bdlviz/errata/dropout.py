"""Errata about the masks of dropout: what p means, which noise a mask is, and what a draw is."""

from __future__ import annotations

import numpy as np

from bdlviz.errata.base import Effect, Erratum, Number
from bdlviz.errata.exact_dropout import (
    NUM_DRAWS,
    NUM_HIDDEN,
    NUM_INPUTS,
    RATE,
    RATES,
    ExactDropout,
    compared_draws,
    draws_with_one_mask,
    usual_network,
)
from bdlviz.errata.figures import Comparison, Curve, Panel, Role
from bdlviz.predictive.functions import dropout_masks
from bdlviz.types import Array

# Which of the two probabilities p is ----------------------------------------------------------------------------------


def keeps_with_p(uniform: Array, p: float) -> Array:
    r"""The mask (any shape) that a reader draws who takes p for the probability of keeping; uniform numbers in.

    $$ z \sim \operatorname{Ber}(p), \quad \tfrac{(1-p)\,\ell^2}{2N} \lVert M \rVert^2 $$
    """
    return (uniform < p).astype(float)


def drops_with_p(uniform: Array, p: float) -> Array:
    r"""The mask (any shape) for p the probability of dropping; its mean is the factor of the penalty.

    $$ z \sim \operatorname{Ber}(1-p), \quad \tfrac{(1-p)\,\ell^2}{2N} \lVert M \rVert^2 $$
    """
    return (uniform >= p).astype(float)


def measure_keep_or_drop() -> Effect:
    """A network fitted with p = 0.1 for dropping, drawn from with p = 0.1 for keeping."""
    network, rng = usual_network(), np.random.default_rng(1)
    units = network.units(network.inputs)
    uniform = rng.random((NUM_DRAWS, NUM_HIDDEN))
    wrong = draws_with_one_mask(units, network.weights, keeps_with_p(uniform, RATE) / RATE)
    right = draws_with_one_mask(units, network.weights, drops_with_p(uniform, RATE) / (1 - RATE))
    x = network.inputs
    off, good = float(network.std(x, 1 - RATE).mean()), float(network.std(x, RATE).mean())
    says = (
        f"If p keeps units instead of dropping them, the draws spread {off / good:.0f} times too far: "
        f"sd {off:.3g} (right: {good:.3g})."
    )
    return Effect(
        Number("✗ Epistemic sd", off, help="p = 0.1 read as the probability of keeping; mean over x, exactly."),
        Number("✓ Epistemic sd", good, help="p = 0.1 for dropping; mean over x, exactly."),
        (Number("Too wide by a factor of", off / good), Number("p", RATE)),
        says,
        compared_draws(network, wrong, right, ("p read as keep", "p read as drop"), says, (-16.0, 16.0)),
    )


KEEP_OR_DROP = Erratum(
    "keep-or-drop",
    "p keeps on one slide and drops on the next",
    "Lee: MC dropout, mask and penalty",
    "The factor 1 − p of the penalty is the probability that a unit stays, so the mask must be Ber(1 − p). "
    "Both conventions are in use; one text may use only one of them.",
    keeps_with_p,
    drops_with_p,
    measure_keep_or_drop,
    "regression/function_draws",
    "Function draws: the slider is the rate of dropping",
    (("scene", "high-dropout"),),
    (ExactDropout,),
)


# Gaussian noise -------------------------------------------------------------------------------------------------------


def noise_with_sd_alpha(normal: Array, dropout_rate: Array | float) -> Array:
    r"""Gaussian dropout noise (any shape) from standard normal numbers, with sigma read as the standard deviation.

    $$ \varepsilon \sim \mathcal{N}(0, \sigma), \quad \sigma = \tfrac{p}{1-p} $$
    """
    return dropout_rate / (1 - dropout_rate) * normal


def noise_with_variance_alpha(normal: Array, dropout_rate: Array | float) -> Array:
    r"""Gaussian dropout noise (any shape) with the mean and the variance of a binary mask over its keep probability.

    Wang & Manning, "Fast dropout training", ICML 2013.

    $$ \varepsilon \sim \mathcal{N}(0, \alpha), \quad \operatorname{Var} \varepsilon = \alpha = \tfrac{p}{1-p} $$
    """
    return np.sqrt(dropout_rate / (1 - dropout_rate)) * normal


def measure_noise_variance() -> Effect:
    """The noise of binary masks, counted, beside both readings."""
    stops = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    counted = [float(dropout_masks(np.random.default_rng(k), (64,), r, 400)[0].std()) for k, r in enumerate(stops)]
    off, good = float(noise_with_sd_alpha(np.ones(()), RATE)), float(noise_with_variance_alpha(np.ones(()), RATE))
    says = (
        f"With a variance read as an sd, the noise at p = 0.1 is {good / off:.0f} times too small: "
        f"sd {off:.3g} (right: {good:.3g})."
    )
    one = np.ones_like(RATES)
    panel = Panel(
        [
            Curve("α read as a standard deviation", RATES, noise_with_sd_alpha(one, RATES), "wrong"),
            Curve("α as a variance", RATES, noise_with_variance_alpha(one, RATES), "right"),
            Curve("binary masks, counted", stops, np.array(counted), "data"),
        ]
    )
    return Effect(
        Number("✗ Noise sd, p = 0.1", off, help="α read as a standard deviation."),
        Number("✓ Noise sd, p = 0.1", good, help="α as a variance."),
        (
            Number("Binary masks, counted", counted[1], help="Standard deviation of masks over 1 − p, p = 0.1."),
            Number("Too small by a factor of", good / off),
        ),
        says,
        Comparison([panel], "Dropout rate p", "Standard deviation of the noise ε", (0.0, 0.85), (0.0, 2.5), says=says),
    )


NOISE_VARIANCE = Erratum(
    "noise-variance",
    "N(0, σ) with σ as the variance",
    "Mittov: Gaussian dropout",
    "Binary dropout multiplies by a mask of mean 1 and variance p/(1 − p). So α is a variance; written where a "
    "standard deviation is expected, it changes the noise at every p but 0.5.",
    noise_with_sd_alpha,
    noise_with_variance_alpha,
    measure_noise_variance,
    "regression/function_draws",
    "Function draws: masks divided by 1 − p",
)


# A mask per point -----------------------------------------------------------------------------------------------------


ZOOMED = slice(130, 161)  # of the inputs: x from 1.5 to 3
DRAWN: tuple[Role, Role] = ("wrong draws", "right draws")


def draws_with_a_mask_per_point(units: Array, weights: Array, masks: Array) -> Array:
    r"""Outputs (S, P) of hidden units (P, H) under a mask of their own for every input, (S, P, H).

    $$ f_s(x_i) = \phi(x_i)^\top (z_{s,i} \odot w) $$
    """
    return np.einsum("ph,sph,h->sp", units, masks, weights, optimize=True)


def mean_jump(draws: Array) -> float:
    r"""How far draws (S, P) move from one input to the next, mean over draws and inputs: small for smooth functions.

    $$ \tfrac{1}{S (P-1)} \sum_{s,i} \left| f_s(x_{i+1}) - f_s(x_i) \right| $$
    """
    return float(np.abs(np.diff(draws)).mean())


def measure_mask_per_point() -> Effect:
    """Draws of one network with shared masks, and with a new mask at every input."""
    network, rng = usual_network(), np.random.default_rng(2)
    units = network.units(network.inputs)

    def masks(*shape: int) -> Array:
        return drops_with_p(rng.random((NUM_DRAWS, *shape)), RATE) / (1 - RATE)

    right = draws_with_one_mask(units, network.weights, masks(NUM_HIDDEN))
    wrong = draws_with_a_mask_per_point(units, network.weights, masks(NUM_INPUTS, NUM_HIDDEN))
    off, good = mean_jump(wrong), mean_jump(right)
    says = f"With a new dropout mask at every x, the mean jump to the next x is {off:.2f} (right: {good:.2f})"
    says += f"; one of {NUM_DRAWS} draws is shown."
    titles = f"A mask for every x: mean jump {off:.2f}", f"One mask for all x: mean jump {good:.2f}"
    panels, x = list[Panel](), network.inputs[ZOOMED]
    for title, draws, mean, role in zip(titles, (wrong, right), (off, good), DRAWN, strict=True):
        jumps = abs(np.diff(draws[:, ZOOMED]))
        draw, at = np.unravel_index(np.argmin(abs(jumps - mean)), jumps.shape)  # a jump of the usual size
        y, ends = draws[draw, ZOOMED], draws[draw, ZOOMED][[at, at + 1]]
        jump = Curve("one such jump", x[[at + 1] * 2], ends, "jump")
        panels.append(Panel([Curve("draw", x, y, role), jump], title))
    return Effect(
        Number("✗ Jump to the next x", off, ".2f", "Size, mean over draws and x: a mask per point."),
        Number("✓ Jump to the next x", good, ".2f", "Size, mean over draws and x: one mask per draw."),
        (
            Number("✗ Sd at one x", float(wrong.std(0).mean()), ".2f", f"Over {NUM_DRAWS} draws, mean over x."),
            Number("✓ Sd at one x", float(network.std(network.inputs, RATE).mean()), ".2f", "Exactly, mean over x."),
        ),
        says,
        Comparison(panels, "x", "y", (1.5, 3.0), (-0.5, 2.5), says=says),
    )


MASK_PER_POINT = Erratum(
    "mask-per-point",
    "A mask per point, not per draw",
    "Gavves: the linked browser demo",
    "φ are hidden units, w their weights; the mask z drops some units. With the index i every x has a mask of its own. "
    "Mean and sd at each x stay right, but a draw jumps from x to x: neighbouring values are independent.",
    draws_with_a_mask_per_point,
    draws_with_one_mask,
    measure_mask_per_point,
    "regression/function_draws",
    "Function draws: one mask set per draw",
    (("scene", "good"),),
    (mean_jump, ExactDropout),
)
