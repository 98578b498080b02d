"""The fit of the first page: functions of MC dropout on twenty points."""

from __future__ import annotations

from dataclasses import dataclass

from bdlviz.data import load
from bdlviz.fits import Fit, configure, run
from bdlviz.fitted import shelf
from bdlviz.topics.shared.curves import inputs, own_controls
from bdlviz.topics.shared.reproduce import predict_snippet
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.controls.data_choice import data_controls
from bdlviz.ui.model import Need, Setting

NAME, METHOD, DATA = "function_draws_mc_dropout", "mc_dropout", "x_sin_x"
SLIDERS = own_controls(METHOD, without=())
NUM_DRAWS = 50
FEW_STEPS = 1000  # of the fit that is trained where the shipped ones are missing


@dataclass(frozen=True, eq=False)
class First:
    """The fit that the first page draws, and whether the whole grid of fits is there for its sliders."""

    fit: Fit
    has_grid: bool

    @property
    def dataset(self) -> Dataset:
        """The data of the fit."""
        return load(DATA)

    def predict(self) -> Predictive:
        """The functions that the picture shows."""
        return self.fit.predict(inputs(self.dataset), NUM_DRAWS)

    def call(self) -> str:
        """Python that draws the picture again."""
        return predict_snippet(self.fit.config, self.dataset, NUM_DRAWS, Setting(), data_controls())


def needed(setting: Setting) -> Need[First]:
    """The shipped fit at the chosen hyper-parameters; without the shipped fits, a short one at their defaults."""
    dataset = load(DATA)
    config = configure(METHOD, dataset, num_steps=FEW_STEPS)

    def shipped() -> First:
        whole, _ = shelf.shipped(NAME)
        return First(whole.cell(seed=None, **{control.key: setting.number(control) for control in SLIDERS}), True)

    return Need(
        config,
        shipped,
        lambda look, cancel: run(config, dataset, on_snapshot=look, cancel=cancel),
        read=lambda fit: First(fit, False),
        num_steps=config.num_steps,
    )
