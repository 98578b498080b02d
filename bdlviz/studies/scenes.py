"""The shipped fits of single scenes, which open at once therefore, and two measurements that scenes show.

The grid of a scene with weight decays stands in `bdlviz.studies.registry`, beside the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bdlviz.data import from_points, load
from bdlviz.fits import Fit, configure, fit, run
from bdlviz.fitted.bundles import BundleRecipe
from bdlviz.methods import METHODS, bayes_by_backprop
from bdlviz.methods.common import KL_WEIGHT, WEIGHT_DECAY
from bdlviz.models import targets
from bdlviz.predictive import weight_gradients
from bdlviz.predictive.weight_gradients import VarianceCourse
from bdlviz.topics.digits.concrete_dropout.study import image_data
from bdlviz.topics.foundations.kinds_of_uncertainty import study as kinds_of_uncertainty_study
from bdlviz.topics.foundations.variational_or_mcmc import race
from bdlviz.topics.generative.vae import study as vae_study
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.weights.bayes_by_backprop import study as bayes_by_backprop_study
from bdlviz.topics.weights.sparsity import study as sparsity_study
from bdlviz.types import Array, Dataset, FitConfig

Made = tuple[Fit, dict[str, Array]]
# Half precision would be seen in covariances that are solved for, and between members that nearly agree.
WHOLE = ("gaussian_process", "laplace", "deep_ensemble")
OWN_POINTS = np.array([[-3.0, -1.0], [-2.0, 0.5], [-1.0, 1.0], [0.5, 0.0], [1.0, -0.5], [2.5, 1.5]])  # (N, 2), x and y
WIDE_GAP, FEW_POINTS = 2.0, 5  # of x between two clusters; points in each
MANY_POINTS = 1000  # that share one network in the scene of bits
FEW_IMAGES, STEPS_OF_FEW = 100, 6000
VAE_EPOCHS = (1, 2, 3, 5, 10, 15, 20, 30, 40, 50)  # at which something is kept; the last ends the training
NARROW_STD = 0.000912  # of a mixture of priors, as sliders write it
GRADIENT_SEED = 0
RACE = "race"


@dataclass(frozen=True)
class SceneFit:
    """One fit of a scene: its title, its data, and the configuration that the scene's page asks for on them."""

    title: str
    method: str
    load: Callable[[], Dataset]
    settings: Callable[[str, Dataset], FitConfig]

    @property
    def config(self) -> FitConfig:
        """The configuration."""
        return self.settings(self.method, self.load())

    @property
    def half(self) -> bool:
        """Does half precision leave the picture as it is?"""
        return self.method not in WHOLE

    def make(self) -> Made:
        """Train it; of chains some draws are kept."""
        dataset = self.load()
        made = run(self.settings(self.method, dataset), dataset)
        is_sampled = METHODS[self.method].inference == "sampled"
        return compare_study.thinned(made, compare_study.KEPT) if is_sampled else made, {}


def _with(**settings: Any) -> Callable[[str, Dataset], FitConfig]:
    return lambda method, dataset: configure(method, dataset, **settings)


def own_points() -> Dataset:
    """The points that stand in a visitor's table at first, every fifth held out."""
    return compare_study.every_fifth_held_out(from_points(OWN_POINTS[:, 0], OWN_POINTS[:, 1]))


# Curves ---------------------------------------------------------------------------------------------------------------


def _function_draws() -> dict[str, SceneFit]:
    clusters, curve = partial(load, "two_clusters"), partial(load, "x_sin_x")
    record, deep = partial(load, "mauna_loa_co2"), (64,) * 5
    one_layer = _with(hidden=compare_study.HIDDEN, length_scale=compare_study.LENGTH_SCALE, narrow_std=NARROW_STD)
    follows = _with(length_scale=1.0, weight_decay=WEIGHT_DECAY.default)
    return {
        "draws_gap": SceneFit("Function draws, two clusters", "mc_dropout", clusters, _with()),
        "draws_tanh": SceneFit("Function draws, tanh", "mc_dropout", curve, _with(activation="tanh")),
        "draws_record_relu": SceneFit("Function draws, a record, ReLU", "mc_dropout", record, _with(hidden=deep)),
        "draws_record_tanh": SceneFit(
            "Function draws, a record, tanh", "mc_dropout", record, _with(hidden=deep, activation="tanh")
        ),
        "draws_noise_follows": SceneFit(
            "Function draws, the noise follows from length-scale and weight decay", "mc_dropout", curve, follows
        ),
        "draws_one_layer": SceneFit(
            "Function draws, Bayes by Backprop with one layer",
            "bayes_by_backprop",
            clusters,
            one_layer,
        ),
    }


