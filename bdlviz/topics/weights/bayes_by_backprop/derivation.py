"""The variational free energy of a network whose weights are Gaussian one by one.

The small case is a straight line with two weights, of which the evidence is known.
"""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.derivation import Derivation, Sides, Step
from bdlviz.lectures.small_cases import log_normal, mean_and_error, normal_nodes
from bdlviz.methods.bayes_by_backprop import kl_to_prior
from bdlviz.models import targets
from bdlviz.predictive.weight_gradients import Layer, Noise, gradient
from bdlviz.topics.weights.bayes_by_backprop.description import Prior, error_cost, kl_by_weight
from bdlviz.types import Array

LINE = targets.find("line")
MEAN, STD = np.array([0.2, 0.6]), np.array([0.3, 0.2])  # q of intercept and slope
LENGTH_SCALE, PRECISION = 1 / LINE.prior_std, LINE.noise_std**-2
MIXTURE = Prior(wide_std=np.exp(-1), narrow_std=np.exp(-4), share=0.25)
NUM_DRAWS, NUM_MINIBATCHES = 20_000, 4


def _outputs(weights: Array) -> Array:
    """Lines (S, 8, 1) of weights (S, 2)."""
    return (weights[:, :1] + weights[:, 1:] * LINE.x)[..., None]


def _two_sided() -> Array:
    """Two outputs at every x, one standard deviation below the mean and one above: their mean square is exact."""
    mean, std = MEAN[0] + MEAN[1] * LINE.x, np.sqrt(STD[0] ** 2 + (STD[1] * LINE.x) ** 2)
    return np.stack([mean - std, mean + std])[..., None]


def _divergence() -> float:
    return float(kl_to_prior({"weight": MEAN[:, None]}, {"weight": STD[:, None]}, LENGTH_SCALE))


def _misfit() -> float:
    return error_cost(_two_sided(), LINE.y[:, None], LINE.noise_std, accuracy=1.0)


def free_energy() -> Sides:
    """The negative log evidence, and the free energy of this q."""
    return Sides(-targets.grid_of(LINE.name).log_evidence, _divergence() + _misfit())


def monte_carlo() -> Sides:
    """The free energy, and its mean over drawn weights."""
    noise = np.random.default_rng(0).standard_normal((NUM_DRAWS, 2))
    weights = MEAN + STD * noise
    log_q = log_normal(weights, MEAN, STD).sum(-1)
    log_prior = log_normal(weights, 0.0, LINE.prior_std).sum(-1)
    log_likelihood = log_normal(LINE.y, _outputs(weights)[..., 0], LINE.noise_std).sum(-1)
    return Sides(_divergence() + _misfit(), *mean_and_error(log_q - log_prior - log_likelihood))


def closed_form() -> Sides:
    """The divergence from a Gaussian prior by its formula, and by quadrature."""
    nodes, share = normal_nodes()
    weights = MEAN + STD * nodes[:, None]
    by_nodes = share @ (log_normal(weights, MEAN, STD) - log_normal(weights, 0.0, LINE.prior_std))
    return Sides(_divergence(), float(by_nodes.sum()))


def scale_mixture() -> Sides:
    """The divergence of one weight from the mixture by quadrature, and by drawn weights."""
    mean, std = 0.15, 0.1
    drawn = mean + std * np.random.default_rng(1).standard_normal(NUM_DRAWS)
    wide = np.log(MIXTURE.share) + log_normal(drawn, 0.0, MIXTURE.wide_std)
    log_prior = np.logaddexp(wide, np.log(1 - MIXTURE.share) + log_normal(drawn, 0.0, MIXTURE.narrow_std))
    entropy = 0.5 * np.log(2 * np.pi * np.e) + np.log(std)
    return Sides(float(kl_by_weight(np.array(mean), np.array(std), MIXTURE)), *mean_and_error(-entropy - log_prior))


def minibatches() -> Sides:
    """The free energy, and the losses of an epoch's minibatches, the KL term halved from each to the next."""
    from bdlviz.training.kl_schedule import halved

    outputs, total = _two_sided(), 0.0
    for index, rows in enumerate(np.split(np.arange(len(LINE.x)), NUM_MINIBATCHES)):
        share = halved(index, NUM_MINIBATCHES) / NUM_MINIBATCHES
        total += share * _divergence()
        total += error_cost(outputs[:, rows], LINE.y[rows, None], LINE.noise_std, accuracy=1.0)
    return Sides(_divergence() + _misfit(), total)


def gradient_by_rho() -> Sides:
    """The slope of the expected misfit by the slope's rho: by hand, and the mean over drawn weights."""
    layer = Layer(MEAN[::-1, None], STD[::-1, None])  # the bias is the last row
    noise = Noise(np.random.default_rng(2).standard_normal((NUM_DRAWS, 2, 1)))
    x, y = (np.broadcast_to(values[:, None], (NUM_DRAWS, len(values), 1)) for values in (LINE.x, LINE.y))
    found = gradient("weights", "tanh", [layer], x, y, [noise], PRECISION)["rho"][:, 0]
    by_std = PRECISION * float(np.square(LINE.x).mean()) * STD[1]
    return Sides(float(by_std * -np.expm1(-STD[1])), *mean_and_error(found.astype(float)))


