"""The loss of a network with dropout as a bound: masks define a distribution over weights, weight decay is the KL term.

The small case has three hidden units, so that an expectation over masks is a sum over eight masks.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from bdlviz.lectures.derivation import Derivation, Sides, Step
from bdlviz.lectures.small_cases import LOG_TWO_PI, integral, log_normal, masked_weight_kl, mean_and_error
from bdlviz.models import divergences
from bdlviz.models.likelihoods import Gaussian
from bdlviz.models.mlp import MLP
from bdlviz.predictive.functions import dropout_masks, functions_one_by_one
from bdlviz.predictive.length_scale import model_precision, precision_without_rescaling, weight_decay_for
from bdlviz.predictive.summaries import entropy, summarise_classification, summarise_regression
from bdlviz.types import Array, Draws

RATE, LENGTH_SCALE, PRECISION = 0.25, 0.5, 8.0
SPIKE_STD = 0.02  # standard deviation of the two Gaussians, at 0 (dropped) and at m (kept)
NETWORK = MLP((1, 3, 1), "tanh")
X = np.array([[-1.0], [-0.2], [0.5], [1.3]])
Y = np.array([[0.4], [-0.3], [0.1], [0.9]])
NUM_DATA = len(X)
KEPT = {  # M: the weights of units that are kept
    "weight0": np.array([[1.5, -0.8, 0.6]]),
    "bias0": np.array([[0.2, 0.5, -0.4]]),
    "weight1": np.array([[0.9], [-0.7], [1.2]]),
    "bias1": np.array([[0.1]]),
}
SCALED = KEPT | {"weight1": (1 - RATE) * KEPT["weight1"]}  # W = (1 - p) M, used with masks divided by 1 - p
ALL_MASKS = np.array(list(product((0.0, 1.0), repeat=3)))
PROBABILITY = np.prod(np.where(ALL_MASKS == 1, 1 - RATE, RATE), axis=1)
NUM_DRAWS = 5000


def _outputs(params: dict[str, Array], masks: Array, x: Array = X) -> Array:
    """Outputs (S, N, 1) under masks (S, 3) of the hidden units."""
    return functions_one_by_one(NETWORK, Draws(params, (masks,), len(masks)), x)


def _losses(params: dict[str, Array], masks: Array) -> Array:
    """The data term without the precision, (S,)."""
    return Gaussian().loss(_outputs(params, masks), Y)


def _squared(params: dict[str, Array]) -> float:
    """The squared norm of the weights that are multiplied by masks."""
    return float(np.square(params["weight1"]).sum())


def bound() -> Sides:
    """The bound and the log evidence of a line through 0, y = w x, observed at one point."""
    x, y, m = 0.8, 0.5, 0.6
    expected_square = RATE * y**2 + (1 - RATE) * (y - m * x) ** 2 + (SPIKE_STD * x) ** 2
    fit = 0.5 * (np.log(PRECISION) - LOG_TWO_PI - PRECISION * expected_square)
    evidence_std = np.sqrt((x / LENGTH_SCALE) ** 2 + 1 / PRECISION)
    elbo = fit - masked_weight_kl(RATE, m, SPIKE_STD, LENGTH_SCALE)
    return Sides(float(elbo), float(log_normal(y, 0.0, evidence_std)))


def divergence() -> Sides:
    """The KL divergence of one weight from its prior by quadrature, and by the formula of the step."""
    m = 0.6
    around_zero = divergences.gaussian(0.0, SPIKE_STD, LENGTH_SCALE)
    kept = (1 - RATE) * LENGTH_SCALE**2 / 2 * m**2
    parts = kept - float(entropy(np.array([RATE, 1 - RATE]))) + around_zero
    return Sides(masked_weight_kl(RATE, m, SPIKE_STD, LENGTH_SCALE), float(parts))


def weight_decay() -> Sides:
    """The negative bound over all masks, and N tau times the penalised loss."""
    log_densities = log_normal(Y, _outputs(KEPT, ALL_MASKS), PRECISION**-0.5).sum((1, 2))
    negative_bound = -PROBABILITY @ log_densities + (1 - RATE) * LENGTH_SCALE**2 / 2 * _squared(KEPT)
    decay = (1 - RATE) * LENGTH_SCALE**2 / (2 * NUM_DATA * PRECISION)
    precision = precision_without_rescaling(LENGTH_SCALE, decay, NUM_DATA, RATE)
    loss = PROBABILITY @ _losses(KEPT, ALL_MASKS) + decay * _squared(KEPT)
    constant = NUM_DATA / 2 * (LOG_TWO_PI - np.log(precision))
    return Sides(float(negative_bound), float(NUM_DATA * precision * loss + constant))


def scaled_masks() -> Sides:
    """The penalised loss of M with 0/1 masks, and of W with masks divided by the keep probability."""
    decay = (1 - RATE) * LENGTH_SCALE**2 / (2 * NUM_DATA * PRECISION)
    plain = PROBABILITY @ _losses(KEPT, ALL_MASKS) + decay * _squared(KEPT)
    scaled_decay = weight_decay_for(LENGTH_SCALE, PRECISION, NUM_DATA, RATE)
    scaled = PROBABILITY @ _losses(SCALED, ALL_MASKS / (1 - RATE)) + scaled_decay * _squared(SCALED)
    return Sides(float(plain), float(scaled))


def drawn_masks() -> Sides:
    """The expected data term, and the mean over drawn masks."""
    (masks,) = dropout_masks(np.random.default_rng(0), (3,), RATE, NUM_DRAWS)
    exact = PROBABILITY @ _losses(SCALED, ALL_MASKS / (1 - RATE))
    return Sides(float(exact), *mean_and_error(_losses(SCALED, masks)))


def predictive_variance() -> Sides:
    """The variance of a new observation from `summarise_regression`, and by integrating the density of the mixture."""
    (masks,) = dropout_masks(np.random.default_rng(1), (3,), RATE, 20)
    decay = weight_decay_for(LENGTH_SCALE, PRECISION, NUM_DATA, RATE)
    noise_std = model_precision(LENGTH_SCALE, decay, NUM_DATA, RATE) ** -0.5
    draws = _outputs(SCALED, masks, np.array([[0.7]]))
    summary = summarise_regression(np.array([[0.7]]), draws, None, noise_std)
    mean, functions = float(summary.mean[0, 0]), draws.ravel()

    def squared_deviation(y: float) -> float:
        return float((y - mean) ** 2 * np.exp(log_normal(y, functions, PRECISION**-0.5)).mean())

    return Sides(float(summary.total_std[0, 0] ** 2), integral(squared_deviation, mean - 6, mean + 6, [mean]))


def _drawn_classes() -> Array:
    """Class probabilities (S, 1, 3) of draws that disagree."""
    logits = np.random.default_rng(2).normal(size=(8, 1, 3))
    return np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)


def two_uncertainties() -> Sides:
    """The entropy of the mean of the draws, and their mean entropy plus their mean KL divergence from the mean."""
    drawn = _drawn_classes()
    summary = summarise_classification(np.zeros((1, 1)), drawn)
    divergence_from_mean = (drawn * np.log(drawn / drawn.mean(0))).sum(-1).mean(0)
    assert summary.predictive_entropy is not None and summary.expected_entropy is not None
    return Sides(float(summary.predictive_entropy[0]), float((summary.expected_entropy + divergence_from_mean)[0]))


SHARED = (
    Step(
        "Masks define a distribution over weights",
        r"q(w_k) = p\, \mathcal{N}(0, s^2 I) + (1 - p)\, \mathcal{N}(m_k, s^2 I), \qquad s \to 0:"
        r" \quad W = \operatorname{diag}(z)\, M, \quad z_k \sim \operatorname{Bernoulli}(1 - p)",
        "The choice of $q$: all weights $w_k$ that leave unit $k$ are dropped together, or they equal $m_k$. The "
        "width $s$ is needed only to give $q$ a density.",
        "Each sky-blue line is a function: one draw of all masks.",
        ("Function draws",),
    ),
    Step(
        "The bound",
        r"\operatorname{ELBO} = \sum_{i=1}^N \mathbb{E}_q[\log p(y_i \mid x_i, W)] - \operatorname{KL}[q(W) \Vert p(W)]"
        r" \le \log p(\mathcal{D}), \qquad p(W) = \mathcal{N}(0, \ell^{-2} I)",
        "Evidence = ELBO + KL to the posterior, and that KL is not negative.",
        sides=bound,
        relation="<=",
    ),
    Step(
        "The divergence is weight decay",
        r"\operatorname{KL}[q(W) \Vert p(W)] = \sum_k \left[ \frac{(1 - p)\, \ell^2}{2} \lVert m_k \rVert^2"
        r" - \mathbb{H}(p) + \frac{n}{2} \left(\ell^2 s^2 - \log \ell^2 s^2 - 1\right) \right]",
        "If the two Gaussians do not overlap, the entropy of $q$ is the entropy of the Bernoulli variable $z_k$ plus "
        "that of one Gaussian. The expected log prior is the mean of two quadratic forms. For fixed $p$ and $s$ only "
        "the first term changes. ($n$ weights leave a unit; the inputs $x$ are never dropped, so $p = 0$ there.)",
        "Raise λ: the draws become smoother, since the KL term depends only on the norm of the weights.",
        ("Function draws",),
        divergence,
    ),
    Step(
        "Divide by the precision and N",
        r"-\operatorname{ELBO} = N \tau \left[ \frac1N \sum_i \mathbb{E}_z \tfrac12 (y_i - f(x_i))^2"
        r" + \frac{(1 - p)\, \ell^2}{2 N \tau} \lVert M \rVert_F^2 \right] + \frac N2 \log \frac{2 \pi}{\tau}"
        r" + \text{const}",
        "Insert a Gaussian likelihood: "
        r"$-\log p(y \mid x, W) = \frac\tau2 (y - f)^2 + \frac12 \log \frac{2 \pi}{\tau}$. "
        r"The factor of the norm is the weight decay. For classes the loss is the cross-entropy, and $\tau = 1$.",
        sides=weight_decay,
    ),
    Step(
        "Masks divided by the keep probability",
        r"\frac{(1 - p)\, \ell^2}{2 N \tau} \lVert M \rVert_F^2 = \lambda \lVert W \rVert_F^2, \qquad"
        r" W = (1 - p) M, \qquad \lambda = \frac{\ell^2}{2 N \tau\, (1 - p)}",
        "Here and in torch kept units are multiplied by $1 / (1 - p)$. The weights of the network are therefore "
        r"$W = (1 - p) M$, and $W$ is penalised (but not the biases). The functions are the same, $\lambda$ differs. "
        r"Solved for $\tau$, the equation gives the precision.",
        "The values of λ, ℓ and τ below *Solve for*.",
        sides=scaled_masks,
    ),
    Step(
        "Draw the masks",
        r"\frac1N \sum_i \mathbb{E}_z\left[-\log p(y_i \mid x_i, W, z)\right] \approx"
        r" \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, W, z_i)",
        "Draw a new mask for every point and step, and a minibatch of the data. Both means are unbiased, so the "
        "gradient is unbiased. This is ordinary training with dropout.",
        sides=drawn_masks,
        relation="≈",
    ),
)

MC_DROPOUT = Derivation(
    title="Dropout as a bound",
    claim=r"Training with dropout and weight decay $\lambda$ maximises a bound, and its draws are draws from $q$.",
    steps=(
        *SHARED,
        Step(
            "Predict with draws",
            r"\operatorname{Var}[y] = \tau^{-1} + \frac1S \sum_s f_s(x)^2 - \mathbb{E}[y]^2",
            r"The law of total variance for an equal mixture of $\mathcal{N}(f_s(x), \tau^{-1})$: the mean of the "
            r"variances plus the variance of the means. $\tau^{-1}$ is added to the variance, not to the sd.",
            "The orange band outside the blue one.",
            ("Noise (aleatoric)", "Epistemic (1, 2 sd)"),
            predictive_variance,
        ),
    ),
    source="Gal & Ghahramani 2016, with its appendix",
)

MC_DROPOUT_OF_DIGITS = Derivation(
    title="Dropout as a bound",
    claim=r"Training with dropout and weight decay $\lambda$ maximises a bound, and its draws are draws from $q$.",
    steps=(
        replace(SHARED[0], where="Each dot in a column is one draw of all masks.", traces=("draws",)),
        SHARED[1],
        replace(SHARED[2], where="", traces=()),
        SHARED[3],
        replace(SHARED[4], where=""),
        SHARED[5],
        Step(
            "Predict with draws",
            r"p(y \mid x, \mathcal{D}) \approx \frac1S \sum_s \operatorname{softmax}(f_s(x)), \qquad"
            r" \mathbb{H}\left[\tfrac1S \textstyle\sum_s p_s\right] = \frac1S \sum_s \mathbb{H}[p_s]"
            r" + \frac1S \sum_s \operatorname{KL}\left[p_s \Vert \tfrac1S \textstyle\sum_{s'} p_{s'}\right]",
            r"The mean over $q$ of the class probabilities; $\log p_s$ is added and subtracted. The last term is the "
            "mutual information of class and weights: 0 where all draws agree.",
            "The short lines are the means; the bar below has both terms side by side.",
            ("mean of the draws", "expected entropy of a draw", "mutual information"),
            two_uncertainties,
        ),
    ),
    source="Gal & Ghahramani 2016; Houlsby et al. 2011",
)
