"""Errata about the best weights: ridge regression as MAP, and gradient ascent."""

from __future__ import annotations

import numpy as np

from bdlviz.data.curves import x_sin_x
from bdlviz.errata.base import Effect, Erratum, Number, written
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.errata.one_weight import one_weight
from bdlviz.types import Array

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
    says = (
        f"The penalty is {weights[0] / weights[1]:.0f} times too strong and flattens the curve: "
        f"its error (RMSE) is {off:.3g} (right: {good:.3g})."
    )
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
    says = (
        f"With a minus the fit moves away from the data: after {num_steps} steps log p is {written(off, ',.0f')} nats "
        f"(right: {written(good, '.2f')})."
    )
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


ASCENT = Erratum(
    "ascent",
    "Ascent on log p, written with a minus",
    "Mittov: slides on SGD and on Gaussian dropout; the one on the data term has no minus",
    "The gradient of log p points uphill. To maximise it one adds the gradient; to subtract, take −log p.",
    step_as_printed,
    step_of_ascent,
    measure_ascent,
    "generative/vae",
    "VAE: the bound rises",
    (("scene", "lecture"),),
)
