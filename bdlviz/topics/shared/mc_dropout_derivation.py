"""The loss of a network with dropout is a bound: masks are a distribution over weights, weight decay is its KL term.

The small case has three hidden units, so that an expectation over masks is a sum over eight.
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
SPIKE_STD = 0.02  # of the two Gaussians that stand for a weight that is dropped or kept
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
SCALED = KEPT | {"weight1": (1 - RATE) * KEPT["weight1"]}  # W, for masks divided by the keep probability
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
    """Of the weights behind the masks."""
    return float(np.square(params["weight1"]).sum())


def bound() -> Sides:
    """A line through 0 seen in one point: the bound for spikes at 0 and at m, and the evidence."""
    x, y, m = 0.8, 0.5, 0.6
    expected_square = RATE * y**2 + (1 - RATE) * (y - m * x) ** 2 + (SPIKE_STD * x) ** 2
    fit = 0.5 * (np.log(PRECISION) - LOG_TWO_PI - PRECISION * expected_square)
    evidence_std = np.sqrt((x / LENGTH_SCALE) ** 2 + 1 / PRECISION)
    elbo = fit - masked_weight_kl(RATE, m, SPIKE_STD, LENGTH_SCALE)
    return Sides(float(elbo), float(log_normal(y, 0.0, evidence_std)))


def divergence() -> Sides:
    """KL of one weight's two spikes by quadrature, and by its parts."""
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
    """The penalised loss of M under plain masks, and of W under masks divided by the keep probability."""
    decay = (1 - RATE) * LENGTH_SCALE**2 / (2 * NUM_DATA * PRECISION)
    plain = PROBABILITY @ _losses(KEPT, ALL_MASKS) + decay * _squared(KEPT)
    ours = weight_decay_for(LENGTH_SCALE, PRECISION, NUM_DATA, RATE)
    scaled = PROBABILITY @ _losses(SCALED, ALL_MASKS / (1 - RATE)) + ours * _squared(SCALED)
    return Sides(float(plain), float(scaled))


def drawn_masks() -> Sides:
    """The expected data term, and the mean over drawn masks."""
    (masks,) = dropout_masks(np.random.default_rng(0), (3,), RATE, NUM_DRAWS)
    exact = PROBABILITY @ _losses(SCALED, ALL_MASKS / (1 - RATE))
    return Sides(float(exact), *mean_and_error(_losses(SCALED, masks)))


def predictive_variance() -> Sides:
    """The variance of a new observation as the library sums it up, and by integrating the mixture's density."""
    (masks,) = dropout_masks(np.random.default_rng(1), (3,), RATE, 20)
    decay = weight_decay_for(LENGTH_SCALE, PRECISION, NUM_DATA, RATE)
    noise_std = model_precision(LENGTH_SCALE, decay, NUM_DATA, RATE) ** -0.5
    draws = _outputs(SCALED, masks, np.array([[0.7]]))
    found = summarise_regression(np.array([[0.7]]), draws, None, noise_std, 20)
    mean, functions = float(found.mean[0, 0]), draws.ravel()

    def spread(y: float) -> float:
        return float((y - mean) ** 2 * np.exp(log_normal(y, functions, PRECISION**-0.5)).mean())

    return Sides(float(found.total_std[0, 0] ** 2), integral(spread, mean - 6, mean + 6, [mean]))


def _drawn_classes() -> Array:
    """Class probabilities (S, 1, 3) of draws that disagree."""
    logits = np.random.default_rng(2).normal(size=(8, 1, 3))
    return np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)


def two_uncertainties() -> Sides:
    """The entropy of the mean, and the mean entropy plus the mean divergence of the draws from their mean."""
    drawn = _drawn_classes()
    found = summarise_classification(np.zeros((1, 1)), drawn, 8)
    apart = (drawn * np.log(drawn / drawn.mean(0))).sum(-1).mean(0)
    assert found.predictive_entropy is not None and found.expected_entropy is not None
    return Sides(float(found.predictive_entropy[0]), float((found.expected_entropy + apart)[0]))


SHARED = (
    Step(
        "Masks are a distribution over weights",
        r"q(w_k) = p\, \mathcal{N}(0, s^2 I) + (1 - p)\, \mathcal{N}(m_k, s^2 I), \qquad s \to 0:"
        r" \quad W = \operatorname{diag}(z)\, M, \quad z_k \sim \operatorname{Bernoulli}(1 - p)",
        "A choice: all weights $w_k$ that leave a unit are dropped together, or equal $m_k$. The width $s$ is there "
        "only to give $q$ a density.",
        "One sky-blue line is one draw of all masks: a function.",
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
        "Where the two spikes do not overlap, the entropy of $q$ is that of a coin plus that of a spike, and the rest "
        "is the mean of two quadratic forms. With $p$ and $s$ fixed only the first term changes. ($n$ weights leave "
        "a unit; the inputs $x$ are never dropped, so there $p = 0$.)",
        "Raise λ: the draws become smoother, since the norm is all that the KL term sees.",
        ("Function draws",),
        divergence,
    ),
    Step(
        "Divide by the precision and N",
        r"-\operatorname{ELBO} = N \tau \left[ \frac1N \sum_i \mathbb{E}_z \tfrac12 (y_i - f(x_i))^2"
        r" + \frac{(1 - p)\, \ell^2}{2 N \tau} \lVert M \rVert_F^2 \right] + \frac N2 \log \frac{2 \pi}{\tau}"
        r" + \text{const}",
        r"A Gaussian likelihood: $-\log p(y \mid x, W) = \frac\tau2 (y - f)^2 + \frac12 \log \frac{2 \pi}{\tau}$. What "
        r"multiplies the norm is the weight decay. Classes: cross-entropy, and $\tau = 1$.",
        sides=weight_decay,
    ),
    Step(
        "Masks divided by the keep probability",
        r"\frac{(1 - p)\, \ell^2}{2 N \tau} \lVert M \rVert_F^2 = \lambda \lVert W \rVert_F^2, \qquad"
        r" W = (1 - p) M, \qquad \lambda = \frac{\ell^2}{2 N \tau\, (1 - p)}",
        "Here as in torch kept units are multiplied by $1 / (1 - p)$, so the network holds $W = (1 - p) M$ and "
        r"penalises $W$ (biases not): the same functions, another $\lambda$. Read for $\tau$ it is the precision.",
        "Under *Solve for*: λ, ℓ and τ.",
        sides=scaled_masks,
    ),
    Step(
        "Draw the masks",
        r"\frac1N \sum_i \mathbb{E}_z\left[-\log p(y_i \mid x_i, W, z)\right] \approx"
        r" \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, W, z_i)",
        "A fresh mask for every point and step, and a minibatch for the data: both means are unbiased, so their "
        "gradient is, too. That is ordinary training with dropout.",
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
        replace(SHARED[0], where="One dot in a column is one draw of all masks.", traces=("draws",)),
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
