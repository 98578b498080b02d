"""The value types that pass between the layers.

Everything here is numpy and plain Python, so that a page can show a shipped picture without importing torch.
Letters for array axes, used in every docstring of the project: ``S`` posterior samples, ``R`` seeds, ``C`` grid
cells, ``N`` data points, ``B`` points of a minibatch, ``D`` inputs, ``H`` hidden units, ``K`` outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Generic, Literal, Self, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from bdlviz import checks
from bdlviz.errors import InvalidInput
from bdlviz.scoring.predictive import Density as Density
from bdlviz.scoring.predictive import Predictive as Predictive

Array = NDArray[Any]
Task = Literal["regression", "classification"]
Noise = float | tuple[float, ...]  # of one output; of each of several
Schedule = Literal["constant", "drop_at_half", "linear"]  # of the learning rate; see `bdlviz.settings.configure`
Inference = Literal["optimised", "sampled", "solved"]  # by Adam, by Markov chains, or in closed form

EMPTY = np.empty((0, 1))
UNKNOWN = (0.0, 0.0)  # a range that follows from the data
Result = TypeVar("Result", covariant=True)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Training and held-out data in the user's units, with labels and ranges for figures.

    ``x`` is (N, D), or a table whose column names are kept; ``y`` is (N, K) for regression and (N,) labels for
    classification: whole numbers, words or booleans. A network gets `codes`, their indices in ``classes``.

    Raises:
        InvalidInput: the arrays do not belong together, or hold NaN, infinite values, or labels of several kinds.
    """

    name: str
    title: str
    x: Array
    y: Array
    x_test: Array = field(default_factory=lambda: EMPTY)
    y_test: Array = field(default_factory=lambda: EMPTY)
    task: Task = "regression"
    noise_std: float | None = None  # of y, in y's units; None if it is unknown
    truth: Callable[[Array], Array] | None = None  # (N, D) -> (N, K), noiseless
    x_label: str = "x"
    y_label: str = "y"
    x_range: tuple[float, float] = UNKNOWN  # of figures: a quarter of x's width more on each side, to extrapolate
    y_range: tuple[float, float] = UNKNOWN  # half of y's height more on each side
    image_shape: tuple[int, int] | None = None
    source: str = ""
    classes: tuple[Any, ...] = ()  # of a classification: the different labels, ascending, unless more are given
    columns: tuple[str, ...] = ()  # the names of x's columns, if it was a table
    is_built_in: bool = field(default=False, init=False)  # computed by bdlviz; `replace` gives False

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)  # the class is frozen
        if self.task not in get_args(Task):
            raise InvalidInput(f"task must be {' or '.join(map(repr, get_args(Task)))}, not {self.task!r}.")
        put("columns", self.columns or checks.column_names(self.x))
        for name in ("x", "x_test"):
            put(name, checks.numbers(name, checks.in_order(getattr(self, name), self.columns)))
        if self.task == "regression":
            for name in ("y", "y_test"):
                put(name, checks.numbers(name, getattr(self, name)))
        else:
            self._check_labels(put)
        checks.same_rows(self.x, self.y, self.x_test, self.y_test)
        checks.image_shape(self.image_shape, self.x)
        if self.x_range == UNKNOWN:
            put("x_range", checks.widened(0.25, self.x, self.x_test))
        if self.y_range == UNKNOWN:
            put("y_range", (0.0, 1.0) if self.task == "classification" else checks.widened(0.5, self.y, self.y_test))

    def _check_labels(self, put: Callable[[str, Any], None]) -> None:
        given = {name: checks.labels(getattr(self, name)) for name in ("y", "y_test")}
        put("classes", checks.known_classes(checks.labels(self.classes), *given.values()))
        for name, labels in given.items():
            put(name, labels)

    @property
    def num_data(self) -> int:
        """Number of training points N."""
        return len(self.x)

    @property
    def num_classes(self) -> int:
        """Number of classes (classification only)."""
        return len(self.classes)

    @cached_property
    def codes(self) -> Array:
        """The index of every training label in ``classes``, (N,): whole numbers from 0 (classification only)."""
        return checks.coded(self.y, self.classes)

    @cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digits that change with every byte of the training data, its classes and names of columns.

        Data that bdlviz computes have 16, of rounded values (`bdlviz.data.built_in`); all others have 32.
        """
        parts = (self.x, self.y if self.task == "regression" else self.codes.astype(np.int64), self.classes)
        return checks.rounded_digest(*parts) if self.is_built_in else checks.digest(*parts, self.columns)


@dataclass(frozen=True)
class Hyperparameter:
    """One setting of a method, as sliders, documentation and contract tests use it."""

    name: str
    label: str
    symbol: str  # LaTeX
    values: tuple[float, ...]  # the slider's stops, ascending
    default: float
    minimum: float
    maximum: float
    help: str = ""
    is_axis: bool = True  # True if a fit may have several values as a grid axis
    image_default: float | None = None  # default for images, if different
    is_whole: bool = False  # a count, or a switch of 0 and 1

    def default_on(self, dataset: Dataset) -> float:
        """The default value of this hyper-parameter on ``dataset``."""
        return self.default if dataset.image_shape is None or self.image_default is None else self.image_default

    def check(self, value: float) -> float:
        """Return ``value`` as a float, or raise `InvalidInput` when it is out of range or should be a whole number."""
        number = checks.number(self.name, value)
        if not self.minimum <= number <= self.maximum:
            raise InvalidInput(f"{self.name} must be between {self.minimum:g} and {self.maximum:g}, not {number:g}.")
        if self.is_whole and not number.is_integer():
            raise InvalidInput(f"{self.name} must be a whole number, not {number:g}.")
        return number


@dataclass(frozen=True)
class FitConfig:
    """All settings that determine a fit, without the data; used as cache key and in checkpoint manifests.

    All fields are strings, numbers or tuples of them. Hyper-parameters live in standardised units (x and y with mean 0,
    sd 1 over the training set), except ``noise_std``, which is in y's units.
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
    noise_std: Noise | None = None
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
    """The default training settings of a method. If ``num_epochs`` is set, it replaces ``num_steps``."""

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
    """The specification of a method, used by the registry, the sliders, the documentation and the contract tests.

    Only ``build`` may import torch. ``sample`` turns the network, the parameters of one fitted cell, its
    hyper-parameters and a generator into S functions; ``network.hidden`` are the layers that masks act on.
    """

    name: str
    title: str
    idea: str  # one sentence
    reference: str
    hyperparameters: tuple[Hyperparameter, ...]
    build: Callable[..., Any]  # (Setup) -> Method, both of bdlviz.training.method
    sample: Callable[[Any, Mapping[str, Array], Mapping[str, float], np.random.Generator, int], Draws]
    tasks: tuple[Task, ...] = ("regression", "classification")
    is_generative: bool = False  # a model of x: labels are ignored, the fit is a `GenerativeFit`
    sees_classes: bool = False  # a generative method that also gets the class of every image
    inference: Inference = "optimised"
    needs_all_data: bool = False  # True if every step needs all data: no minibatches
    curve_settings: TrainingSettings = CURVE_SETTINGS
    image_settings: TrainingSettings = IMAGE_SETTINGS
    order: int = 1000  # in menus and tables: lower first, then by name
    short_title: str = ""  # of panels and tables; "": the title
    abbreviation: str = ""  # under a picture, for a phone; "": the short title
    noise_on: Literal["", "units", "weights"] = ""  # what is random under the posterior; "": neither, or both
    is_single_function: bool = False  # all draws are the same function
    is_gaussian: bool = False  # functions are normally distributed at every x, and their moments are known
    exact_title: str = ""  # the name of its outline, if its draws are from the exact posterior
    is_usual: bool = False  # compared unless a user chooses others; its fit must be shipped
    in_menus: bool = True  # of the pages about functions of x; False where other pages are about it

    def training_settings(self, dataset: Dataset) -> TrainingSettings:
        """The default training settings of this method on ``dataset``."""
        return self.curve_settings if dataset.image_shape is None else self.image_settings

    @property
    def short(self) -> str:
        """The title of a panel or a row."""
        return self.short_title or self.title

    @property
    def brief(self) -> str:
        """The title for narrow places."""
        return self.abbreviation or self.short

    def hyperparameter(self, name: str) -> Hyperparameter | None:
        """The hyper-parameter of that name, or None."""
        return next((parameter for parameter in self.hyperparameters if parameter.name == name), None)


