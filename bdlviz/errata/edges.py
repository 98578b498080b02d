"""The erratum about the noise of depth at edges: it depends on the input, so it is heteroscedastic."""

from __future__ import annotations

import numpy as np

from bdlviz.errata.base import Effect, Erratum, Number
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.models.likelihoods import HeteroscedasticGaussian, HomoscedasticGaussian
from bdlviz.types import Array

EDGES = np.array([0.25, 0.6, 0.85])  # places on a line of pixels
NEAR, FAR, WIDTH = 0.5, 0.05, 0.02  # noise sd in m at an edge and away from it; half the width of an edge


def one_noise(noise_std: Array) -> Array:
    r"""The constant noise (N,) of best likelihood for pixels whose noise has standard deviations (N,).

    $$ \sigma^2 = \frac1N \sum_i \sigma(x_i)^2 $$
    """
    return np.full_like(noise_std, np.sqrt(np.square(noise_std).mean()))


def noise_by_pixel(noise_std: Array) -> Array:
    r"""The noise (N,) of best likelihood that may differ between pixels.

    $$ \sigma^2 = \sigma(x_i)^2 $$
    """
    return noise_std


def expected_nll(std: Array, noise_std: Array) -> float:
    r"""The mean negative log likelihood, up to a constant, of Gaussian readings under a noise, both (N,).

    $$ \frac1N \sum_i \left[ \log \sigma_i + \frac{\sigma(x_i)^2}{2 \sigma_i^2} \right] $$
    """
    return float(np.mean(np.log(std) + 0.5 * np.square(noise_std / std)))


def true_noise(x: Array) -> Array:
    """Standard deviations of the readings at places x (N,) of the line."""
    at_edge = np.abs(x[:, None] - EDGES).min(1) < WIDTH
    return np.where(at_edge, NEAR, FAR)


def measure_edges() -> Effect:
    """A line of depth readings with three edges: what both kinds of noise say at an edge."""
    x = np.linspace(0, 1, 501)
    truth = true_noise(x)
    wrong, right = one_noise(truth), noise_by_pixel(truth)
    off, good = float(wrong[truth == NEAR].mean()), float(right[truth == NEAR].mean())
    says = (
        f"One σ for all pixels is much too sure at the edges: {off:.2f} m (right: {good:.2f} m), "
        "and not sure enough elsewhere."
    )
    panel = Panel([Curve("one σ for all pixels", x, wrong, "wrong"), Curve("σ(x)", x, right, "right")])
    return Effect(
        Number("✗ σ at an edge (m)", off, ".2f", "The constant of best likelihood."),
        Number("✓ σ at an edge (m)", good, ".2f", "As the readings were made."),
        (Number("✗ σ elsewhere (m)", off, ".2f"), Number("✓ σ elsewhere (m)", FAR, ".2f")),
        says,
        Comparison([panel], "Place on the line", "σ of a reading in m", (0.0, 1.0), (0.0, 0.6), says=says),
    )


DEPTH_EDGES = Erratum(
    "depth-edges",
    "Edges of depth as homoscedastic noise",
    "Gavves: aleatoric uncertainty, examples",
    "Homoscedastic noise is the same for every input. Readings at the edges of things are noisier than others, and the "
    "image shows where: an example of heteroscedastic noise.",
    one_noise,
    noise_by_pixel,
    measure_edges,
    "foundations/depth_and_edges",
    "Depth and edges",
    (("scene", "depth"),),
    (expected_nll, HomoscedasticGaussian, HeteroscedasticGaussian),
)
