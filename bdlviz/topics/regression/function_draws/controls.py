"""The controls of the page on function draws, and the settings of a fit that they make up."""

from __future__ import annotations

from bdlviz.methods import METHODS, method, ordered
from bdlviz.topics.shared import calculator, curves
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Entry, Setting, When

DATA = data_choice.data_controls("x_sin_x")
DRAWS = number_control("draws", "Function draws S", (1, 2, 5, 10, 20, 50, 100, 200), 50)
NONE = "none"
EXACT = {spec.name: spec.exact_title for spec in ordered() if spec.exact_title}
NAMES = (*EXACT, *(name for name in ("laplace", "deep_ensemble") if name in METHODS))
REFERENCE = Control(
    "reference",
    "Overlay",
    (NONE, *NAMES),
    NONE,
    "menu",
    "The result of another method, with the same data, network and noise and, if it has one, the same prior of "
    "weights. Weight decay leaves out the biases. The overlay has one ℓ for all layers and for the biases.",
    {NONE: "nothing"} | {name: EXACT.get(name, METHODS[name].title) for name in NAMES},
)
# All controls that decide which fit is shown on given data.
OF_FIT = (curves.METHOD, *curves.all_own_controls(), *calculator.CONTROLS, *curves.NETWORK, *curves.TRAINING)
# Those that are sliders of the view in the browser, where the method has them.
SLIDERS = (*curves.own_controls("mc_dropout"), calculator.DECAY)


def own_entries() -> tuple[Entry, ...]:
    """The hyper-parameters of every method, each shown for the methods that have it."""
    return tuple(When(lambda setting, key=control.key: _has(setting, key), (control,)) for control in _own())


def _own() -> tuple[Control, ...]:
    return curves.all_own_controls()


def _has(setting: Setting, key: str) -> bool:
    return key in {control.key for control in curves.own_controls(setting[curves.METHOD])}


def training_entries() -> tuple[Entry, ...]:
    """The controls of training, each shown for the kinds of inference that have it."""
    return tuple(
        When(lambda setting, control=control: _trains_with(setting, control), (control,)) for control in curves.TRAINING
    )


def _trains_with(setting: Setting, control: Control) -> bool:
    return control in curves.OF_INFERENCE[method(setting[curves.METHOD]).inference]
