"""Errata about variational inference: the gradient by rho, the KL of minibatches, and the description length."""

from __future__ import annotations

import numpy as np

from bdlviz.errata.base import Effect, Erratum, Number
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.errata.one_weight import OneWeight, one_weight
from bdlviz.models.elementary import softplus
from bdlviz.predictive import bounds, estimators, latent
from bdlviz.types import Array

# The gradient by rho --------------------------------------------------------------------------------------------------


def rho_gradient_as_printed(by_weight: Array, by_rho: Array, noise: Array, rho: Array) -> Array:
    r"""Gradient by rho as printed, from the partial derivatives by the weight and by rho, all of one shape.

    The printed numerator is not the noise. It is read as 1, because nothing else is left of it.

    $$ \Delta_\rho = \frac{\partial f}{\partial w}\, \frac{\partial w}{1 + e^{-\rho}} +
       \frac{\partial f}{\partial \rho} $$
    """
    return by_weight / (1 + np.exp(-rho)) + by_rho


def rho_gradient(by_weight: Array, by_rho: Array, noise: Array, rho: Array) -> Array:
    r"""Gradient by rho for w = mu + softplus(rho) noise (Blundell et al. 2015, eq. 4), all of one shape.

    $$ \Delta_\rho = \frac{\partial f}{\partial w}\, \frac{\epsilon}{1 + e^{-\rho}} + \frac{\partial f}{\partial \rho}
    $$
    """
    return by_weight * noise / (1 + np.exp(-rho)) + by_rho


def partial_derivatives(model: OneWeight, mean: Array, rho: Array, noise: Array) -> tuple[Array, Array, Array]:
    r"""Of one draw's loss by the weight, by mu and by rho, all of one shape; w = mu + sigma noise.

    $$ f = \log q(w \mid \mu, \rho) - \log p(w) - \log p(y \mid w) $$
    """
    std = softplus(rho)
    weight = mean + std * noise
    slope = weight * len(model.y) - model.y.sum()
    by_weight = -noise / std + weight + slope / model.noise_std**2
    by_rho = (noise**2 - 1) / std / (1 + np.exp(-rho))
    return by_weight, noise / std, by_rho


def measure_rho_gradient() -> Effect:
    """The standard deviation of q over 600 steps with either gradient, from 1, on the same noise."""
    model, num_steps, num_draws, learning_rate = one_weight(), 600, 4, 5e-3
    _, exact = model.posterior
    paths = []
    for gradient in (rho_gradient_as_printed, rho_gradient):
        rng = np.random.default_rng(5)
        mean, rho, path = np.zeros(1), np.log(np.expm1(np.ones(1))), [1.0]
        for _ in range(num_steps):
            noise = rng.standard_normal(num_draws)
            by_weight, by_mean, by_rho = partial_derivatives(model, mean, rho, noise)
            step = gradient(by_weight, by_rho, noise, rho).mean()
            mean = mean - learning_rate * (by_weight + by_mean).mean()
            rho = rho - learning_rate * step
            path.append(float(softplus(rho)[0]))
        paths.append(np.array(path))
    off, good = (float(path[-100:].mean()) for path in paths)
    says = f"Without ε the width of q does not learn from the data: σ ends at {off:.3g} (right: {good:.3g})."
    steps = np.arange(num_steps + 1)
    panel = Panel(
        [
            Curve("without ε", steps, paths[0], "wrong"),
            Curve("with ε", steps, paths[1], "right"),
            Curve("exact posterior", steps, np.full(len(steps), exact), "exact"),
        ]
    )
    return Effect(
        Number("✗ σ, without ε", off, help="Mean over the last 100 steps."),
        Number("✓ σ, with ε", good, help="Mean over the last 100 steps."),
        (Number("Exact posterior σ", exact), Number("σ at the start", 1.0)),
        says,
        Comparison([panel], "Step", "σ of the weight", (0.0, float(num_steps)), (0.0, 1.6), says=says),
    )


RHO_GRADIENT = Erratum(
    "rho-gradient",
    "The gradient by ρ has ∂w instead of ε",
    "Gavves: Bayes by Backprop, ∂w / (1 + exp(−ρ))",
    r"$w = \mu + \log(1 + e^\rho)\,\epsilon$, so $\partial w / \partial \rho = \epsilon / (1 + e^{-\rho})$. Without ε "
    "both terms average to 0 once μ is learned: the width of q learns nothing.",
    rho_gradient_as_printed,
    rho_gradient,
    measure_rho_gradient,
    "weights/bayes_by_backprop",
    "Bayes by Backprop: the noise of a gradient by ρ",
    (("look", "gradients"), ("gradient_by", "rho")),
    (partial_derivatives, estimators.gradient_variance),
)


# The KL of minibatches ------------------------------------------------------------------------------------------------


def minibatch_loss_as_printed(log_ratios: Array, log_likelihoods: Array, num_data: int) -> Array:
    r"""Loss of a minibatch of B points as printed; both arrays end in B, one draw of w for each point.

    $$ \frac{B}{N} \sum_{l=1}^{B} \log\frac{q(w_l)}{p(w_l)} - \sum_{l=1}^{B} \log p(y_l \mid w_l) $$
    """
    batch_size = log_ratios.shape[-1]
    return batch_size / num_data * log_ratios.sum(-1) - log_likelihoods.sum(-1)


