"""Checks every argument of a fit and returns its `FitConfig`; each error is one sentence."""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

import numpy as np

from bdlviz import data as datasets
from bdlviz.checks import column_names, holds_words
from bdlviz.errors import InvalidInput
from bdlviz.methods import method as find_method
from bdlviz.methods.describe import methods_help
from bdlviz.models.likelihoods import LIKELIHOODS
from bdlviz.models.scaling import Scaling
from bdlviz.predictive.length_scale import model_precision, weight_decay_for
from bdlviz.types import Dataset, FitConfig, MethodSpec, Noise, Schedule, Task

NUM_ROUNDS = 40  # of a fit; after each it records its loss, calls on_snapshot and checks for divergence
MAX_NETWORKS = 4096
MOST_CLASSES = 20  # up to so many different whole numbers are ambiguous: the task must be given
USUAL: Any = object()  # the setting was not given: the default of `TrainingSettings` is taken

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
    noise_std: float | Sequence[float] | None = None,
    length_scale: float | None = None,
    likelihood: str = "",
    num_snapshots: int = 0,
    **hyperparameters: Any,
) -> FitConfig:
    """Check every setting and make the configuration of a fit.

    `MethodSpec.training_settings` has the defaults that depend on the method and on the kind of data.

    Args:
        method: a name of `bdlviz.methods()`.
        dataset: the data to train on.
        seed: one seed or several different ones, whole numbers from 0; each trains its own networks. Default 0.
        hidden: units of every hidden layer, such as (64, 64); () for none. The default depends on the method.
        activation: a name of `bdlviz.models.activations`, such as ``"relu"``, ``"tanh"`` or ``"gelu"``. Default
            ``"relu"``.
        num_steps: optimisation steps, 1 to 1,000,000. The default depends on the method.
        num_epochs: passes through the data, instead of ``num_steps``.
        batch_size: data points per step; None for all of them. The default depends on the method.
        learning_rate: of Adam, above 0 and at most 10; per step. The default depends on the method.
        schedule: of the learning rate: ``"constant"``, ``"drop_at_half"`` (a tenth of it for the second half) or
            ``"linear"`` (to 0 at the end). The default depends on the method.
        noise_std: standard deviation of the observation noise in y's units, one number or one for each output. Default:
            that of the data set where it is known, else an estimate for each output from the data alone
            (`bdlviz.data.estimate_noise_std`). With few points for many inputs it is an upper bound.
        length_scale: prior length-scale in standardised units, instead of ``weight_decay`` (the noise then decides
            the weight decay) or instead of ``noise_std``. Default: none, ``weight_decay`` and ``noise_std`` decide.
        likelihood: a name of `bdlviz.models.likelihoods`. Default: ``"gaussian"`` for regression, ``"categorical"`` for
            classification, ``"bernoulli"`` for generative methods.
        num_snapshots: how often the parameters are kept during training, 0 to 40 times. Default 0.
        **hyperparameters: those of the method; a sequence of values makes a grid axis.

    Raises:
        InvalidInput: one sentence that says which setting is wrong, and what it may be.
    """
    spec = find_method(method)
    _check_data(spec, dataset)
    usual = spec.training_settings(dataset)
    seeds = _integers("seed", seed if np.ndim(seed) else [seed])
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise InvalidInput("seed must be one non-negative number or several different ones.")
    batch_size = usual.batch_size if batch_size is USUAL else batch_size
    if batch_size is not None:
        batch_size = _whole("batch_size", batch_size, 1)
        batch_size = None if spec.needs_all_data or batch_size >= dataset.num_data else batch_size
    if num_steps is not None and num_epochs is not None:
        raise InvalidInput("Give num_steps or num_epochs, not both: an epoch is a number of steps.")
    if num_steps is None and num_epochs is None:
        num_steps, num_epochs = usual.num_steps, usual.num_epochs
    if num_epochs is not None:
        num_steps = _whole("num_epochs", num_epochs, 1) * steps_per_epoch(dataset.num_data, batch_size)
    num_steps = _whole("num_steps", num_steps, 1, 1_000_000)
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
        num_steps=num_steps,
        batch_size=batch_size,
        learning_rate=_number("learning_rate", usual.learning_rate if learning_rate is None else learning_rate),
        schedule=_check_schedule(schedule or usual.schedule),
        noise_std=noise,
        num_snapshots=_whole("num_snapshots", num_snapshots, 0, NUM_ROUNDS),
        options=options,
    )
    if not 0 < config.learning_rate <= 10:
        raise InvalidInput(f"learning_rate must be above 0 and at most 10, not {config.learning_rate:g}.")
    if int(np.prod(config.grid_shape)) * len(seeds) * dict(options).get("num_members", 1) > MAX_NETWORKS:
        raise InvalidInput(f"That grid has more than {MAX_NETWORKS} networks; use fewer values or seeds.")
    return config


