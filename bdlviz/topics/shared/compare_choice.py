"""What is compared on which data: the controls that the two pages of comparison share, and the fits they ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

from bdlviz.methods import METHODS
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.compare.study import config_of
from bdlviz.topics.shared.compare_fits import tried
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.places import link

CHOSEN = "chosen"  # one's own choice, in the link and in the session's state
START, VERSION = "chosen_first", "chosen_version"  # session state: of the list to pick from
OWN = "own"
NAMES = compare_study.methods()
SHORT = {
    "map": "Plain network (MAP)",
    "bayes_by_backprop": "Bayes by Backprop",
    "sparse_variational_dropout": "Sparse variational d.",
    "group_normal_jeffreys": "Group normal-Jeffreys",
    "hmc": "HMC",
}
BRIEF = {  # under the picture, where a phone has room for few letters
    "map": "MAP",
    "deep_ensemble": "ensemble",
    "bayes_by_backprop": "Backprop",
    "gaussian_process": "GP",
    "hmc": "HMC",
}
EXACT = ("hmc", "gaussian_process")
REFERENCES = tuple(name for name in (*EXACT, "deep_ensemble") if name in NAMES)
GROUPS: dict[str, tuple[str, ...]] = {
    "usual": compare_study.usual(),
    "dropout": ("mc_dropout", "concrete_dropout", "gaussian_dropout", "variational_dropout"),
    "weights": ("bayes_by_backprop", "sparse_variational_dropout", "ard", "group_normal_jeffreys", "group_horseshoe"),
    "all": NAMES,
}
GROUP = Control(
    "methods",
    "Methods",
    (*GROUPS, OWN),
    "usual",
    "menu",
    "Those with scales for units take a minute to train.",
    {"usual": "the usual ones", "dropout": "noise on units", "weights": "noise on weights"}
    | {"all": f"all {len(NAMES)}", OWN: "your own choice"},
)
REFERENCE = Control(
    "reference",
    "Compare with",
    REFERENCES,
    REFERENCES[0],
    "menu",
    "HMC is exact for this network once its chains agree. A Gaussian process is the exact answer of the infinitely "
    "wide network, not of this one.",
    {"hmc": "HMC, exact", "gaussian_process": "Gaussian process", "deep_ensemble": "deep ensemble, not exact"},
)
LENGTH_SCALE = number_control(
    "length_scale",
    "Prior length-scale ℓ",
    (0.3, 0.5, 1.0, 2.0, 3.0),
    compare_study.LENGTH_SCALE,
    "Prior N(0, 1/ℓ²) of every weight, in all methods that have one. Small means large weights and wild functions.",
)
RATE = number_control(
    "dropout_rate",
    "Dropout rate p",
    (0.02, 0.05, 0.1, 0.2, 0.5),
    compare_study.DROPOUT_RATE,
    "Of the methods that have a fixed one.",
)
SEED = number_control("seed", "Seed", range(5), 0, "Start of the weights, minibatches, masks and chains.")
WIDTH = number_control("width", "Units per layer", (10, 20, 50, 100), compare_study.HIDDEN[0])
DEPTH = number_control(
    "depth", "Hidden layers", (1, 2), 1, "HMC takes about four times as long with two.", kind="buttons"
)
ACTIVATION = Control("activation", "Activation", ("relu", "tanh"), "relu", "buttons", "", {"relu": "ReLU"})


def title(method: str) -> str:
    """The method's name as panels and tables have it."""
    return SHORT.get(method, METHODS[method].title)


def brief(method: str) -> str:
    """The method's name where there is little room."""
    return BRIEF.get(method, METHODS[method].title)


def colour_index(method: str) -> int:
    """What gives a method its colour: the usual ones first, whose colours differ without dashes."""
    return [*GROUPS["usual"], *(name for name in NAMES if name not in GROUPS["usual"])].index(method)


def choose_methods() -> None:
    """Draw the menu of methods, and the list to pick from where the choice is one's own."""
    state, group = st.session_state, GROUP.show()
    if group != OWN:
        state[CHOSEN] = state[START] = GROUPS[group]  # where one's own choice would begin
        return
    _take_from_link()
    start = state.setdefault(START, GROUPS[GROUP.default])
    key = f"pills_{state.get(VERSION, 0)}"
    picked = st.pills("Your choice", NAMES, selection_mode="multi", default=start, format_func=title, key=key)
    state[CHOSEN] = tuple(name for name in NAMES if name in picked)
    if not picked:
        st.caption("Nothing is chosen; the reference stands alone.")


def _take_from_link() -> None:
    """Methods named in a link, if this run comes from one; unknown names are left out, and said."""
    given, state = link.arrived_with(CHOSEN), st.session_state
    if given is None or given == ",".join(state.get(CHOSEN, ("",))):
        return
    asked = [name for name in given.split(",") if name]
    state[CHOSEN] = state[START] = tuple(name for name in NAMES if name in asked)
    state[VERSION] = state.get(VERSION, 0) + 1
    unknown = [link.quoted(name) for name in asked if name not in NAMES]
    if unknown:
        st.warning(f"The link asks for {', '.join(unknown[:3])}, which is no method for regression.")


def present_methods() -> tuple[str, ...]:
    """The methods to compare, in the registry's order."""
    group = GROUP.present()
    chosen = st.session_state.get(CHOSEN, ()) if group == OWN else GROUPS[group]
    return tuple(name for name in NAMES if name in chosen)


def write_link() -> None:
    """Put one's own choice into the link."""
    if GROUP.present() == OWN:
        link.add(CHOSEN, ",".join(present_methods()))


def settings() -> dict[str, Any]:
    """What the controls ask of every method alike, as `study.config_of` takes it."""
    return {
        "hidden": (int(WIDTH.present()),) * int(DEPTH.present()),
        "activation": ACTIVATION.present(),
        "length_scale": float(LENGTH_SCALE.present()),
        "dropout_rate": float(RATE.present()),
        "seed": int(SEED.present()),
    }


def configurations(methods: Iterable[str], dataset: Dataset) -> dict[str, FitConfig | str]:
    """What the controls ask for, by method, or why there is no such fit; the reference last: it takes longest."""
    reference, chosen = REFERENCE.present(), settings()
    names = [*(name for name in methods if name != reference), reference]
    return {name: tried(lambda name=name: config_of(name, dataset, **chosen)) for name in names}
