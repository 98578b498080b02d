"""The shipped classifiers of digits: the weights of one seed, and the scores of five or more for the scoreboard.

Every image is held out. R counts seeds, N images, K classes. Beside a fit are

- ``labels`` (N,) uint8; ``probabilities`` (R, N, K): the predictive mean of `NUM_SAMPLES` draws; ``one_pass``
  (R', N, K) of the first seeds, at most five, which keeps the files small: the naive approximation by one pass without
  masks (of an ensemble: its first member alone);
- ``predictive_entropy`` (R, N), in nats, of the mean of the draws;
- ``accuracy``, ``nll``, ``brier``, ``ece`` (R,) of the predictive mean and, ending in ``_one_pass``, of one pass;
  ``ece_interval`` (R, 2) and ``ece_chance`` (R,): 95 % by the bootstrap over images, and what a calibrated
  classifier stays below in 95 of 100 cases;
- ``auroc_shuffled``, ``auroc_shuffled_one_pass`` (R,), ``auroc_shuffled_interval`` (R, 2): does the predictive entropy
  tell digits from digits cut into patches that changed places? ``entropy_shuffled`` (R, N) is theirs. The same with
  ``fashion``: from clothes, if these are here;
- ``rotation_degrees`` (A,), ``rotation_accuracy``, ``rotation_entropy``, ``rotation_expected`` (R, A): means over
  images that are rotated;
- ``samples`` (T,), ``accuracy_by_samples``, ``accuracy_by_samples_sd`` (R, T): mean and standard deviation of the
  accuracy over independent sets of S draws (at most 20), NaN where there is one set;
- ``num_parameters`` (1,), ``fit_seconds`` (R,);
- ``accuracy_full``, ``accuracy_full_one_pass`` (R,) on MNIST's 10,000 test images.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bdlviz.data import DATASETS, available, load
from bdlviz.data.shifts import rotate, shuffle_patches
from bdlviz.fits import Fit, configure, fit
from bdlviz.predictive import calibration
from bdlviz.predictive.summaries import entropy
from bdlviz.predictive.votes import accuracy_by_samples
from bdlviz.studies.study import Made, Study
from bdlviz.types import Array, Dataset, FitConfig, Predictive

METHODS = ("map", "mc_dropout", "deep_ensemble", "concrete_dropout", "variational_dropout")
SCORED = (  # on the scoreboard besides, without their weights
    "bayes_by_backprop",
    "gaussian_dropout",
    "sparse_variational_dropout",
    "ard",
    "group_normal_jeffreys",
    "group_horseshoe",
)
IMAGES = {"mnist": "mnist-1000", "digits": "digits"}  # what checkpoints are called by -> data set
SETTINGS: dict[str, dict[str, Any]] = {"mnist": {}, "digits": {"hidden": (256, 256)}}  # besides the image defaults
PATCH = {"mnist": 7, "digits": 2}  # pixels: the picture is cut into sixteen squares
SEEDS = (0, 1, 2, 3, 4)
ENSEMBLE_SEEDS = tuple(range(10))  # single ensembles differ by about as much as an ensemble and one network
NUM_SAMPLES = 200
SAMPLES = (1, 2, 5, 10, 20, 50, 100, 200)
MOST_DRAWS = 1000  # for the accuracy against S
ROTATIONS = tuple(range(0, 181, 15))
NUM_FASHION = 1000
BATCH = 1000  # images predicted at a time


def name_of(method: str, images: str) -> str:
    """What the checkpoint of a method is called."""
    return f"classifier_{images}_{method}"


def on_board(images: str) -> tuple[str, ...]:
    """The methods that are scored on these images."""
    return METHODS if images == "mnist" else METHODS + SCORED


def config_of(method: str, images: str) -> FitConfig:
    """The configuration of a shipped classifier; needs its data."""
    return configure(method, load(IMAGES[images]), seed=SEEDS[0], **SETTINGS[images])


def seeds_of(method: str) -> tuple[int, ...]:
    """The seeds of the fits that are scored."""
    return ENSEMBLE_SEEDS if method == "deep_ensemble" else SEEDS


def classifier(method: str, images: str) -> Made:
    """The fit of the first seed, and the scores of all seeds."""
    dataset = load(IMAGES[images])
    # One seed after the other, since the seconds of a fit are reported.
    fits = [fit(method, dataset, seed=seed, **SETTINGS[images]) for seed in seeds_of(method)]
    found = [scores(trained, dataset, PATCH[images]) for trained in fits]
    stacked = {name: np.stack([each[name] for each in found]) for name in found[0]}
    return fits[0], stacked | {
        "one_pass": stacked["one_pass"][: len(SEEDS)],
        "labels": dataset.y_test.astype(np.uint8),
        "rotation_degrees": np.array(ROTATIONS, np.uint8),
        "samples": np.array(SAMPLES, np.uint16),
        "num_parameters": np.array([sum(array.size for array in fits[0].params.values())], np.uint32),
    }


def scores(trained: Fit, dataset: Dataset, patch: int) -> dict[str, Array]:
    """All scores of one fit of one seed, by name."""
    inside = trained.predict(dataset.x_test, NUM_SAMPLES)
    one_pass = _one_pass(trained, dataset.x_test)
    shuffled = shuffle_patches(_pictures(dataset, dataset.x_test), patch).reshape(dataset.x_test.shape)
    found: dict[str, Any] = {
        "probabilities": inside.mean,
        "one_pass": one_pass,
        "predictive_entropy": inside.predictive_entropy,
        "fit_seconds": trained.seconds,
        **_quality(inside.mean, dataset.y_test),
        **{f"{name}_one_pass": value for name, value in _quality(one_pass, dataset.y_test).items()},
        **_certainty(inside.mean, dataset.y_test),
        **_detection("shuffled", trained, inside, one_pass, shuffled),
        **_rotated(trained, dataset),
        **_by_samples(trained, dataset),
    }
    if available("fashion-mnist") and dataset.image_shape == (28, 28):
        clothes = load("fashion-mnist").x_test[:NUM_FASHION]
        found |= _detection("fashion", trained, inside, one_pass, clothes)
    if dataset.name == "mnist-1000" and available("mnist"):
        found |= _on_full_test_set(trained)
    return {name: np.asarray(value, np.float32) for name, value in found.items()}


def _one_pass(trained: Fit, x: Array) -> Array:
    """Class probabilities of one network without masks, (N, K); of an ensemble the first member."""
    return trained.predict(x, 1, with_dropout=False).draws[0]


def _quality(probabilities: Array, labels: Array) -> dict[str, float]:
    return {
        "accuracy": calibration.accuracy(probabilities, labels),
        "nll": calibration.negative_log_likelihood(probabilities, labels),
        "brier": calibration.brier_score(probabilities, labels),
        "ece": calibration.expected_calibration_error(probabilities, labels),
    }


def _certainty(probabilities: Array, labels: Array) -> dict[str, Any]:
    """The interval of the calibration error, and what chance alone would show."""

    def error(rows: Array) -> float:
        return calibration.expected_calibration_error(probabilities[rows], labels[rows])

    by_chance = calibration.chance_calibration_error(probabilities)
    return {
        "ece_interval": calibration.bootstrap_interval(error, np.arange(len(labels))),
        "ece_chance": np.quantile(by_chance, calibration.LEVEL),
    }


def _detection(name: str, trained: Fit, inside: Predictive, one_pass: Array, images: Array) -> dict[str, Any]:
    """How well the predictive entropy tells these images from digits."""
    outside = trained.predict(images, NUM_SAMPLES).predictive_entropy
    assert outside is not None and inside.predictive_entropy is not None
    return {
        f"entropy_{name}": outside,
        f"auroc_{name}": calibration.auroc(inside.predictive_entropy, outside),
        f"auroc_{name}_one_pass": calibration.auroc(entropy(one_pass), entropy(_one_pass(trained, images))),
        f"auroc_{name}_interval": calibration.bootstrap_interval(calibration.auroc, inside.predictive_entropy, outside),
    }


def _rotated(trained: Fit, dataset: Dataset) -> dict[str, list[float]]:
    """Accuracy and mean entropies at every angle, the same draws at each."""
    pictures, found = _pictures(dataset, dataset.x_test), []
    for degrees in ROTATIONS:
        turned = rotate(pictures, degrees).reshape(dataset.x_test.shape)
        predictive = trained.predict(turned, NUM_SAMPLES)
        assert predictive.predictive_entropy is not None and predictive.expected_entropy is not None
        right = calibration.accuracy(predictive.mean, dataset.y_test)
        found.append((right, predictive.predictive_entropy.mean(), predictive.expected_entropy.mean()))
    names = ("rotation_accuracy", "rotation_entropy", "rotation_expected")
    return dict(zip(names, map(list, zip(*found, strict=True)), strict=True))


def _by_samples(trained: Fit, dataset: Dataset) -> dict[str, Array]:
    """Accuracy of the mean of S draws; of an ensemble, of so many members as there are."""
    draws = trained.predict(dataset.x_test, MOST_DRAWS).draws
    mean, spread = accuracy_by_samples(draws, dataset.y_test, SAMPLES)
    return {"accuracy_by_samples": mean, "accuracy_by_samples_sd": spread}


def _on_full_test_set(trained: Fit) -> dict[str, float]:
    whole = load("mnist")
    pieces = [slice(start, start + BATCH) for start in range(0, len(whole.x_test), BATCH)]
    averaged = np.concatenate([trained.predict(whole.x_test[piece], NUM_SAMPLES).mean for piece in pieces])
    return {
        "accuracy_full": calibration.accuracy(averaged, whole.y_test),
        "accuracy_full_one_pass": calibration.accuracy(_one_pass(trained, whole.x_test), whole.y_test),
    }


def _pictures(dataset: Dataset, rows: Array) -> Array:
    assert dataset.image_shape is not None
    return rows.reshape(-1, *dataset.image_shape)


STUDIES = {
    name_of(method, images): Study(
        f"Scoreboard on {DATASETS[dataset].title}: {method}",
        partial(classifier, method, images),
        needs="mnist" if images == "mnist" else None,  # scored on the 10,000 test images, too
        keeps_weights=method in METHODS,
        group="scoreboard",
    )
    for images, dataset in IMAGES.items()
    for method in on_board(images)
}
