"""A trained grid of dropout rates and weight decays with its held-out scores, and the choice of a cell."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

import numpy as np

from bdlviz.digits import number
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.studies import grids
from bdlviz.topics.regression.effect_of_lambda import study
from bdlviz.topics.regression.effect_of_lambda.controls import CHOSEN, DATA, METRIC, RATE
from bdlviz.topics.shared.curves import inputs
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.cache import data_key
from bdlviz.ui.controls.data_choice import dataset_of
from bdlviz.ui.jobs.obtain import fit_work
from bdlviz.ui.model import Look, Need, Setting

NUM_DRAWS = 100  # functions of a panel
SCORE_SAMPLES = 50  # for grids scored while a visitor waits


@dataclass(frozen=True, eq=False)
class Grid:
    """The fit of a grid, and the scores of all its networks, (R, P, L) each; None without held-out points or scores."""

    fit: Fit
    scores: dict[str, Array] | None = None

    def cell(self, rate: int, decay: int) -> Fit:
        """The network of the first seed at these positions."""
        return self.fit.cell(
            seed=self.fit.config.seeds[0],
            dropout_rate=study.LAMBDA_RATES[rate],
            weight_decay=study.LAMBDA_DECAYS[decay],
        )

    def predict(self, dataset: Dataset, rate: int, decay: int) -> Predictive:
        """The predictive of one weight decay, first seed, at the inputs of the figure."""
        return self.cell(rate, decay).predict(inputs(dataset), NUM_DRAWS)


@dataclass(frozen=True)
class Chosen:
    """Indices of the dropout rate, of the chosen weight decay, and of the best one."""

    rate: int
    decay: int
    best: int

    @classmethod
    def of(cls, setting: Setting, scores: dict[str, Array] | None) -> Chosen:
        """The cell that a setting chooses; the best weight decay is the middle one where nothing was scored."""
        rate = study.LAMBDA_RATES.index(setting.number(RATE))
        best = len(study.LAMBDA_DECAYS) // 2
        if scores is not None:
            best = int(np.argmin(scores[setting[METRIC]][:, rate].mean(0)))
        return cls(rate, CHOSEN.options.index(setting[CHOSEN]), best)

    def three(self) -> list[tuple[str, int]]:
        """Panel titles and the indices of the weight decays that they show: the smallest, the chosen, the largest."""
        middle = ", best" if self.decay == self.best else ""
        named = ((", smallest", 0), (middle, self.decay), (", largest", len(study.LAMBDA_DECAYS) - 1))
        return [(f"λ = {number(study.LAMBDA_DECAYS[index])}{name}", index) for name, index in named]


def needed(setting: Setting) -> Need[Grid]:
    """The grid on the chosen data: shipped with its scores, or trained and then scored."""
    dataset = dataset_of(setting, DATA)
    config = configuration(dataset)

    def work(look: Look, cancel: threading.Event) -> Grid:
        fit = fit_work(config, dataset)(look, cancel)
        return Grid(fit, scores_of(fit, dataset))

    return Need(
        ("grid of weight decays", config, data_key(dataset)),
        shipped=lambda: _shipped(config),
        work=work,
        read=lambda found: found if isinstance(found, Grid) else Grid(found),
        num_steps=config.num_steps,
    )


def configuration(dataset: Dataset) -> FitConfig:
    """The grid to show: shipped with the weights of its first seed and the scores of all, else trained with all."""
    whole = study.lambda_config(dataset)
    first = replace(whole, seeds=whole.seeds[:1])
    try:
        return whole if shelf.extra(first) is None else first
    except CheckpointError:
        return first  # obtaining it says what is damaged


def _shipped(config: FitConfig) -> Grid | None:
    fit = shelf.find(config)
    return None if fit is None else Grid(fit, shelf.extra(config))


def scores_of(fit: Fit, dataset: Dataset) -> dict[str, Array] | None:
    """Held-out scores of a finished grid that was trained here; None without held-out points."""
    if len(dataset.x_test) == 0 or not fit.is_done:
        return None
    return grids.held_out_scores(fit, dataset, SCORE_SAMPLES)
