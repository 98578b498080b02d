"""The three-way calculator on the page: length-scale, noise and weight decay; two are set, the third follows."""

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
    """A consistent triple (and the rate it belongs to); noise in y's units, the rest in standardised units."""

    weight_decay: float
    length_scale: float
    noise_std: float
    precision: float
    num_data: int
    dropout_rate: float
    is_cut: bool = False  # the weight decay asked for is out of range

    @property
    def latex(self) -> str:
        """The relation with the present numbers in it."""
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


def entries(scales: Callable[[Setting], Scales], taken: Callable[[Setting], str]) -> tuple[Entry, ...]:
    """The controls of the three scales that are free, and a sentence on the one that follows.

    ``taken`` says what the chosen method has of weight decay and length-scale, by its key: a weight decay is one of
    three scales that determine each other, a length-scale of a prior stands by itself, and with neither there is only
    the noise.
    """

    def decays(setting: Setting) -> bool:
        return taken(setting) == DECAY.key

    def is_free(control: Control) -> Callable[[Setting], bool]:
        def holds(setting: Setting) -> bool:
            if decays(setting):
                return control.key != FOLLOWED[setting[FOLLOWS]]
            return control is NOISE or control.key == taken(setting)

        return holds

    def told(setting: Setting) -> str:
        return words_of(scales(setting)) if decays(setting) else ""

    free = tuple(When(is_free(control), (control,)) for control in (DECAY, LENGTH_SCALE, NOISE))
    return (*free, When(decays, (FOLLOWS,)), Note(told), Note(lambda setting: cut_of(scales(setting), decays(setting))))


def words_of(scales: Scales) -> str:
    """The three numbers of a triple as a line of mathematics."""
    numbers = map(_latex_number, (scales.weight_decay, scales.length_scale, scales.precision))
    return r"$\lambda = {},\ \ell = {},\ \tau = {}$ in units of the data's spread".format(*numbers)


def cut_of(scales: Scales, decays: bool) -> str:
    """What is shown in place of a weight decay that is out of range."""
    if not decays or not scales.is_cut:
        return ""
    return f"The λ that this asks for is out of reach; showing λ = {scales.weight_decay:g}."


def scales_of(setting: Mapping[str, str], dataset: Dataset, dropout_rate: float, takes: str = DECAY.key) -> Scales:
    """The consistent triple that a setting (control key -> option) asks for; ``takes`` as in `entries`."""
    follows = setting[FOLLOWS.key] if takes == DECAY.key else DECAY.key
    y_scale = float(Scaling.of(dataset).y_scale.ravel()[0])
    size = (dataset.num_data, dropout_rate)
    own_noise = np.ravel(default_noise_std(dataset)).item()  # the pages' data have one output
    noise_std = own_noise * (1.0 if follows == "noise" else float(setting[NOISE.key]))
    precision = (y_scale / noise_std) ** 2
    weight_decay, length_scale = float(setting[DECAY.key]), float(setting[LENGTH_SCALE.key])
    if follows == "length_scale":
        return Scales(weight_decay, length_scale_for(weight_decay, precision, *size), noise_std, precision, *size)
    wanted = weight_decay_for(length_scale, precision, *size) if follows == "weight_decay" else weight_decay
    weight_decay = min(max(wanted, MIN_WEIGHT_DECAY), MAX_WEIGHT_DECAY)
    if follows == "noise":
        precision = model_precision(length_scale, weight_decay, *size)
        noise_std = y_scale / precision**0.5
    else:
        length_scale = length_scale_for(weight_decay, precision, *size)
    return Scales(weight_decay, length_scale, noise_std, precision, *size, is_cut=wanted != weight_decay)