def _compared() -> dict[str, SceneFit]:
    """Every method of the scenes that compare methods."""
    of_data: dict[str, tuple[str, Callable[[], Dataset]]] = {
        "own": ("six points", own_points),
        "wide": ("a wide gap", partial(compare_study.clusters, WIDE_GAP)),
        "few": ("few points", partial(compare_study.clusters, per_cluster=FEW_POINTS)),
    }
    return {
        f"compare_{name}_{method}": SceneFit(
            f"Comparison on {words}: {method}", method, dataset, compare_study.config_of
        )
        for name, (words, dataset) in of_data.items()
        for method in (*compare_study.usual(), compare_study.REFERENCE)
    }


def _backprop() -> dict[str, SceneFit]:
    """Scenes on Bayes by Backprop, with moments of their training."""
    course = bayes_by_backprop_study.SETTINGS | {"num_snapshots": bayes_by_backprop_study.NUM_SNAPSHOTS}
    prior = {"length_scale": bayes_by_backprop_study.length_scale_of(0.368), "mixture_weight": 0.25}
    mixture = course | prior | {"narrow_std": NARROW_STD}
    curve = partial(load, "blundell")
    return {
        "backprop_mixture": SceneFit(
            "Bayes by Backprop, a mixture of two priors", "bayes_by_backprop", curve, _with(**mixture)
        ),
        "backprop_more_data": SceneFit(
            f"Bayes by Backprop, {MANY_POINTS:,} points: every KL weight",
            "bayes_by_backprop",
            partial(load, "blundell", num_data=MANY_POINTS),
            _with(**course | {"kl_weight": KL_WEIGHT.values}),
        ),
    }


def one_point_config(method: str, dataset: Dataset) -> FitConfig:
    """A fit that learns its noise at every x."""
    return kinds_of_uncertainty_study.head_config(dataset, method, "heteroscedastic")


def few_images_config(method: str, dataset: Dataset) -> FitConfig:
    """A network that removes its weights, without a warm-up of the KL term, on few images."""
    changed = {"num_epochs": None, "num_steps": STEPS_OF_FEW, "kl_warm_up": 0.0}
    return configure(method, dataset, **sparsity_study.SETTINGS["digits"] | changed)


FITS: dict[str, SceneFit] = {
    **_function_draws(),
    **_compared(),
    **_backprop(),
    "kinds_one_point": SceneFit(
        "Kinds of uncertainty: an ensemble on one point",
        "deep_ensemble",
        partial(load, kinds_of_uncertainty_study.DATASET, num_data=1),
        one_point_config,
    ),
    "pruned_few": SceneFit(
        f"Weights removed, {FEW_IMAGES} digits, no warm-up",
        "sparse_variational_dropout",
        partial(image_data, "digits", FEW_IMAGES),
        few_images_config,
    ),
}


# Images ---------------------------------------------------------------------------------------------------------------

VAE_SETTINGS: dict[str, Any] = {"latent_dim": 20, "hidden": vae_study.SMALL, "num_epochs": VAE_EPOCHS[-1]}
BETAS = {"vae_digits_free": 0.0, "vae_digits_collapse": 10.0}


def vae_config(dataset: Dataset, beta: float) -> FitConfig:
    """A VAE of the 8x8 digits with another weight of the KL term."""
    return configure("vae", dataset, beta=beta, **VAE_SETTINGS)