def minibatch_loss(log_ratios: Array, log_likelihoods: Array, num_data: int) -> Array:
    r"""Loss of a minibatch of B points, whose sum over an epoch counts the KL once; both arrays end in B.

    $$ \frac{1}{N} \sum_{l=1}^{B} \log\frac{q(w_l)}{p(w_l)} - \sum_{l=1}^{B} \log p(y_l \mid w_l) $$
    """
    return log_ratios.sum(-1) / num_data - log_likelihoods.sum(-1)


def tempered_posterior(model: OneWeight, kl_weight: float) -> tuple[float, float]:
    r"""Mean and standard deviation of the q that minimises the loss with the KL counted several times.

    $$ q^* \propto p(w)\, p(y \mid w)^{1/\beta} $$
    """
    precision = 1 + len(model.y) / (kl_weight * model.noise_std**2)
    return float(model.y.sum() / (kl_weight * model.noise_std**2) / precision), precision**-0.5


def _normal_density(x: Array, mean: float, std: float) -> Array:
    return np.exp(-0.5 * np.square((x - mean) / std)) / (std * np.sqrt(2 * np.pi))


def measure_minibatch_kl() -> Effect:
    """The best q for a hundred points in minibatches of twenty, with the KL counted once and twenty times."""
    model, batch_size = one_weight(100), 20
    (mean, std), (exact_mean, exact_std) = tempered_posterior(model, batch_size), model.posterior
    x = np.linspace(-1.2, 2.2, 300)
    says = (
        f"{len(model.y)} points count as only {len(model.y) / batch_size:.0f}, so the posterior is too wide: "
        f"sd {std:.3g} (right: {exact_std:.3g})."
    )
    panel = Panel(
        [
            Curve("prior", x, _normal_density(x, 0, 1), "prior"),
            Curve(f"KL counted {batch_size} times", x, _normal_density(x, mean, std), "wrong"),
            Curve("KL counted once: the exact posterior", x, _normal_density(x, exact_mean, exact_std), "right"),
        ]
    )
    return Effect(
        Number("✗ Posterior sd", std),
        Number("✓ Posterior sd", exact_std),
        (Number("✗ Points that count", len(model.y) / batch_size), Number("✓ Points that count", len(model.y))),
        says,
        Comparison([panel], "Weight w", "Density of q(w)", (-1.2, 2.2), (0.0, 4.4), says=says),
    )


MINIBATCH_KL = Erratum(
    "minibatch-kl",
    "The KL of a minibatch, counted B times",
    "Notebook: Bayes by Backprop, text (its code is right)",
    "Over the N/B minibatches of an epoch the KL must be counted once. With one draw for each point that is a sum "
    "over l divided by N, not multiplied by B/N.",
    minibatch_loss_as_printed,
    minibatch_loss,
    measure_minibatch_kl,
    "weights/bayes_by_backprop",
    "Bayes by Backprop: the share of a minibatch",
    (("look", "bits"),),
    related=(tempered_posterior,),
)


# The description length -----------------------------------------------------------------------------------------------


def cost_as_printed(expected_log_likelihood: Array, kl: Array) -> Array:
    r"""The line whose parts are called costs of the errors and of the weights, all of one shape: it is the ELBO.

    $$ \underbrace{\mathbb{E}_q[\log p(y \mid w)]}_{\text{error cost}} -
       \underbrace{\operatorname{KL}[q \Vert p]}_{\text{complexity cost}} $$
    """
    return expected_log_likelihood - kl


def description_length(expected_log_likelihood: Array, kl: Array) -> Array:
    r"""Nats that data and weights cost (Hinton & van Camp 1993), all of one shape: to be minimised.

    $$ \underbrace{-\mathbb{E}_q[\log p(y \mid w)]}_{\text{error cost}} +
       \underbrace{\operatorname{KL}[q \Vert p]}_{\text{complexity cost}} $$
    """
    return kl - expected_log_likelihood


def measure_description_length() -> Effect:
    """Both lines against the standard deviation of q, and where each is smallest."""
    model = one_weight()
    mean, exact = model.posterior
    stds = np.geomspace(0.01, 1.5, 300)
    fit, kl = model.expected_log_likelihood(mean, stds), latent.kl_per_dimension(np.array(mean), stds)
    wrong, right = cost_as_printed(fit, kl), description_length(fit, kl)
    off, good = float(stds[np.argmin(wrong)]), float(stds[np.argmin(right)])
    says = (
        f"Minimised as a cost, the printed line makes q as wide as the range allows: σ = {off:.3g} (right: {good:.3g})."
    )
    panel = Panel(
        [
            Curve("as printed: the ELBO", stds, wrong - wrong.max(), "wrong"),
            Curve("description length", stds, right - right.min(), "right"),
            Curve("exact posterior", np.full(2, exact), np.array([-9.0, 9.0]), "exact"),
        ]
    )
    return Effect(
        Number("✗ σ of least “cost”", off),
        Number("✓ σ of least length", good),
        (
            Number("Exact posterior σ", exact),
            Number("Least length (nats)", float(right.min()), ".2f", f"−log p(y) is {-model.log_evidence:.2f}."),
        ),
        says,
        Comparison(
            [panel], "Standard deviation σ of q", "nats, from the best σ", (0.05, 1.5), (-8.0, 8.0), (True, False), says
        ),
    )


DESCRIPTION_LENGTH = Erratum(
    "description-length",
    "The description length is the negative ELBO",
    "Gavves: Bayesian compression",
    "What is called a cost must be minimised. The printed line is the ELBO: its parts are right, their signs belong "
    "to a bound that is maximised.",
    cost_as_printed,
    description_length,
    measure_description_length,
    "weights/bayes_by_backprop",
    "Bayes by Backprop: both costs in bits",
    (("scene", "bits"),),
    (bounds.bound,),
)
