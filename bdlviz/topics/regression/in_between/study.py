"""Many training seeds of the fits of curves that pages compare: how far a standard deviation depends on the seed.

Every case is one configuration that a page shows with a single seed. The bundle `NAME` holds for each of `cases` an
array (R, 2) of `SEEDS`: the epistemic standard deviation at the data and away from them, in y's unit, measured as the
page of the case measures it (see `Case`). Of the cases of *In between* it also holds the curves, under the name of the
case and `CURVE`: the smallest, the median and the largest standard deviation over the seeds, (3, `NUM_INPUTS`). A
Gaussian process and the converged chains of HMC have no training seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from bdlviz.data import load
from bdlviz.fits import Fit, configure, run
from bdlviz.fitted.bundles import BundleRecipe
from bdlviz.predictive import in_between
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.weights.bayes_by_backprop import study as bayes_by_backprop_study
from bdlviz.types import Array, Dataset, FitConfig

NAME = "curve_seeds"
SEEDS = tuple(range(20))
NUM_INPUTS = 200  # at which a page draws functions
CURVE = ".curve"

# In between: settings besides those of the first scene, by scene; every method whose training has a seed and a variance
GAPS: dict[str, dict[str, Any]] = {
    "one-layer": {},
    "two-layers": {"hidden": compare_study.DEEP, "length_scale": compare_study.DEEP_LENGTH_SCALE},
    "wide": {"gap": 2.0},
    "few": {"per_cluster": 5},
}
GAP = "in_between."  # begins the names of its cases
GAP_METHODS = ("mc_dropout", "deep_ensemble", "bayes_by_backprop", "laplace")
GAP_SAMPLES = 500

# Function draws: method, data set and settings besides the defaults, by scene
DRAWN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "good": ("mc_dropout", "x_sin_x", {}),
    "high-dropout": ("mc_dropout", "x_sin_x", {"dropout_rate": 0.5}),
    "ensemble": ("deep_ensemble", "x_sin_x", {}),
    "gap": ("mc_dropout", "two_clusters", {}),
    "gap-ensemble": ("deep_ensemble", "two_clusters", {}),
}
DRAWN_SAMPLES = 50

# Bayes by Backprop: method and settings besides the defaults
BACKPROP: dict[str, tuple[str, dict[str, Any]]] = {
    "backprop": ("bayes_by_backprop", {"length_scale": bayes_by_backprop_study.length_scale_of(1.0)}),
    "wide-prior": ("bayes_by_backprop", {"length_scale": bayes_by_backprop_study.length_scale_of(7.39)}),
    "ensemble": ("deep_ensemble", {}),
}
BACKPROP_SAMPLES = 300

Measure = Callable[[Array, Array, Array], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Case:
    """A fit of one seed: its data and configuration, the number of draws, and how the page sums up its curve.

    ``measure(x, sd, points)`` gives the standard deviation at the data and away from them, for a curve (N,) over x (N,)
    and the inputs (M,) of the data.
    """

    load: Callable[[], Dataset]
    configure: Callable[[Dataset], FitConfig]
    num_samples: int
    measure: Measure

    @property
    def config(self) -> FitConfig:
        """The configuration of seed 0."""
        return self.configure(self.load())

    def curve(self, trained: Fit, dataset: Dataset) -> Array:
        """The standard deviation of one fit of one seed over x, (`NUM_INPUTS`,), in y's unit."""
        x = np.linspace(*dataset.x_range, NUM_INPUTS)
        return trained.predict(x[:, None], self.num_samples).epistemic_std[:, 0].astype(float)

    def measured(self, curve: Array, dataset: Dataset) -> tuple[float, float]:
        """The two standard deviations that sum up a `curve`, in y's unit."""
        return self.measure(np.linspace(*dataset.x_range, NUM_INPUTS), curve, dataset.x[:, 0])

    def of_seeds(self) -> tuple[Array, Array]:
        """`measured` for each of `SEEDS`, (R, 2); and minimum, median and maximum of the curves, (3, `NUM_INPUTS`)."""
        dataset = self.load()
        trained = run(replace(self.configure(dataset), seeds=SEEDS), dataset)
        curves = np.array([self.curve(trained.cell(seed=seed), dataset) for seed in SEEDS])
        return np.array([self.measured(curve, dataset) for curve in curves]), np.quantile(curves, (0, 0.5, 1), axis=0)


@cache
def cases() -> dict[str, Case]:
    """Every case, by its name in the bundle."""
    return {**_gaps(), **_drawn(), **_backprop()}


def _gaps() -> dict[str, Case]:
    found = {}
    for scene, own in GAPS.items():
        of_data = {name: own[name] for name in ("gap", "per_cluster") if name in own}
        of_fit = {name: value for name, value in own.items() if name not in of_data}
        for method in GAP_METHODS:
            found[f"{GAP}{scene}.{method}"] = Case(
                partial(compare_study.clusters, **of_data),
                partial(compare_study.config_of, method, **of_fit),
                GAP_SAMPLES,
                in_between.at_the_points_and_in_the_middle,
            )
    return found


def _drawn() -> dict[str, Case]:
    return {
        f"function_draws.{scene}": Case(
            partial(load, data), partial(configure, method, **own), DRAWN_SAMPLES, in_between.inside_and_outside
        )
        for scene, (method, data, own) in DRAWN.items()
    }


def _backprop() -> dict[str, Case]:
    return {
        f"backprop.{data}.{name}": Case(
            partial(load, data),
            partial(configure, method, **bayes_by_backprop_study.SETTINGS | own),
            BACKPROP_SAMPLES,
            in_between.among_and_away,
        )
        for data in bayes_by_backprop_study.DATASETS
        for name, (method, own) in BACKPROP.items()
    }


@cache
def _names() -> dict[FitConfig, str]:
    return {case.config: name for name, case in cases().items()}


def name_of(config: FitConfig) -> str | None:
    """The case that a fit of any seed belongs to; None if there is none."""
    return _names().get(replace(config, seeds=(SEEDS[0],), num_snapshots=0))


def make() -> dict[str, Array]:
    """The bundle."""
    found = {}
    for name, case in cases().items():
        found[name], curve = case.of_seeds()
        if name.startswith(GAP):
            found[name + CURVE] = curve
    return {name: array.astype(np.float32) for name, array in found.items()}


def settings() -> dict[str, Any]:
    """What decides the bundle, as plain JSON."""
    return {
        "seeds": list(SEEDS),
        "gaps": [[scene, *sorted(map(str, own.items()))] for scene, own in GAPS.items()],
        "gap_methods": list(GAP_METHODS),
        "drawn": [[scene, method, data, *map(str, own.items())] for scene, (method, data, own) in DRAWN.items()],
        "backprop": [[name, method, *map(str, own.items())] for name, (method, own) in BACKPROP.items()],
        "num_inputs": NUM_INPUTS,
        "num_samples": [GAP_SAMPLES, DRAWN_SAMPLES, BACKPROP_SAMPLES],
    }


BUNDLES = {NAME: BundleRecipe(f"Curves: {len(SEEDS)} training seeds of what pages show of one", make, settings())}
