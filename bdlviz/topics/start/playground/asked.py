"""What the browser asks the server to fit: its event, checked, as a data set and a configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bdlviz.data import as_dataset
from bdlviz.errors import InvalidInput
from bdlviz.fits import configure
from bdlviz.methods import METHODS
from bdlviz.topics.shared.calls import fit_snippet
from bdlviz.types import Array, Dataset, FitConfig

MOST_POINTS, MOST_STEPS, MOST_CHARACTERS = 500, 20_000, 30_000
WIDEST = 128  # units of a layer
LARGEST_SAMPLED = 1_000_000  # weights times points of Hamiltonian Monte Carlo, which takes minutes there
TASKS = ("regression", "classification")
SETTINGS = frozenset(
    {"dropout_rate", "weight_decay", "num_members", "length_scale", "step_size", "noise_std", "hidden", "activation"}
    | {"prior_by_width", "num_kept", "thinning", "learning_rate", "schedule", "batch_size", "num_steps"}
)
NUM_INPUTS, SIDE = 121, 40  # of the picture of a curve, and of the map of the plane
SAMPLES = {"regression": 30, "classification": 20}
# The usual axes; wider where points lie outside, and others for points of a table.
AXES = {"regression": ((-10.0, 10.0), (-10.0, 10.0)), "classification": ((-9.0, 9.0), (-6.0, 6.0))}
WIDENED = 0.05


@dataclass(frozen=True, eq=False)
class Asked:
    """A fit that the browser has asked for; ``of`` is the browser's own name of its state."""

    config: FitConfig
    dataset: Dataset
    of: str
    axes: tuple[tuple[float, float], ...]  # of the picture, without points outside

    @property
    def num_samples(self) -> int:
        """As many samples as the browser draws."""
        return SAMPLES[self.config.task]

    def inputs(self) -> Array:
        """The inputs (Q, D) at which the browser evaluates its samples."""
        if self.config.task == "regression":
            return np.linspace(*_widened(self.axes[0], self.dataset.x[:, 0]), NUM_INPUTS)[:, None]
        axes = [
            np.linspace(*_widened(each, column), SIDE) for each, column in zip(self.axes, self.dataset.x.T, strict=True)
        ]
        return np.stack(np.meshgrid(*axes), -1).reshape(-1, 2)

    def call(self) -> str:
        """Python that trains the fit in a notebook."""
        x, y = self.dataset.x, self.dataset.y
        inputs = x[:, 0] if self.config.task == "regression" else x
        labels = np.ravel(y) if self.config.task == "regression" else np.ravel(y).astype(int)
        return "\n".join(
            [
                "import numpy as np",
                "import bdlviz",
                "",
                f"x = np.array({inputs.round(4).tolist()})",
                f"y = np.array({labels.tolist()})",
                "data = (x, y)",
                fit_snippet(self.config),
            ]
        )


def _widened(axis: tuple[float, float], values: Array) -> tuple[float, float]:
    """The axis of the browser's picture: its usual one, wider by a margin where points lie outside."""
    low, high = axis
    least, most = min(low, float(values.min())), max(high, float(values.max()))
    margin = WIDENED * (most - least)
    return (least - margin if least < low else least, most + margin if most > high else most)


def text_of(event: Mapping[str, Any]) -> str:
    """The event as text for the session; "" if it does not ask for a fit or is too long."""
    if event.get("ask") != "fit":
        return ""
    text = json.dumps(event)
    return text if len(text) <= 3 * MOST_CHARACTERS else ""


def asked_of(text: str) -> Asked:
    """The fit that an event asks for.

    Raises:
        InvalidInput: one sentence on what is wrong with it.
    """
    event = json.loads(text)
    method, task, settings = event.get("method"), event.get("task"), event.get("settings")
    if task not in TASKS or not isinstance(settings, dict) or not settings.keys() <= SETTINGS:
        raise InvalidInput("The browser asked for settings that the server does not know: load the page again.")
    if not isinstance(method, str) or method not in METHODS:
        raise InvalidInput("The library does not train this method: choose another one to fit on the server.")
    steps = settings.get("num_steps")
    if steps is not None and not (isinstance(steps, int) and steps <= MOST_STEPS):
        raise InvalidInput(f"The server trains at most {MOST_STEPS} steps here.")
    hidden = settings.get("hidden", [])
    if (
        not isinstance(hidden, list)
        or len(hidden) > 3
        or not all(isinstance(h, int) and 1 <= h <= WIDEST for h in hidden)
    ):
        raise InvalidInput(f"The server takes up to 3 hidden layers of at most {WIDEST} units here.")
    dataset = _dataset(event.get("points"), task)
    config = configure(method, dataset, **settings)
    if method == "hmc" and dataset.num_data * num_weights(config, dataset) > LARGEST_SAMPLED:
        raise InvalidInput(
            "Hamiltonian Monte Carlo takes too long for so large a network: choose fewer units or points."
        )
    return Asked(config, dataset, str(event.get("of", ""))[:MOST_CHARACTERS], _axes(event.get("axes"), task))


def num_weights(config: FitConfig, dataset: Dataset) -> int:
    """The weights between the layers of the network, without biases."""
    sizes = (dataset.x.shape[1], *config.hidden, dataset.num_classes if config.task == "classification" else 1)
    return sum(before * after for before, after in pairwise(sizes))


def _axes(given: Any, task: str) -> tuple[tuple[float, float], ...]:
    try:
        ends: Any = np.asarray(given or np.ravel(AXES[task]), float)
    except (TypeError, ValueError, OverflowError):
        ends = np.zeros(0)
    if ends.shape != (4,) or not np.isfinite(ends).all() or not (ends[::2] < ends[1::2]).all():
        raise InvalidInput("The browser asked for axes that the server does not know: load the page again.")
    low_x, high_x, low_y, high_y = map(float, ends)
    return (low_x, high_x), (low_y, high_y)


def _dataset(points: Any, task: str) -> Dataset:
    columns = 2 if task == "regression" else 3
    try:
        array: Any = np.asarray(points, float)
    except (TypeError, ValueError, OverflowError):
        array = np.zeros(0)
    if array.ndim != 2 or array.shape[-1] != columns or not 1 <= len(array) <= MOST_POINTS:
        raise InvalidInput(f"The server needs 1 to {MOST_POINTS} points: add one, or remove some.")
    if not np.isfinite(array).all():
        raise InvalidInput("The coordinates of points must be finite numbers.")
    if task == "regression":
        return as_dataset((array[:, 0], array[:, 1]), task="regression")
    return as_dataset((array[:, :2], array[:, 2].astype(int)), task="classification")
