"""The controls of the page on Bayes by Backprop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bdlviz.digits import number
from bdlviz.methods import METHODS, bayes_by_backprop
from bdlviz.methods.common import KL_WEIGHT
from bdlviz.predictive import weight_gradients
from bdlviz.topics.weights.bayes_by_backprop.description import Prior
from bdlviz.topics.weights.bayes_by_backprop.study import NUM_SNAPSHOTS, PRIOR_STDS
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control, text
from bdlviz.ui.controls.data_panel import data_panel
from bdlviz.ui.model import Entry, Note, Setting, When

STARTS = (-20, -10, -8, -6, -5, -4, -3, -2, 0, 5)
FROZEN, LOUD = -10, 2  # of rho at the start: below and above them the page says what goes wrong
SCHEDULES: dict[str, tuple[str, dict[str, float]]] = {
    "equal": ("equal", {}),
    "halving": ("halving", {"kl_halving": 1.0}),
    "warm_up": ("warm-up", {"kl_warm_up": 0.5}),
}


def _std_control(key: str, label: str, stds: tuple[float, ...], default: float, help: str) -> Control:
    options = tuple(map(text, stds))
    return Control(key, label, options, text(default), "slider", help, {text(std): number(std, 2) for std in stds})


# What is trained ------------------------------------------------------------------------------------------------------

PRIOR_STD = _std_control(
    "prior_std", "Prior sd σ₁", PRIOR_STDS, 1.0, "Every weight's prior is N(0, σ₁²); its length-scale is ℓ = 1/σ₁."
)
START_RHO = number_control("start_rho", "ρ at the start", STARTS, -4, bayes_by_backprop.START_RHO.help)
KL = replace(hyperparameter_control(KL_WEIGHT), label="Weight β of the prior (1: Bayes' rule)")
SCHEDULE = Control(
    "kl_schedule",
    "KL term over an epoch",
    tuple(SCHEDULES),
    "equal",
    "buttons",
    "Equal shares for all minibatches; half as much in each as in the one before (the paper's schedule); or equal, but "
    "off at first and growing until half of the training.",
    {name: title for name, (title, _) in SCHEDULES.items()},
)
SHARE = number_control(
    "mixture_weight",
    "Share π of the wide Gaussian",
    bayes_by_backprop.MIXTURE_WEIGHT.values,
    1.0,
    "1: the prior is one Gaussian. Less: a mixture with a narrow one, to which most weights may shrink.",
)
NARROW_STDS = (0.000335, 0.000912, 0.00248, 0.00674, 0.0498, 0.368)
NARROW_STD = _std_control("narrow_std", "Prior sd σ₂ of the narrow one", NARROW_STDS, 0.000912, "")
DATA = data_choice.data_controls("blundell")


def prior_of(setting: Setting) -> Prior:
    """The prior that is chosen."""
    return Prior(setting.number(PRIOR_STD), setting.number(NARROW_STD), setting.number(SHARE))


def _about_start(setting: Setting) -> str:
    start = setting.number(START_RHO)
    if start < FROZEN:
        return (
            f"ρ = {start:g}: σ starts at {np.exp(start):.0e} and its gradient has that factor. It hardly changes, and "
            "the network stays a plain one."
        )
    if start > LOUD:
        return f"ρ = {start:g}: every weight starts with an sd of {start:.0f}: the noise is larger than any signal."
    return ""


def _about_kl(setting: Setting) -> str:
    if setting[KL] != "0":
        return ""
    return (
        "β = 0: no term rewards a large σ, so σ shrinks wherever the data determine a weight. The prior has no effect."
    )


def _about_prior(setting: Setting) -> str:
    prior = prior_of(setting)
    if prior.share < 1 and prior.is_gaussian:
        return "σ₁ = σ₂: both parts are the same, so the prior is one Gaussian whatever π is."
    if prior.share < 1 and prior.narrow_std > prior.wide_std:
        return "σ₂ is above σ₁ here: the narrow and the wide part are exchanged."
    return ""


def trained(*live: Control, mixture: Sequence[Entry] = ()) -> Sequence[Entry]:
    """The controls of the training beside the picture; the ``live`` ones of a view stand under it."""
    sliders = [control for control in (PRIOR_STD, KL) if control not in live]
    notes = (Note(_about_start), Note(_about_kl), Note(_about_prior))
    return (*sliders, *(mixture or SMALL_MIXTURE), *notes, data_panel(DATA))


NARROW = When(lambda setting: setting[SHARE] != "1", (NARROW_STD,))
MIXTURE = (SHARE, NARROW)
SMALL_MIXTURE = (When(lambda setting: not setting.is_default(SHARE), MIXTURE),)
ADVANCED = (START_RHO, SCHEDULE)


# What is drawn --------------------------------------------------------------------------------------------------------

DRAWS = number_control("draws", "Function draws S", (1, 5, 20, 50, 100), 20, "Lines behind the band.")
BESIDE = Control(
    "beside",
    "Beside it",
    ("nothing", "map", "deep_ensemble"),
    "nothing",
    "buttons",
    "The same network without distributions, or five of them with different starts.",
    {"map": "plain network", "deep_ensemble": "ensemble of 5"},
)


def beside(setting: Setting) -> str:
    """The method that Bayes by Backprop is compared with, where it is not drawn, too."""
    return setting[BESIDE] if setting[BESIDE] in METHODS else "map"


DENSITY_AXIS = Control("density_axis", "Density axis", ("linear", "log"), "linear", "buttons")
LAYER = Control(
    "weight_layer",
    "Weights of",
    ("all", "0", "1", "2"),
    "all",
    "menu",
    "Biases count as weights.",
    {"all": "all layers", "0": "the first layer", "1": "the middle layer", "2": "the last layer"},
)
RANK = number_control(
    "weight_rank",
    "Weight, the most certain first (%)",
    range(0, 101, 5),
    0,
    "Ordered by the standard deviation of q at the end.",
)
MOMENT = number_control("weight_snapshot", "Snapshot", range(1, NUM_SNAPSHOTS + 1), NUM_SNAPSHOTS)
PER = Control(
    "bits",
    "Bits",
    ("point", "all"),
    "point",
    "buttons",
    "Of each training point, or of all together.",
    {"point": "per point", "all": "in total"},
)
GROUP = Control(
    "gradient_by",
    "Gradient by",
    weight_gradients.GROUPS,
    "mean",
    "buttons",
    "Of the means, or of ρ, from which the standard deviations follow: σ = log(1 + exp ρ).",
    {"mean": "μ", "rho": "ρ"},
)
BATCH = number_control("minibatch", "Points in a minibatch B", weight_gradients.BATCH_SIZES, 32)
