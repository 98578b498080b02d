"""What the views of curves and classes share: their controls, the fits that they ask for, and the shipped studies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import streamlit as st

from bdlviz.data import noisy_curves
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import METHODS
from bdlviz.topics.foundations.kinds_of_uncertainty import study as recipes_kinds
from bdlviz.topics.shared import reproduce
from bdlviz.topics.shared.curves import inputs
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control
from bdlviz.ui.jobs.memory import remembered
from bdlviz.ui.jobs.obtain import Wanted, obtain

NUM_SAMPLES = recipes_kinds.NUM_SAMPLES
NAMES = tuple(name for name in recipes_kinds.METHODS if name in METHODS)
METHOD = Control(
    "method",
    "Method",
    NAMES,
    "deep_ensemble",
    "menu",
    "How the uncertainty comes about. The chains of Hamiltonian Monte Carlo take longer; theirs is the exact answer. "
    "Their prior gives the weights of a layer with n inputs the variance 1/(nℓ²); that of the other methods is 1/ℓ².",
    {name: METHODS[name].title for name in NAMES},
)
HEAD = Control(
    "head",
    "Noise",
    recipes_kinds.HEADS,
    "heteroscedastic",
    "buttons",
    "A known constant: the root mean square of the true noise. One learned constant. Or a second output of the network "
    "that says the noise at every x.",
    {"gaussian": "known σ", "homoscedastic": "one σ", "heteroscedastic": "σ(x)"},
)
DATA = data_choice.data_controls(recipes_kinds.DATASET)


def choose_data() -> None:
    """The data panel, in an expander."""
    with st.expander("Data", expanded=data_choice.table_is_open()):
        data_choice.choose_data(DATA)


def present_dataset() -> Dataset:
    """The data that are chosen."""
    return data_choice.present(DATA)


def get(config: FitConfig, dataset: Dataset, draw: Callable[[Fit], None]) -> Fit | None:
    """Draw a fit at once, or as it trains."""
    return obtain(Wanted(config, dataset), draw)


def prediction(fit: Fit, dataset: Dataset, x: Array | None = None) -> Predictive:
    """The predictive distribution over the figure's inputs, remembered, or at x.

    Raises:
        InvalidInput: the learned noise is no number.
    """
    if x is not None:
        return _predict(fit, x)
    return remembered(fit, ("kinds", fit.config.likelihood), lambda: _predict(fit, inputs(dataset)))


def _predict(fit: Fit, x: Array) -> Predictive:
    with np.errstate(over="ignore"):  # an untaught noise, whose logarithm the prior makes too large
        predictive = fit.predict(x, NUM_SAMPLES)
    if not np.isfinite(predictive.aleatoric_std).all():
        raise InvalidInput("The learned noise is larger than any number here: too few points teach it. Add points.")
    return predictive


def true_noise(dataset: Dataset, x: Array) -> Array | None:
    """The known noise at x (N, 1), as (N,); None where nobody knows it."""
    found = noisy_curves.true_noise_std(dataset, x)
    return None if found is None else found[:, 0]


def study(name: str) -> dict[str, Array] | None:
    """The arrays of a shipped study; None, and a sentence on the page, where they cannot be had."""
    try:
        return shelf.shipped(name)[1]
    except CheckpointError as error:
        st.warning(f"{error} `python -m bdlviz train {name}` makes it in some minutes.")
        return None


@contextmanager
def said() -> Iterator[None]:
    """What is wrong with a setting is said on the page, in its own words."""
    try:
        yield
    except InvalidInput as error:
        st.error(str(error))


def snippet(method: str, head: str, dataset: Dataset, *lines: str) -> str:
    """Code that makes the data, fits what the page fits, and goes on with these lines."""
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz.topics.foundations.kinds_of_uncertainty import study",
            "",
            reproduce.data_snippet(dataset),
            f"config = study.head_config(data, {method!r}, {head!r})",
            "fit = study.run(config, data)",
            *lines,
        ]
    )
