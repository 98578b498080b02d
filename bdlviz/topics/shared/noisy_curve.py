"""A curve with noise, as several pages show it: the choice of data and method, its fit, and what the fit predicts."""

from __future__ import annotations

import numpy as np

from bdlviz.data import noisy_curves
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.methods import METHODS
from bdlviz.topics.foundations.noise_or_ignorance import study
from bdlviz.topics.shared import reproduce
from bdlviz.topics.shared.curves import inputs
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.cache import data_key, remembered
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control
from bdlviz.ui.jobs.obtain import fit_need
from bdlviz.ui.model import Custom, Need, Panel, Setting

NUM_SAMPLES = study.NUM_SAMPLES
NAMES = tuple(name for name in study.METHODS if name in METHODS)
METHOD = Control(
    "method",
    "Method",
    NAMES,
    "deep_ensemble",
    "menu",
    "How samples of functions are drawn. Hamiltonian Monte Carlo takes longer; its long chains sample the exact "
    "posterior. Its prior gives the weights of a layer with n inputs the variance 1/(nℓ²); in the other methods the "
    "variance is 1/ℓ².",
    {name: METHODS[name].title for name in NAMES},
)
DATA = data_choice.data_controls(study.DATASET)
DATA_PANEL = Panel("Data", (Custom(lambda: data_choice.choose_data(DATA), DATA),), data_choice.table_is_open)


def dataset_of(setting: Setting) -> Dataset:
    """The chosen data set."""
    return data_choice.dataset_of(setting, DATA)


def head_needed(setting: Setting, head: str) -> Need[Fit]:
    """The fit of the chosen method with this model of noise."""
    dataset = dataset_of(setting)
    return fit_need(study.head_config(dataset, setting[METHOD], head), dataset)


def prediction(fit: Fit, dataset: Dataset, x: Array | None = None) -> Predictive:
    """The predictive distribution at x, or, from the cache, at the inputs of the figure.

    Raises:
        InvalidInput: the learned noise is infinite or NaN.
    """
    if x is not None:
        return _predict(fit, x)
    return remembered(fit, ("kinds", data_key(dataset)), lambda: _predict(fit, inputs(dataset)))


def _predict(fit: Fit, x: Array) -> Predictive:
    with np.errstate(over="ignore"):  # far from the data the log variance of the noise may be too large for exp
        predictive = fit.predict(x, NUM_SAMPLES)
    if not np.isfinite(predictive.aleatoric_std).all():
        raise InvalidInput(
            "The learned noise is larger than any number that can be stored, because there are too few points to "
            "estimate it. Add points."
        )
    return predictive


def true_noise(dataset: Dataset, x: Array) -> Array | None:
    """The standard deviation of the true noise at x (N, 1), as (N,); None if it is not known."""
    noise_std = noisy_curves.true_noise_std(dataset, x)
    return None if noise_std is None else noise_std[:, 0]


def call_of(setting: Setting, head: str, *lines: str) -> str:
    """Code that loads the data and trains the fit of the view, followed by these lines."""
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz.topics.foundations.noise_or_ignorance import study",
            "",
            reproduce.data_call(dataset_of(setting), setting, DATA),
            f"config = study.head_config(data, {setting[METHOD]!r}, {head!r})",
            "fit = study.run(config, data)",
            *lines,
        ]
    )
