"""The shipped fits of Bayes by Backprop on curves: every prior and KL weight of the page's sliders, one training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bdlviz.data import load
from bdlviz.fits import Fit, fit
from bdlviz.methods.bayes_by_backprop import standard_deviations
from bdlviz.methods.common import KL_WEIGHT
from bdlviz.predictive import weight_gradients
from bdlviz.predictive.weight_gradients import VarianceCourse
from bdlviz.studies.scene_fit import GROUP, SceneFit, studies_of, with_settings
from bdlviz.studies.study import Made, Study
from bdlviz.types import Array, Dataset

SETTINGS: dict[str, Any] = {"hidden": (32, 32), "num_steps": 3000, "batch_size": 32, "learning_rate": 1e-2}
PRIOR_STDS = (0.0498, 0.135, 0.368, 1.0, 2.72, 7.39)  # powers of e
NUM_SNAPSHOTS = 20
DATASETS = ("blundell", "two_clusters")
BESIDE = ("map", "deep_ensemble")
MANY_POINTS = 1000  # that share one network in the scene of bits
NARROW_STD = 0.000912  # of a mixture of priors, as sliders write it
GRADIENT_SEED = 0


def length_scale_of(prior_std: float) -> float:
    r"""The length-scale of a prior of that standard deviation, to six digits, as configurations compare them.

    $$ \ell = 1 / \sigma_1 $$
    """
    return float(f"{1 / prior_std:.6g}")


def curve(dataset: str = "blundell") -> Made:
    """Every prior with every KL weight, as they end."""
    scales = [length_scale_of(std) for std in PRIOR_STDS]
    return fit("bayes_by_backprop", load(dataset), length_scale=scales, kl_weight=KL_WEIGHT.values, **SETTINGS), {}


def course(dataset: str = "blundell") -> Made:
    """The usual prior with every KL weight, at moments of the training."""
    weights = {"kl_weight": KL_WEIGHT.values, "num_snapshots": NUM_SNAPSHOTS}
    return fit("bayes_by_backprop", load(dataset), **SETTINGS | weights), {}


def beside(method: str, dataset: str) -> Made:
    """A network without distributions over its weights, or an ensemble of them, to compare with."""
    return fit(method, load(dataset), **SETTINGS), {}


# The noise of gradients -----------------------------------------------------------------------------------------------


def gradient_noise(
    trained: Fit, dataset: Dataset, on_progress: Callable[[float], bool] = lambda share: True
) -> VarianceCourse:
    """The variances of the gradient's estimators at the end of a fit of one network, on its own data."""
    params = {name: array[0, 0].astype(float) for name, array in trained.params.items()}
    network = trained.model.network
    layers = weight_gradients.layers_of(network, params, standard_deviations(params))
    x, y = trained.scaling.standardise_x(dataset.x), trained.scaling.standardise_y(dataset.y)
    rng = np.random.Generator(np.random.SFC64(GRADIENT_SEED))
    return weight_gradients.variance_course(network, layers, x, y, trained.precision, rng, on_progress=on_progress)


def gradients() -> Made:
    """The page's first network of Bayes by Backprop, and the noise of its gradients as `to_arrays` names it."""
    dataset = load("blundell")
    trained = fit("bayes_by_backprop", dataset, **SETTINGS)
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


# What is shipped ------------------------------------------------------------------------------------------------------


def _scene_fits() -> dict[str, SceneFit]:
    """Fits of scenes, with moments of their training."""
    moments = SETTINGS | {"num_snapshots": NUM_SNAPSHOTS}
    prior = {"length_scale": length_scale_of(0.368), "mixture_weight": 0.25, "narrow_std": NARROW_STD}
    return {
        "backprop_mixture": SceneFit(
            "Bayes by Backprop, a mixture of two priors",
            "bayes_by_backprop",
            partial(load, "blundell"),
            with_settings(**moments | prior),
        ),
        "backprop_more_data": SceneFit(
            f"Bayes by Backprop, {MANY_POINTS:,} points: every KL weight",
            "bayes_by_backprop",
            partial(load, "blundell", num_data=MANY_POINTS),
            with_settings(**moments | {"kl_weight": KL_WEIGHT.values}),
        ),
    }


SCENE_FITS = _scene_fits()

STUDIES = {
    "bayes_by_backprop_curve": Study("Bayes by Backprop, its paper's curve: every prior and KL weight", curve),
    "bayes_by_backprop_gap": Study(
        "Bayes by Backprop, two clusters: every prior and KL weight", partial(curve, "two_clusters")
    ),
    "bayes_by_backprop_course": Study("Bayes by Backprop, its paper's curve, in training", course),
    **{
        f"beside_{method}_{name}": Study(f"Beside Bayes by Backprop, {name}: {method}", partial(beside, method, name))
        for method in BESIDE
        for name in DATASETS
    },
    "scene_gradients": Study(
        "Bayes by Backprop, its paper's curve: the noise of gradients", gradients, keeps_weights=False, group=GROUP
    ),
    **studies_of(SCENE_FITS),
}
