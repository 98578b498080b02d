"""Errata about the weights under dropout: how strong their penalty is, and which of them drop together."""

from __future__ import annotations

import numpy as np

from bdlviz.data.curves import x_sin_x
from bdlviz.errata.base import Effect, Erratum, Number
from bdlviz.errata.exact_dropout import RATE, ExactDropout, draws_with_one_mask
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.predictive import length_scale
from bdlviz.predictive.functions import dropout_masks
from bdlviz.types import Array

LENGTH_SCALE = 0.3
NUM_CENTRES = 25
SHIFT = 1.0  # of x, between the two outputs
NUM_DRAWS = 2000
X_RANGE = (-5.0, 5.0)


# The penalty per point ------------------------------------------------------------------------------------------------


def weight_decay_without_n(length_scale: float, num_data: int, dropout_rate: float) -> float:
    r"""Weight of the squared norm inside the KL, read as the one beside the mean loss of N points.

    $$ \operatorname{KL}[q \Vert p] \approx \lambda \lVert M \rVert^2 \;\Rightarrow\;
       \frac1N \sum_i E(y_i, \hat y_i) + \lambda \lVert M \rVert^2, \quad \lambda = \frac{(1 - p)\, \ell^2}{2} $$
    """
    return (1 - dropout_rate) * length_scale**2 / 2


def weight_decay_per_point(length_scale: float, num_data: int, dropout_rate: float) -> float:
    r"""Weight of the squared norm beside the mean loss of N points, for unscaled masks and a loss in nats.

    $$ \frac1N \sum_i E(y_i, \hat y_i) + \lambda \lVert M \rVert^2, \quad \lambda = \frac{(1 - p)\, \ell^2}{2N} $$
    """
    return (1 - dropout_rate) * length_scale**2 / (2 * num_data)


def fit_bumps(x: Array, y: Array, weight_decay: float, dropout_rate: float) -> Array:
    r"""Weights M (H,) of Gaussian bumps that minimise the mean loss over unscaled masks, for x and y (N,) of noise 1.

    $$ \mathbb{E}_z \tfrac{1}{2N} \lVert y - \Phi\, (z \odot M) \rVert^2 + \lambda \lVert M \rVert^2, \qquad
       z \sim \operatorname{Ber}(1 - p) $$
    """
    units, keep = bumps(x), 1 - dropout_rate
    products = units.T @ units
    noise = keep * dropout_rate * np.diag(np.diag(products))
    penalty = 2 * len(y) * weight_decay * np.eye(units.shape[1])
    return np.linalg.solve(keep**2 * products + noise + penalty, keep * units.T @ y)


def bumps(x: Array) -> Array:
    """Gaussian bumps on [-5, 5], (P,) -> (P, H)."""
    return np.exp(-0.5 * np.square((x[:, None] - np.linspace(*X_RANGE, NUM_CENTRES)) / 0.5))


def measure_decay_per_point() -> Effect:
    """Bumps fitted to twenty points of noise 1 with both weights, for one prior."""
    data, inputs = x_sin_x(noise_std=1.0), np.linspace(*X_RANGE, 201)
    x, y, truth = data.x[:, 0], data.y[:, 0], inputs * np.sin(inputs)
    decays = [rule(LENGTH_SCALE, len(y), RATE) for rule in (weight_decay_without_n, weight_decay_per_point)]
    wrong, right = ((1 - RATE) * bumps(inputs) @ fit_bumps(x, y, decay, RATE) for decay in decays)
    off, good = (float(np.sqrt(np.mean(np.square(curve - truth)))) for curve in (wrong, right))
    says = (
        f"The penalty is {decays[0] / decays[1]:.0f} times too strong and flattens the curve: "
        f"its error (RMSE) is {off:.3g} (right: {good:.3g})."
    )
    panel = Panel(
        [
            Curve("truth", inputs, truth, "truth"),
            Curve(f"λ = {decays[0]:.2g}, without N", inputs, wrong, "wrong"),
            Curve(f"λ = {decays[1]:.2g}, over 2N", inputs, right, "right"),
            Curve("data", x, y, "data"),
        ]
    )
    return Effect(
        Number("✗ RMSE", off, help="Of the mean over masks, against the noiseless curve."),
        Number("✓ RMSE", good, help="Of the mean over masks, against the noiseless curve."),
        (
            Number("Too strong by a factor of", decays[0] / decays[1], help="N, the number of points."),
            Number("✗ ℓ it amounts to", LENGTH_SCALE * len(y) ** 0.5, help=f"√N times the ℓ = {LENGTH_SCALE:g} meant."),
        ),
        says,
        Comparison([panel], "x", "y", X_RANGE, (-7.0, 5.0), says=says),
    )


# Weights that drop together -------------------------------------------------------------------------------------------


