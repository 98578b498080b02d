"""Errata about how weights are learned: ridge regression, gradient ascent, and variational inference.

Most live examples stand on the smallest model whose posterior is known exactly: one weight w ~ N(0, 1), and N
observations of it with known noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz.data.curves import x_sin_x
from bdlviz.errata.base import Effect, Erratum, Number, written
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.models import divergences
from bdlviz.models.likelihoods import softplus
from bdlviz.predictive import bounds, estimators, latent
from bdlviz.types import Array

LOG_TWO_PI = 1.8378770664093453
LENET_WEIGHTS = 784 * 300 + 300 * 100 + 100 * 10  # of LeNet-300-100, biases apart


# The live example -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OneWeight:
    r"""One weight w ~ N(0, 1), and observations y (N,) of it with noise of a known standard deviation.

    $$ p(w \mid y) = \mathcal{N}\left(\tfrac{\sum_i y_i / s^2}{1 + N / s^2},\; \tfrac{1}{1 + N / s^2}\right) $$
    """

    y: Array
    noise_std: float = 1.0

    @property
    def posterior(self) -> tuple[float, float]:
        """Mean and standard deviation of w, exactly."""
        precision = 1 + len(self.y) / self.noise_std**2
        return float(self.y.sum() / self.noise_std**2 / precision), precision**-0.5

    def expected_log_likelihood(self, mean: Array | float, std: Array | float) -> Array:
        """E_q[log p(y | w)] in nats for q = N(mean, std^2), of whatever shape these have."""
        squares = np.square(self.y - np.asarray(mean)[..., None]).sum(-1) + len(self.y) * np.square(std)
        constant = len(self.y) * (np.log(self.noise_std) + 0.5 * LOG_TWO_PI)
        return -0.5 * squares / self.noise_std**2 - constant

    @property
    def log_evidence(self) -> float:
        """The logarithm of p(y), in nats."""
        mean, std = self.posterior
        return float(self.expected_log_likelihood(mean, std) - latent.kl_per_dimension(np.array(mean), np.array(std)))


def one_weight(num_data: int = 20) -> OneWeight:
    """The model with observations of w = 0.7, always the same ones."""
    return OneWeight(0.7 + np.random.default_rng(3).standard_normal(num_data))


# Ridge ----------------------------------------------------------------------------------------------------------------


def ridge_weight_as_printed(noise_variance: float, prior_variance: float) -> float:
    r"""The weight of the squared coefficients as printed: the variance of the prior itself.

    $$ \min_\theta\; \lVert y - X\theta \rVert^2 + \lambda\, \lVert \theta \rVert^2 $$
    """
    return prior_variance


def ridge_weight(noise_variance: float, prior_variance: float) -> float:
    r"""The weight of the squared coefficients that makes ridge regression the MAP estimate for theta ~ N(0, lambda).

    $$ \min_\theta\; \lVert y - X\theta \rVert^2 + \tfrac{\sigma^2}{\lambda}\, \lVert \theta \rVert^2 $$
    """
    return noise_variance / prior_variance


def ridge(design: Array, y: Array, weight: float) -> Array:
    r"""Coefficients (K,) that minimise the ridge objective, for a design (N, K) and y (N,).

    $$ \hat\theta = \left(X^\top X + c\, I\right)^{-1} X^\top y $$
    """
    return np.linalg.solve(design.T @ design + weight * np.eye(design.shape[1]), design.T @ y)


def _bumps(x: Array) -> Array:
    """Twenty-five Gaussian bumps on [-5, 5], (P,) -> (P, 25): enough to follow the noise of twenty points."""
    return np.exp(-0.5 * np.square((x[:, None] - np.linspace(-5, 5, 25)) / 0.5))


def measure_ridge() -> Effect:
    """Bumps fitted to twenty noisy points with both weights."""
    data = x_sin_x(noise_std=1.0)
    variances = 1.0, 9.0
    x, y = data.x[:, 0], data.y[:, 0]
    inputs = np.linspace(-5, 5, 201)
    weights = ridge_weight_as_printed(*variances), ridge_weight(*variances)
    found = [ridge(_bumps(x), y, weight) for weight in weights]
    x_test, y_test = data.x_test[:, 0], data.x_test[:, 0] * np.sin(data.x_test[:, 0])
    off, good = (float(np.sqrt(np.mean(np.square(_bumps(x_test) @ theta - y_test)))) for theta in found)
    says = f"RMSE {off:.2f} instead of {good:.2f}: the penalty is {weights[0] / weights[1]:.0f} times too strong."
    panel = Panel(
        [
            Curve("truth", inputs, inputs * np.sin(inputs), "truth"),
            Curve(f"penalty λ = {weights[0]:.2g}", inputs, _bumps(inputs) @ found[0], "wrong"),
            Curve(f"penalty σ²/λ = {weights[1]:.2g}", inputs, _bumps(inputs) @ found[1], "right"),
            Curve("data", x, y, "data"),
        ]
    )
    return Effect(
        Number("✗ RMSE", off, help="Against the noiseless curve, with the weight λ."),
        Number("✓ RMSE", good, help="Against the noiseless curve, with the weight σ²/λ."),
        (Number("✗ Weight λ", weights[0]), Number("✓ Weight σ²/λ", weights[1], ".2g")),
        says,
        Comparison([panel], "x", "y", (-5.0, 5.0), (-7.0, 5.0), says=says),
    )


# Ascent ---------------------------------------------------------------------------------------------------------------


def step_as_printed(theta: Array, gradient: Array, learning_rate: float) -> Array:
    r"""One step from theta (K,) with the gradient (K,) of the log likelihood, downhill.

    $$ \theta \leftarrow \theta - \gamma\, \nabla_\theta \log p(y \mid X, \theta) $$
    """
    return theta - learning_rate * gradient


def step_of_ascent(theta: Array, gradient: Array, learning_rate: float) -> Array:
    r"""One step from theta (K,) with the gradient (K,) of the log likelihood, uphill.

    $$ \theta \leftarrow \theta + \gamma\, \nabla_\theta \log p(y \mid X, \theta) $$
    """
    return theta + learning_rate * gradient


def measure_ascent() -> Effect:
    """Ten steps of both signs on one weight, from 0; the exact maximum is the mean of the data."""
    model, num_steps, learning_rate = one_weight(), 10, 0.01
    paths = []
    for step in (step_as_printed, step_of_ascent):
        theta = np.zeros(1)
        path = [theta]
        for _ in range(num_steps):
            theta = step(theta, (model.y - theta).sum(keepdims=True), learning_rate)
            path.append(theta)
        paths.append(model.expected_log_likelihood(np.concatenate(path), 0.0))
    highest = float(model.expected_log_likelihood(float(model.y.mean()), 0.0))
    off, good = (float(path[-1]) for path in paths)
    says = f"After {num_steps} steps log p is {written(off, ',.0f')} instead of {written(good, '.0f')} nats: downhill."
    steps = np.arange(num_steps + 1)
    panel = Panel(
        [
            Curve("maximum", steps, np.full(len(steps), highest), "exact"),
            Curve("with a minus", steps, paths[0], "wrong"),
            Curve("with a plus", steps, paths[1], "right"),
        ]
    )
    return Effect(
        Number("✗ log p (nats)", off, ",.0f", f"After {num_steps} steps with a minus."),
        Number("✓ log p (nats)", good, ".2f", f"After {num_steps} steps with a plus."),
        (
            Number("Maximum of log p (nats)", highest, ".2f"),
            Number("log p at the start (nats)", float(paths[0][0]), ".2f"),
        ),
        says,
        Comparison([panel], "Step", "log p(y | θ) in nats", (0.0, float(num_steps)), (-160.0, -15.0), says=says),
    )


# ARD ------------------------------------------------------------------------------------------------------------------


def ard_kl_as_printed(mean: Array, std: Array, prior_std: Array) -> Array:
    r"""KL of N(mean, std^2) to the prior N(0, prior_std^2) as printed, all of one shape.

    $$ \log\frac{\sigma}{\lambda} + \frac{\sigma^2 + \mu^2}{2 \lambda^2} $$
    """
    return np.log(std / prior_std) + (std**2 + mean**2) / (2 * prior_std**2)


def ard_kl(mean: Array, std: Array, prior_std: Array) -> Array:
    r"""KL of N(mean, std^2) to the prior N(0, prior_std^2) in nats, all of one shape.

    $$ \log\frac{\lambda}{\sigma} + \frac{\sigma^2 + \mu^2}{2 \lambda^2} - \frac12 $$
    """
    return np.log(prior_std / std) + (std**2 + mean**2) / (2 * prior_std**2) - 0.5


def measure_ard_kl() -> Effect:
    """Both expressions against the prior's standard deviation, which ARD sets to where the KL is smallest."""
    mean, std = np.array(1.0), np.array(0.5)
    prior = np.geomspace(0.4, 10, 200)
    wrong, right = ard_kl_as_printed(mean, std, prior), ard_kl(mean, std, prior)
    best = float(np.hypot(mean, std))
    off, good = float(wrong[-1]), float(right[-1])
    says = (
        f"The printed KL has no minimum and turns negative ({written(off, '.2f')} nats at λ = 10); "
        f"the right one is smallest at λ = {best:.2f}."
    )
    panel = Panel(
        [
            Curve("as printed", prior, wrong, "wrong"),
            Curve("KL", prior, right, "right"),
            Curve("minimum, λ² = μ² + σ²", np.array([best]), ard_kl(mean, std, np.array([best])), "data"),
        ]
    )
    return Effect(
        Number("✗ KL, λ = 10 (nats)", off, ".2f"),
        Number("✓ KL, λ = 10 (nats)", good, ".2f"),
        (
            Number("Best λ", best, help="√(μ² + σ²), for μ = 1 and σ = 0.5."),
            Number("KL there (nats)", float(ard_kl(mean, std, np.array(best)))),
        ),
        says,
        Comparison([panel], "Prior standard deviation λ", "KL in nats", (0.4, 10.0), (-3.2, 4.0), (True, False), says),
    )


