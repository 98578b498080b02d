"""Errata about dropout: what p means, the scales that belong to it, and what a draw is.

The live example is a network whose dropout can be solved exactly: random hidden units, of which only the linear output
layer is trained. The expectation of its loss over all masks is a quadratic form.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bdlviz.data.curves import x_sin_x
from bdlviz.errata.base import Effect, Erratum, Number, written
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.plots.theme import Range
from bdlviz.predictive.functions import dropout_masks
from bdlviz.predictive.length_scale import model_precision, precision_without_rescaling, weight_decay_for
from bdlviz.predictive.prior import prior_draws
from bdlviz.types import Array

RATE = 0.1
NUM_HIDDEN, NUM_COSINES, NUM_DRAWS, NUM_INPUTS = 256, 100, 40, 201
WEIGHT_DECAY = 1e-4
RATES = np.linspace(0.01, 0.95, 95)
LENGTH_SCALES = np.geomspace(0.1, 4, 40)


# The live example -----------------------------------------------------------------------------------------------------


class ExactDropout:
    r"""A network with one hidden layer of fixed random units, whose output weights w minimise the loss over all masks.

    Masks z are divided by the keep probability (Srivastava et al. 2014, section 9.1, for linear regression):

    $$ \mathbb{E}_z \tfrac{1}{2N} \lVert y - \Phi\, \tfrac{z}{1-p}\, w \rVert^2
       = \tfrac{1}{2N} \left( \lVert y - \Phi w \rVert^2
       + \tfrac{p}{1-p}\, w^\top \operatorname{diag}(\Phi^\top \Phi)\, w \right) $$
    """

    def __init__(self, dropout_rate: float = RATE) -> None:
        self.data = x_sin_x()
        rng = np.random.default_rng(0)
        self._slopes, self._places = rng.normal(size=NUM_HIDDEN), rng.uniform(-5, 5, NUM_HIDDEN)
        units, y = self.units(self.data.x[:, 0]), self.data.y[:, 0]
        products = units.T @ units
        noise = dropout_rate / (1 - dropout_rate) * np.diag(np.diag(products))
        decay = 2 * len(y) * WEIGHT_DECAY * np.eye(NUM_HIDDEN)
        self.weights = np.linalg.solve(products + noise + decay, units.T @ y)

    def units(self, x: Array) -> Array:
        """Outputs of the hidden units at x (P,), (P, H)."""
        return np.tanh(self._slopes * (x[:, None] - self._places))

    def std(self, x: Array, dropout_rate: float) -> Array:
        r"""Standard deviation over all masks at x (P,), exactly.

        $$ \operatorname{Var}_z[f(x)] = \tfrac{p}{1-p} \sum_k \phi_k(x)^2\, w_k^2 $$
        """
        variance = dropout_rate / (1 - dropout_rate) * np.square(self.units(x) * self.weights).sum(-1)
        return np.sqrt(variance)

    @property
    def inputs(self) -> Array:
        """Where figures evaluate it, (P,): the range of the data."""
        return np.linspace(-5, 5, NUM_INPUTS)


@lru_cache(maxsize=1)
def _network() -> ExactDropout:
    return ExactDropout()


def _panels(
    network: ExactDropout, wrong: Array, right: Array, titles: tuple[str, str], says: str, y_range: Range
) -> Comparison:
    """Draws (S, P) of the wrong and of the right kind side by side, over the data."""
    x, data = network.inputs, network.data
    points = Curve("data", data.x[:, 0], data.y[:, 0], "data")
    truth = Curve("truth", x, x * np.sin(x), "truth")
    pairs = zip(titles, (wrong, right), ("wrong draws", "right draws"), strict=True)
    panels = [Panel([Curve("draws, " + title, x, draws, role), truth, points], title) for title, draws, role in pairs]
    return Comparison(panels, "x", "y", (-5.0, 5.0), y_range, says=says)


# Keep or drop ---------------------------------------------------------------------------------------------------------


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
    network, rng = _network(), np.random.default_rng(1)
    units = network.units(network.inputs)
    uniform = rng.random((NUM_DRAWS, NUM_HIDDEN))
    wrong = draws_with_one_mask(units, network.weights, keeps_with_p(uniform, RATE) / RATE)
    right = draws_with_one_mask(units, network.weights, drops_with_p(uniform, RATE) / (1 - RATE))
    x = network.inputs
    off, good = float(network.std(x, 1 - RATE).mean()), float(network.std(x, RATE).mean())
    says = f"Epistemic sd {off:.2f} instead of {good:.2f}: (1 − p)/p = {off / good:.0f} times too wide."
    return Effect(
        Number("✗ Epistemic sd", off, help="p = 0.1 read as the probability of keeping; mean over x, exactly."),
        Number("✓ Epistemic sd", good, help="p = 0.1 for dropping; mean over x, exactly."),
        (Number("Too wide by a factor of", off / good), Number("p", RATE)),
        says,
        _panels(network, wrong, right, ("p read as keep", "p read as drop"), says, (-16.0, 16.0)),
    )


# Tau and the learning rate --------------------------------------------------------------------------------------------


def precision_from_learning_rate(
    length_scale: float, learning_rate: float, num_data: int, dropout_rate: float
) -> float:
    r"""The model precision with the learning rate in the place of the weight decay, as one slide explains its letter.

    $$ \tau = \frac{\ell^2}{2 N \eta\, (1-p)}, \quad \eta: \text{learning rate} $$
    """
    return model_precision(length_scale, learning_rate, num_data, dropout_rate)


def precision_from_weight_decay(length_scale: float, weight_decay: float, num_data: int, dropout_rate: float) -> float:
    r"""The model precision; lambda multiplies the squared weights in the loss (Gal & Ghahramani 2016).

    $$ \tau = \frac{\ell^2}{2 N \lambda\, (1-p)}, \quad \lambda: \text{weight decay} $$
    """
    return model_precision(length_scale, weight_decay, num_data, dropout_rate)


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
    says = (
        f"The same weights (apart by {written(apart, '.0e')}) from learning rates 0.1 and 1, "
        f"yet the noise sd would be {off[0]:.2f} and {off[-1]:.2f}; it is {good:.2f}."
    )
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
    says = f"At ℓ = 2 a draw crosses zero {good:.2f} times per unit, not {off:.2f}: a large ℓ is smooth."
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
        f"At p = 0.1 the noise has sd {good:.2f}; read as N(0, sd) it has {off:.2f}, {good / off:.0f} times too little."
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
        f"At p = 0.5 the precision is {(wrong / noise_std) ** 2:.0f} times too small: "
        f"noise of sd {noise_std:g} is read as {wrong:.2g}."
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


# A mask per point -----------------------------------------------------------------------------------------------------


def draws_with_a_mask_per_point(units: Array, weights: Array, masks: Array) -> Array:
    r"""Outputs (S, P) of hidden units (P, H) under a mask of their own for every input, (S, P, H).

    $$ f_s(x_i) = \phi(x_i)^\top (z_{s,i} \odot w) $$
    """
    return np.einsum("ph,sph,h->sp", units, masks, weights, optimize=True)


def draws_with_one_mask(units: Array, weights: Array, masks: Array) -> Array:
    r"""Functions (S, P) of hidden units (P, H), one mask each for all inputs, (S, H).

    $$ f_s(x_i) = \phi(x_i)^\top (z_s \odot w) $$
    """
    return (masks * weights) @ units.T


def neighbour_correlation(draws: Array) -> float:
    r"""Correlation over draws (S, P) of neighbouring inputs, mean over inputs: 1 for smooth functions, 0 for noise.

    $$ \operatorname{corr}_s\left[f_s(x_i), f_s(x_{i+1})\right] $$
    """
    centred = draws - draws.mean(0)
    scaled = centred / np.sqrt(np.square(centred).sum(0))
    return float((scaled[:, 1:] * scaled[:, :-1]).sum(0).mean())


def measure_mask_per_point() -> Effect:
    """Draws of one network with shared masks, and with a new mask at every input."""
    network, rng = _network(), np.random.default_rng(2)
    units = network.units(network.inputs)

    def masks(*shape: int) -> Array:
        return drops_with_p(rng.random((NUM_DRAWS, *shape)), RATE) / (1 - RATE)

    right = draws_with_one_mask(units, network.weights, masks(NUM_HIDDEN))
    wrong = draws_with_a_mask_per_point(units, network.weights, masks(NUM_INPUTS, NUM_HIDDEN))
    off, good = neighbour_correlation(wrong), neighbour_correlation(right)
    says = f"Neighbouring inputs correlate by {abs(off):.2f} instead of {good:.3f}: noise, though the sd is the same."
    few = slice(0, 8)
    return Effect(
        Number("✗ Correlation", off, ".2f", "Of neighbouring inputs, over draws: a mask per point."),
        Number("✓ Correlation", good, ".3f", "Of neighbouring inputs, over draws: one mask per draw."),
        (
            Number("✗ Sd at one x", float(wrong.std(0).mean()), ".2f", f"Over {NUM_DRAWS} draws, mean over x."),
            Number("✓ Sd at one x", float(network.std(network.inputs, RATE).mean()), ".2f", "Exactly, mean over x."),
        ),
        says,
        _panels(network, wrong[few], right[few], ("a mask per point", "one mask per draw"), says, (-7.0, 4.0)),
    )


# The entries ----------------------------------------------------------------------------------------------------------

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
LEARNING_RATE = Erratum(
    "learning-rate",
    "τ's λ is called the learning rate",
    "Gavves: model precision of MC dropout",
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
    "Effect of λ: tab “Prior and posterior”",
    (("scene", "good"),),
    (wide_draws, prior_draws),
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
    "Function draws: the present τ, tab “Equation”",
    (("dropout_rate", "0.5"),),
)
MASK_PER_POINT = Erratum(
    "mask-per-point",
    "A mask per point, called a function draw",
    "Gavves: the linked browser demo",
    "A function has one value at every x at once. A new mask at each x gives the right mean and the right sd at every "
    "single x, but no function: neighbours have nothing to do with each other.",
    draws_with_a_mask_per_point,
    draws_with_one_mask,
    measure_mask_per_point,
    "regression/function_draws",
    "Function draws: one mask set per draw",
    (("scene", "good"),),
    (neighbour_correlation, ExactDropout),
)
