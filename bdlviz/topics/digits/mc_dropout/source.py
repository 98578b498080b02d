"""The classifier of the page: its fit, its images, and its predictions of the held-out ones."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bdlviz import data
from bdlviz.data import shifts
from bdlviz.fits import Fit, configure
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive.summaries import entropy
from bdlviz.topics.digits.mc_dropout.controls import IMAGES, METHOD, NOBODY, UNSEEN
from bdlviz.topics.results.scoreboard import study as scoreboard_study
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.cache import DATA, memoised, remembered
from bdlviz.ui.jobs import shipped
from bdlviz.ui.jobs.obtain import value_need
from bdlviz.ui.model import Need, Setting

ORDER_SAMPLES = 100  # draws by which the held-out images are put in order, where none are shipped


@dataclass(frozen=True, eq=False)
class Source:
    """A classifier, finished or still training, with the images it belongs to."""

    images: str  # an option of `controls.IMAGES`
    fit: Fit
    dataset: Dataset
    extra: dict[str, Array]
    unseen: int | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Of an image, in pixels."""
        return shipped.SHAPES[self.images]

    @property
    def is_done(self) -> bool:
        """True once it has been trained to the end."""
        return self.fit.is_done

    @cached_property
    def pictures(self) -> Array:
        """The held-out images, (N, height, width)."""
        return self.dataset.x_test.reshape(-1, *self.shape)

    @property
    def labels(self) -> Array:
        """Their classes, (N,)."""
        return self.dataset.y_test

    @property
    def has_one_pass(self) -> bool:
        """True if there is one pass with the mean weights, beside the draws."""
        return not self.fit.spec.is_single_function and self.fit.spec.hyperparameter("num_members") is None

    @cached_property
    def held_out(self) -> HeldOut:
        """Its predictions of every held-out image: shipped, remembered or computed."""
        names = ("probabilities", "predictive_entropy", "expected_entropy")
        if self.extra.keys() >= set(names):  # an ensemble's five members answer at once
            mean, total, expected = (self.extra[name][0].astype(np.float32) for name in names)
            return HeldOut(mean, expected, np.maximum(total - expected, 0), self.labels)
        return remembered(self.fit, "held out", self._predict_held_out)

    def _predict_held_out(self) -> HeldOut:
        found = self.fit.predict(self.dataset.x_test, ORDER_SAMPLES)
        expected, mutual = entropies(found)
        return HeldOut(found.mean, expected, mutual, self.labels)

    def predict(self, pictures: Array, num_samples: int) -> Prediction:
        """The draws for some pictures (M, height, width), remembered for all visitors."""
        rows = np.ascontiguousarray(pictures, np.float32).reshape(len(pictures), -1)
        what = (hashlib.sha256(rows.tobytes()).hexdigest(), num_samples)
        return remembered(self.fit, what, lambda: self._predict(rows, num_samples))

    def _predict(self, rows: Array, num_samples: int) -> Prediction:
        found = self.fit.predict(rows, num_samples)
        return Prediction(found.draws, *entropies(found))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions of the N held-out images, entropies in nats."""

    mean: Array  # (N, 10)
    expected_entropy: Array  # (N,)
    mutual_information: Array  # (N,)
    labels: Array  # (N,)

    @property
    def predictive_entropy(self) -> Array:
        """Entropy of the mean, (N,)."""
        return self.expected_entropy + self.mutual_information

    @property
    def is_wrong(self) -> Array:
        """Where the most probable class is not the label, (N,)."""
        return self.mean.argmax(1) != self.labels


@dataclass(frozen=True, eq=False)
class Prediction:
    """The draws (S, M, 10) for M pictures and what follows from them, entropies in nats."""

    draws: Array
    expected_entropy: Array  # (M,)
    mutual_information: Array  # (M,)


def entropies(found: Predictive) -> tuple[Array, Array]:
    """Expected entropy of a draw and mutual information, (N,) each; not negative."""
    expected = entropy(found.mean) if found.expected_entropy is None else found.expected_entropy
    total = expected if found.predictive_entropy is None else found.predictive_entropy
    return np.minimum(expected, total), np.maximum(total - expected, 0)


def needed(setting: Setting) -> Need[Source]:
    """The classifier that the controls ask for."""
    images = setting[IMAGES]
    name = scoreboard_study.IMAGES[images]
    unseen = None if setting[UNSEEN] == NOBODY else int(setting[UNSEEN])
    dataset = _loaded(name) if unseen is None else _without(name, unseen)
    config = configure(setting[METHOD], dataset, seed=scoreboard_study.SEEDS[0], **scoreboard_study.SETTINGS[images])
    return value_need(config, dataset, lambda fit: Source(images, fit, dataset, _extra(fit), unseen))


def _extra(fit: Fit) -> dict[str, Array]:
    """What is shipped beside a finished fit."""
    if not fit.is_done:
        return {}
    try:
        return shelf.extra(fit.config) or {}
    except CheckpointError:
        return {}  # obtaining the fit has already said what is damaged


@memoised(DATA)
def _loaded(name: str) -> Dataset:
    return data.load(name)


@memoised(DATA)
def _without(name: str, label: int) -> Dataset:
    return shifts.without_class(_loaded(name), label)