def ard_kl_with_constant(mean: Array, std: Array) -> Array:
    r"""The KL at the best prior with the constant that is left when the -1/2 is lost, all of one shape.

    $$ \tfrac12 \log\left(1 + \tfrac{\mu^2}{\sigma^2}\right) + \text{Const} $$
    """
    return 0.5 * np.log1p((mean / std) ** 2) + 0.5


def ard_kl_at_best(mean: Array, std: Array) -> Array:
    r"""The KL at the best prior, lambda^2 = mu^2 + sigma^2, in nats (Kharitonov et al. 2018), all of one shape.

    $$ \tfrac12 \log\left(1 + \tfrac{\mu^2}{\sigma^2}\right) + 0 $$
    """
    return divergences.ard(2 * np.log(std / np.abs(mean)))


def measure_ard_constant() -> Effect:
    """The smallest KL over priors, found on a fine grid, minus the closed form."""
    ratios = np.geomspace(0.05, 20, 120)
    one = np.ones_like(ratios)
    priors = np.geomspace(0.5, 50, 4001)[:, None]
    smallest = ard_kl(ratios, one, priors).min(0)
    constant = float((smallest - ard_kl_at_best(ratios, one)).max())
    off = float((ard_kl_with_constant(ratios, one) - smallest).max())
    some = slice(4, None, 12)
    says = (
        f"The constant is {written(constant, '.0e')}, the grid's own error. A lost −1/2 would make it {off:.1f}, "
        f"or {0.5 * LENET_WEIGHTS:,.0f} nats for LeNet-300-100."
    )
    panel = Panel(
        [
            Curve("Const = 1/2", ratios, ard_kl_with_constant(ratios, one), "wrong"),
            Curve("Const = 0", ratios, ard_kl_at_best(ratios, one), "right"),
            Curve("smallest KL over λ, found numerically", ratios[some], smallest[some], "data"),
        ]
    )
    return Effect(
        Number("✗ Const (nats)", off, ".2f", "What is left where the −1/2 is lost."),
        Number("✓ Const (nats)", constant, ".0e", "Measured: smallest KL over a grid of λ, minus the formula."),
        (
            Number("LeNet-300-100, weights", LENET_WEIGHTS, ",.0f"),
            Number("✗ Const of all (nats)", 0.5 * LENET_WEIGHTS, ",.0f"),
        ),
        says,
        Comparison([panel], "|μ| / σ", "Smallest KL in nats", (0.05, 20.0), (-0.1, 3.8), (True, False), says),
    )


