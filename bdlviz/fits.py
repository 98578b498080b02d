"""The public verbs: fit a method to data.

``import bdlviz`` and predicting from a loaded fit need numpy alone; torch is imported when training starts.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, overload

import numpy as np

from bdlviz.data import Data, as_dataset
from bdlviz.errors import InvalidInput
from bdlviz.fitted import Fit, GenerativeFit, NoiseLearner, fit_of, load
from bdlviz.fitted.trivial import warn_if_trivial
from bdlviz.methods import GenerativeName
from bdlviz.methods import method as find_method
from bdlviz.methods import register as register_method
from bdlviz.models.likelihood_base import Likelihood
from bdlviz.models.model import build_model
from bdlviz.models.scaling import Scaling
from bdlviz.settings import (
    NUM_ROUNDS,
    check_is_dataset,
    configure,
    default_noise_std,
    settings_help,
    steps_per_epoch,
)
from bdlviz.types import Array, Dataset, FitConfig, MethodSpec, Snapshot
from bdlviz.types import Task as TaskName

MAX_EPOCH_ROUNDS = 1000  # for images, where every epoch is a round

__all__ = [
    "Fit",
    "GenerativeFit",
    "Snapshot",
    "configure",
    "default_noise_std",
    "fit",
    "fit_of",
    "load",
    "register",
    "run",
]


@overload
def fit(
    method: GenerativeName,
    data: Data | Any,
    y: Any = None,
    *,
    on_snapshot: Callable[[Snapshot[Any]], bool | None] | None = None,
    cancel: threading.Event | None = None,
    task: TaskName | None = None,
    likelihood: str | Likelihood = "",
    network: Any = None,
    **settings: Any,
) -> GenerativeFit: ...


@overload
def fit(
    method: str,
    data: Data | Any,
    y: Any = None,
    *,
    on_snapshot: Callable[[Snapshot[Any]], bool | None] | None = None,
    cancel: threading.Event | None = None,
    task: TaskName | None = None,
    likelihood: str | Likelihood = "",
    network: Any = None,
    **settings: Any,
) -> Fit: ...


def fit(
    method: str,
    data: Data | Any,
    y: Any = None,
    *,
    on_snapshot: Callable[[Snapshot[Any]], bool | None] | None = None,
    cancel: threading.Event | None = None,
    task: TaskName | None = None,
    likelihood: str | Likelihood = "",
    network: Any = None,
    **settings: Any,
) -> Fit:
    """Fit a method to data.

    Args:
        method: a name of `bdlviz.methods()`.
        data: a pair of 1-D arrays (or (N, D) and (N, K)), the name of a built-in set, or a `Dataset`. Of a table, such
            as a pandas DataFrame, the names of the columns are kept: a table at prediction must have them all.
        y: ``fit(method, x, y)`` is the same as ``fit(method, (x, y))``.
        on_snapshot: called between rounds with a `Snapshot`; returning False stops the fit, which keeps its state.
            A fit that worker processes train, as a large grid or in the app, may take several rounds before a call, for
            about 0.2 seconds. Its history has the loss of every round; it can be stopped after the last of them.
        cancel: an event that stops the fit within one step, from any thread.
        task: ``"regression"`` or ``"classification"``. Words and booleans in y are always labels of classes; floats are
            values, unless ``task`` is ``"classification"``; for integers that may be classes it must be given.
            Probabilities are in the order of ``fit.classes``.
        likelihood: a name, or your own `Likelihood`.
        network: your own ``torch.nn.Module`` instead of an MLP of the ``hidden`` widths.
        **settings: see `configure`; ``help(bdlviz.fit)`` lists those of every method.

    Returns:
        The trained parameters: a `GenerativeFit` of a generative method, else a `Fit`. A warning says if one network
        predicts the same at every point although y depends on x.

    Raises:
        InvalidInput: an argument is wrong; the message is one sentence that names it.
    """
    dataset = as_dataset(data, task, y=y)
    if network is not None and settings.keys() & {"hidden", "activation"}:
        raise InvalidInput("Your own network has its own layers: leave hidden and activation out.")
    if not isinstance(likelihood, str | Likelihood):
        raise InvalidInput(f"likelihood must be a name or a bdlviz.Likelihood, not {likelihood!r}.")
    name = likelihood if isinstance(likelihood, str) else likelihood.name
    config = configure(method, dataset, likelihood=name, **settings)
    own = likelihood if isinstance(likelihood, Likelihood) else None
    trained = run(config, dataset, on_snapshot=on_snapshot, cancel=cancel, likelihood=own, network=network)
    warn_if_trivial(trained, dataset)
    return trained


def register(spec: MethodSpec) -> None:
    """Make a method known to `fit` and its help, the sliders, the comparison and the contract tests."""
    register_method(spec)
    _document()


def _document() -> None:
    """Add the settings of all registered methods to the docstring of `fit`."""
    if _STATIC_HELP is not None:  # python -OO has none
        fit.__doc__ = f"{inspect.cleandoc(_STATIC_HELP)}\n\n{settings_help()}"


_STATIC_HELP = fit.__doc__
_document()


def run(
    config: FitConfig,
    dataset: Dataset,
    *,
    on_snapshot: Callable[[Snapshot[Any]], bool | None] | None = None,
    cancel: threading.Event | None = None,
    likelihood: Likelihood | None = None,
    network: Any = None,
) -> Fit:
    """Train the fit that ``config`` describes on ``dataset``; the other arguments are those of `fit`.

    Raises:
        InvalidInput: as `fit`, or ``config`` was made for other data, whose noise and name it holds.
    """
    from bdlviz.training.run import usual_modes

    if cancel is not None and not hasattr(cancel, "is_set"):
        raise InvalidInput(f"cancel must be a threading.Event, not {cancel!r}.")
    check_is_dataset(dataset)
    if config.data_fingerprint != dataset.fingerprint:
        raise InvalidInput("The configuration belongs to other data: make one with bdlviz.configure for these.")
    with usual_modes():
        return _run(config, dataset, on_snapshot, cancel or threading.Event(), likelihood, network)


def _run(
    config: FitConfig,
    dataset: Dataset,
    on_snapshot: Callable[[Snapshot[Any]], bool | None] | None,
    cancel: threading.Event,
    likelihood: Likelihood | None,
    network: Any,
) -> Fit:
    from bdlviz.processes import crew
    from bdlviz.processes.share import SECONDS_PER_REQUEST
    from bdlviz.training.run import Task, build_block, train

    if network is not None:
        from bdlviz.models.from_module import ModuleNetwork

        network = ModuleNetwork.wrap(network, dataset.x.shape[1])
    spec = find_method(config.method)
    model = build_model(config, dataset, likelihood, network, spec.sees_classes)
    scaling = Scaling.of(dataset, likelihood is None or likelihood.is_of_scaled_y(dataset))
    template = fit_of(
        config,
        model=model,
        scaling=scaling,
        noise_std=known_noise(config),
        num_data=dataset.num_data,
        params={},
        classes=dataset.classes,
        columns=dataset.columns,
        image_shape=dataset.image_shape,
    )
    rounds, learn_noise = round_ends(config, dataset), NoiseLearner(dataset)

    def assemble(params: Any, losses: Any, snapshots: Any, step: int, seconds: float) -> Fit:
        return learn_noise(
            replace(template, params=params, losses=losses, snapshots=snapshots, num_steps_done=step, seconds=seconds)
        )

    def stream(step: int, seconds: float, take: Callable[[], Fit]) -> bool:
        if on_snapshot is None:
            return True
        goes_on = on_snapshot(Snapshot(step, config.num_steps, seconds, take))
        return goes_on is None or bool(goes_on)

    x, y = scaling.standardise_x(dataset.x), _targets(dataset, scaling)
    if likelihood is not None:
        from bdlviz.models.likelihood_trial import try_likelihood

        try_likelihood(likelihood, y, dataset.num_classes)
    task = Task(config, model, x, y, template.precision)
    if crew.CREW.wants(task, spec):
        with crew.CREW.parts(task) as parts, crew.mapping(parts) as map_parts:
            return train(config, parts, rounds, stream, cancel, assemble, map_parts, SECONDS_PER_REQUEST)
    blocks = [build_block(task, spec, index) for index in task.blocks()]
    # In this process on_snapshot is called after every round.
    pause_seconds = 0.0 if on_snapshot else SECONDS_PER_REQUEST
    return train(config, blocks, rounds, stream, cancel, assemble, pause_seconds=pause_seconds)


def known_noise(config: FitConfig) -> float | Array:
    """The fixed noise of a configuration in y's units: one number, or (K,) for several outputs; 0 for classes."""
    return np.array(config.noise_std) if isinstance(config.noise_std, tuple) else config.noise_std or 0.0


def round_ends(config: FitConfig, dataset: Dataset) -> tuple[int, ...]:
    """The last step of every round: one round per epoch on images, otherwise at most `NUM_ROUNDS` rounds."""
    num_steps, epoch = config.num_steps, steps_per_epoch(dataset.num_data, config.batch_size)
    if dataset.image_shape is not None and num_steps <= MAX_EPOCH_ROUNDS * epoch:
        return (*range(epoch, num_steps, epoch), num_steps)
    return tuple(sorted({int(step) for step in np.linspace(0, num_steps, min(NUM_ROUNDS, num_steps) + 1)[1:]}))


def _targets(dataset: Dataset, scaling: Scaling) -> Array:
    if dataset.task == "classification":
        return dataset.codes.reshape(-1, 1)
    return scaling.standardise_y(dataset.y)
