"""One grey pixel: the Bernoulli term beside a density, and draws of both."""

from __future__ import annotations

import numpy as np

from bdlviz.digits import number
from bdlviz.models.pixel_likelihoods import Bernoulli, ContinuousBernoulli, log_normaliser
from bdlviz.plots import grey_pixel
from bdlviz.topics.generative.likelihood import pixels
from bdlviz.topics.generative.likelihood.controls import PIXEL
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import IMAGES, SHAPES
from bdlviz.ui.model import Figure, Formula, Result, Says, Screen, Setting, Words

NUM_GREYS = 201  # grey values of the curves
SIDE = 10  # drawn pixels along each side of a patch
BERNOULLI = Formula(
    Bernoulli,
    "The loss of most VAEs. For grey x it is not the logarithm of a density.",
    {"x_d": "grey value of pixel d, 0 to 1", "f_d": "the decoder's output for it, a logit"},
)
CONTINUOUS = Formula(
    ContinuousBernoulli, "The same term with the constant that makes its area 1.", {"C": "that constant"}
)
CONSTANT = Formula(log_normaliser, "The constant of one pixel, at least log 2.", {"f": "the pixel's logit"})


def pixel(setting: Setting, screen: Screen, study: None) -> Result:
    """The curves over the grey value of a pixel at one parameter, and patches of draws."""
    parameter = setting.number(PIXEL)
    greys, rates = np.linspace(0, 1, NUM_GREYS), np.array([float(each) for each in PIXEL.options])[:, None]
    terms, logits = rates**greys * (1 - rates) ** (1 - greys), np.log(rates / (1 - rates))
    constants, at = log_normaliser(logits), PIXEL.options.index(setting[PIXEL])
    densities, logit, constant = terms * np.exp(constants), logits[at], float(constants[at, 0])
    area, count = float(np.exp(-constant)), SHAPES[setting[IMAGES]][0] ** 2
    curves = {"Bernoulli term": terms[at], "continuous Bernoulli: area 1": densities[at]}
    uniform = np.random.Generator(np.random.SFC64(0)).random((SIDE, SIDE))
    patches: dict[str, Array] = {
        "Bernoulli: 0 or 1": (uniform < parameter).astype(float),
        "continuous Bernoulli": pixels.continuous_quantile(logit, 1 - uniform),
    }
    look = {"others": densities, "theme": screen.theme, "stacked": screen.is_narrow}
    fig = grey_pixel.pixel_densities(curves, greys, patches, **look)
    says = (
        f"At λ = {number(parameter)} the shaded area under the Bernoulli term is {number(area, 2)}, not 1; {count} "
        f"such pixels lack {number(count * constant)} nats of log density."
    )
    told = f"Beside the curves: {SIDE * SIDE} draws of the pixel from each distribution, from the same random numbers."
    alt = (
        f"Bernoulli term and continuous Bernoulli density at λ = {number(parameter)}, and {SIDE * SIDE} draws of each."
    )
    call = [
        "import numpy as np",
        "from bdlviz.models.pixel_likelihoods import log_normaliser",
        "",
        f"print(np.exp(-log_normaliser(np.log({parameter:g} / (1 - {parameter:g})))))  # the area",
    ]
    code = (log_normaliser, pixels.continuous_quantile)
    parts = [Says(says), Figure("grey_pixel", fig, alt), Words(told)]
    return Result(parts, formulas=(BERNOULLI, CONTINUOUS, CONSTANT), code=code, call="\n".join(call))
