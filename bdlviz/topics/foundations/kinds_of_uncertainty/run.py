"""Functions for all views of curves and classes: the fits they need, their predictions, and the shipped studies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.data import noisy_curves
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.topics.foundations.kinds_of_uncertainty import study
from bdlviz.topics.foundations.kinds_of_uncertainty.controls import DATA, HEAD, METHOD
from bdlviz.topics.shared import reproduce
from bdlviz.topics.shared.curves import inputs
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.cache import data_key, remembered
from bdlviz.ui.controls import data_choice
from bdlviz.ui.jobs.obtain import fit_need
from bdlviz.ui.model import Need, Setting

NUM_SAMPLES = study.NUM_SAMPLES


def dataset_of(setting: Setting) -> Dataset:
    """The chosen data set."""
    return data_choice.dataset_of(setting, DATA)


def fit_needed(setting: Setting) -> Need[Fit]:
    """The fit of the chosen method with the chosen model of noise."""
    return head_needed(setting, setting[HEAD])


def head_needed(setting: Setting, head: str) -> Need[Fit]:
    """The fit of the chosen method with this model of noise."""
    dataset = dataset_of(setting)
    return fit_need(study.head_config(dataset, setting[METHOD], head), dataset)


def study_needed(name: str) -> Need[Mapping[str, Array]]:
    """The arrays of a shipped study."""
    missing = f"`python -m bdlviz train {name}` computes it in some minutes."
    return Need(name, shipped=lambda: shelf.shipped(name)[1], missing=missing)


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
            "from bdlviz.topics.foundations.kinds_of_uncertainty import study",
            "",
            reproduce.data_call(dataset_of(setting), setting, DATA),
            f"config = study.head_config(data, {setting[METHOD]!r}, {head!r})",
            "fit = study.run(config, data)",
            *lines,
        ]
    )