SHARED = tuple(inspect.signature(configure).parameters)[2:-1]  # names of the settings that every method has
ARGUMENTS_OF_FIT = ("on_snapshot", "cancel", "task", "network")  # of `bdlviz.fit` alone


def settings_help() -> str:
    """The settings in ``help(bdlviz.fit)``: first those of every method, then those of each method.

    The text is read from `configure` and from the registry, so that every registered method is in it.
    """
    shared = (inspect.getdoc(configure) or "").partition("Args:\n")[2].partition("    **hyperparameters")[0]
    listed = re.sub(r"^    (?=\w)", "    - ", shared[shared.find("    seed:") :], flags=re.MULTILINE)
    return f"Settings that every method has:\n{listed}\n{methods_help()}"


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
        raise InvalidInput(f"{spec.title} does not support {dataset.task}.")
    if dataset.task == "classification" and dataset.num_classes < 2 and not spec.is_generative:
        raise InvalidInput("All labels are the same: give data of at least two classes.")


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
    """The number of steps in which every point is used once; the last batch may have points of the next epoch."""
    return -(-num_data // (batch_size or num_data))


def _resolve_scales(
    spec: MethodSpec,
    dataset: Dataset,
    hyperparameters: Mapping[str, Any],
    noise_std: Any,
    length_scale: Any,
    likelihood: str,
) -> tuple[dict[str, Any], Noise | None]:
    """The hyper-parameters and the noise: of length_scale, noise_std and weight_decay two determine the third."""
    values, noise = dict(hyperparameters), _noise_std(dataset, noise_std)
    if length_scale is None:
        return values, noise
    if spec.hyperparameter("length_scale") is not None:
        return values | {"length_scale": length_scale}, noise
    if spec.hyperparameter("weight_decay") is None:
        raise InvalidInput(f"{spec.title} has no weight decay that a length_scale could determine.")
    if np.ndim(length_scale) or not 0 < _number("length_scale", length_scale) < float("inf"):
        raise InvalidInput(f"length_scale must be one positive number, not {length_scale}.")
    rate = _only_value(spec, dataset, values, "dropout_rate")
    scaling, has_noise = Scaling.of(dataset), likelihood == "gaussian"
    if "weight_decay" not in values:
        precision = scaling.precision(noise) if noise and has_noise else 1.0
        return values | {"weight_decay": weight_decay_for(length_scale, precision, dataset.num_data, rate)}, noise
    if not has_noise:
        raise InvalidInput("Give length_scale or weight_decay: without Gaussian noise one determines the other.")
    if noise_std is not None:
        raise InvalidInput("Give two of length_scale, noise_std and weight_decay: they determine the third.")
    decay = _only_value(spec, dataset, values, "weight_decay")
    if decay == 0:
        raise InvalidInput("No length_scale belongs to weight_decay 0, which is a flat prior: leave one of them out.")
    precision = model_precision(length_scale, decay, dataset.num_data, rate)
    return values, of_outputs(tuple((scaling.y_scale[0] / precision**0.5).tolist()))


def _only_value(spec: MethodSpec, dataset: Dataset, values: Mapping[str, Any], name: str) -> float:
    """The value of a hyper-parameter that must not be a grid axis here; 0 if the method does not have it."""
    parameter = spec.hyperparameter(name)
    if parameter is None:
        return 0.0
    value = values.get(name, parameter.default_on(dataset))
    if np.ndim(value):
        raise InvalidInput(f"length_scale needs a single {name}, since one depends on the other.")
    return parameter.check(value)


def _noise_std(dataset: Dataset, noise_std: Any) -> Noise | None:
    if dataset.task == "classification":
        return None
    if noise_std is None:
        return default_noise_std(dataset)
    num_outputs = dataset.y.shape[1]
    try:
        given = np.asarray(noise_std, np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"noise_std must be a number, or one for each output, not {noise_std!r}.") from None
    if given.shape not in ((), (num_outputs,)):
        raise InvalidInput(f"noise_std must be one number, or one for each output: y has {num_outputs}.")
    if not (np.isfinite(given).all() and (given > 0).all()):
        raise InvalidInput(f"noise_std must be positive, not {', '.join(f'{value:g}' for value in given.ravel())}.")
    return of_outputs(tuple(np.broadcast_to(given, num_outputs).tolist()))


def default_noise_std(dataset: Dataset) -> Noise:
    """The known noise of the data set, else an estimate from its training points, in y's units.

    A number for one output, one number for each of several outputs.
    """
    outputs = dataset.y.T
    estimates = (dataset.noise_std or datasets.estimate_noise_std(dataset.x, y) for y in outputs)
    return of_outputs(tuple(estimates))


def _number(name: str, value: Any) -> float:
    """A setting that is one number, or `InvalidInput`."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be a number, not {value!r}.") from None


def of_outputs(noise: tuple[float, ...]) -> Noise:
    """The noise of K outputs for a configuration: a number if K is 1."""
    return noise[0] if len(noise) == 1 else noise


def _check_hyperparameters(
    spec: MethodSpec, dataset: Dataset, values: Mapping[str, Any]
) -> tuple[tuple[tuple[str, tuple[float, ...]], ...], tuple[tuple[str, float], ...]]:
    unknown = [name for name in values if spec.hyperparameter(name) is None]
    if unknown:
        own = [parameter.name for parameter in spec.hyperparameters]
        nearest = get_close_matches(unknown[0], [*own, *SHARED, *ARGUMENTS_OF_FIT], 1)
        hint = f" Did you mean {nearest[0]}?" if nearest else ""
        raise InvalidInput(f"{spec.title} has no setting {', '.join(unknown)}; it has {', '.join(own)}.{hint}")
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


def _whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """A setting that is a whole number within limits, or `InvalidInput`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidInput(f"{name} must be a whole number, not {value!r}.") from None
    if number < low or (high is not None and number > high):
        limits = f"at least {low}" if high is None else f"between {low} and {high}"
        raise InvalidInput(f"{name} must be {limits}, not {number}.")
    return number


def as_dataset(data: Data, task: Task | None = None) -> Dataset:
    """A `Dataset` from its name or from a pair of arrays; a `Dataset` is returned unchanged.

    Words and booleans in y are labels of classes, numbers are values. For integers with few different values ``task``
    must be given.
    """
    if isinstance(data, str):
        data = datasets.load(data)
    if isinstance(data, Dataset):
        if task not in (None, data.task):
            raise InvalidInput(f"{data.title} is data for {data.task}, not {task}: leave task out.")
        return data
    if not isinstance(data, tuple) or len(data) != 2:
        raise InvalidInput("data must be a pair (x, y) of arrays, the name of a built-in set, or a Dataset.")
    x, y = map(_as_rows, data)
    if (task or _task_of(y)) == "classification":
        return Dataset("your_data", "Your data", x[:, None] if x.ndim == 1 else x, y, task="classification")
    if x.ndim == 1 and y.ndim == 1 and not holds_words(y):
        return datasets.from_points(x, y, held_out=False)
    x, y = (values[:, None] if values.ndim == 1 else values for values in (x, y))
    return Dataset("your_data", "Your data", x, y, task=task or "regression")


def _as_rows(values: Any) -> Any:
    """A table unchanged, other values as an array with at least one axis."""
    if column_names(values):
        return values
    try:
        array = np.atleast_1d(values)
    except ValueError:  # rows of different lengths
        array = None
    if array is None or isinstance(values, str):
        raise InvalidInput("x and y must be arrays of numbers, with one row for each point.")
    return array.reshape(len(array), -1) if array.ndim > 2 else array


def _task_of(y: Any) -> Task:
    """The task inferred from y, if none was given."""
    if holds_words(y):
        return "classification"
    values = np.asarray(y)
    if values.dtype.kind in "iu" and values.size == len(values):
        distinct = len(np.unique(values))
        if 1 < distinct <= MOST_CLASSES and distinct < len(values):
            raise InvalidInput(
                f"y holds {distinct} different whole numbers, which may be classes or values: say "
                "task='classification' or task='regression'."
            )
    return "regression"