def vae(beta: float) -> Made:
    """Such a VAE, and what it was like at `VAE_EPOCHS` (see `bdlviz.topics.generative.vae.study`)."""
    dataset = load("digits")
    config = vae_config(dataset, beta)
    watch = vae_study.Watch(dataset, config.num_steps // VAE_EPOCHS[-1], VAE_EPOCHS)
    return run(config, dataset, on_snapshot=watch), watch.arrays()


# The noise of gradients -----------------------------------------------------------------------------------------------


def gradient_noise(
    trained: Fit, dataset: Dataset, on_progress: Callable[[float], bool] = lambda share: True
) -> VarianceCourse:
    """The variances of the gradient's estimators at the end of a fit of one network, on its own data."""
    params = {name: array[0, 0].astype(float) for name, array in trained.params.items()}
    network = trained.model.network
    layers = weight_gradients.layers_of(network, params, bayes_by_backprop.standard_deviations(params))
    x, y = trained.scaling.standardise_x(dataset.x), trained.scaling.standardise_y(dataset.y)
    rng = np.random.Generator(np.random.SFC64(GRADIENT_SEED))
    return weight_gradients.variance_course(network, layers, x, y, trained.precision, rng, on_progress=on_progress)


def gradients() -> Made:
    """The page's first network of Bayes by Backprop, and the noise of its gradients as `to_arrays` names it."""
    dataset = load("blundell")
    trained = fit("bayes_by_backprop", dataset, **bayes_by_backprop_study.SETTINGS)
    # As the shelf holds this network, so that measuring it anew gives the same numbers.
    shipped = {name: array.astype(np.float16).astype(np.float32) for name, array in trained.params.items()}
    return trained, to_arrays(gradient_noise(replace(trained, params=shipped), dataset))


def to_arrays(course: VarianceCourse) -> dict[str, Array]:
    """A measurement by name: ``batch_sizes`` (T,), and ``minibatch.GROUP``, ``noise.ESTIMATOR.GROUP`` (T, 3)."""
    return (
        {"batch_sizes": course.batch_sizes}
        | {f"minibatch.{group}": array for group, array in course.minibatch.items()}
        | {f"noise.{kind}.{group}": array for (kind, group), array in course.noise.items()}
    )


def from_arrays(arrays: Mapping[str, Array]) -> VarianceCourse:
    """The measurement that `to_arrays` wrote."""
    groups, kinds = weight_gradients.GROUPS, weight_gradients.ESTIMATORS
    return VarianceCourse(
        arrays["batch_sizes"],
        {group: arrays[f"minibatch.{group}"] for group in groups},
        {(kind, group): arrays[f"noise.{kind}.{group}"] for kind in kinds for group in groups},
    )


# The race -------------------------------------------------------------------------------------------------------------


def race_runs() -> dict[str, Array]:
    """Every method on every target: ``TARGET.METHOD.evaluations`` (T,); ``.mean`` and ``.std`` (T, R), its errors."""
    found: dict[str, Array] = {}
    for name in race.STEP_SIZES:
        for runner in race.RUNNERS:
            ended = race.run(targets.find(name), runner)
            assert ended is not None  # nobody stops it
            parts = {"evaluations": ended.evaluations, "mean": ended.mean, "std": ended.std}
            found |= {f"{name}.{runner}.{part}": array.astype(np.float32) for part, array in parts.items()}
    return found


def race_of(arrays: Mapping[str, Array], target: str) -> dict[str, race.Run]:
    """The runs on one target, of the arrays that `race_runs` made."""
    return {
        runner: race.Run(*(arrays[f"{target}.{runner}.{part}"] for part in ("evaluations", "mean", "std")))
        for runner in race.RUNNERS
    }


def race_settings() -> dict[str, Any]:
    """What decides how a race ends, as plain JSON."""
    return {
        "step_sizes": race.STEP_SIZES,
        "evaluations": [race.EVALUATIONS, race.FIT_EVALUATIONS],
        "fit": [race.FIT_DRAWS, race.FIT_RATE, race.START_STD],
        "num_leapfrog": race.NUM_LEAPFROG,
        "checks": [race.FIRST_CHECK, race.NUM_CHECKS],
        "num_seeds": race.NUM_SEEDS,
    }


BUNDLES = {
    RACE: BundleRecipe("Fits and chains on posteriors of two weights: error against work", race_runs, race_settings())
}
