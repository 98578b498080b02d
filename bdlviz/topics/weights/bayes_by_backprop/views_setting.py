"""What all views of the page on Bayes by Backprop share: its controls, the fit that they ask for, and its weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, configure
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import bayes_by_backprop
from bdlviz.methods.common import KL_WEIGHT
from bdlviz.topics.shared import reproduce
from bdlviz.topics.weights.bayes_by_backprop.description import Prior
from bdlviz.topics.weights.bayes_by_backprop.study import NUM_SNAPSHOTS, PRIOR_STDS, SETTINGS, length_scale_of
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control, text
from bdlviz.ui.jobs.obtain import fit_need, obtain
from bdlviz.ui.jobs.queue import QUEUE

POWERS = ("⁻⁸", "⁻⁷", "⁻⁶", "⁻⁵", "⁻⁴", "⁻³", "⁻²", "⁻¹", "⁰", "¹", "²")
STARTS = (-20, -10, -8, -6, -5, -4, -3, -2, 0, 5)
FROZEN, LOUD = -10, 2  # of rho at the start: below and above them the page says what goes wrong
SCHEDULES: dict[str, tuple[str, dict[str, float]]] = {
    "equal": ("equal", {}),
    "halving": ("halving", {"kl_halving": 1.0}),
    "warm_up": ("warm-up", {"kl_warm_up": 0.5}),
}


def _power(std: float) -> str:
    """A power of e as people write it, with its value."""
    return f"{std:.2g} (e{POWERS[round(np.log(std)) + 8]})"


def _std_control(key: str, label: str, stds: tuple[float, ...], default: float, help: str) -> Control:
    options = tuple(map(text, stds))
    return Control(key, label, options, text(default), "slider", help, {text(std): _power(std) for std in stds})


PRIOR_STD = _std_control(
    "prior_std", "Prior sd σ₁", PRIOR_STDS, 1.0, "Every weight's prior is N(0, σ₁²); its length-scale is ℓ = 1/σ₁."
)
START_RHO = number_control("start_rho", "ρ at the start", STARTS, -4, bayes_by_backprop.START_RHO.help)
KL = replace(hyperparameter_control(KL_WEIGHT), label="KL weight β")
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
PRIOR = (SHARE, NARROW_STD)
SETTING = (PRIOR_STD, START_RHO, KL, SCHEDULE, *PRIOR)


@dataclass(frozen=True, eq=False)
class Weights:
    """All weights of one network: means and standard deviations by name, and the prior they were learned under."""

    mean: Mapping[str, Array]
    std: Mapping[str, Array]
    prior: Prior

    @property
    def num_weights(self) -> int:
        """How many there are."""
        return sum(array.size for array in self.mean.values())


def choose(*, with_mixture: bool = False) -> None:
    """Draw the controls that every view has; those of the mixture in its own view, and where there is one."""
    PRIOR_STD.show()
    if with_mixture or SHARE.present() != SHARE.default:
        SHARE.show()
        if SHARE.present() != "1":
            NARROW_STD.show()
    START_RHO.show()
    KL.show()
    SCHEDULE.show()
    _warn()
    with st.expander("Data", expanded=data_choice.table_is_open()):
        data_choice.choose_data(DATA)


def _warn() -> None:
    """What is to be expected of a setting that cannot go well."""
    start = float(START_RHO.present())
    if start < FROZEN:
        st.caption(
            f"ρ = {start:g}: σ starts at {np.exp(start):.0e} and its gradient carries that factor. It hardly moves: "
            "the network stays a plain one."
        )
    if start > LOUD:
        st.caption(f"ρ = {start:g}: every weight starts with an sd of {start:.0f}, and data drown in noise at first.")
    if KL.present() == "0":
        st.caption("β = 0: nothing asks for width, so σ shrinks wherever the data hold a weight; the prior is unheard.")
    prior = present_prior()
    if prior.share < 1 and prior.is_gaussian:
        st.caption("σ₁ = σ₂: both parts are the same, so the prior is one Gaussian whatever π is.")
    elif prior.share < 1 and prior.narrow_std > prior.wide_std:
        st.caption("σ₂ is above σ₁ here: the two parts have changed their places.")


def present_dataset() -> Dataset:
    """The data that are chosen."""
    return data_choice.present(DATA)


def present_prior() -> Prior:
    """The prior that is chosen."""
    return Prior(float(PRIOR_STD.present()), float(NARROW_STD.present()), float(SHARE.present()))


def own_settings() -> dict[str, Any]:
    """The hyper-parameters of the method that the controls ask for."""
    settings: dict[str, Any] = {
        "length_scale": length_scale_of(float(PRIOR_STD.present())),
        "kl_weight": float(KL.present()),
        "start_rho": float(START_RHO.present()),
    }
    if SHARE.present() != SHARE.default:
        settings |= {"mixture_weight": float(SHARE.present()), "narrow_std": float(NARROW_STD.present())}
    return settings | SCHEDULES[SCHEDULE.present()][1]


def configuration(dataset: Dataset, *, with_course: bool = False, **changed: Any) -> FitConfig:
    """The fit that the controls ask for; with moments of its training where they are needed, or cost nothing.

    What is not shipped is trained with them, so that no other view has to train it again.
    """
    config = configure("bayes_by_backprop", dataset, **SETTINGS | own_settings() | changed)
    return config if not with_course and _shipped(config) else replace(config, num_snapshots=NUM_SNAPSHOTS)


def _shipped(config: FitConfig) -> Fit | None:
    try:
        return shelf.find(config)
    except CheckpointError:
        return None


def known(config: FitConfig, dataset: Dataset) -> Fit | None:
    """A whole fit that is shipped or remembered, without leaving whatever else the visitor waits for."""
    return _shipped(config) or QUEUE.finished(config)


def get(config: FitConfig, dataset: Dataset, draw: Callable[[Fit], None]) -> Fit | None:
    """Draw a fit at once, or as it trains; see `bdlviz.ui.jobs.obtain.obtain`."""
    return obtain(fit_need(config, dataset), draw)


def weights_of(fit: Fit) -> Weights:
    """The weights of a fit of one network.

    Raises:
        InvalidInput: it diverged.
    """
    params = fit.single(float)
    if not all(np.isfinite(array).all() for array in params.values()):
        raise InvalidInput("This network diverged: its weights are no numbers any more. Lower ρ at the start or σ₁.")
    std, names = bayes_by_backprop.standard_deviations(params), fit.model.network.shapes()  # always in this order
    return Weights({name: params[name] for name in names}, {name: std[name] for name in names}, prior_of(fit.config))


def prior_of(config: FitConfig) -> Prior:
    """The prior of a fit of one network."""
    options = dict(config.options)
    return Prior(1 / config.hyperparameter("length_scale"), options["narrow_std"], options["mixture_weight"])


@contextmanager
def said() -> Iterator[None]:
    """What is wrong with a setting is said on the page, in its own words."""
    try:
        yield
    except InvalidInput as error:
        st.error(str(error))


def snippet(config: FitConfig, dataset: Dataset, *lines: str, imports: tuple[str, ...] = ()) -> str:
    """Code that makes the data, fits what the page fits, and goes on with these lines."""
    fitted = reproduce.fit_snippet(config)
    if config.num_snapshots:
        fitted = fitted.removesuffix(")") + f"    num_snapshots={config.num_snapshots},\n)"
    return "\n".join(
        ["import numpy as np", "import bdlviz", *imports, "", reproduce.data_snippet(dataset), fitted, *lines]
    )
