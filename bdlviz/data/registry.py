"""All data sets by name. Adding one is a function that returns a `Dataset` and one line here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from bdlviz.data import curves, files, images, noisy_curves, real
from bdlviz.data.built_in import built_in
from bdlviz.data.fetching import fetch_missing
from bdlviz.data.remote import OnProgress, Remote
from bdlviz.data.sampling import MAX_NUM_DATA
from bdlviz.errors import InvalidInput
from bdlviz.types import Dataset, Task


@dataclass(frozen=True)
class DatasetSpec:
    """Information on a data set before it is loaded, for menus, sliders and the documentation.

    Defaults are defined only in the signature of ``build``.
    """

    name: str
    title: str
    build: Callable[..., Dataset]
    max_num_data: int = MAX_NUM_DATA
    task: Task = "regression"
    note: str = ""
    remote: Remote | None = None  # files that are not in the package, but in BDLVIZ_DATA or the cache folder

    @property
    def num_data(self) -> int:
        """Default number of training points."""
        return self._default("num_data") or self.max_num_data

    @property
    def noise_std(self) -> float | None:
        """Default noise in y's units; None if the noise cannot be chosen."""
        return self._default("noise_std")

    @property
    def can_choose_noise(self) -> bool:
        """True if ``load`` accepts ``noise_std``; every set accepts ``num_data``."""
        return self._accepts("noise_std")

    @property
    def can_choose_seed(self) -> bool:
        """True if the set depends on ``seed``."""
        return self._accepts("seed")

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that do not come with the package."""
        return self.remote.names if self.remote else ()

    @property
    def can_download(self) -> bool:
        """True if ``load`` downloads missing files with ``download=True``."""
        return self.remote is not None

    def _accepts(self, setting: str) -> bool:
        return setting in _parameters(self.build)

    def _default(self, setting: str) -> Any:
        return _parameters(self.build)[setting].default if self._accepts(setting) else None


@cache
def _parameters(build: Callable[..., Dataset]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(build).parameters


_SPECS = (
    DatasetSpec(
        "x_sin_x", "x sin x", curves.x_sin_x, note="A few points of a curve whose amplitude grows outside the data."
    ),
    DatasetSpec("two_clusters", "Two clusters", curves.two_clusters, note="A gap where uncertainty should rise."),
    DatasetSpec("blundell", "Bayes by Backprop curve", curves.blundell, note="The noise is also inside the sines."),
    DatasetSpec("step", "Step", curves.step, note="A step, which a smooth function cannot represent exactly."),
    DatasetSpec("heteroscedastic", "Noise that grows", curves.heteroscedastic, note="The noise grows with x."),
    DatasetSpec(
        "noise_and_gap",
        "Noise on one side, a gap",
        noisy_curves.noise_and_gap,
        note="Little noise on the left, much on the right, no data between.",
    ),
    DatasetSpec(
        "noise_in_waves", "Noise in waves", noisy_curves.noise_in_waves, note="The noise varies periodically with x."
    ),
    DatasetSpec(
        "trend_and_season",
        "Trend and season (synthetic)",
        curves.trend_and_season,
        max_num_data=curves.NUM_MONTHS,
        note="A synthetic record like that of CO₂; the later years are held out.",
    ),
    DatasetSpec(
        "diabetes_bmi",
        "Diabetes: body mass index and progression",
        real.diabetes_bmi,
        max_num_data=real.NUM_PATIENTS,
        note="Real patients: much noise, a weak trend.",
    ),
    DatasetSpec(
        "mauna_loa_co2",
        "CO₂ at Mauna Loa",
        real.mauna_loa_co2,
        max_num_data=real.NUM_CO2,
        note="The real record; the last quarter is held out.",
    ),
    DatasetSpec(
        "digits",
        "Digits (8×8)",
        images.digits,
        max_num_data=images.NUM_DIGITS,
        task="classification",
        note="Small images; no files are needed.",
    ),
    DatasetSpec(
        "mnist-1000",
        "MNIST-1000",
        images.mnist_1000,
        max_num_data=10 * images.NUM_PER_CLASS,
        task="classification",
        note="100 images of each class, and 100 more held out.",
    ),
    DatasetSpec(
        "mnist",
        "MNIST",
        images.mnist,
        max_num_data=images.NUM_MNIST,
        task="classification",
        note="60,000 images of 28×28 pixels.",
        remote=images.MNIST,
    ),
    DatasetSpec(
        "fashion-mnist",
        "Fashion-MNIST",
        images.fashion_mnist,
        max_num_data=images.NUM_MNIST,
        task="classification",
        note="60,000 images of clothes, 28×28 pixels.",
        remote=images.FASHION_MNIST,
    ),
)

DATASETS: dict[str, DatasetSpec] = {spec.name: spec for spec in _SPECS}


def names(task: Task | None = None) -> tuple[str, ...]:
    """The names of all data sets, or of those for one task."""
    return tuple(name for name, spec in DATASETS.items() if task in (None, spec.task))


def available(name: str) -> bool:
    """True if the files of a data set exist; their content is checked only on loading."""
    return all(map(files.is_available, _spec(name).files))


def download(name: str, on_progress: OnProgress | None = None) -> bool:
    """Download the missing files of the data set called ``name``; True if they exist afterwards.

    ``on_progress`` is called a few times a second, and stops the download by returning False. Raises `InvalidInput`
    if the download fails.
    """
    remote = _spec(name).remote
    return remote is None or fetch_missing(remote, on_progress)


@built_in
def load(
    name: str,
    *,
    num_data: int | None = None,
    noise_std: float | None = None,
    seed: int = 0,
    download: bool = False,
    on_progress: OnProgress | None = None,
) -> Dataset:
    """Build the data set called ``name``; None means the default of the set.

    ``num_data`` is the number of training points, ``noise_std`` the noise of y in y's units. The same arguments give
    the same bits. ``seed`` and ``download`` are ignored if they have no effect. ``on_progress`` is called
    with the progress of a download, and stops it by returning False. Raises `InvalidInput` on an unknown name, on
    settings out of range, and if a file is missing, damaged or cannot be downloaded.
    """
    spec = _spec(name)
    if noise_std is not None and not spec.can_choose_noise:
        raise InvalidInput(f"The noise of {spec.title!r} is part of the data; leave noise_std unset.")
    settings: dict[str, Any] = {}
    if num_data is not None:
        settings["num_data"] = num_data
    if noise_std is not None:
        settings["noise_std"] = noise_std
    if spec.can_choose_seed:
        settings["seed"] = seed
    if spec.can_download:
        settings |= {"download": download, "on_progress": on_progress}
    return spec.build(**settings)


def _spec(name: str) -> DatasetSpec:
    if name not in DATASETS:
        raise InvalidInput(f"There is no data set called {name!r}; choose one of {', '.join(DATASETS)}.")
    return DATASETS[name]
