"""Further training seeds: how far what pages show of one network depends on the seed of its training.

Each of `ARRAYS` holds quantities of fits with R training seeds, seed 0 being the fit that the page shows.

`CURVES` holds for each of `cases` (R, 2): the epistemic standard deviation at the data and away from them, in y's unit.
Of the cases of *In between* it also holds, under the case's name and `CURVE`, the smallest, the median and the largest
standard deviation at `NUM_INPUTS` inputs, (3, `NUM_INPUTS`). A Gaussian process and the converged chains of HMC have no
training seed.

`WEIGHTS` holds, of networks on the 8x8 digits and of each method that removes weights,

- ``METHOD_left`` (R,): weights that are left between living units;
- ``METHOD_units`` (R, L): living units of each of L layers, pixels first;
- ``METHOD_accuracy`` (R,): held-out, of the means that are left;

of sparse variational dropout without and with a warm-up of the KL term, ``few`` being `FEW_IMAGES` digits and
``thousand`` MNIST-1000,

- ``few_paid``, ``thousand_paid`` (R, 2): data term plus KL term, nats per training image;
- ``few_share``, ``thousand_share`` (R, 2): share of the weights left;

and of variational dropout on a curve ``noise_nll`` (R, 2): held-out nats per point at the smallest and at the full
weight of the KL term, an alpha for each neuron.

`GENERATIVE` holds, for ``digits`` and ``mnist`` (MNIST-1000),

- ``rmse_IMAGES`` (R, 4): error of the expected pixels of held-out images, from 0 to 1, for each of `LIKELIHOODS`;
- ``codes_std_IMAGES`` (R, 2): standard deviation of the training images' codes, plain autoencoder and VAE;
- ``plane_elbo`` (R, 2): training and held-out bound of a VAE with two code dimensions, MNIST-1000, nats;
- ``conditional_elbo`` (R,): held-out bound given the class, MNIST-1000, nats.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from bdlviz.data import load
from bdlviz.fits import Fit, configure, run
from bdlviz.methods.prunable import PRUNERS
from bdlviz.predictive import in_between
from bdlviz.studies.study import ArrayStudy
from bdlviz.topics.generative.conditional import study as conditional_study
from bdlviz.topics.generative.likelihood import study as likelihood_study
from bdlviz.topics.generative.likelihood.study import LIKELIHOODS
from bdlviz.topics.generative.vae import study as vae_study
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.in_between.study import GAPS, OF_DATA
from bdlviz.topics.weights.bayes_by_backprop import study as bayes_by_backprop_study
from bdlviz.topics.weights.sparsity import study as sparsity_study
from bdlviz.topics.weights.sparsity.study import FEW_IMAGES, FEW_STEPS
from bdlviz.topics.weights.variational_dropout import study as variational_dropout_study
from bdlviz.types import Array, Dataset, FitConfig

CURVES, WEIGHTS, GENERATIVE = "curve_seeds", "repeats_weights", "repeats_generative"  # names of the arrays
CURVE_SEEDS = tuple(range(20))  # of curves, which train within seconds
SEEDS = (0, 1, 2, 3, 4)
FEWER_SEEDS = (0, 1, 2)  # of what takes a minute


@dataclass(frozen=True)
class Quantity:
    """Something that is measured of fits: ``measure(seeds)`` gives arrays by name, which `ARRAYS` hold."""

    measure: Callable[[Sequence[int]], Mapping[str, Array]]
    seeds: tuple[int, ...]

    @classmethod
    def of_each(cls, measure: Callable[[int], Mapping[str, Any]], seeds: tuple[int, ...] = SEEDS) -> Quantity:
        """Values by name for one seed after the other; the arrays have an axis for the R seeds in front."""

        def stacked(seeds: Sequence[int]) -> dict[str, Array]:
            rows = [measure(seed) for seed in seeds]
            return {name: np.array([row[name] for row in rows]) for name in rows[0]}

        return cls(stacked, seeds)


def measured(quantities: Callable[[], Iterable[Quantity]]) -> dict[str, Array]:
    """The arrays of some quantities."""
    found: dict[str, Array] = {}
    for quantity in quantities():
        found |= quantity.measure(quantity.seeds)
    return {name: array.astype(np.float32) for name, array in found.items()}


# Curves ---------------------------------------------------------------------------------------------------------------

NUM_INPUTS = 200  # at which a page draws functions
CURVE = ".curve"

# In between: every scene of `GAPS`, every method whose training has a seed and a variance
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


@dataclass(frozen=True, eq=False)
class Case:
    """A fit of one curve: its data and configuration, the number of draws, and how the page sums up its curve.

    ``measure(x, sd, points)`` gives the standard deviation at the data and away from them, for a curve (N,) over x (N,)
    and the inputs (M,) of the data.
    """

    load: Callable[[], Dataset]
    configure: Callable[[Dataset], FitConfig]
    num_samples: int
    measure: Callable[[Array, Array, Array], tuple[float, float]]

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

    def of_seeds(self, seeds: Sequence[int]) -> tuple[Array, Array]:
        """`measured` for each of R seeds, (R, 2); minimum, median and maximum of the curves, (3, `NUM_INPUTS`)."""
        dataset = self.load()
        trained = run(replace(self.configure(dataset), seeds=tuple(seeds)), dataset)
        curves = np.array([self.curve(trained.cell(seed=seed), dataset) for seed in seeds])
        return np.array([self.measured(curve, dataset) for curve in curves]), np.quantile(curves, (0, 0.5, 1), axis=0)


@cache
def cases() -> dict[str, Case]:
    """Every case, by its name in the arrays."""
    return {**_gaps(), **_drawn(), **_backprop()}


def _gaps() -> dict[str, Case]:
    found = {}
    for scene, own in GAPS.items():
        of_data = {name: own[name] for name in OF_DATA if name in own}
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
    return _names().get(replace(config, seeds=(CURVE_SEEDS[0],), num_snapshots=0))


def _of_case(name: str, seeds: Sequence[int]) -> dict[str, Array]:
    values, curve = cases()[name].of_seeds(seeds)
    return {name: values} | ({name + CURVE: curve} if name.startswith(GAP) else {})


def _curves() -> list[Quantity]:
    return [Quantity(partial(_of_case, name), CURVE_SEEDS) for name in cases()]


# Weights and generative models ----------------------------------------------------------------------------------------


def _weights() -> list[Quantity]:
    few, thousand = (partial(sparsity_study.paid_by_warm_up, images) for images in ("few", "thousand"))
    removed = [Quantity.of_each(partial(sparsity_study.left_over, method)) for method in PRUNERS]
    warmed = [Quantity.of_each(few), Quantity.of_each(thousand, FEWER_SEEDS)]
    return [*removed, *warmed, Quantity.of_each(variational_dropout_study.nll_by_kl_weight)]


def _generative() -> list[Quantity]:
    found = [Quantity.of_each(conditional_study.held_out_bound, FEWER_SEEDS)]
    for images, seeds in (("digits", SEEDS), ("mnist", FEWER_SEEDS)):
        found.append(Quantity.of_each(partial(likelihood_study.errors, images), seeds))
        found.append(Quantity.of_each(partial(vae_study.planes, images), seeds))
    return found


# What is shipped ------------------------------------------------------------------------------------------------------


def _as_json(**settings: Any) -> dict[str, Any]:
    """Settings as they are read from the file: tuples are lists."""
    return json.loads(json.dumps(settings))


ARRAYS = {
    CURVES: ArrayStudy(
        f"Curves: {len(CURVE_SEEDS)} training seeds of what pages show of one",
        partial(measured, _curves),
        _as_json(
            seeds=CURVE_SEEDS,
            gaps=[[scene, *sorted(map(str, own.items()))] for scene, own in GAPS.items()],
            gap_methods=GAP_METHODS,
            drawn=[[scene, method, data, *map(str, own.items())] for scene, (method, data, own) in DRAWN.items()],
            backprop=[[name, method, *map(str, own.items())] for name, (method, own) in BACKPROP.items()],
            num_inputs=NUM_INPUTS,
            num_samples=[GAP_SAMPLES, DRAWN_SAMPLES, BACKPROP_SAMPLES],
        ),
    ),
    WEIGHTS: ArrayStudy(
        "Networks with noise on weights: further seeds",
        partial(measured, _weights),
        _as_json(
            seeds=[SEEDS, FEWER_SEEDS],
            few=[FEW_IMAGES, FEW_STEPS],
            networks={method: sparsity_study.settings_of(method, "digits") for method in PRUNERS},
            thousand=sparsity_study.SETTINGS["mnist1000"],
            curve=variational_dropout_study.CURVE_SETTINGS,
        ),
    ),
    GENERATIVE: ArrayStudy(
        "Generative models: further seeds",
        partial(measured, _generative),
        _as_json(seeds=[SEEDS, FEWER_SEEDS], likelihoods=[LIKELIHOODS, likelihood_study.SETTINGS]),
    ),
}
