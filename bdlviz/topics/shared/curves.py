"""For the regression pages: the controls of network and training, the configuration they describe, and scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from bdlviz.data.built_in import part_of
from bdlviz.fits import Fit, configure
from bdlviz.methods import METHODS, method, ordered
from bdlviz.methods.common import PRIOR_BY_WIDTH
from bdlviz.models.mlp import MLP
from bdlviz.predictive.in_between import at_the_data_and_outside
from bdlviz.predictive.summaries import LARGE_ERROR, rmse
from bdlviz.topics.shared.calculator import CONTROLS as CALCULATOR
from bdlviz.topics.shared.calculator import Scales, scales_of
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.cache import data_key, remembered
from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control

WIDTHS = (16, 32, 50, 64, 128, 256, 512)
NUM_INPUTS = 200  # number of inputs x at which a figure draws functions
BESIDE = 0.25  # of the points' own range, shown on either side of them
MIN_SCORE_SAMPLES, MAX_SCORE_SAMPLES = 20, 200
SCORE_PRODUCTS = 4e9  # most multiplications for scoring; wide networks are scored with fewer samples

METHOD_NAMES = tuple(
    spec.name for spec in ordered() if spec.in_menus and "regression" in spec.tasks and not spec.is_generative
)
METHOD = Control(
    "method",
    "Method",
    METHOD_NAMES,
    "mc_dropout",
    "menu",
    "How samples of functions are drawn.",
    {name: METHODS[name].title for name in METHOD_NAMES},
)
NETWORK = (
    number_control("width", "Units per layer", WIDTHS, 64, "Width of every hidden layer."),
    number_control("depth", "Hidden layers", range(1, 6), 2),
    Control(
        "activation",
        "Activation",
        ("relu", "tanh", "gelu", "silu"),
        "relu",
        "menu",
        names={"relu": "ReLU", "tanh": "tanh", "gelu": "GELU", "silu": "SiLU"},
    ),
)
TRAINING = (
    number_control("num_steps", "Steps", (100, 200, 500, 1000, 2000, 5000, 10000, 20000), 2000, "Adam steps."),
    Control("batch_size", "Batch size", ("8", "16", "32", "64", "128", "full"), "32"),
    number_control("learning_rate", "Learning rate", (1e-4, 3e-4, 1e-3, 3e-3, 1e-2), 1e-3),
    number_control(
        "trajectories", "Trajectories", (50, 100, 200, 400, 1000), 200, "Per chain; half of them are warm-up."
    ),
    number_control("seed", "Seed", range(10), 0, "Sets the initial weights, minibatches and masks."),
)
# The options are shown as prior variances. The default is scaled by width, so that the size of functions does not
# depend on the width of the network.
WIDTH_PRIOR = Control(
    PRIOR_BY_WIDTH.name,
    PRIOR_BY_WIDTH.label,
    ("0", "1"),
    "1",
    "buttons",
    PRIOR_BY_WIDTH.help,
    {"0": "1/ℓ²", "1": "1/(nℓ²)"},
)
OF_INFERENCE = {"optimised": TRAINING[:3] + TRAINING[4:], "sampled": TRAINING[3:], "solved": TRAINING[4:]}


SCALES = ("weight_decay", "length_scale")  # hyper-parameters that the calculator sets


def own_controls(name: str, without: tuple[str, ...] = SCALES) -> tuple[Control, ...]:
    """The controls of the hyper-parameters in a method's specification, except those named in ``without``."""
    parameters = [parameter for parameter in method(name).hyperparameters if parameter.name not in without]
    return tuple(WIDTH_PRIOR if p is PRIOR_BY_WIDTH else hyperparameter_control(p) for p in parameters)


def all_own_controls(names: tuple[str, ...] = METHOD_NAMES) -> tuple[Control, ...]:
    """The controls of the hyper-parameters of several methods, without duplicates."""
    by_key = {control.key: control for name in names for control in own_controls(name)}
    return tuple(by_key.values())


def scale_taken(name: str) -> str:
    """The key of the hyper-parameter of a method: weight decay or length-scale; "" if it has neither."""
    return next((scale for scale in SCALES if method(name).hyperparameter(scale) is not None), "")


def scales_in(setting: Mapping[str, str], dataset: Dataset) -> Scales:
    """The scales for a setting (control key -> option) of a method."""
    name = setting.get(METHOD.key, METHOD.default)
    hyperparameters = {control.key: setting.get(control.key, control.default) for control in own_controls(name)}
    full = {control.key: setting.get(control.key, control.default) for control in CALCULATOR}
    return scales_of(full, dataset, float(hyperparameters.get("dropout_rate", 0)), scale_taken(name))


