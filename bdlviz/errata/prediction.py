"""Errata about what a model says of data: predictive distributions, densities of pixels, and bounds."""

from __future__ import annotations

import numpy as np

from bdlviz.errata.base import Effect, Erratum, Number, written
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.models.pixel_likelihoods import ContinuousBernoulli, log_normaliser
from bdlviz.predictive import bounds, latent, summaries
from bdlviz.types import Array

LOG_TWO_PI = 1.8378770664093453
NUM_PIXELS = 784
SHIPPED = "vae_mnist_20d"


# The predictive sum ---------------------------------------------------------------------------------------------------


def predictive_as_printed(probabilities: Array) -> Array:
    r"""The sum over S draws of class probabilities (S, N, K), (N, K).

    $$ p(y \mid x) \approx \sum_{s=1}^{S} p(y \mid x, w_s) $$
    """
    return probabilities.sum(0)


def predictive_mean(probabilities: Array) -> Array:
    r"""The mean over S draws of class probabilities (S, N, K), (N, K).

    $$ p(y \mid x) \approx \frac1S \sum_{s=1}^{S} p(y \mid x, w_s) $$
    """
    return probabilities.mean(0)


def _drawn_classes(num_draws: int, num_points: int = 200) -> tuple[Array, Array]:
    """Probabilities (S, N, 3) of S draws of a softmax, and classes (N,) that follow their common law."""
    rng = np.random.default_rng(4)
    centre = rng.normal(size=(num_points, 3))
    logits = centre + 0.8 * rng.normal(size=(num_draws, num_points, 3))
    probabilities = np.exp(logits)
    probabilities /= probabilities.sum(-1, keepdims=True)
    law = np.cumsum(probabilities.mean(0), -1)
    return probabilities, (rng.random((num_points, 1)) > law).sum(-1).clip(max=2)


def measure_predictive_sum() -> Effect:
    """The negative log likelihood of 200 points against the number of draws, by the sum and by the mean."""
    probabilities, classes = _drawn_classes(100)
    stops = np.array([1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100])
    rows = np.arange(len(classes))
    curves = [
        np.array([-np.log(combine(probabilities[:stop])[rows, classes]).mean() for stop in stops])
        for combine in (predictive_as_printed, predictive_mean)
    ]
    ten = int(np.flatnonzero(stops == 10)[0])
    off, good = (float(curve[ten]) for curve in curves)
    total = float(predictive_as_printed(probabilities[:10]).sum(-1).mean())
    says = (
        f"Without 1/S the probabilities of 10 draws add up to {total:.0f}, so the NLL seems too small: "
        f"{written(off, '.2f')} nats (right: {good:.2f})."
    )
    panel = Panel([Curve("sum", stops, curves[0], "wrong"), Curve("mean", stops, curves[1], "right")])
    return Effect(
        Number("✗ NLL, S = 10 (nats)", off, ".2f"),
        Number("✓ NLL, S = 10 (nats)", good, ".2f"),
        (
            Number("✗ They add up to", total, help="The “probabilities” of all classes, S = 10."),
            Number("Too good by (nats)", good - off, help="log S"),
        ),
        says,
        Comparison([panel], "Draws S", "NLL in nats per point", (1.0, 100.0), (-4.0, 1.5), (True, False), says),
    )


# Grey pixels ----------------------------------------------------------------------------------------------------------


def bernoulli_of_grey(x: Array, parameter: float) -> Array:
    r"""The Bernoulli term of a grey pixel x (X,), as if it were a density.

    $$ p(x \mid \lambda) = \lambda^x (1-\lambda)^{1-x}, \quad x \in [0, 1] $$
    """
    return parameter**x * (1 - parameter) ** (1 - x)


def continuous_bernoulli(x: Array, parameter: float) -> Array:
    r"""The density of a grey pixel x (X,) that the term belongs to (Loaiza-Ganem & Cunningham 2019).

    $$ p(x \mid \lambda) = C(\lambda)\, \lambda^x (1-\lambda)^{1-x}, \quad
       C = \tfrac{2 \operatorname{artanh}(1-2\lambda)}{1-2\lambda} $$
    """
    logit = np.log(parameter) - np.log1p(-parameter)
    return np.exp(log_normaliser(np.asarray(logit))) * bernoulli_of_grey(x, parameter)


def measure_grey_pixels() -> Effect:
    """Both curves at one parameter, and the area below each."""
    parameter, x = 0.2, np.linspace(0, 1, 401)
    wrong, right = bernoulli_of_grey(x, parameter), continuous_bernoulli(x, parameter)
    off, good = float(np.trapezoid(wrong, x)), float(np.trapezoid(right, x))
    least = NUM_PIXELS * np.log(2)
    says = f"For grey pixels the Bernoulli term is no density: the area below it is {off:.3f} (right: {good:.3f})."
    panel = Panel([Curve("Bernoulli term", x, wrong, "wrong"), Curve("continuous Bernoulli", x, right, "right")])
    return Effect(
        Number("✗ Area, λ = 0.2", off, ".3f"),
        Number("✓ Area, λ = 0.2", good, ".3f"),
        (
            Number("Missing, at least (nats)", float(least), ".0f", "Per image of 784 pixels: log 2 for each."),
            Number("Mean grey, λ = 0.2", float(np.trapezoid(x * right, x)), ".3f", "The mean is not the parameter."),
        ),
        says,
        Comparison([panel], "Grey value x of a pixel (0 to 1)", "Density", (0.0, 1.0), (0.0, 2.2), says=says),
    )