BAYES_BY_BACKPROP = Derivation(
    title="Variational free energy",
    claim="The negative bound is a cost of weights plus a cost of errors. Its gradient is estimated from draws.",
    steps=(
        Step(
            "Every weight by itself",
            r"q(w) = \prod_j \mathcal{N}(w_j \mid \mu_j, \sigma_j^2), \qquad \sigma_j = \log(1 + e^{\rho_j})",
            r"A choice (mean field). The softplus keeps $\sigma$ positive whatever $\rho$ is, so any gradient step is "
            "allowed.",
            "Picture *One weight in training*: the density that moves and widens.",
        ),
        Step(
            "The free energy bounds the evidence",
            r"-\log p(\mathcal{D}) \le \mathcal{F} = \operatorname{KL}[q(w) \Vert p(w)]"
            r" - \mathbb{E}_q[\log p(\mathcal{D} \mid w)]",
            r"$\mathcal{F} = -\operatorname{ELBO}$, and the ELBO is below $\log p(\mathcal{D})$ by a divergence, which "
            "is not negative.",
            "A whole bar: errors below, weights on top, in bits per point. (The accuracy t of the targets adds the "
            "same to every bar.)",
            ("error cost", "complexity cost"),
            free_energy,
            "<=",
        ),
        Step(
            "Estimate it by draws",
            r"\mathcal{F} \approx \frac1S \sum_s \log q(w^{(s)}) - \log p(w^{(s)}) - \log p(\mathcal{D} \mid w^{(s)}),"
            r" \qquad w^{(s)} = \mu + \sigma \epsilon^{(s)}",
            "All of it is one expectation over q, and the mean of draws is unbiased. Nothing needs a closed form.",
            sides=monte_carlo,
            relation="≈",
        ),
        Step(
            "A Gaussian prior needs no draws",
            r"\operatorname{KL}[q \Vert p] = \sum_j \left[ \frac{\ell^2 (\mu_j^2 + \sigma_j^2)}{2}"
            r" - \log(\ell \sigma_j) - \frac12 \right], \qquad p(w) = \mathcal{N}(0, \ell^{-2})",
            r"$\mathbb{E}_q[w^2] = \mu^2 + \sigma^2$ and the entropy of a Gaussian: the weights' part has no noise.",
            "The upper part of a bar.",
            ("complexity cost",),
            closed_form,
        ),
        Step(
            "A scale mixture needs draws",
            r"\operatorname{KL}[q \Vert p] \approx -\sum_j \left[\tfrac12 \log(2 \pi e\, \sigma_j^2)"
            r" + \log p(w_j)\right], \qquad p(w) = \pi\, \mathcal{N}(0, \sigma_1^2)"
            r" + (1 - \pi)\, \mathcal{N}(0, \sigma_2^2)",
            r"The logarithm of a sum has no Gaussian expectation in closed form; the entropy of $q$ has. One draw of "
            r"$w$ for each step.",
            "Picture *The prior*: the green curve.",
            sides=scale_mixture,
            relation="≈",
        ),
        Step(
            "Share it out over minibatches",
            r"\mathcal{F} = \sum_{i=1}^M \left[ \pi_i \operatorname{KL}[q \Vert p] - \sum_{\text{batch } i}"
            r" \mathbb{E}_q[\log p(y \mid x, w)] \right], \qquad \sum_i \pi_i = 1",
            r"Data add up over minibatches, so the KL term must count once in an epoch: $\pi_i = 1/M$, or "
            r"$\pi_i = 2^{M-i} / (2^M - 1)$ (Blundell et al. 2015).",
            sides=minibatches,
        ),
        Step(
            "The gradient passes through the draw",
            r"\frac{\partial \mathcal{F}}{\partial \rho} = \mathbb{E}_\epsilon\left[\frac{\partial}{\partial w}"
            r" \left(-\log p(\mathcal{D} \mid w)\right) \frac{\epsilon}{1 + e^{-\rho}}\right]"
            r" + \frac{\partial \operatorname{KL}}{\partial \rho}",
            r"The chain rule: $w = \mu + \sigma \epsilon$ and $\partial \sigma / \partial \rho = 1 / (1 + e^{-\rho})$. "
            "(Training draws sums in place of weights: the same expectation, less noise.)",
            "Picture *Gradient noise*: its variance, for three ways to draw.",
            sides=gradient_by_rho,
            relation="≈",
        ),
    ),
    source="Blundell, Cornebise, Kavukcuoglu & Wierstra 2015; Hinton & van Camp 1993",
    state={"look": "bits"},
)
