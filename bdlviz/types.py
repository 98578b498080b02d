"""The architecture on one page: the values that pass between the layers.

Everything here is numpy and plain Python, so that a page can show a shipped picture without importing torch.
Letters for array axes, used in every docstring of the project: ``S`` posterior samples, ``R`` seeds, ``C`` grid
cells, ``N`` data points, ``B`` points of a minibatch, ``D`` inputs, ``H`` hidden units, ``K`` outputs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bdlviz.errors import InvalidInput

Array = NDArray[Any]
Task = Literal["regression", "classification"]
Schedule = Literal["constant", "drop_at_half", "linear"]  # of the learning rate: a drop to a tenth; a line to 0
Inference = Literal["optimised", "sampled", "solved"]  # by a learning rate's steps, by a chain's, or at once

EMPTY = np.empty((0, 1))


@dataclass(frozen=True, eq=False)
class Dataset:
    """Training and held-out data in the user's units, with what a figure needs to draw them.

    ``x`` is (N, D); ``y`` is (N, K) for regression and (N,) integer classes for classification.
    """

    name: str
    title: str
    x: Array
    y: Array
    x_test: Array = field(default_factory=lambda: EMPTY)
    y_test: Array = field(default_factory=lambda: EMPTY)
    task: Task = "regression"
    noise_std: float | None = None  # of y, in y's units; None where nobody knows it
    truth: Callable[[Array], Array] | None = None  # (N, D) -> (N, K), noiseless
    x_label: str = "x"
    y_label: str = "y"
    x_range: tuple[float, float] = (0.0, 1.0)  # what a figure shows; wider than the data, to show extrapolation
    y_range: tuple[float, float] = (0.0, 1.0)
    image_shape: tuple[int, int] | None = None
    source: str = ""

    @property
    def num_data(self) -> int:
        """Number of training points N."""
        return len(self.x)

    @property
    def num_classes(self) -> int:
        """Number of classes (classification only)."""
        return int(self.y.max()) + 1

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change with any training value.

        Values count to seven digits of the largest one: another processor's sine may differ in the last bit of a
        float, and the same data must have the same fingerprint everywhere.
        """
        digest = hashlib.sha256()
        for array in (self.x, self.y):
            scale = max(float(np.abs(array).max(initial=0.0)), np.finfo(float).tiny)
            rounded = np.rint(array.astype(np.float64) / scale * 1e7).astype(np.int64)
            digest.update(f"{array.shape} {scale:.6e}".encode())
            digest.update(rounded.astype("<i8").tobytes())
        return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class Predictive:
    """A predictive distribution as figures see it: numpy only, in the user's units.

    For regression ``mean`` and ``draws`` are function values; for classification they are class probabilities, and
    the entropies (in nats) are filled in. Variances add: total = epistemic + aleatoric.
    """

    x: Array  # (N, D)
    draws: Array  # (S, N, K), one function each
    mean: Array  # (N, K)
    epistemic_std: Array  # (N, K)
    aleatoric_std: Array  # (N, K)
    num_samples: int
    predictive_entropy: Array | None = None  # (N,)
    expected_entropy: Array | None = None  # (N,)
    mutual_information: Array | None = None  # (N,)

    @property
    def total_std(self) -> Array:
        r"""Standard deviation of a new observation, (N, K).

        $$ \sigma_{\text{total}}^2 = \operatorname{Var}_s[f_s(x)] + \mathbb{E}_s[\sigma_s^2(x)] $$
        """
        return np.sqrt(self.epistemic_std**2 + self.aleatoric_std**2)


