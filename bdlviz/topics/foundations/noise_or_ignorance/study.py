"""Shipped studies of the kinds of uncertainty: models of noise, the number of data, and two claims on learned noise."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bdlviz.data import load, noisy_curves
from bdlviz.fits import Fit, configure, run
from bdlviz.studies.scene_fit import SceneFit, studies_of
from bdlviz.studies.study import Made, Study
from bdlviz.types import Array, Dataset, FitConfig

TRAINING: dict[str, Any] = {"num_steps": 4000, "batch_size": 64, "learning_rate": 1e-2, "schedule": "linear"}
NETWORK: dict[str, Any] = {"hidden": (50, 50)} | TRAINING
METHODS: dict[str, dict[str, Any]] = {
    "mc_dropout": NETWORK | {"dropout_rate": 0.1, "length_scale": 0.3},
    "deep_ensemble": NETWORK | {"length_scale": 0.3},
    "bayes_by_backprop": NETWORK | {"length_scale": 3.0},
    "hmc": {
        **{"hidden": (50,), "activation": "tanh", "length_scale": 1.0, "prior_by_width": 1},
        **{"num_steps": 400, "num_leapfrog": 100, "num_chains": 16},
    },
}
CLASS_SCALES = {"deep_ensemble": 0.1, "bayes_by_backprop": 1.0}  # length-scales for classes, if not as for curves
SHIPPED = ("mc_dropout", "deep_ensemble", "bayes_by_backprop")
AGAINST_NUMBER = (*SHIPPED, "hmc")
MOST_SAMPLED, SAMPLED_SEEDS = 300, 3  # chains use all points at every step, so fewer N and seeds are run
HEADS = ("gaussian", "homoscedastic", "heteroscedastic")
DATASET = "noise_and_gap"
NUM_SAMPLES = 300

AMOUNTS = (1, 3, 10, 30, 100, 300, 1000, 2000, 10_000)
SEEDS = (0, 1, 2, 3, 4)
ENSEMBLE_SEEDS = tuple(range(10))  # without data, the epistemic sd of two ensembles may differ by a factor of several
MOST = 1e4  # the largest standard deviation that is stored: under the prior the noise may be any number
NUM_INPUTS = 121

FEATURE_ERRORS = (None, 0.8, 0.4, 0.2, 0.1, 0.0)  # errors of the second feature; None: the feature is missing
NUM_FEATURE_DATA = 500
FEATURE_METHODS = ("mc_dropout", "deep_ensemble")
TASK_AMOUNTS = (30, 100, 300, 1000)
TASK_SEEDS = tuple(range(10))


# Heads ----------------------------------------------------------------------------------------------------------------


def head_config(dataset: Dataset, method: str, head: str) -> FitConfig:
    """The config of one method with one model of noise; a known constant is the root mean square of the true noise."""
    settings: dict[str, Any] = METHODS[method] | {"likelihood": head}
    true_noise = noisy_curves.true_noise_std(dataset, dataset.x)
    if head == "gaussian" and true_noise is not None:
        settings |= {"noise_std": float(f"{np.sqrt(np.mean(true_noise**2)):.6g}")}
    return configure(method, dataset, **settings)


def head(method: str, which: str) -> Made:
    """A fit to `DATASET` with one model of noise."""
    dataset = load(DATASET)
    return run(head_config(dataset, method, which), dataset), {}


# The number of data ---------------------------------------------------------------------------------------------------


DATA_AT = ((-4.0, -1.0), (1.0, 4.0))


def where_data_are(x: Array) -> Array:
    """Mask, of the shape of ``x``, of the inputs where `noisy_curves.noise_and_gap` has data."""
    return np.any([(x >= low) & (x <= high) for low, high in DATA_AT], axis=0)


def amount() -> Made:
    """Both kinds of uncertainty against N, for each method with learned noise.

    Returns the first fit and the arrays ``num_data`` (V,), ``x`` (X,) and the mean ``true_noise`` (1,). Each method
    has ``..._epistemic`` and ``..._aleatoric`` (R, V), which are means over inputs with data, ``..._gap`` (R, V), the
    epistemic sd in the middle of the gap, and ``..._curves`` (3, V, X): mean, epistemic and aleatoric standard
    deviation of the first seed. The number of seeds R depends on the method (`seeds_of`). Chains are NaN above
    `MOST_SAMPLED` points and have ``..._r_hat`` (R, V), the largest value over all inputs.
    """
    x = np.linspace(-6, 6, NUM_INPUTS)
    inside = where_data_are(x)
    truth = noisy_curves.noise_and_gap_noise_std(x[inside]).mean()
    extra = {"num_data": np.array(AMOUNTS), "x": x, "true_noise": np.array([truth])}
    for method in AGAINST_NUMBER:
        extra |= {f"{method}_{name}": array for name, array in amount_of(method, x).items()}
    dataset = load(DATASET, num_data=AMOUNTS[0], seed=SEEDS[0])
    first = run(head_config(dataset, SHIPPED[0], "heteroscedastic"), dataset)
    return first, {
        name: array if array.dtype == np.int32 else array.astype(np.float32) for name, array in extra.items()
    }


def seeds_of(method: str) -> tuple[int, ...]:
    """The seeds of a method in `amount`; every seed has other data."""
    if method not in SHIPPED:
        return SEEDS[:SAMPLED_SEEDS]
    return ENSEMBLE_SEEDS if method == "deep_ensemble" else SEEDS


def amount_of(method: str, x: Array) -> dict[str, Array]:
    """The arrays of one method in `amount`, at inputs (X,)."""
    is_sampled, seeds = method not in SHIPPED, seeds_of(method)
    curves = np.full((len(seeds), len(AMOUNTS), 3, len(x)), np.nan)
    r_hat = np.full((len(seeds), len(AMOUNTS)), np.nan)
    for row, column in np.ndindex(curves.shape[:2]):
        if is_sampled and AMOUNTS[column] > MOST_SAMPLED:
            continue
        dataset = load(DATASET, num_data=AMOUNTS[column], seed=seeds[row])
        fit = run(head_config(dataset, method, "heteroscedastic"), dataset)
        curves[row, column] = _curves(fit, x)
        if is_sampled:
            r_hat[row, column] = fit.convergence(x).worst
    return _of_inputs(curves, x, where_data_are(x)) | ({"r_hat": r_hat} if is_sampled else {})


def _curves(fit: Fit, x: Array) -> Array:
    """Mean, epistemic and aleatoric standard deviation, (3, X)."""
    with np.errstate(over="ignore"):  # without data the log variance of the noise may be too large for exp
        predictive = fit.predict(x, NUM_SAMPLES)
    curves = np.stack([predictive.mean, predictive.epistemic_std, predictive.aleatoric_std])[..., 0]
    return np.clip(np.nan_to_num(curves, posinf=MOST), -MOST, MOST)


def _of_inputs(curves: Array, x: Array, inside: Array) -> dict[str, Array]:
    epistemic, aleatoric = curves[:, :, 1], curves[:, :, 2]
    return {
        "epistemic": epistemic[..., inside].mean(-1),
        "aleatoric": aleatoric[..., inside].mean(-1),
        "gap": epistemic[..., np.abs(x) < 0.5].mean(-1),
        "curves": curves[0].swapaxes(0, 1),
    }


# Two claims -----------------------------------------------------------------------------------------------------------


def claims() -> Made:
    """The effect of a second feature and of a second task on the learned noise.

    Returns the first fit and arrays. For the feature: its ``errors`` (E,), NaN if it is missing, the true noise
    ``feature_truth`` (E,), and for each method ``..._feature`` (R, E), the mean learned noise at held-out points. For
    the tasks: ``num_data`` (V,); ``task_learned`` (R, V, 2), the learned noise of the first task, alone and together
    with the second; ``task_error`` (R, V, 2), the root mean square distance of its predictive mean from the true curve.
    """
    shape = (len(SEEDS), len(FEATURE_ERRORS))
    extra = {
        "errors": np.array([np.nan if error is None else error for error in FEATURE_ERRORS], np.float32),
        "feature_truth": np.array([noisy_curves.unseen_noise_std(error) for error in FEATURE_ERRORS], np.float32),
    }
    for method in FEATURE_METHODS:
        learned = [_feature_noise(method, seed, error) for seed in SEEDS for error in FEATURE_ERRORS]
        extra[f"{method}_feature"] = np.array(learned, np.float32).reshape(shape)
    rows = [[[_task(seed, count, tasks) for tasks in (1, 2)] for count in TASK_AMOUNTS] for seed in TASK_SEEDS]
    noise_and_error = np.array(rows, np.float32)
    extra |= {"num_data": np.array(TASK_AMOUNTS, np.int32)}
    extra |= {"task_learned": noise_and_error[..., 0], "task_error": noise_and_error[..., 1]}
    dataset = noisy_curves.two_tasks(TASK_AMOUNTS[0])
    return run(task_config(dataset), dataset), extra


def _feature_noise(method: str, seed: int, error: float | None) -> float:
    dataset = noisy_curves.second_feature(NUM_FEATURE_DATA, error, seed)
    fit = run(head_config(dataset, method, "heteroscedastic"), dataset)
    return float(fit.predict(dataset.x_test, NUM_SAMPLES).aleatoric_std.mean())


def task_config(dataset: Dataset) -> FitConfig:
    """The config for one task, or for two tasks; each task has one learned noise that weights its loss."""
    return configure("deep_ensemble", dataset, likelihood="homoscedastic", **METHODS["deep_ensemble"])


def _task(seed: int, num_data: int, num_tasks: int) -> tuple[float, float]:
    """Learned noise of the first task, and root mean square error of its mean."""
    dataset = noisy_curves.two_tasks(num_data, seed, num_tasks)
    fit = run(task_config(dataset), dataset)
    truth = noisy_curves.two_tasks_truth(dataset.x_test)[:, 0]
    error = fit.predict(dataset.x_test, NUM_SAMPLES).mean[:, 0] - truth
    return float(np.atleast_1d(fit.noise_std)[0]), float(np.sqrt(np.mean(error**2)))


# Classes --------------------------------------------------------------------------------------------------------------


def classes_config(dataset: Dataset, method: str) -> FitConfig:
    """The config of one method for classes."""
    settings: dict[str, Any] = dict(METHODS[method])
    settings["length_scale"] = CLASS_SCALES.get(method, settings["length_scale"])
    return configure(method, dataset, **settings)


def classes(method: str) -> Made:
    """A fit to `noisy_curves.two_classes`."""
    dataset = noisy_curves.two_classes()
    return run(classes_config(dataset, method), dataset), {}


def one_point_config(method: str, dataset: Dataset) -> FitConfig:
    """The config of a fit that learns the noise at every x."""
    return head_config(dataset, method, "heteroscedastic")


# What is shipped ------------------------------------------------------------------------------------------------------

SCENE_FITS = {
    "kinds_one_point": SceneFit(
        "Kinds of uncertainty: an ensemble on one point",
        "deep_ensemble",
        partial(load, DATASET, num_data=1),
        one_point_config,
    )
}


def _fits() -> dict[str, Study]:
    heads = {
        f"kinds_{method}_{which}": Study(f"Kinds of uncertainty: {method}, {which} noise", partial(head, method, which))
        for method in SHIPPED
        for which in HEADS
    }
    of_classes = {
        f"kinds_{method}_classes": Study(f"Kinds of uncertainty: {method}, two classes", partial(classes, method))
        for method in SHIPPED
    }
    return heads | of_classes


STUDIES = {
    "kinds_amount": Study("Kinds of uncertainty against N: four methods, several seeds", amount, keeps_weights=False),
    "kinds_claims": Study("A second feature and a second task: learned noise", claims, keeps_weights=False),
    **_fits(),
    **studies_of(SCENE_FITS),
}
