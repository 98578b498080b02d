"""Many fits to the same data, on several processes or machines."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from bdlviz.checks import is_sequence, whole_number
from bdlviz.data import Data, as_dataset
from bdlviz.data.built_in import part_of
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, run
from bdlviz.processes import executors
from bdlviz.types import Dataset, FitConfig, Task


@dataclass(frozen=True, eq=False)
class Swept:
    """The argument of ``on_fit`` when a fit is done: the index of its configuration, and the progress of all fits."""

    index: int
    fit: Fit
    progress: executors.Progress


def sweep(
    configs: Iterable[FitConfig],
    data: Data,
    executor: Executor | None = None,
    *,
    task: Task | None = None,
    num_processes: int | None = None,
    on_fit: Callable[[Swept], None] | None = None,
) -> list[Fit]:
    """Fit many configurations to the same data; the results equal those of single calls of `bdlviz.fit`, bit for bit.

    Args:
        configs: configurations from `bdlviz.configure` for these data.
        data: as in `bdlviz.fit`. If it is the name of a built-in set, only the name is sent to workers, which load the
            data.
        executor: an executor of `concurrent.futures`, such as a ``ProcessPoolExecutor`` or the ``get_executor()`` of a
            Dask ``Client``. It is not closed here. Its workers need the same versions as this process, and all methods
            must be part of bdlviz.
        task: as in `bdlviz.fit`.
        num_processes: instead of an executor, the size of a pool of processes on this machine. If a process is killed,
            its fit is trained again. The calling script needs ``if __name__ == "__main__":``. Without ``executor`` and
            ``num_processes``, the fits are trained in this process, one after the other.
        on_fit: called in this process when a fit is done, with the fit and the progress of the sweep.

    Returns:
        The fits in the order of the configurations.

    Raises:
        InvalidInput: a fit failed (the message names its configuration; the other fits are cancelled), a configuration
            belongs to other data, or a worker has other versions.
    """
    given: list[object] = list(configs) if is_sequence(configs) else [configs]
    configs = [config for config in given if isinstance(config, FitConfig)]
    if len(configs) < len(given):
        raise InvalidInput("configs must be configurations from bdlviz.configure.")
    dataset = as_dataset(data, task)
    sent = data if isinstance(data, str) else _to_send(dataset)
    place = _place(executor, num_processes)
    for index, config in enumerate(configs):
        if config.data_fingerprint != dataset.fingerprint:
            raise _failed(index, configs, executors.Failure("the configuration belongs to other data."))
    jobs = [executors.Job(str(i), fit_one, (config, sent), _work(config)) for i, config in enumerate(configs)]
    fits: dict[int, Fit] = {}
    with closing(executors.run(jobs, place)) as outcomes:
        for outcome in outcomes:
            index = int(outcome.job.name)
            if outcome.failure is not None or outcome.value is None:
                raise _failed(index, configs, outcome.failure)
            fits[index] = outcome.value
            if on_fit is not None:
                on_fit(Swept(index, outcome.value, outcome.progress))
    return [fits[index] for index in range(len(configs))]


def fit_one(config: FitConfig, data: Dataset | str) -> Fit:
    """The fit of one configuration, as `bdlviz.fit` computes it."""
    dataset = as_dataset(data)
    if config.data_fingerprint != dataset.fingerprint:
        raise InvalidInput(f"{dataset.name} is a different data set in the worker process.")
    return run(config, dataset)


def _place(executor: Executor | None, num_processes: int | None) -> executors.Place:
    if executor is not None and num_processes is not None:
        raise InvalidInput("Give an executor or num_processes, not both.")
    if executor is not None:
        if not hasattr(executor, "submit"):
            raise InvalidInput(f"executor must be one of concurrent.futures, not {executor!r}.")
        return executors.GivenExecutor(executor)
    if num_processes is None:
        return executors.ThisProcess()
    return executors.Processes(whole_number("num_processes", num_processes, 1))


def _to_send(dataset: Dataset) -> Dataset:
    """The data set without the true function, which cannot be serialised, and without held-out points."""
    return part_of(dataset, truth=None, x_test=dataset.x[:0], y_test=dataset.y[:0])


def _work(config: FitConfig) -> float:
    return float(np.prod(config.grid_shape)) * len(config.seeds) * config.num_steps


def _failed(index: int, configs: list[FitConfig], failure: executors.Failure | None) -> InvalidInput:
    config, reason = configs[index], failure or executors.Failure("it has no result")
    axes = ", ".join(f"{name} {'/'.join(f'{value:g}' for value in values)}" for name, values in config.axes)
    seeds = "/".join(map(str, config.seeds))
    which = f"{config.method} on {config.dataset}, {axes}{', ' if axes else ''}seed {seeds}"
    error = InvalidInput(f"Configuration {index + 1} of {len(configs)} ({which}): {reason.sentence}")
    if reason.trace:
        error.add_note(reason.trace)
    return error
