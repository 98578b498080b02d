"""The further picture *What is wrong*: on grey pixels the Bernoulli term is not the logarithm of a density."""

from __future__ import annotations

import numpy as np

from bdlviz.digits import number
from bdlviz.fits import GenerativeFit
from bdlviz.models.pixel_likelihoods import log_normaliser
from bdlviz.plots import grey_pixel
from bdlviz.predictive import latent
from bdlviz.ui.model import Chooser, Field, Figure, Part, Says, Screen, Words

PARAMETERS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
NUM_IMAGES = 100


def what_is_wrong(fit: GenerativeFit, screen: Screen) -> list[Part]:
    """The constant that is missing in the Bernoulli term, for one pixel and for whole images of a fit."""
    parameter = Field("pixel_parameter", "Parameter of the pixel", PARAMETERS, 0.2)
    largest = float(np.exp(-log_normaliser(np.log(np.divide(PARAMETERS, np.subtract(1, PARAMETERS)))).min()))
    says = (
        f"Over grey values the Bernoulli term has an area of at most {number(largest)}, not 1: it is no density of a "
        "grey pixel."
    )
    return [Says(says), Chooser((parameter,), lambda parameter: _of_pixel(fit, screen, parameter))]


def _of_pixel(fit: GenerativeFit, screen: Screen, parameter: float) -> list[Part]:
    x = np.linspace(0, 1, 201)
    logit = np.log(parameter / (1 - parameter))
    term = np.exp(x * np.log(parameter) + (1 - x) * np.log(1 - parameter))
    constant = float(log_normaliser(np.array([logit]))[0])
    mass = float(np.exp(-constant))
    curves = {
        f"Bernoulli term: its area is {mass:.2f}, not 1": term,
        "continuous Bernoulli: area 1": term * np.exp(constant),
    }
    fig = grey_pixel.pixel_densities(curves, x, theme=screen.theme, height=340)
    alt = f"Bernoulli term and continuous Bernoulli density at parameter {parameter}."
    images = "" if fit.config.likelihood != "bernoulli" else _for_images(fit)
    explanation = (
        "On grey pixels the cross-entropy of VAEs is not the negative logarithm of a density, because the density is "
        f"not normalised. The missing constant of one pixel is log C = {constant:.3f} nats here. It is at least log 2. "
        f"{images}"
        "The **continuous Bernoulli** includes this constant. Its mean is not its parameter; pictures show the mean. "
        "Its bound may be positive, since densities may exceed 1, and bounds of different likelihoods cannot be "
        "compared. Binarised pixels and a Gaussian with a learned σ are the other correct choices: the page "
        "*Likelihood* shows all four."
    )
    return [Figure("pixel_densities", fig, alt), Words(explanation, "markdown")]


def _for_images(fit: GenerativeFit) -> str:
    """A sentence with the mean of log C over whole images of this fit."""
    network, params = fit.model.network, {name: array[0, 0] for name, array in fit.params.items()}
    codes = latent.draw_codes(NUM_IMAGES, network.latent_dim, np.random.Generator(np.random.SFC64(0)))
    logits = latent.decode_logits(network, params, codes)
    nats = float(log_normaliser(logits.astype(np.float64)).sum(1).mean())
    return f"For a whole image of this VAE it is {nats:,.0f} nats, more than the absolute value of the reported bound. "
