"""The fits of the first page: functions of three methods on twenty points, each with one slider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.data import load
from bdlviz.data.built_in import part_of
from bdlviz.digits import number
from bdlviz.fits import Fit, configure, run
from bdlviz.fitted import shelf
from bdlviz.methods.common import DROPOUT_RATE, WEIGHT_DECAY
from bdlviz.predictive.comparison import BAND
from bdlviz.topics.shared.coverage import misses_points, with_value
from bdlviz.topics.shared.curves import inputs
from bdlviz.topics.shared.reproduce import predict_snippet
from bdlviz.topics.start.home import study
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control
from bdlviz.ui.controls.data_choice import data_controls
from bdlviz.ui.model import Need, Setting

EXACT, ENSEMBLE, DROPOUT = "gaussian_process", "deep_ensemble", "mc_dropout"
METHOD = Control(
    "first_method",
    "Method",
    (EXACT, ENSEMBLE, DROPOUT),
    EXACT,
    "buttons",
    names={EXACT: "Gaussian process", ENSEMBLE: "Deep ensemble", DROPOUT: "MC dropout"},
)
FAR = 6.0  # the x at which the page tells how far the functions spread; the last point is at 4.3
LEAST = 0.001  # a smaller spread cannot be seen
Y_RANGE = (-26.0, 10.0)  # holds the mean of all fits
NAMES = {EXACT: study.NAME, ENSEMBLE: f"function_draws_{ENSEMBLE}", DROPOUT: f"function_draws_{DROPOUT}"}
# Method -> its slider.
SLIDER = {
    EXACT: number_control(
        "length_scale", "Prior length-scale ℓ (larger: smoother functions)", study.LENGTH_SCALES, study.DEFAULT
    ),
    ENSEMBLE: hyperparameter_control(WEIGHT_DECAY),
    DROPOUT: hyperparameter_control(DROPOUT_RATE),
}
SLIDERS = tuple(SLIDER.values())
NUM_DRAWS = 50
FEW_STEPS = 1000  # of the fit that is trained where the shipped ones are missing


@dataclass(frozen=True, eq=False)
class First:
    """The fit that the first page draws, and the grid of fits for its slider; None where the grid is missing."""

    fit: Fit
    grid: Fit | None

    @property
    def dataset(self) -> Dataset:
        """The data of the fit, on an axis that holds its mean."""
        return part_of(load(study.DATA), y_range=Y_RANGE)

    def predict(self) -> Predictive:
        """The functions that the picture shows."""
        predictive = self.fit.predict(inputs(self.dataset), NUM_DRAWS)
        return study.with_exact_moments(predictive) if self.fit.config.method == EXACT else predictive

    def call(self) -> str:
        """Python that draws the picture again."""
        return predict_snippet(self.fit.config, self.dataset, NUM_DRAWS, Setting(), data_controls())


def method_of(setting: Setting) -> str:
    """The chosen method."""
    return METHOD.read(setting.text(METHOD.key))[0]


def values_of(setting: Setting) -> dict[str, str]:
    """The position on the grid of the chosen method: the hyper-parameters, as options of their sliders.

    The value of a key may come from another page, whose slider has other options: the nearest option counts. The
    weight decay of MC dropout has no slider here.
    """
    name = method_of(setting)
    slider = SLIDER[name]
    chosen = {slider.key: slider.read(setting.text(slider.key))[0]}
    decay = SLIDER[ENSEMBLE]
    return chosen | ({decay.key: decay.default} if name == DROPOUT else {})


def spread(predictive: Predictive, dataset: Dataset) -> list[tuple[float, float, float]]:
    """Place, mean and two standard deviations of the functions at `FAR`, and at the last point."""
    x, mean, two_sd = predictive.x[:, 0], predictive.mean[:, 0], 2 * predictive.epistemic_std[:, 0]
    places = (FAR, float(dataset.x.max()))
    return [(at, float(np.interp(at, x, mean)), float(np.interp(at, x, two_sd))) for at in places]


def sentence(setting: Setting, study: First) -> str:
    """How far the functions spread; the picture in the browser says the same (client/picture/told.js)."""
    predictive, dataset, slider = study.predict(), study.dataset, SLIDER[method_of(setting)]
    (far, mean, there), (_, _, here) = spread(predictive, dataset)
    if there < LEAST:
        return with_value(setting, [slider], "all lines are one function: it does not say what it does not know.")
    assert dataset.truth is not None
    reach = BAND * np.interp(far, predictive.x[:, 0], predictive.total_std[:, 0])
    too_little = abs(dataset.truth(np.array([[far]])).item() - mean) > reach
    verdict = f": at x = {far:g} too little to hold the truth" if too_little else ""
    verdict = ": the mean misses the points" if misses_points(predictive, dataset) else verdict
    told = f"the lines spread by ±{number(there, 2)} at x = {far:g} and ±{number(here, 2)} at the last point"
    return with_value(setting, [slider], f"{told}{verdict}.")


def needed(setting: Setting) -> Need[First]:
    """The shipped fit at the chosen setting; without the shipped fits, a short one."""
    dataset, name = load(study.DATA), method_of(setting)
    chosen: dict[str, Any] = {key: float(value) for key, value in values_of(setting).items()}
    more: dict[str, Any] = {"prior_by_width": 1.0} if name == EXACT else {"num_steps": FEW_STEPS}
    config = configure(name, dataset, **more, **chosen)

    def shipped() -> First:
        grid, _ = shelf.shipped(NAMES[name])
        return First(grid.cell(seed=None, **chosen), grid)

    return Need(
        config,
        shipped,
        lambda look, cancel: run(config, dataset, on_snapshot=look, cancel=cancel),
        read=lambda fit: First(fit, None),
        num_steps=config.num_steps,
    )
