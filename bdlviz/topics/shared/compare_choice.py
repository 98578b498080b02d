"""The controls of both pages that compare methods, and the configurations of the fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bdlviz.errors import InvalidInput
from bdlviz.methods import METHODS
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.compare.study import config_of
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Setting, When

CHOSEN = "chosen"  # key of the user's choice in the link and in the setting: names separated by commas
OWN = "own"
NAMES = compare_study.methods()
EXACT = tuple(name for name in NAMES if METHODS[name].exact_title)
REFERENCES = tuple(name for name in (*EXACT, "deep_ensemble") if name in NAMES)
GROUPS: dict[str, tuple[str, ...]] = {
    "usual": compare_study.usual(),
    "dropout": tuple(name for name in NAMES if METHODS[name].noise_on == "units"),
    "weights": tuple(name for name in NAMES if METHODS[name].noise_on == "weights"),
    "all": NAMES,
}
GROUP = Control(
    "methods",
    "Methods",
    (*GROUPS, OWN),
    "usual",
    "menu",
    "Methods with scales for units take a minute to train.",
    {"usual": "the usual ones", "dropout": "noise on units", "weights": "noise on weights"}
    | {"all": f"all {len(NAMES)}", OWN: "your own choice"},
)
FRONT = Control(
    "front",
    "Method (blue)",
    GROUPS["usual"],
    "bayes_by_backprop" if "bayes_by_backprop" in GROUPS["usual"] else GROUPS["usual"][0],
    "buttons",
    "Drawn over the reference, with the same network, noise and, where it has one, the same prior.",
    {name: METHODS[name].short for name in GROUPS["usual"]},
)
REFERENCE = Control(
    "reference",
    "Compare with",
    REFERENCES,
    REFERENCES[0],
    "menu",
    "HMC samples the exact posterior of this network if its chains have converged. A Gaussian process is the exact "
    "posterior of the infinitely wide network, not of this one.",
    {name: METHODS[name].title for name in REFERENCES}
    | {"hmc": "HMC, exact", "deep_ensemble": "deep ensemble, not exact"},
)
LENGTH_SCALE = number_control(
    "length_scale",
    "Prior length-scale ℓ",
    (0.3, 0.5, 1.0, 2.0, 3.0),
    compare_study.LENGTH_SCALE,
    "Prior N(0, 1/ℓ²) of every weight, in all methods that have one. A small ℓ allows large weights and steep "
    "functions. Another ℓ trains all of them again: HMC takes a minute or two.",
)
RATE = number_control(
    "dropout_rate",
    "Dropout rate p",
    (0.02, 0.05, 0.1, 0.2, 0.5),
    compare_study.DROPOUT_RATE,
    "For the methods with a fixed rate, which train again in a second or two.",
)
RATE_IN_FRONT = When(lambda setting: setting[FRONT] == "mc_dropout", (RATE,))
SEED = number_control("seed", "Seed", range(5), 0, "Sets the initial weights, minibatches, masks and chains.")
WIDTH = number_control("width", "Units per layer", (10, 20, 50, 100), compare_study.HIDDEN[0])
DEPTH = number_control(
    "depth", "Hidden layers", (1, 2), 1, "HMC takes about four times as long with two.", kind="buttons"
)
ACTIVATION = Control("activation", "Activation", ("relu", "tanh"), "relu", "buttons", "", {"relu": "ReLU"})


def title(method: str) -> str:
    """The short name of a method, for panels and tables."""
    return METHODS[method].short


def brief(method: str) -> str:
    """The shortest name of a method, for narrow places."""
    return METHODS[method].brief


def colour_index(method: str) -> int:
    """The index of the colour of a method. The usual methods come first: their colours differ without dashes."""
    return [*GROUPS["usual"], *(name for name in NAMES if name not in GROUPS["usual"])].index(method)


def methods_of(setting: Setting) -> tuple[str, ...]:
    """The methods to compare, in the order of the menu."""
    group = setting[GROUP]
    chosen = setting.text(CHOSEN).split(",") if group == OWN else GROUPS[group]
    return tuple(name for name in NAMES if name in chosen)


def settings(setting: Setting) -> dict[str, Any]:
    """The settings that are the same for every method, as arguments of `study.config_of`."""
    return {
        "hidden": (int(setting[WIDTH]),) * int(setting[DEPTH]),
        "activation": setting[ACTIVATION],
        "length_scale": setting.number(LENGTH_SCALE),
        "dropout_rate": setting.number(RATE),
        "seed": int(setting[SEED]),
    }


def configurations(
    setting: Setting, dataset: Dataset, methods: Sequence[str] | None = None
) -> dict[str, FitConfig | str]:
    """By method, its configuration or the reason why there is no such fit. The reference, the slowest, is last.

    ``methods`` are all that are chosen, unless others are given.
    """
    reference, chosen = setting[REFERENCE], settings(setting)
    wanted = methods_of(setting) if methods is None else methods
    names = [*(name for name in wanted if name != reference), reference]
    return {name: _config_or_reason(name, dataset, chosen) for name in names}


def _config_or_reason(method: str, dataset: Dataset, chosen: dict[str, Any]) -> FitConfig | str:
    try:
        return config_of(method, dataset, **chosen)
    except InvalidInput as error:
        return str(error)
