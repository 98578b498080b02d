"""Checks every argument of a fit and returns its `FitConfig`; each error is one sentence."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

import numpy as np

from bdlviz import data as datasets
from bdlviz.checks import is_sequence, number, reals, whole_number
from bdlviz.errors import InvalidInput
from bdlviz.methods import method as find_method
from bdlviz.methods.describe import methods_help
from bdlviz.models.likelihoods import LIKELIHOODS
from bdlviz.models.scaling import Scaling
from bdlviz.predictive.length_scale import model_precision, weight_decay_for
from bdlviz.types import Dataset, FitConfig, MethodSpec, Noise, Schedule

NUM_ROUNDS = 40  # of a fit; after each it records its loss, calls on_snapshot and checks for divergence
MAX_NETWORKS = 4096
USUAL: Any = object()  # the setting was not given: the default of `TrainingSettings` is taken


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
    check_is_dataset(dataset)
    _check_data(spec, dataset)
    usual = spec.training_settings(dataset)
    seeds = _integers("seed", seed if is_sequence(seed) else [seed])
    if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise InvalidInput("seed must be one non-negative number or several different ones.")
    batch_size = usual.batch_size if batch_size is USUAL else batch_size
    if batch_size is not None:
        batch_size = whole_number("batch_size", batch_size, 1)
        batch_size = None if spec.needs_all_data or batch_size >= dataset.num_data else batch_size
    if num_steps is not None and num_epochs is not None:
        raise InvalidInput("Give num_steps or num_epochs, not both: an epoch is a number of steps.")
    if num_steps is None and num_epochs is None:
        num_steps, num_epochs = usual.num_steps, usual.num_epochs
    if num_epochs is not None:
        num_steps = whole_number("num_epochs", num_epochs, 1) * steps_per_epoch(dataset.num_data, batch_size)
    num_steps = whole_number("num_steps", num_steps, 1, 1_000_000)
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
        learning_rate=number("learning_rate", usual.learning_rate if learning_rate is None else learning_rate),
        schedule=_check_schedule(usual.schedule if schedule is None else schedule),
        noise_std=noise,
        num_snapshots=whole_number("num_snapshots", num_snapshots, 0, NUM_ROUNDS),
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
        if not is_sequence(values):
            raise InvalidInput(name)
        return tuple(whole_number(name, value) for value in values)
    except InvalidInput:
        raise InvalidInput(f"{name} must be whole numbers, such as (64, 64), not {values!r}.") from None


def check_is_dataset(dataset: Any) -> None:
    """Raise `InvalidInput` for a name or for arrays, which `bdlviz.fit` takes, where a `Dataset` is needed."""
    if not isinstance(dataset, Dataset):
        raise InvalidInput(
            "A Dataset is needed here: take bdlviz.dataset(name) of a built-in set, or bdlviz.from_points(x, y)."
        )


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
    if not isinstance(name, str):
        raise InvalidInput(f"likelihood must be a name, not {name!r}.")
    chosen = LIKELIHOODS.get(name or usual)
    if chosen is not None and chosen.is_generative != spec.is_generative:
        raise InvalidInput(f"{spec.title} cannot use the likelihood {name!r}.")
    return name or usual


def _check_schedule(schedule: Schedule) -> Schedule:
    if not isinstance(schedule, str) or schedule not in get_args(Schedule):
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
    if is_sequence(length_scale) or not 0 < number("length_scale", length_scale) < float("inf"):
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
    if is_sequence(value):
        raise InvalidInput(f"length_scale needs a single {name}, since one depends on the other.")
    return parameter.check(value)


def _noise_std(dataset: Dataset, noise_std: Any) -> Noise | None:
    if dataset.task == "classification":
        return None
    if noise_std is None:
        return default_noise_std(dataset)
    num_outputs = dataset.y.shape[1]
    try:
        given = reals("noise_std", noise_std).astype(np.float64)
    except InvalidInput:
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
    estimates = tuple(dataset.noise_std or datasets.estimate_noise_std(dataset.x, y) for y in outputs)
    if not all(0 < estimate < float("inf") for estimate in estimates):
        raise InvalidInput("The noise of these data cannot be estimated: give noise_std.")
    return of_outputs(estimates)


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
        stops = tuple(parameter.check(v) for v in (given if is_sequence(given) else [given]))
        if len(set(stops)) < max(1, len(stops)):
            raise InvalidInput(f"{parameter.name} needs at least one value, and each value once.")
        if parameter.is_axis:
            axes.append((parameter.name, stops))
        elif len(stops) == 1:
            options.append((parameter.name, stops[0]))
        else:
            raise InvalidInput(f"{parameter.name} cannot be a grid axis: give one value.")
    return tuple(axes), tuple(options)
