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
    greys = np.linspace(0, 1, NUM_GREYS)
    term = parameter**greys * (1 - parameter) ** (1 - greys)
    logit = np.array(np.log(parameter / (1 - parameter)))
    constant = float(log_normaliser(logit))
    area, count = float(np.exp(-constant)), SHAPES[setting[IMAGES]][0] ** 2
    curves = {f"Bernoulli term: area {number(area, 2)}": term, "continuous Bernoulli: area 1": term * np.exp(constant)}
    uniform = np.random.Generator(np.random.SFC64(0)).random((SIDE, SIDE))
    patches: dict[str, Array] = {
        "Bernoulli: 0 or 1": (uniform < parameter).astype(float),
        "continuous Bernoulli": pixels.continuous_quantile(logit, 1 - uniform),
    }
    fig = grey_pixel.pixel_densities(curves, greys, patches, theme=screen.theme, stacked=screen.is_narrow)
    says = (
        f"At λ = {number(parameter)} the Bernoulli term has an area of {number(area, 2)} over grey values, not 1; "
        f"{count} such pixels lack {number(count * constant)} nats."
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
