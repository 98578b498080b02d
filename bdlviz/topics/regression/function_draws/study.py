"""The shipped fits of one-dimensional curves: every stop of the page's sliders, and the fits of its scenes.

The grids hold every stop, so that moving a slider of the first picture needs no training.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from bdlviz.data import load
from bdlviz.fits import configure, run
from bdlviz.methods.common import DROPOUT_RATE, WEIGHT_DECAY
from bdlviz.studies.grids import scored
from bdlviz.studies.scene_fit import SceneFit, studies_of, with_settings
from bdlviz.studies.study import Made, Study
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.weights.bayes_by_backprop.study import NARROW_STD

DEEP = (64,) * 5  # of the real record


def grid(method: str, **axes: Any) -> Made:
    """A method at every stop of its sliders, with its scores and its functions."""
    dataset = load("x_sin_x")
    return scored(run(configure(method, dataset, **axes), dataset), dataset)


def _scene_fits() -> dict[str, SceneFit]:
    clusters, curve = partial(load, "two_clusters"), partial(load, "x_sin_x")
    record = partial(load, "mauna_loa_co2")
    one_layer = with_settings(
        hidden=compare_study.HIDDEN, length_scale=compare_study.LENGTH_SCALE, narrow_std=NARROW_STD
    )
    follows = with_settings(length_scale=1.0, weight_decay=WEIGHT_DECAY.default)
    return {
        "draws_gap": SceneFit("Function draws, two clusters", "mc_dropout", clusters, with_settings()),
        "draws_tanh": SceneFit("Function draws, tanh", "mc_dropout", curve, with_settings(activation="tanh")),
        "draws_record_relu": SceneFit(
            "Function draws, a record, ReLU", "mc_dropout", record, with_settings(hidden=DEEP)
        ),
        "draws_record_tanh": SceneFit(
            "Function draws, a record, tanh", "mc_dropout", record, with_settings(hidden=DEEP, activation="tanh")
        ),
        "draws_noise_follows": SceneFit(
            "Function draws, the noise follows from length-scale and weight decay", "mc_dropout", curve, follows
        ),
        "draws_one_layer": SceneFit(
            "Function draws, Bayes by Backprop with one layer", "bayes_by_backprop", clusters, one_layer
        ),
    }


SCENE_FITS = _scene_fits()

STUDIES = {
    "function_draws_mc_dropout": Study(
        "Function draws, MC dropout: every dropout rate and weight decay of the sliders",
        partial(grid, "mc_dropout", dropout_rate=DROPOUT_RATE.values, weight_decay=WEIGHT_DECAY.values),
    ),
    "function_draws_map": Study(
        "Function draws, plain network: every weight decay", partial(grid, "map", weight_decay=WEIGHT_DECAY.values)
    ),
    "function_draws_deep_ensemble": Study(
        "Function draws, ensemble of five: every weight decay",
        partial(grid, "deep_ensemble", weight_decay=WEIGHT_DECAY.values),
    ),
    **studies_of(SCENE_FITS),
}