# The bound at the mean code -------------------------------------------------------------------------------------------


class LinearCode:
    r"""One pixel x and one code z, both Gaussian, so that log p(x) is known: the smallest variational autoencoder.

    $$ z \sim \mathcal{N}(0, 1), \quad x \mid z \sim \mathcal{N}(z, s^2), \quad x \sim \mathcal{N}(0, 1 + s^2) $$
    """

    def __init__(self, x: float = 1.5, noise_std: float = 0.5) -> None:
        self.x, self.noise_std = x, noise_std
        self.mean, self.std = x / (1 + noise_std**2), noise_std / np.sqrt(1 + noise_std**2)  # of p(z | x)

    @property
    def log_evidence(self) -> float:
        """The logarithm of p(x), in nats."""
        variance = 1 + self.noise_std**2
        return float(-0.5 * (self.x**2 / variance + np.log(variance) + LOG_TWO_PI))

    def plug_in(self, std: Array) -> Array:
        """The bound's expression at the posterior's mean, for standard deviations of q, of one shape; in nats."""
        misfit = np.square((self.x - self.mean) / self.noise_std)
        fit = -0.5 * (misfit + 2 * np.log(self.noise_std) + LOG_TWO_PI)
        return fit - latent.kl_per_dimension(np.full_like(std, self.mean), std)

    def elbo(self, std: Array) -> Array:
        """The bound, its expectation over codes taken exactly, of one shape; in nats."""
        return self.plug_in(std) - 0.5 * np.square(std / self.noise_std)


def measure_plug_in() -> Effect:
    """The smallest VAE, where log p(x) is known, and the shipped one of MNIST-1000."""
    code, stds = LinearCode(), np.geomspace(0.05, 2, 200)
    wrong, right = code.plug_in(stds), code.elbo(stds)
    above = float(wrong.max() - code.log_evidence)
    panel = Panel(
        [
            Curve("log p(x), exact", stds, np.full_like(stds, code.log_evidence), "exact"),
            Curve("at the mean code μ", stds, wrong, "wrong"),
            Curve("ELBO: over codes z ~ q", stds, right, "right"),
        ]
    )
    labels = "Standard deviation of q(z|x)", "nats"
    shown = f"In the smallest VAE it stands up to {above:.2f} nats above log p(x)."
    picture = Comparison([panel], *labels, (0.05, 2.0), (-5.0, -0.5), (True, False), shown)
    most = Number("Above log p(x) (nats)", above, ".2f", "At most, in the smallest VAE of the picture.")
    try:
        _, extra = shelf.shipped(SHIPPED)
    except CheckpointError as error:
        return Effect(
            Number("✗ At μ, largest (nats)", float(wrong.max()), ".2f"),
            Number("✓ ELBO, largest (nats)", float(right.max()), ".2f"),
            (Number("Exact log p(x) (nats)", code.log_evidence, ".2f"), most),
            shown,
            picture,
            f"{error} So there are no numbers from MNIST here.",
        )
    off, good = float(extra["bound_plug_in"].item()), float(extra["bound_elbo"].item())
    says = (
        "At the mean code alone, the “bound” is too good and can exceed log p(x): "
        f"{written(off, '.1f')} nats (right: {written(good, '.1f')})."
    )
    return Effect(
        Number("✗ MNIST, at μ (nats)", off, ".1f", "VAE of MNIST-1000, mean of 500 held-out images."),
        Number("✓ MNIST, ELBO (nats)", good, ".1f", "VAE of MNIST-1000, 100 codes for each image."),
        (Number("Too good by (nats)", off - good, ".1f"), most),
        says,
        picture,
    )


# The entries ----------------------------------------------------------------------------------------------------------

PREDICTIVE_SUM = Erratum(
    "predictive-sum",
    "The predictive sum lacks 1/S",
    "Notebook: Bayes by Backprop, prediction",
    "An expectation over q is a mean over draws. The sum is no probability, and a score computed from it improves with "
    "every draw. The most probable class is still the right one, so accuracy hides it.",
    predictive_as_printed,
    predictive_mean,
    measure_predictive_sum,
    "digits/mc_dropout",
    "MC dropout: the mean over draws",
    related=(summaries.summarise_classification,),
)
GREY_PIXELS = Erratum(
    "grey-pixels",
    "A Bernoulli likelihood on grey pixels",
    "Lee: VAE (“But actually this is wrong …”)",
    "A Bernoulli variable is 0 or 1. For grey values between them the term is no density: its integral is 1/C(λ), at "
    "most 1/2, and changes with what the decoder says.",
    bernoulli_of_grey,
    continuous_bernoulli,
    measure_grey_pixels,
    "generative/vae",
    "VAE: other picture “What is wrong”",
    (("scene", "lecture"), ("tab", "What is wrong")),
    (ContinuousBernoulli,),
)
PLUG_IN = Erratum(
    "plug-in",
    "A test “ELBO” evaluated at μ",
    "Lee: the VAE's reference code",
    "The bound is an expectation over codes. At their mean alone the decoder does best, and nothing is left that keeps "
    "the value below log p(x).",
    bounds.plug_in,
    bounds.elbo,
    measure_plug_in,
    "generative/vae",
    "VAE: other picture “Tighter bounds”",
    (("scene", "lecture"), ("tab", "Tighter bounds")),
    (LinearCode, bounds.bound, bounds.importance_bound),
)
