"""Errata about the scales of MC dropout: model precision, weight decay, length-scale and learning rate."""

from __future__ import annotations

import numpy as np

from bdlviz.data.curves import x_sin_x
from bdlviz.errata.base import Effect, Erratum, Number
from bdlviz.errata.exact_dropout import (
    NUM_DRAWS,
    RATE,
    RATES,
)
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.predictive.length_scale import model_precision, precision_without_rescaling, weight_decay_for
from bdlviz.predictive.prior import prior_draws
from bdlviz.types import Array

NUM_COSINES = 100  # units of the wide network

LENGTH_SCALES = np.geomspace(0.1, 4, 40)


# Tau and the learning rate --------------------------------------------------------------------------------------------


def precision_from_learning_rate(
    length_scale: float, learning_rate: float, num_data: int, dropout_rate: float
) -> float:
    r"""The model precision as printed, with p = 1 - dropout rate and lambda explained as the learning rate.

    $$ \tau = \frac{\ell^2 p}{2 N \lambda}, \quad \lambda: \text{learning rate} $$
    """
    return precision_without_rescaling(length_scale, learning_rate, num_data, dropout_rate)


def precision_from_weight_decay(length_scale: float, weight_decay: float, num_data: int, dropout_rate: float) -> float:
    r"""The model precision for unscaled masks with keep probability p = 1 - dropout rate (Gal & Ghahramani 2016).

    Lambda multiplies the squared weights in the loss.

    $$ \tau = \frac{\ell^2 p}{2 N \lambda}, \quad \lambda: \text{weight decay} $$
    """
    return precision_without_rescaling(length_scale, weight_decay, num_data, dropout_rate)


def descend(units: Array, y: Array, weight_decay: float, learning_rates: Array, num_steps: int) -> Array:
    r"""Weights (L, H) after gradient descent at each of L learning rates, from 0.

    $$ w \leftarrow w - \eta\, \nabla_w \left( \tfrac{1}{2N} \lVert y - \Phi w \rVert^2 + \lambda \lVert w \rVert^2
       \right) $$
    """
    weights = np.zeros((len(learning_rates), units.shape[1]))
    curvature = units.T @ units / len(y) + 2 * weight_decay * np.eye(units.shape[1])
    target = units.T @ y / len(y)
    for _ in range(num_steps):
        weights -= learning_rates[:, None] * (weights @ curvature - target)
    return weights


def measure_learning_rate() -> Effect:
    """The same weights from learning rates that differ by a factor of ten, and the noise that tau says of them."""
    data = x_sin_x()
    x, y = data.x[:, 0] / data.x.std(), (data.y[:, 0] - data.y.mean()) / data.y.std()
    units = np.cos(np.arange(4) * x[:, None])
    learning_rates, weight_decay, length_scale = np.geomspace(0.1, 1, 11), 0.01, 2.0
    weights = descend(units, y, weight_decay, learning_rates, 5000)
    apart = float(np.ptp(weights, axis=0).max())
    off = np.array([precision_from_learning_rate(length_scale, rate, len(y), 0.0) ** -0.5 for rate in learning_rates])
    good = precision_from_weight_decay(length_scale, weight_decay, len(y), 0.0) ** -0.5
    says = f"Read from a learning rate, the noise sd can be anything: {off[-1]:.3g} at η = 1 (right: {good:.3g})."
    panel = Panel(
        [
            Curve("λ as the weight decay", learning_rates, np.full_like(off, good), "right"),
            Curve("λ as the learning rate", learning_rates, off, "wrong"),
        ]
    )
    return Effect(
        Number("✗ Noise sd, η = 1", float(off[-1]), help="In units of the data's spread."),
        Number("✓ Noise sd, λ = 0.01", good, help="In units of the data's spread, whatever the learning rate."),
        (
            Number("✗ Noise sd, η = 0.1", float(off[0]), help="The same weights, another learning rate."),
            Number("Weights differ by", apart, ".0e", "At most, between all learning rates."),
        ),
        says,
        Comparison(
            [panel],
            "Learning rate η",
            "Noise sd 1/√τ, × the data's",
            (0.09, 1.1),
            (0.1, 10.0),
            (True, True),
            says,
        ),
    )


LEARNING_RATE = Erratum(
    "learning-rate",
    "τ's λ is called the learning rate",
    "Gavves: model precision of MC dropout, τ = ℓ² p / 2Nλ",
    "λ multiplies ‖W‖² in the loss, which decides where the minimum lies. The learning rate only decides how one gets "
    "there: it cannot say how noisy the data are.",
    precision_from_learning_rate,
    precision_from_weight_decay,
    measure_learning_rate,
    "regression/function_draws",
    "Function draws: λ, ℓ and τ, two of them set the third",
    (("follows", "noise"),),
    (model_precision, descend),
)


# The direction of the length-scale ------------------------------------------------------------------------------------


def crossings_as_printed(length_scale: Array) -> Array:
    r"""Zero crossings per unit of x if a large length-scale belonged to high frequencies: weights of sd l.

    $$ w \sim \mathcal{N}(0, \ell^{2}) \;\Rightarrow\; \frac{\ell}{\pi} \text{ crossings} $$
    """
    return length_scale / np.pi


def crossings(length_scale: Array) -> Array:
    r"""Zero crossings per unit of x of a wide network of cosines, whose kernel is exp(-d^2 / (2 l^2)) (Rice 1944).

    $$ w \sim \mathcal{N}(0, \ell^{-2}) \;\Rightarrow\; \frac{1}{\pi \ell} \text{ crossings} $$
    """
    return 1 / (np.pi * length_scale)