@dataclass(frozen=True, eq=False)
class Draws:
    """S functions of one network: weights shared by all draws, or one set each, and optional masks on hidden units.

    ``params["weight0"]`` is (in, out) when shared, (S, in, out) when not; ``masks[i]`` (S, H) multiplies the output
    of hidden layer i. One draw uses one mask set for all x, so that it is a function.

    Where weights are uncertain one by one, ``params`` are their means, and draw s adds ``weight_std`` times standard
    normal numbers from its own seed: a thousand sets of weights need not be in memory at once.

    Functions that are not given by weights (a Gaussian process, a linearised network) are given by ``function``, which
    evaluates all draws at standardised x, (N, D) -> (S, N, K). ``moments``, if known, gives their exact mean and
    variance, (N, D) -> two arrays (N, K). ``covariance`` gives that between the outputs at each x, (N, D) ->
    (N, K, K); without it they are independent.

    ``are_all`` is true if there are no other functions, as in an ensemble: draws of a posterior are a sample.
    """

    params: Mapping[str, Array]
    masks: tuple[Array, ...] = ()
    num_samples: int = 1
    input_mask: Array | None = None  # (S, D)
    weight_std: Mapping[str, Array] | None = None  # as ``params``, shared
    weight_seeds: Array | None = None  # (S,)
    function: Callable[[Array], Array] | None = None
    moments: Callable[[Array], tuple[Array, Array]] | None = None
    covariance: Callable[[Array], Array] | None = None
    are_all: bool = False


@dataclass(frozen=True, eq=False)
class Snapshot(Generic[Result]):
    """The progress of a fit or another job: ``step`` of ``num_steps``, at least 1, reached in ``seconds``.

    ``take()`` returns a copy of the unfinished result: for a fit, a `bdlviz.Fit` that can predict and be saved.
    """

    step: int
    num_steps: int
    seconds: float
    take: Callable[[], Result]

    @classmethod
    def at(cls, share: float, seconds: float, take: Callable[[], Result], num_steps: int = 100) -> Self:
        """The progress of a job that knows only its completed fraction, 0 to 1: the nearest of ``num_steps``."""
        return cls(max(1, round(share * num_steps)), num_steps, seconds, take)

    @property
    def fraction(self) -> float:
        """The completed fraction of the steps, above 0 and at most 1."""
        return self.step / self.num_steps

    @property
    def seconds_left(self) -> float:
        """Estimated seconds until the last step, at the mean speed so far."""
        return self.seconds * (1 / self.fraction - 1)