def variance_of_independent_weights(units: Array, weights: Array, dropout_rate: float) -> Array:
    r"""Variance (P,) of the difference of two outputs if each weight dropped by itself.

    For hidden units (P, H) and the weights (H, 2) behind them.

    $$ q(W) = \prod_{k,j} q(w_{kj}), \qquad \operatorname{Var}[f_1 - f_2] = \tfrac{p}{1-p}
       \sum_k \phi_k^2 \left(w_{k1}^2 + w_{k2}^2\right) $$
    """
    return dropout_rate / (1 - dropout_rate) * units**2 @ np.square(weights).sum(1)


def variance_of_dropped_units(units: Array, weights: Array, dropout_rate: float) -> Array:
    r"""Variance (P,) of the difference of two outputs when a unit takes all of its weights with it.

    For hidden units (P, H) and the weights (H, 2) behind them. Weights of different units are independent.

    $$ q(W) = \prod_k q(w_{k1}, w_{k2}), \qquad \operatorname{Var}[f_1 - f_2] = \tfrac{p}{1-p}
       \sum_k \phi_k^2 \left(w_{k1} - w_{k2}\right)^2 $$
    """
    return dropout_rate / (1 - dropout_rate) * units**2 @ np.square(weights[:, 0] - weights[:, 1])


def two_outputs() -> tuple[Array, Array, Array]:
    """Inputs (P,), hidden units (P, H), and the weights (H, 2) of two outputs: x sin x, and the same shifted."""
    x = np.linspace(*X_RANGE, 201)
    units = ExactDropout().units(x)
    targets = np.stack([x * np.sin(x), (x - SHIFT) * np.sin(x - SHIFT)], axis=1)
    ridge = np.linalg.solve(units.T @ units + 0.1 * np.eye(units.shape[1]), units.T @ targets)
    return x, units, ridge


def measure_independent_weights() -> Effect:
    """The standard deviation of a difference of two outputs under both, and counted on draws of real masks."""
    x, units, weights = two_outputs()
    rules = (variance_of_independent_weights, variance_of_dropped_units)
    wrong, right = (np.sqrt(rule(units, weights, RATE)) for rule in rules)
    some = slice(0, None, 10)
    [masks] = dropout_masks(np.random.default_rng(0), (units.shape[1],), RATE, NUM_DRAWS)
    draws = draws_with_one_mask(units[some], weights[:, 0] - weights[:, 1], masks)
    off, good = float(wrong.mean()), float(right.mean())
    says = f"With independent weights the difference of two outputs spreads too far: sd {off:.2f} (right: {good:.2f})."
    panel = Panel(
        [
            Curve("every weight by itself", x, wrong, "wrong"),
            Curve("all weights of a unit together", x, right, "right"),
            Curve("dropout, counted", x[some], draws.std(0), "data"),
        ]
    )
    top = 1.2 * float(wrong.max())
    return Effect(
        Number("✗ Sd of the difference", off, ".2f", "Mean over x, exactly: every weight dropped by itself."),
        Number("✓ Sd of the difference", good, ".2f", "Mean over x, exactly: units dropped."),
        (
            Number("Dropout, counted", float(draws.std(0).mean()), ".2f", f"Of {NUM_DRAWS:,} masks, mean over x."),
            Number("Factor", off / good, ".2f"),
        ),
        says,
        Comparison([panel], "x", "sd of f₁ − f₂", X_RANGE, (0.0, top), says=says),
    )


# The entries ----------------------------------------------------------------------------------------------------------

DECAY_PER_POINT = Erratum(
    "decay-per-point",
    "λ of the KL, used beside a mean loss",
    "Lecture: MC dropout, one λ inside the KL and one beside the loss; which of the slides: unverified",
    "Inside the KL the squared norm has the weight (1 − p) ℓ²/2, which is right beside the sum of the losses of N "
    "points. Beside their mean it is (1 − p) ℓ²/(2N). With one letter for both, the prior is N times too strong.",
    weight_decay_without_n,
    weight_decay_per_point,
    measure_decay_per_point,
    "regression/function_draws",
    "Function draws: λ, ℓ and τ, two of them set the third",
    (("follows", "weight_decay"),),
    (length_scale.weight_decay_for, fit_bumps),
)
INDEPENDENT_WEIGHTS = Erratum(
    "independent-weights",
    "MC dropout called independent for every weight",
    "Gavves: criticisms of MC dropout, in words",
    "A dropped unit takes all the weights behind it with it: q(W) is a product over units, not over weights. Lee's "
    "product over q(w_q), with the weights of one unit in each factor, is right. The variance of one output does not "
    "show the difference; two outputs, or the next layer, do.",
    variance_of_independent_weights,
    variance_of_dropped_units,
    measure_independent_weights,
    "regression/function_draws",
    "Function draws: one mask for each unit and draw",
    (("scene", "good"),),
    (draws_with_one_mask, ExactDropout),
)
