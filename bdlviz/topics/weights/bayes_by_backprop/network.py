"""The network of Bayes by Backprop that all views draw: its configuration, its weights, and Python that trains it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, configure
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import bayes_by_backprop
from bdlviz.predictive.functions import drawn_weights
from bdlviz.topics.shared.calls import fit_snippet
from bdlviz.topics.shared.reproduce import data_call
from bdlviz.topics.weights.bayes_by_backprop.controls import (
    DATA,
    KL,
    NARROW_STD,
    PRIOR_STD,
    SCHEDULE,
    SCHEDULES,
    SHARE,
    START_RHO,
)
from bdlviz.topics.weights.bayes_by_backprop.description import Prior
from bdlviz.topics.weights.bayes_by_backprop.study import NUM_SNAPSHOTS, SETTINGS, length_scale_of
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.controls import data_choice
from bdlviz.ui.jobs.obtain import FitNeed, fit_need
from bdlviz.ui.model import Formula, Setting

LOSS = Formula(
    bayes_by_backprop.build,
    "Training fits the data with weights drawn from q, and pays for the distance of q from the prior.",
    {"B": "points in a minibatch", "N": "points in all", r"\beta": "weight of the KL term", "w_i": "a draw from q"},
)
DRAW = Formula(
    drawn_weights,
    "A draw adds to each mean the noise of its weight.",
    {r"\mu_{ij}, \sigma_{ij}": "mean and standard deviation of a weight", "m_i": "1: there are no masks here"},
)
KL_TERM = Formula(
    bayes_by_backprop.kl_to_prior,
    "The KL term in nats: a sum over all weights, needed or not, so many weights end as wide as the prior.",
    {r"\mu_j, \sigma_j": "mean and standard deviation of weight j", r"\ell": "1 / σ₁", "p(w)": "the prior"},
    {"p(w)": "prior"},
)
FIRST_SNAPSHOT = "The first snapshot is not there yet."


def dataset_of(setting: Setting) -> Dataset:
    """The data that are chosen."""
    return data_choice.dataset_of(setting, DATA)


def needed(setting: Setting) -> FitNeed:
    """The fit that the controls ask for; with moments of its training where it is not shipped."""
    return need_of(setting)


def need_of(setting: Setting, *, with_course: bool = False, **changed: Any) -> FitNeed:
    """The fit that the controls ask for with some hyper-parameters ``changed``.

    It has moments of its training where a view needs them, or where it is trained here: so no other view has to train
    it again.
    """
    dataset = dataset_of(setting)
    config = configure("bayes_by_backprop", dataset, **SETTINGS | _hyperparameters(setting) | changed)
    if with_course or not _is_shipped(config):
        config = replace(config, num_snapshots=NUM_SNAPSHOTS)
    return fit_need(config, dataset)


def _hyperparameters(setting: Setting) -> dict[str, Any]:
    values: dict[str, Any] = {
        "length_scale": length_scale_of(setting.number(PRIOR_STD)),
        "kl_weight": setting.number(KL),
        "start_rho": setting.number(START_RHO),
    }
    if not setting.is_default(SHARE):
        values |= {"mixture_weight": setting.number(SHARE), "narrow_std": setting.number(NARROW_STD)}
    return values | SCHEDULES[setting[SCHEDULE]][1]


def _is_shipped(config: FitConfig) -> bool:
    with suppress(CheckpointError):
        return shelf.find(config) is not None
    return False


@dataclass(frozen=True, eq=False)
class Weights:
    """All weights of one network: means and standard deviations by name, and the prior they were learned under."""

    mean: Mapping[str, Array]
    std: Mapping[str, Array]
    prior: Prior

    @property
    def num_weights(self) -> int:
        """The number of weights and biases."""
        return sum(array.size for array in self.mean.values())

    def flat(self) -> tuple[Array, Array]:
        """Means and standard deviations of all weights, (W,) each."""
        mean, std = (np.concatenate([a.ravel() for a in part.values()]) for part in (self.mean, self.std))
        return mean, std


def weights_of(fit: Fit) -> Weights:
    """The weights of a fit of one network.

    Raises:
        InvalidInput: it diverged.
    """
    params = fit.single(float)
    if not all(np.isfinite(array).all() for array in params.values()):
        raise InvalidInput("This network diverged: its weights are no longer finite. Lower ρ at the start or σ₁.")
    std, names = bayes_by_backprop.standard_deviations(params), fit.model.network.shapes()  # always in this order
    return Weights({name: params[name] for name in names}, {name: std[name] for name in names}, prior_of(fit.config))


def prior_of(config: FitConfig) -> Prior:
    """The prior of a fit of one network."""
    options = dict(config.options)
    return Prior(1 / config.hyperparameter("length_scale"), options["narrow_std"], options["mixture_weight"])


def call_of(setting: Setting, config: FitConfig, lines: Sequence[str], imports: Sequence[str] = ()) -> str:
    """Python that makes the data, trains the network of the page, and goes on with some lines."""
    fitted = fit_snippet(config)
    if config.num_snapshots:
        fitted = fitted.removesuffix(")") + f"    num_snapshots={config.num_snapshots},\n)"
    loaded = data_call(dataset_of(setting), setting, DATA)
    return "\n".join(["import numpy as np", "import bdlviz", *imports, "", loaded, fitted, *lines])
