"""The calculator of length-scale, noise and weight decay: two are set, the third follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bdlviz.fits import default_noise_std
from bdlviz.methods.common import WEIGHT_DECAY
from bdlviz.models.scaling import Scaling
from bdlviz.predictive.length_scale import length_scale_for, model_precision, weight_decay_for
from bdlviz.types import Dataset
from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control
from bdlviz.ui.model import Entry, Note, Setting, When

MIN_WEIGHT_DECAY, MAX_WEIGHT_DECAY = 1e-12, 100.0

DECAY = hyperparameter_control(WEIGHT_DECAY)
LENGTH_SCALE = number_control(
    "length_scale",
    "Length-scale ℓ",
    (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
    1,
    "Prior p(w) = N(0, ℓ⁻²): large means small weights and smooth functions.",
)
NOISE = number_control(
    "assumed_noise",
    "Assumed noise sd (× true)",
    (0.25, 0.5, 1, 2, 4),
    1,
    "Standard deviation of the observation noise that the model assumes; its inverse variance is τ.",
)
FOLLOWS = Control(
    "follows",
    "Solve for",
    ("length_scale", "noise", "weight_decay"),
    "length_scale",
    "buttons",
    "Length-scale, noise and weight decay determine each other.",
    {"length_scale": "ℓ", "noise": "τ", "weight_decay": "λ"},
)
CONTROLS = (FOLLOWS, DECAY, LENGTH_SCALE, NOISE)
FOLLOWED = {"length_scale": LENGTH_SCALE.key, "noise": NOISE.key, "weight_decay": DECAY.key}


@dataclass(frozen=True)
class Scales:
    """Weight decay, length-scale and noise (or precision) that belong together for N data and a dropout rate.

    ``noise_std`` is in the units of y; the others are in standardised units.
    """

    weight_decay: float
    length_scale: float
    noise_std: float
    precision: float
    num_data: int
    dropout_rate: float
    is_clipped: bool = False  # the requested weight decay is out of range

    @property
    def latex(self) -> str:
        """The relation of the scales with their values, in LaTeX."""
        if self.weight_decay == 0:
            return rf"\lambda = 0,\quad \ell = 0\ \text{{(a flat prior)}},\quad \tau = {_latex_number(self.precision)}"
        keep = 1 - self.dropout_rate
        return (
            rf"\tau = \frac{{\ell^2}}{{2 N \lambda (1 - p)}} = \frac{{({_latex_number(self.length_scale)})^2}}"
            rf"{{2 \cdot {self.num_data} \cdot {_latex_number(self.weight_decay)} \cdot {keep:.3g}}}"
            rf" = {_latex_number(self.precision)}"
        )


def _latex_number(value: float) -> str:
    text = f"{value:.3g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
    return text


def entries(scales: Callable[[Setting], Scales], scale_key: Callable[[Setting], str]) -> tuple[Entry, ...]:
    """The controls of the scales that are free, and notes with the scale that follows from them.

    ``scale_key`` returns the key of the hyper-parameter of the chosen method: weight decay (one of the three scales
    that determine each other), the length-scale of a prior (which is free), or "" (then only the noise is shown).
    """

    def has_decay(setting: Setting) -> bool:
        return scale_key(setting) == DECAY.key

    def is_free(control: Control) -> Callable[[Setting], bool]:
        def condition(setting: Setting) -> bool:
            if has_decay(setting):
                return control.key != FOLLOWED[setting[FOLLOWS]]
            return control is NOISE or control.key == scale_key(setting)

        return condition

    def values(setting: Setting) -> str:
        return values_text(scales(setting)) if has_decay(setting) else ""

    def clipped(setting: Setting) -> str:
        return clipped_text(scales(setting)) if has_decay(setting) else ""

    free = tuple(When(is_free(control), (control,)) for control in (DECAY, LENGTH_SCALE, NOISE))
    return (*free, When(has_decay, (FOLLOWS,)), Note(values), Note(clipped))


def values_text(scales: Scales) -> str:
    """The values of λ, ℓ and τ, in LaTeX."""
    numbers = map(_latex_number, (scales.weight_decay, scales.length_scale, scales.precision))
    return r"$\lambda = {},\ \ell = {},\ \tau = {}$ for standardised data".format(*numbers)


def clipped_text(scales: Scales) -> str:
    """A sentence about a weight decay that is out of range; "" if it is not."""
    if not scales.is_clipped:
        return ""
    return f"The λ of these settings is out of range; λ = {scales.weight_decay:g} is used instead."


def scales_of(setting: Mapping[str, str], dataset: Dataset, dropout_rate: float, scale_key: str = DECAY.key) -> Scales:
    """The scales for a setting (control key -> option); ``scale_key`` is the key that `entries` describes."""
    follows = setting[FOLLOWS.key] if scale_key == DECAY.key else DECAY.key
    y_scale = float(Scaling.of(dataset).y_scale.ravel()[0])
    size = (dataset.num_data, dropout_rate)
    data_noise = np.ravel(default_noise_std(dataset)).item()  # the data of the pages have one output
    noise_std = data_noise * (1.0 if follows == "noise" else float(setting[NOISE.key]))
    precision = (y_scale / noise_std) ** 2
    weight_decay, length_scale = float(setting[DECAY.key]), float(setting[LENGTH_SCALE.key])
    if follows == "length_scale":
        return Scales(weight_decay, length_scale_for(weight_decay, precision, *size), noise_std, precision, *size)
    requested = weight_decay_for(length_scale, precision, *size) if follows == "weight_decay" else weight_decay
    weight_decay = min(max(requested, MIN_WEIGHT_DECAY), MAX_WEIGHT_DECAY)
    if follows == "noise":
        precision = model_precision(length_scale, weight_decay, *size)
        noise_std = y_scale / precision**0.5
    else:
        length_scale = length_scale_for(weight_decay, precision, *size)
    return Scales(weight_decay, length_scale, noise_std, precision, *size, is_clipped=requested != weight_decay)