@dataclass(frozen=True)
class Hyperparameter:
    """One setting of a method: what a slider, the documentation and the contract tests need to know of it."""

    name: str
    label: str
    symbol: str  # LaTeX
    values: tuple[float, ...]  # the slider's stops, ascending
    default: float
    minimum: float
    maximum: float
    help: str = ""
    is_axis: bool = True  # may a fit hold several values as a grid axis?
    image_default: float | None = None  # on images, where that is another one

    def default_on(self, dataset: Dataset) -> float:
        """What it is on such data when nobody says otherwise."""
        return self.default if dataset.image_shape is None or self.image_default is None else self.image_default

    def check(self, value: float) -> float:
        """Return ``value`` as a float, or raise `InvalidInput` when it is out of range."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InvalidInput(f"{self.name} must be a number, not {value!r}.") from None
        if not self.minimum <= number <= self.maximum:
            raise InvalidInput(f"{self.name} must be between {self.minimum:g} and {self.maximum:g}, not {number:g}.")
        return number


@dataclass(frozen=True)
class FitConfig:
    """Everything that determines a fit but the data's values: cache key, checkpoint manifest and URL state in one.

    Frozen and hashable; all fields are strings, numbers or tuples of them. Hyper-parameters live in standardised
    units (x and y scaled to mean 0, sd 1 over the training set), except ``noise_std``, which is in y's units.
    """

    method: str
    dataset: str
    data_fingerprint: str
    task: Task = "regression"
    hidden: tuple[int, ...] = (64, 64)
    activation: str = "relu"
    likelihood: str = "gaussian"
    axes: tuple[tuple[str, tuple[float, ...]], ...] = ()  # hyper-parameters; one value each unless a grid
    seeds: tuple[int, ...] = (0,)
    num_steps: int = 2000
    batch_size: int | None = 32  # None: full batch
    learning_rate: float = 1e-3
    schedule: Schedule = "constant"
    noise_std: float | None = None
    num_snapshots: int = 0
    options: tuple[tuple[str, float], ...] = ()  # a method's structural settings, such as latent_dim

    @property
    def grid_shape(self) -> tuple[int, ...]:
        """Lengths of the hyper-parameter axes; their product is C."""
        return tuple(len(values) for _, values in self.axes)

    def hyperparameter(self, name: str) -> float:
        """The value of a hyper-parameter in a fit of one cell."""
        values = dict(self.axes)[name]
        if len(values) != 1:
            raise ValueError(f"{name} is a grid axis with {len(values)} values; pick one with fit.cell({name}=...).")
        return values[0]


@dataclass(frozen=True)
class TrainingSettings:
    """How a method trains unless a user says otherwise. ``num_epochs``, where it is set, decides the steps."""

    hidden: tuple[int, ...] = (64, 64)
    batch_size: int | None = 32
    num_steps: int = 2000
    num_epochs: int | None = None
    schedule: Schedule = "constant"
    learning_rate: float = 1e-3


CURVE_SETTINGS = TrainingSettings()
IMAGE_SETTINGS = TrainingSettings(hidden=(500, 500), batch_size=100, num_epochs=100, schedule="drop_at_half")


@dataclass(frozen=True)
class MethodSpec:
    """One inference method, as the registry, the sliders, the documentation and the contract tests read it.

    ``build`` runs in the training layer and may import torch; nothing else of a method may. ``sample`` turns the
    network, the parameters of one fitted cell, the cell's hyper-parameters and a generator into S functions;
    ``network.hidden`` are the widths of the layers that masks act on.
    """

    name: str
    title: str
    idea: str  # one sentence
    reference: str
    hyperparameters: tuple[Hyperparameter, ...]
    build: Callable[..., Any]  # (Setup) -> Method, both of bdlviz.training.method
    sample: Callable[[Any, Mapping[str, Array], Mapping[str, float], np.random.Generator, int], Draws]
    tasks: tuple[Task, ...] = ("regression", "classification")
    is_generative: bool = False  # of x itself: labels are ignored, the fit is a `GenerativeFit`
    sees_classes: bool = False  # a generative method that is told the class of every image
    inference: Inference = "optimised"
    needs_all_data: bool = False  # in every step: no minibatches
    curve_settings: TrainingSettings = CURVE_SETTINGS
    image_settings: TrainingSettings = IMAGE_SETTINGS

    def training_settings(self, dataset: Dataset) -> TrainingSettings:
        """How this method trains on such data by default."""
        return self.curve_settings if dataset.image_shape is None else self.image_settings

    def hyperparameter(self, name: str) -> Hyperparameter | None:
        """The hyper-parameter of that name, or None."""
        return next((parameter for parameter in self.hyperparameters if parameter.name == name), None)


@dataclass(frozen=True, eq=False)
class Draws:
    """S functions of one network: weights shared by all draws, or one set each, and optional masks on hidden units.

    ``params["weight0"]`` is (in, out) when shared, (S, in, out) when not; ``masks[i]`` (S, H) multiplies the output
    of hidden layer i. One draw uses one mask set for every x: that is what makes it a function.

    Where weights are uncertain one by one, ``params`` are their means, and draw s adds ``weight_std`` times standard
    normal numbers from its own seed: a thousand sets of weights need not be in memory at once.

    Functions that no weights of the network describe (a Gaussian process, a linearised network) bring ``function``,
    which evaluates all draws at standardised x, (N, D) -> (S, N, K); and ``moments``, where their mean and variance are
    known, (N, D) -> two arrays (N, K).
    """

    params: Mapping[str, Array]
    masks: tuple[Array, ...] = ()
    num_samples: int = 1
    input_mask: Array | None = None  # (S, D)
    weight_std: Mapping[str, Array] | None = None  # as ``params``, shared
    weight_seeds: Array | None = None  # (S,)
    function: Callable[[Array], Array] | None = None
    moments: Callable[[Array], tuple[Array, Array]] | None = None