# Bayes by Backprop ----------------------------------------------------------------------------------------------------


def rho_gradient_as_printed(by_weight: Array, by_rho: Array, noise: Array, rho: Array) -> Array:
    r"""Gradient by rho as printed, from the partial derivatives by the weight and by rho, all of one shape.

    $$ \Delta_\rho = \frac{\partial f}{\partial w}\, \frac{1}{1 + e^{-\rho}} + \frac{\partial f}{\partial \rho} $$
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
    says = f"The posterior sd comes out as {off:.2f} instead of {good:.2f}; exactly it is {exact:.2f}."
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
        f"With B = {batch_size} the posterior sd is {std:.2f} instead of {exact_std:.2f}: "
        f"{len(model.y)} points count as {len(model.y) / batch_size:.0f}."
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


# Description length ---------------------------------------------------------------------------------------------------


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
        f"Minimised as a cost, the printed line drives σ to {off:g}, the end of the range; "
        f"the right one finds {good:.2f}."
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


# The entries ----------------------------------------------------------------------------------------------------------

RIDGE = Erratum(
    "ridge",
    "The ridge weight is σ²/λ, not λ",
    "Mittov: ridge regression as MAP",
    r"For $\theta \sim \mathcal{N}(0, \lambda I)$ minus the log posterior is "
    r"$\lVert y - X\theta \rVert^2 / (2\sigma^2) + \lVert\theta\rVert^2 / (2\lambda)$. Times $2\sigma^2$ that is ridge "
    r"regression with the weight $\sigma^2 / \lambda$: a wide prior means a weak penalty.",
    ridge_weight_as_printed,
    ridge_weight,
    measure_ridge,
    "regression/effect_of_lambda",
    "Effect of λ",
    (("scene", "good"),),
    (ridge,),
)
ASCENT = Erratum(
    "ascent",
    "Ascent on log p, written with a minus",
    "Mittov: stochastic gradient for the data term",
    "The gradient of log p points uphill. To maximise it one adds the gradient; to subtract, take −log p.",
    step_as_printed,
    step_of_ascent,
    measure_ascent,
    "generative/vae",
    "Train a VAE: the bound rises",
    (("scene", "lecture"),),
)
ARD_KL = Erratum(
    "ard-kl",
    "KL with log σ/λ, and without −1/2",
    "Mittov: automatic relevance determination",
    "A KL is never negative and is 0 where both Gaussians agree. With the fraction turned over and the −1/2 lost it is "
    "neither, and there is no best prior any more.",
    ard_kl_as_printed,
    ard_kl,
    measure_ard_kl,
    "weights/sparsity",
    "Sparse weights: ARD",
    (("scene", "ard"),),
    (latent.kl_per_dimension,),
)
ARD_CONSTANT = Erratum(
    "ard-constant",
    "The “+ Const” of the ARD KL is exactly 0",
    "Mittov: automatic relevance determination",
    "At λ² = μ² + σ² the fraction is exactly 1/2 and cancels the −1/2. Gradients do not notice a constant; the bound "
    "itself, and a comparison of models by it, do.",
    ard_kl_with_constant,
    ard_kl_at_best,
    measure_ard_constant,
    "weights/sparsity",
    "Sparse weights: ARD",
    (("scene", "ard"),),
    (ard_kl, divergences.ard),
)
RHO_GRADIENT = Erratum(
    "rho-gradient",
    "The gradient by ρ lacks ε",
    "Gavves: Bayes by Backprop",
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
