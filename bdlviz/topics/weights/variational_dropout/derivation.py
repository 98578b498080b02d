"""Gaussian dropout as a bound: noise on weights, sums drawn in their place, and a divergence of the noise alone."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.derivation import Derivation, Sides, Step
from bdlviz.lectures.small_cases import LOG_TWO_PI, first_loss, integral, log_normal
from bdlviz.methods import variational_dropout
from bdlviz.models import divergences
from bdlviz.predictive.weight_gradients import Layer, Noise, by_sums
from bdlviz.topics.weights.variational_dropout.weight_noise import (
    CUBIC_CONSTANT,
    cubic_with_constant,
    matched_alpha,
    noise_density,
    sum_moments,
)

RATE = 0.3
CUBIC_ERROR = 0.041  # nats
ALPHA, MEAN = 0.4, 0.3
PAST = np.log(3.0)  # log alpha, behind the end of the cubic's range


def same_moments() -> Sides:
    """The variance of a mask over its keep probability, and that of the Gaussian noise by its density."""
    of_mask = RATE * 1 + (1 - RATE) * (1 / (1 - RATE) - 1) ** 2
    of_noise = integral(lambda xi: float((xi - 1) ** 2 * noise_density(np.array(xi), RATE)), -9, 11, [1.0])
    return Sides(of_mask, of_noise)


def drawn_sum() -> Sides:
    """The variance of a unit's noisy sum, and that of a sum that is drawn itself."""
    h, mean = np.array([0.5, -1.0, 2.0]), np.array([[0.3], [0.8], [-0.2]])
    layer = Layer(mean, np.sqrt(matched_alpha(RATE)) * np.abs(mean))
    at_zero, at_one = (by_sums(h[None, None], layer, Noise(np.full((1, 1, 1), e)))[0].item() for e in (0.0, 1.0))
    return Sides(sum_moments(h * mean[:, 0], RATE)[1], (at_one - at_zero) ** 2)


def noise_alone() -> Sides:
    """The divergence of one weight of mean 0.3 by integrating log |w|, and as a series that knows alpha alone."""
    std = np.sqrt(ALPHA) * MEAN

    def integrand(w: float) -> float:
        return float(np.exp(log_normal(w, MEAN, std)) * np.log(abs(w)))

    expected_log = integral(integrand, MEAN - 12 * std, MEAN + 12 * std, [0.0, MEAN])
    constant = 0.5 * (LOG_TWO_PI + 1) + CUBIC_CONSTANT
    by_hand = -0.5 * (LOG_TWO_PI + 1) - np.log(std) + expected_log + constant
    return Sides(float(by_hand), float(divergences.log_uniform(np.array(np.log(ALPHA)))))


def cubic_error() -> Sides:
    """The cubic's largest error for alpha up to 1, and what is said of it; both in nats."""
    log_alpha = np.linspace(-9, 0, 181)
    error = np.abs(cubic_with_constant(log_alpha) - divergences.log_uniform(log_alpha))
    return Sides(float(error.max()), CUBIC_ERROR)


def past_its_range() -> Sides:
    """The cubic at alpha = 3, and the divergence itself."""
    return Sides(float(cubic_with_constant(np.array(PAST))), float(divergences.log_uniform(np.array(PAST))))


def loss() -> Sides:
    """The loss of the first step of training, and the same from its parts."""
    x, y, num_data, rate = np.array([[0.5, -1.0], [0.3, 0.8]]), np.array([[0.4], [-0.7]]), 40, 0.2
    options = {"start_rate": rate, "alpha_per": float(variational_dropout.LAYER)}
    found = first_loss(variational_dropout.build, x, y, num_data, options)
    mean, alpha = found.params["weight0"], rate / (1 - rate)
    spread = np.sqrt(np.square(x) @ (alpha * np.square(mean)))
    f = x @ mean + found.params["bias0"] + spread * found.noise[0]
    misfit = 0.5 * float(np.square(y - f).mean())
    return Sides(found.loss, misfit + mean.size * float(divergences.cubic(np.log(alpha))) / num_data)


