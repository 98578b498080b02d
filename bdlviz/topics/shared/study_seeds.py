"""Further training seeds: the variation over training seeds of numbers that pages show for one network.

Each of `ARRAYS` holds quantities of fits with R training seeds. The page shows the fit of seed 0.

`CURVES` holds for each of `cases` (R, 2): the epistemic standard deviation at the data and away from them, in the unit
of y. For the cases of *In between* it also holds, under the name of the case plus `CURVE`, the smallest, the median and
the largest standard deviation at `NUM_INPUTS` inputs, (3, `NUM_INPUTS`). Gaussian processes have no training seed, and
converged chains of HMC do not depend on it.

`WEIGHTS` holds for each method that removes weights, with networks for the 8x8 digits,

- ``METHOD_left`` (R,): number of weights left between units that are not removed;
- ``METHOD_units`` (R, L): number of units left in each of L layers, pixels first;
- ``METHOD_accuracy`` (R,): held-out accuracy of the network with the means of the weights that are left;

for sparse variational dropout without and with a warm-up of the KL term (``few``: `FEW_IMAGES` digits, ``thousand``:
MNIST-1000),

- ``few_paid``, ``thousand_paid`` (R, 2): data term plus KL term, nats per training image;
- ``few_share``, ``thousand_share`` (R, 2): share of the weights left;

and for variational dropout on a curve, with one alpha per neuron, ``noise_nll`` (R, 2): the held-out negative
log-likelihood in nats per point, with the smallest and with the full weight of the KL term.

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
CURVE_SEEDS = tuple(range(20))  # more seeds for curves, because their training takes seconds
SEEDS = (0, 1, 2, 3, 4)
FEWER_SEEDS = (0, 1, 2)  # for fits that take a minute


@dataclass(frozen=True)
class Quantity:
    """Quantities of fits: ``measure(seeds)`` returns arrays by name, as `ARRAYS` hold them."""

    measure: Callable[[Sequence[int]], Mapping[str, Array]]
    seeds: tuple[int, ...]

    @classmethod
    def of_each(cls, measure: Callable[[int], Mapping[str, Any]], seeds: tuple[int, ...] = SEEDS) -> Quantity:
        """The quantities of ``measure(seed)``, stacked over the R seeds along a new first axis."""

        def stacked(seeds: Sequence[int]) -> dict[str, Array]:
            rows = [measure(seed) for seed in seeds]
            return {name: np.array([row[name] for row in rows]) for name in rows[0]}

        return cls(stacked, seeds)


def measured(quantities: Callable[[], Iterable[Quantity]]) -> dict[str, Array]:
    """The arrays of all the quantities by name, as float32."""
    arrays: dict[str, Array] = {}
    for quantity in quantities():
        arrays |= quantity.measure(quantity.seeds)
    return {name: array.astype(np.float32) for name, array in arrays.items()}


# Curves ---------------------------------------------------------------------------------------------------------------

NUM_INPUTS = 200  # number of inputs at which a page draws functions
CURVE = ".curve"  # suffix of the names of curves

# In between: every scene of `GAPS`, and every method whose training depends on a seed and that has a variance
GAP = "in_between."  # prefix of the names of its cases
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
    """A fit to one curve: its data, its configuration, the number of draws, and a summary of its standard deviation.

    ``measure(x, sd, points)`` returns the standard deviation at the data and away from them, for standard deviations
    (N,) at x (N,) and the inputs (M,) of the data.
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
        """The epistemic standard deviation over x of a fit with one seed, (`NUM_INPUTS`,), in the unit of y."""
        x = np.linspace(*dataset.x_range, NUM_INPUTS)
        return trained.predict(x[:, None], self.num_samples).epistemic_std[:, 0].astype(float)

    def measured(self, curve: Array, dataset: Dataset) -> tuple[float, float]:
        """The standard deviations of a `curve` at the data and away from them, in the unit of y."""
        return self.measure(np.linspace(*dataset.x_range, NUM_INPUTS), curve, dataset.x[:, 0])

    def of_seeds(self, seeds: Sequence[int]) -> tuple[Array, Array]:
        """`measured` for each of R seeds, (R, 2); minimum, median and maximum of the curves, (3, `NUM_INPUTS`)."""
        dataset = self.load()
        trained = run(replace(self.configure(dataset), seeds=tuple(seeds)), dataset)
        curves = np.array([self.curve(trained.cell(seed=seed), dataset) for seed in seeds])
        return np.array([self.measured(curve, dataset) for curve in curves]), np.quantile(curves, (0, 0.5, 1), axis=0)


@cache
def cases() -> dict[str, Case]:
    """All cases by their names in the arrays."""
    return {**_gaps(), **_drawn(), **_backprop()}


def _gaps() -> dict[str, Case]:
    by_name = {}
    for scene, settings in GAPS.items():
        of_data = {name: settings[name] for name in OF_DATA if name in settings}
        of_fit = {name: value for name, value in settings.items() if name not in of_data}
        for method in GAP_METHODS:
            by_name[f"{GAP}{scene}.{method}"] = Case(
                partial(compare_study.clusters, **of_data),
                partial(compare_study.config_of, method, **of_fit),
                GAP_SAMPLES,
                in_between.at_the_points_and_in_the_middle,
            )
    return by_name


def _drawn() -> dict[str, Case]:
    return {
        f"function_draws.{scene}": Case(
            partial(load, data), partial(configure, method, **settings), DRAWN_SAMPLES, in_between.inside_and_outside
        )
        for scene, (method, data, settings) in DRAWN.items()
    }


def _backprop() -> dict[str, Case]:
    return {
        f"backprop.{data}.{name}": Case(
            partial(load, data),
            partial(configure, method, **bayes_by_backprop_study.SETTINGS | settings),
            BACKPROP_SAMPLES,
            in_between.among_and_away,
        )
        for data in bayes_by_backprop_study.DATASETS
        for name, (method, settings) in BACKPROP.items()
    }


@cache
def _names() -> dict[FitConfig, str]:
    return {case.config: name for name, case in cases().items()}


def name_of(config: FitConfig) -> str | None:
    """The name of the case of this configuration with any seed; None if there is none."""
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
    quantities = [Quantity.of_each(conditional_study.held_out_bound, FEWER_SEEDS)]
    for images, seeds in (("digits", SEEDS), ("mnist", FEWER_SEEDS)):
        quantities.append(Quantity.of_each(partial(likelihood_study.errors, images), seeds))
        quantities.append(Quantity.of_each(partial(vae_study.planes, images), seeds))
    return quantities


# What is shipped ------------------------------------------------------------------------------------------------------


def _as_json(**settings: Any) -> dict[str, Any]:
    """Settings as JSON gives them back: tuples become lists."""
    return json.loads(json.dumps(settings))


ARRAYS = {
    CURVES: ArrayStudy(
        f"Curves: {len(CURVE_SEEDS)} training seeds of fits that pages show for one seed",
        partial(measured, _curves),
        _as_json(
            seeds=CURVE_SEEDS,
            gaps=[[scene, *sorted(map(str, settings.items()))] for scene, settings in GAPS.items()],
            gap_methods=GAP_METHODS,
            drawn=[[scene, method, data, *map(str, more.items())] for scene, (method, data, more) in DRAWN.items()],
            backprop=[[name, method, *map(str, more.items())] for name, (method, more) in BACKPROP.items()],
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
