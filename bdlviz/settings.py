"""Settings in, `FitConfig` out: every argument of a fit is checked here, with one sentence for each mistake."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np

from bdlviz import data as datasets
from bdlviz.errors import InvalidInput
from bdlviz.methods import method as find_method
from bdlviz.models.likelihoods import LIKELIHOODS
from bdlviz.models.scaling import Scaling
from bdlviz.predictive.length_scale import model_precision, weight_decay_for
from bdlviz.types import Array, Dataset, FitConfig, MethodSpec, Schedule

NUM_ROUNDS = 40  # how often a fit looks up: records its loss, streams a snapshot, notices divergence
MAX_NETWORKS = 4096
USUAL: Any = object()  # a setting that nobody chose: `TrainingSettings` has it

Data = str | Dataset | tuple[Any, Any]


def configure(
    method: str,
    dataset: Dataset,
    *,
    seed: int | Sequence[int] = 0,
    hidden: Sequence[int] | None = None,
    activation: str = "relu",
    num_steps: int | None = None,
    num_epochs: int | None = None,
    batch_size: int | None = USUAL,
    learning_rate: float | None = None,
    schedule: Schedule | None = None,
    noise_std: float | None = None,
    length_scale: float | None = None,
    likelihood: str = "",
    num_snapshots: int = 0,
    **hyperparameters: Any,
) -> FitConfig:
    """Check every setting and make the configuration of a fit.

    What is left out is as in `TrainingSettings`: smaller for curves than for images.

    Args:
        seed: one seed or several; each trains its own networks.
        hidden: widths of the hidden layers.
        num_steps: optimisation steps; or ``num_epochs``.
        batch_size: points per step; None for the full batch.
        schedule: of the learning rate, ``"constant"``, ``"drop_at_half"`` (a tenth of it for the second half) or
            ``"linear"`` (to 0 at the end).
        noise_std: observation noise in y's units; by default the data set's own, or an estimate.
        length_scale: prior length-scale in standardised units, instead of ``weight_decay`` (the noise then decides
            the weight decay) or instead of ``noise_std``.
        num_snapshots: how many moments of training to keep.
        **hyperparameters: those of the method; a sequence makes a grid axis.
    """
    spec = find_method(method)
    _check_data(spec, dataset)
    usual = spec.training_settings(dataset)
    seeds = _integers("seed", seed if np.ndim(seed) else [seed])
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise InvalidInput("seed must be one non-negative number or several different ones.")
    batch_size = usual.batch_size if batch_size is USUAL else batch_size
    if batch_size is not None:
        batch_size = None if spec.needs_all_data or batch_size >= dataset.num_data else int(batch_size)
    if num_steps is None and num_epochs is None:
        num_steps, num_epochs = usual.num_steps, usual.num_epochs
    if num_epochs is not None:
        num_steps = num_epochs * steps_per_epoch(dataset.num_data, batch_size)
    if spec.inference == "solved":
        num_steps = 1
    likelihood = _check_likelihood(spec, dataset, likelihood)
    values, noise = _resolve_scales(spec, dataset, hyperparameters, noise_std, length_scale, likelihood)
    axes, options = _check_hyperparameters(spec, dataset, values)
    config = FitConfig(
        method=method,
        dataset=dataset.name,
        data_fingerprint=dataset.fingerprint,
        task=dataset.task,
        hidden=_integers("hidden", usual.hidden if hidden is None else hidden),
        activation=activation,
        likelihood=likelihood,
        axes=axes,
        seeds=seeds,
        num_steps=_within("num_steps", num_steps or 0, 1, 1_000_000),
        batch_size=batch_size,
        learning_rate=float(usual.learning_rate if learning_rate is None else learning_rate),
        schedule=_check_schedule(schedule or usual.schedule),
        noise_std=noise,
        num_snapshots=_within("num_snapshots", num_snapshots, 0, NUM_ROUNDS),
        options=options,
    )
    if batch_size is not None:
        _within("batch_size", batch_size, 1, dataset.num_data)
    if not 0 < config.learning_rate <= 10:
        raise InvalidInput(f"learning_rate must be above 0 and at most 10, not {config.learning_rate:g}.")
    if int(np.prod(config.grid_shape)) * len(seeds) * dict(options).get("num_members", 1) > MAX_NETWORKS:
        raise InvalidInput(f"That grid has more than {MAX_NETWORKS} networks; use fewer values or seeds.")
    return config


def _integers(name: str, values: Any) -> tuple[int, ...]:
    try:
        return tuple(operator.index(value) for value in values)
    except TypeError:
        raise InvalidInput(f"{name} must be whole numbers, such as (64, 64), not {values!r}.") from None


def _check_data(spec: MethodSpec, dataset: Dataset) -> None:
    if spec.is_generative and dataset.image_shape is None:
        raise InvalidInput(f"{spec.title} needs images; {dataset.title} has none.")
    if spec.is_generative and not (dataset.x.min() >= 0 and dataset.x.max() <= 1):
        raise InvalidInput(f"{spec.title} needs pixels between 0 and 1.")
    if dataset.task not in spec.tasks:
        raise InvalidInput(f"{spec.title} does not do {dataset.task}.")


def _check_likelihood(spec: MethodSpec, dataset: Dataset, name: str) -> str:
    usual = "bernoulli" if spec.is_generative else "categorical" if dataset.task == "classification" else "gaussian"
    chosen = LIKELIHOODS.get(name or usual)
    if chosen is not None and chosen.is_generative != spec.is_generative:
        raise InvalidInput(f"{spec.title} cannot use the likelihood {name!r}.")
    return name or usual


def _check_schedule(schedule: Schedule) -> Schedule:
    if schedule not in get_args(Schedule):
        raise InvalidInput(f"Unknown schedule {schedule!r}: choose one of {', '.join(get_args(Schedule))}.")
    return schedule


def steps_per_epoch(num_data: int, batch_size: int | None) -> int:
    """Steps in which every point is visited once, the last batch perhaps with points of the next epoch."""
    return -(-num_data // (batch_size or num_data))


def _resolve_scales(
    spec: MethodSpec,
    dataset: Dataset,
    hyperparameters: Mapping[str, Any],
    noise_std: float | None,
    length_scale: Any,
    likelihood: str,
) -> tuple[dict[str, Any], float | None]:
    """The hyper-parameters and the noise: of length_scale, noise_std and weight_decay two determine the third."""
    values, noise = dict(hyperparameters), _noise_std(dataset, noise_std)
    if length_scale is None:
        return values, noise
    if spec.hyperparameter("length_scale") is not None:
        return values | {"length_scale": length_scale}, noise
    if spec.hyperparameter("weight_decay") is None:
        raise InvalidInput(f"{spec.title} has no weight decay that a length_scale could determine.")
    if np.ndim(length_scale) or not 0 < length_scale < float("inf"):
        raise InvalidInput(f"length_scale must be one positive number, not {length_scale}.")
    rate = _only_value(spec, dataset, values, "dropout_rate")
    y_scale, has_noise = float(Scaling.of(dataset).y_scale.ravel()[0]), likelihood == "gaussian"
    if "weight_decay" not in values:
        precision = (y_scale / noise) ** 2 if noise and has_noise else 1.0
        return values | {"weight_decay": weight_decay_for(length_scale, precision, dataset.num_data, rate)}, noise
    if not has_noise:
        raise InvalidInput("Give length_scale or weight_decay: without Gaussian noise one determines the other.")
    if noise_std is not None:
        raise InvalidInput("Give two of length_scale, noise_std and weight_decay: they determine the third.")
    decay = _only_value(spec, dataset, values, "weight_decay")
    if decay == 0:
        raise InvalidInput("No length_scale belongs to weight_decay 0, which is a flat prior: leave one of them out.")
    return values, y_scale / model_precision(length_scale, decay, dataset.num_data, rate) ** 0.5


def _only_value(spec: MethodSpec, dataset: Dataset, values: Mapping[str, Any], name: str) -> float:
    """The value of a hyper-parameter that cannot be a grid axis here; 0 where the method has none."""
    parameter = spec.hyperparameter(name)
    if parameter is None:
        return 0.0
    value = values.get(name, parameter.default_on(dataset))
    if np.ndim(value):
        raise InvalidInput(f"length_scale needs a single {name}, since one depends on the other.")
    return parameter.check(value)


def _noise_std(dataset: Dataset, noise_std: float | None) -> float | None:
    if dataset.task == "classification":
        return None
    if noise_std is None:
        return default_noise_std(dataset)
    if not 0 < noise_std < float("inf"):
        raise InvalidInput(f"noise_std must be positive, not {noise_std:g}.")
    return float(noise_std)


def default_noise_std(dataset: Dataset) -> float:
    """The data set's own noise where it is known, else an estimate from its training points, in y's units."""
    return dataset.noise_std or datasets.estimate_noise_std(dataset.x[:, 0], dataset.y[:, 0])


def _check_hyperparameters(
    spec: MethodSpec, dataset: Dataset, values: Mapping[str, Any]
) -> tuple[tuple[tuple[str, tuple[float, ...]], ...], tuple[tuple[str, float], ...]]:
    unknown = [name for name in values if spec.hyperparameter(name) is None]
    if unknown:
        known = ", ".join(parameter.name for parameter in spec.hyperparameters)
        raise InvalidInput(f"{spec.title} has no setting {', '.join(unknown)}; it has {known}.")
    axes, options = [], []
    for parameter in spec.hyperparameters:
        given = values.get(parameter.name, parameter.default_on(dataset))
        stops = tuple(parameter.check(v) for v in (given if np.ndim(given) else [given]))
        if len(set(stops)) < max(1, len(stops)):
            raise InvalidInput(f"{parameter.name} needs at least one value, and each value once.")
        if parameter.is_axis:
            axes.append((parameter.name, stops))
        elif len(stops) == 1:
            options.append((parameter.name, stops[0]))
        else:
            raise InvalidInput(f"{parameter.name} cannot be a grid axis: give one value.")
    return tuple(axes), tuple(options)


def _within(name: str, value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise InvalidInput(f"{name} must be between {low} and {high}, not {value}.")
    return int(value)


def as_dataset(data: Data) -> Dataset:
    """A `Dataset` from its name, from a pair of arrays, or as it is."""
    if isinstance(data, Dataset):
        return data
    if isinstance(data, str):
        return datasets.load(data)
    if not isinstance(data, tuple) or len(data) != 2:
        raise InvalidInput("data must be a pair (x, y) of arrays, the name of a built-in set, or a Dataset.")
    try:
        x, y = (np.atleast_1d(np.asarray(values, dtype=np.float64)) for values in data)
    except (TypeError, ValueError):
        raise InvalidInput("x and y must be arrays of numbers, with one row for each point.") from None
    if x.ndim == 1 and y.ndim == 1:
        return datasets.from_points(x, y, held_out=False)
    return _dataset_of_arrays(x, y)


def _dataset_of_arrays(x: Array, y: Array) -> Dataset:
    if len(x) != len(y) or len(x) == 0:
        raise InvalidInput(f"x and y need the same number of rows, at least one; they have {len(x)} and {len(y)}.")
    x, y = x.reshape(len(x), -1), y.reshape(len(y), -1)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InvalidInput("x and y must be finite numbers.")
    return Dataset("your_data", "Your data", x, y)