def wide_draws(x: Array, length_scale: float, rng: np.random.Generator, num_draws: int) -> Array:
    r"""Functions (S, P) of x (P,) from the prior of a wide network with cosine units, w ~ N(0, l^-2) at the input.

    Rahimi & Recht, "Random features for large-scale kernel machines", NIPS 2007.

    $$ f(x) = \sqrt{\tfrac{2}{H}} \sum_k v_k \cos(w_k x + b_k), \qquad b_k \sim U(0, 2\pi),\; v_k \sim \mathcal{N}(0, 1)
    $$
    """
    shape = (num_draws, NUM_COSINES, 1)
    slopes, places = rng.standard_normal(shape) / length_scale, rng.uniform(0, 2 * np.pi, shape)
    outer = rng.standard_normal((num_draws, 1, NUM_COSINES)) * np.sqrt(2 / NUM_COSINES)
    return (outer @ np.cos((slopes * x + places).astype(np.float32)))[:, 0]


def count_crossings(x: Array, draws: Array) -> Array:
    """How often each draw (S, P) changes its sign per unit of x (P,), (S,)."""
    return (np.diff(np.sign(draws)) != 0).sum(-1) / (x[-1] - x[0])


def measure_length_scale() -> Effect:
    """Draws of a wide network counted where they cross zero, from small to large length-scales."""
    stops = np.array([0.2, 0.5, 1.0, 2.0, 3.0])
    counted = []
    for seed, stop in enumerate(stops):
        x = stop * np.linspace(0, 20, 200)
        draws = wide_draws(x, float(stop), np.random.default_rng(seed), NUM_DRAWS)
        counted.append(float(count_crossings(x, draws).mean()))
    off, good = float(crossings_as_printed(stops)[3]), counted[3]
    says = (
        "A large ℓ makes smooth functions; as printed, a draw at ℓ = 2 crosses zero "
        f"{off:.3g} times per unit (right: {good:.3g})."
    )
    panel = Panel(
        [
            Curve("“ℓ large for high frequencies”", LENGTH_SCALES, crossings_as_printed(LENGTH_SCALES), "wrong"),
            Curve("w ~ N(0, ℓ⁻²)", LENGTH_SCALES, crossings(LENGTH_SCALES), "right"),
            Curve("counted on draws", stops, np.array(counted), "data"),
        ]
    )
    picture = Comparison(
        [panel], "Length-scale ℓ", "Zero crossings per unit of x", (0.1, 4.0), (0.02, 5.0), (True, True), says
    )
    return Effect(
        Number("✗ Crossings, ℓ = 2", off, help="Per unit of x, if a large ℓ meant high frequencies."),
        Number("✓ Crossings, ℓ = 2", good, help=f"Per unit of x, counted on {NUM_DRAWS} draws."),
        (
            Number(
                "Theory, 1/(πℓ)", float(crossings(stops)[3]), help="Rice's formula for the kernel's curvature at 0."
            ),
            Number("✓ Crossings, ℓ = 0.2", counted[0], help=f"Per unit of x, counted on {NUM_DRAWS} draws."),
        ),
        says,
        picture,
    )


LENGTH_SCALE = Erratum(
    "length-scale",
    "“ℓ large for high-frequency data”",
    "Gavves: prior length-scale of MC dropout",
    "With w ~ N(0, ℓ⁻²) a large ℓ means small weights, and small weights mean smooth functions. "
    "High frequencies need a small ℓ.",
    crossings_as_printed,
    crossings,
    measure_length_scale,
    "regression/effect_of_lambda",
    "Effect of λ: other picture “Prior and posterior”",
    (("scene", "good"), ("tab", "Prior and posterior")),
    (wide_draws, prior_draws),
)


# Inverted dropout -----------------------------------------------------------------------------------------------------


def measure_inverted_dropout() -> Effect:
    """The noise that the weight decay of a known noise is read back as."""
    length_scale, noise_std, num_data = 0.1, 0.3, 20

    def read_back(rate: float) -> float:
        decay = weight_decay_for(length_scale, noise_std**-2, num_data, rate)
        return precision_without_rescaling(length_scale, decay, num_data, rate) ** -0.5

    off = np.array([read_back(float(rate)) for rate in RATES])
    wrong = read_back(0.5)
    says = (
        "With masks scaled up, as is usual today, the printed formula makes the noise too large: "
        f"sd {wrong:.3g} at p = 0.5 (right: {noise_std:.3g})."
    )
    panel = Panel(
        [
            Curve("formula for unscaled masks", RATES, off, "wrong"),
            Curve("formula for masks divided by 1 − p", RATES, np.full_like(off, noise_std), "right"),
        ]
    )
    return Effect(
        Number("✗ Noise sd, p = 0.5", wrong, help="Read back with the formula for unscaled masks."),
        Number("✓ Noise sd", noise_std, help="What was put in, at every p."),
        (
            Number("τ too small, p = 0.5", (wrong / noise_std) ** 2, help="By this factor."),
            Number("τ too small, p = 0.1", (read_back(RATE) / noise_std) ** 2, help="By this factor."),
        ),
        says,
        Comparison([panel], "Dropout rate p", "Noise sd 1/√τ", (0.0, 0.9), (0.0, 2.0), says=says),
    )


INVERTED_DROPOUT = Erratum(
    "inverted-dropout",
    "τ for unscaled masks, used with inverted dropout",
    "Gavves: model precision, with the dropout layers of today's libraries",
    "The paper's formula holds for W = M diag(z). Libraries divide kept units by 1 − p, so that W = (1 − p) M, and the "
    "penalty is on W: the precision is larger by 1/(1 − p)².",
    precision_without_rescaling,
    model_precision,
    measure_inverted_dropout,
    "regression/function_draws",
    "Function draws: the present τ, under Maths",
    (("dropout_rate", "0.5"), ("tab", "Maths")),
)