VARIATIONAL_DROPOUT = Derivation(
    title="Gaussian dropout with learned noise",
    claim=r"Under a log-uniform prior the KL term of a weight depends only on its noise $\alpha$, not on its size.",
    steps=(
        Step(
            "Noise instead of masks",
            r"w = \theta\, \xi, \quad \xi \sim \mathcal{N}(1, \alpha) \;\Rightarrow\; q(w) = \mathcal{N}(\theta,"
            r" \alpha \theta^2), \qquad \alpha = \operatorname{Var}\left[\frac{z}{1 - p}\right] = \frac{p}{1 - p}",
            r"A mask over its keep probability is $0$ or $1 / (1 - p)$: mean 1, variance $p / (1 - p)$. Gaussian noise "
            "with the same two moments takes its place.",
            "Picture *Two kinds of noise*: spikes and the bell around 1.",
            sides=same_moments,
        ),
        Step(
            "The bound",
            r"\operatorname{ELBO} = \sum_{i=1}^N \mathbb{E}_q[\log p(y_i \mid x_i, w)]"
            r" - \sum_{\text{weights}} \operatorname{KL}[q(w) \Vert p(w)], \qquad p(|w|) \propto \frac{1}{|w|}",
            "Evidence = ELBO + KL to the posterior; all weights are independent in $q$ and in the prior. The prior "
            "cannot be normalised, so the bound is known up to a constant.",
        ),
        Step(
            "Draw the sums, not the weights",
            r"b_j = \sum_i h_i \theta_{ij} + \sqrt{\sum_i h_i^2\, \alpha \theta_{ij}^2}\; \epsilon_j, \qquad"
            r" \epsilon_j \sim \mathcal{N}(0, 1)",
            "A sum of independent Gaussians is Gaussian; means and variances add. Each point has noise of its own, "
            "so the gradient's noise averages out over a minibatch.",
            "Picture *Two kinds of noise*, on the right: the sum of a unit.",
            sides=drawn_sum,
        ),
        Step(
            "A divergence that depends on the noise alone",
            r"\operatorname{KL} = \mathbb{E}_q[\log q(w)] + \mathbb{E}_q[\log |w|] + c"
            r" = -\tfrac12 \log \alpha + \mathbb{E}_\epsilon\left[\log |1 + \sqrt{\alpha}\, \epsilon|\right] + c'",
            r"$\log |w| = \log |\theta| + \log |1 + \sqrt\alpha\, \epsilon|$, and the entropy of $q$ brings the same "
            r"$\log |\theta|$ with the other sign: it cancels. The constant is such that $\operatorname{KL} \to 0$ for "
            r"$\alpha \to \infty$.",
            "The curve on the left: it is largest for weights with little noise (log α small).",
            ("exact KL",),
            noise_alone,
        ),
        Step(
            "A cubic in its place",
            r"\left| \operatorname{KL} - \left(\tfrac{\gamma + \log 2}{2} - \tfrac12 \log \alpha - c_1 \alpha"
            r" - c_2 \alpha^2 - c_3 \alpha^3\right) \right| \le 0.041 \text{ nats}, \qquad \alpha \le 1",
            r"The expectation has no closed form; three coefficients were fitted to it (Kingma et al. 2015). The first "
            r"two terms are exact for $\alpha \to 0$.",
            "On the left the two curves, on the right their difference, up to log α = 0.",
            ("exact KL", "Kingma et al., α ≤ 1"),
            cubic_error,
            "<=",
        ),
        Step(
            "Stop where the cubic ends",
            r"\tfrac{\gamma + \log 2}{2} - \tfrac12 \log 3 - 3 c_1 - 9 c_2 - 27 c_3 \le \operatorname{KL}(\alpha = 3)",
            r"A divergence is never negative, a cubic may be: past $\alpha = 1$ it falls without end and would reward "
            r"endless noise. So $\alpha \le 1$ here.",
            "Right of log α = 0: the continuation of the cubic.",
            ("the same past its range",),
            past_its_range,
            "<=",
        ),
        Step(
            "What a minibatch minimises",
            r"\frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, w_i) + \frac{\beta}{N} \sum_{\text{weights}}"
            r" \operatorname{KL}(\alpha), \qquad \operatorname{KL}(\alpha) = -\tfrac12 \log \alpha - c_1 \alpha"
            r" - c_2 \alpha^2 - c_3 \alpha^3",
            r"The negative bound divided by $N$, a minibatch for the data, one draw for each point; constants have no "
            r"slope and are left out. $\beta = 1$ is the bound.",
            "Picture *Noise by layer*: the noise that each weight ends with.",
            sides=loss,
        ),
    ),
    source="Kingma, Salimans & Welling 2015",
    state={"noise_look": "divergence", "log_alpha": "-2"},
)