def config_of(setting: Mapping[str, str], dataset: Dataset) -> FitConfig:
    """The configuration for a setting (control key -> option); controls without a value have their defaults.

    Raises:
        InvalidInput: no fit is possible with these values.
    """
    controls = (METHOD, *all_own_controls(), *CALCULATOR, *NETWORK, *TRAINING)
    full = {control.key: setting.get(control.key, control.default) for control in controls}
    name = full[METHOD.key]
    chosen: dict[str, Any] = {control.key: float(full[control.key]) for control in own_controls(name)}
    scale_key, spec = scale_taken(name), method(name)
    scales = scales_of(full, dataset, chosen.get("dropout_rate", 0.0), scale_key)
    if scale_key:
        chosen[scale_key] = scales.weight_decay if scale_key == "weight_decay" else float(full["length_scale"])
    if spec.inference == "optimised":
        chosen |= {"num_steps": int(full["num_steps"]), "learning_rate": float(full["learning_rate"])}
        chosen["batch_size"] = None if full["batch_size"] == "full" else int(full["batch_size"])
    elif spec.inference == "sampled":
        chosen["num_steps"] = int(full["trajectories"])
    return configure(
        name,
        dataset,
        hidden=(int(full["width"]),) * int(full["depth"]),
        activation=full["activation"],
        seed=int(full["seed"]),
        noise_std=scales.noise_std,
        **chosen,
    )


def inputs(dataset: Dataset) -> Array:
    """The inputs (N, 1) at which figures of this data set draw functions."""
    return np.linspace(*dataset.x_range, NUM_INPUTS)[:, None]


def near_points(dataset: Dataset) -> Dataset:
    """The data with the ranges of their points and some space beside them: far outside, bands hide each other."""
    x_range, y_range = _around(dataset.x, dataset.x_range), _around(dataset.y, dataset.y_range)
    return part_of(dataset, x_range=x_range, y_range=y_range)


def _around(values: Array, limits: tuple[float, float]) -> tuple[float, float]:
    """From the lowest to the highest value and a share of that on either side, within limits."""
    low, high = float(values.min()), float(values.max())
    margin = BESIDE * (high - low)
    return (max(limits[0], low - margin), min(limits[1], high + margin)) if margin else limits


class Scores(NamedTuple):
    """Held-out scores: RMSE in units of y, negative log-likelihood and its Monte Carlo error in nats per point."""

    rmse: float
    nll: float
    nll_error: float


def scores(fit: Fit, dataset: Dataset) -> Scores | None:
    """The held-out scores of a fit; None without held-out points."""
    if len(dataset.x_test) == 0:
        return None
    predictive = fit.predict(dataset.x_test, num_score_samples(fit.config, dataset))
    log_prob, error = predictive.log_prob_and_error(dataset.y_test)
    return Scores(rmse(predictive, dataset.y_test), -float(log_prob.mean()), float(error.mean()))


def remembered_scores(fit: Fit, dataset: Dataset) -> Scores | None:
    """`scores`, computed once for these data."""
    return remembered(fit, ("scores", data_key(dataset)), lambda: scores(fit, dataset))


def num_score_samples(config: FitConfig, dataset: Dataset) -> int:
    """The number of draws for held-out scores: fewer for large networks and many points."""
    network = MLP((1, *config.hidden, 1))
    affordable = SCORE_PRODUCTS / (len(dataset.x_test) * network.num_numbers)
    return int(np.clip(affordable, MIN_SCORE_SAMPLES, MAX_SCORE_SAMPLES))


def key_numbers(fit: Fit, dataset: Dataset, predictive: Predictive, unit: str) -> list[tuple[str, str, str]]:
    """The numbers below a figure of functions: name with unit, value, explanation."""
    held_out = remembered_scores(fit, dataset)
    stds = at_the_data_and_outside(predictive.x[:, 0], predictive.epistemic_std[:, 0], dataset.x[:, 0])
    near, outside = (f"{std:.3g}" if np.isfinite(std) else "–" for std in stds)
    rows = [
        (
            f"Epistemic sd at the data{unit}",
            near,
            "Mean over x between neighbouring points; wide gaps do not count.",
        ),
        (f"Epistemic sd outside{unit}", outside, "Mean over the x shown left and right of the data."),
    ]
    if held_out is None:
        return [*rows, (f"Noise sd{unit}", f"{fit.noise_std:.3g}", "Assumed observation noise.")]
    told = "How surprising new points are: mean negative log predictive density (NLL); lower is better."
    if held_out.nll_error > LARGE_ERROR:
        told += " Few draws are near the points, so it is probably too large."
    return [
        *rows,
        (f"Held-out RMSE{unit}", f"{held_out.rmse:.3g}", f"On {len(dataset.x_test)} points not trained on."),
        ("Average surprise (nats)", f"{held_out.nll:.3g}", told),
    ]


def training_curves(fit: Fit, dataset: Dataset) -> tuple[Array, dict[str, Array]]:
    """Steps of the snapshots (T,), and curves (name -> (T,)): mean of (y - f)^2 / 2 in standardised units.

    The curves are for training and held-out points, with and without dropout.
    """
    curves: dict[str, list[float]] = {}
    for index in range(len(fit.snapshot_steps)):
        snapshot = fit.at_snapshot(index)
        for part, x, y in (("train", dataset.x, dataset.y), ("held out", dataset.x_test, dataset.y_test)):
            if len(x) == 0:
                continue
            target = fit.scaling.standardise_y(y)
            for with_dropout in (True, False):
                outputs = snapshot.draw_outputs(x, 20, with_dropout=with_dropout)
                name = f"{part}, {'with' if with_dropout else 'without'} dropout"
                curves.setdefault(name, []).append(float(0.5 * np.mean((outputs - target) ** 2)))
    return fit.snapshot_steps, {name: np.array(values) for name, values in curves.items()}
