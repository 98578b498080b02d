"""What the views of curves and classes share: the fits that they need, their predictions, and the shipped studies."""

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
from bdlviz.ui.cache import remembered
from bdlviz.ui.controls import data_choice
from bdlviz.ui.jobs.obtain import fit_need
from bdlviz.ui.model import Need, Setting

NUM_SAMPLES = study.NUM_SAMPLES


def dataset_of(setting: Setting) -> Dataset:
    """The data that are chosen."""
    return data_choice.dataset_of(setting, DATA)


def fit_needed(setting: Setting) -> Need[Fit]:
    """The chosen method with the chosen noise."""
    return head_needed(setting, setting[HEAD])


def head_needed(setting: Setting, head: str) -> Need[Fit]:
    """The chosen method with this kind of noise."""
    dataset = dataset_of(setting)
    return fit_need(study.head_config(dataset, setting[METHOD], head), dataset)


def study_needed(name: str) -> Need[Mapping[str, Array]]:
    """The arrays of a shipped study."""
    missing = f"`python -m bdlviz train {name}` makes it in some minutes."
    return Need(name, shipped=lambda: shelf.shipped(name)[1], missing=missing)


def prediction(fit: Fit, dataset: Dataset, x: Array | None = None) -> Predictive:
    """The predictive distribution over the figure's inputs, remembered, or at x.

    Raises:
        InvalidInput: the learned noise is no number.
    """
    if x is not None:
        return _predict(fit, x)
    return remembered(fit, ("kinds", fit.config.likelihood), lambda: _predict(fit, inputs(dataset)))


def _predict(fit: Fit, x: Array) -> Predictive:
    with np.errstate(over="ignore"):  # the logarithm of an untrained noise may be too large
        predictive = fit.predict(x, NUM_SAMPLES)
    if not np.isfinite(predictive.aleatoric_std).all():
        raise InvalidInput("The learned noise is larger than any number here: too few points teach it. Add points.")
    return predictive


def true_noise(dataset: Dataset, x: Array) -> Array | None:
    """The known noise at x (N, 1), as (N,); None where it is not known."""
    found = noisy_curves.true_noise_std(dataset, x)
    return None if found is None else found[:, 0]


def call_of(setting: Setting, head: str, *lines: str) -> str:
    """Code that makes the data, fits what the view fits, and goes on with these lines."""
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
