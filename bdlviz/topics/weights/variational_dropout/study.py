"""The shipped fits of Gaussian and variational dropout: functions of one input, and a study of noise on digits.

The study of some images holds arrays for everything that may have an alpha of its own (see `array_name`), with C for
weights of the KL term, L layers, D pixels:

- ``mean``, ``capped`` (C, L): the mean alpha of a layer's weights, and the share of its alphas at their cap;
- ``shares`` (C, L, BINS): how a layer's alphas are spread over `EDGES`;
- ``pixels`` (C, D): the mean alpha of the weights that leave a pixel;
- ``accuracy``, ``one_pass`` (C,): of `NUM_SAMPLES` draws, and of one pass with the mean weights, from 0 to 1;
- ``num_test`` (1,), without a prefix: how many held-out images that is.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bdlviz.data import DATASETS, load
from bdlviz.fits import Fit, configure, fit, run
from bdlviz.methods import variational_dropout
from bdlviz.methods.variational_dropout import LAYER, NEURON, WEIGHT
from bdlviz.predictive import calibration
from bdlviz.predictive.summaries import negative_log_likelihood
from bdlviz.studies.study import Made, Study
from bdlviz.topics.results.scoreboard.study import IMAGES
from bdlviz.types import Array, Dataset, FitConfig

ALPHA_PER = {"layer": LAYER, "neuron": NEURON, "weight": WEIGHT}
KL_WEIGHTS = (0.001, 0.01, 0.1, 1.0)
EXTREMES = (KL_WEIGHTS[0], KL_WEIGHTS[-1])
RATES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)

# log alpha moves by at most one learning rate a step: these steps take it from its start to its cap with room to spare.
CURVE = "x_sin_x"
CURVE_SETTINGS: dict[str, Any] = {"num_steps": 2000, "learning_rate": 5e-3, "schedule": "drop_at_half"}
CURVE_METHODS = ("map", "gaussian", *ALPHA_PER)  # what the checkpoints are called by
SETTINGS: dict[str, dict[str, Any]] = {
    "digits": {"hidden": (256, 256), "num_steps": 1500, "learning_rate": 4e-3},
    "mnist": {"hidden": (64, 64), "num_steps": 1000, "learning_rate": 5e-3},
}
NUM_SAMPLES = 100
SCORE_DRAWS = 400  # of a negative log-likelihood
CAPPED = 0.99  # alpha from which on it counts as being at its cap
LOWEST = -3.0  # decimal logarithm of the smallest alpha told apart
EDGES = np.linspace(LOWEST, 0.0, 31)  # of bins of the decimal logarithm of alpha


def curve_config(which: str, dataset: Dataset, **chosen: Any) -> FitConfig:
    """A method of `CURVE_METHODS` on one-dimensional data; by default every stop of its slider."""
    if which == "map":
        return configure("map", dataset, **CURVE_SETTINGS)
    if which == "gaussian":
        return configure("gaussian_dropout", dataset, **{"dropout_rate": RATES, **CURVE_SETTINGS, **chosen})
    settings: dict[str, Any] = {"kl_weight": KL_WEIGHTS, "alpha_per": ALPHA_PER[which], **CURVE_SETTINGS}
    return configure("variational_dropout", dataset, **{**settings, **chosen})


def curve(which: str) -> Made:
    """The functions of one method, for every stop of its slider."""
    dataset = load(CURVE)
    return run(curve_config(which, dataset), dataset), {}


def learned_noise(images: str) -> Made:
    """Everything that may have an alpha, at every weight of the KL term: what was learned, and the accuracy.

    The fit that comes with the arrays has an alpha for each neuron.
    """
    dataset, trained = load(IMAGES[images]), {}
    arrays: dict[str, Array] = {"num_test": np.array([len(dataset.x_test)], np.int32)}
    for name, alpha_per in ALPHA_PER.items():
        settings: dict[str, Any] = {"alpha_per": alpha_per, "kl_weight": KL_WEIGHTS, **SETTINGS[images]}
        trained[name] = fit("variational_dropout", dataset, **settings)
        cells = [trained[name].cell(kl_weight=weight) for weight in KL_WEIGHTS]
        found = [noise_of(cell) | accuracies(cell, dataset) for cell in cells]
        for key in found[0]:
            arrays[array_name(name, key)] = np.stack([each[key] for each in found]).astype(np.float32)
    return trained["neuron"], arrays


def array_name(alpha_per: str, key: str) -> str:
    """What an array of the study is called, such as ``neuron_pixels``."""
    return f"{alpha_per}_{key}"


def noise_of(trained: Fit) -> dict[str, Array]:
    """What one network has learned: ``mean`` and ``capped`` (L,), ``shares`` (L, BINS), ``pixels`` (D,)."""
    params = trained.single()
    found = variational_dropout.alphas(params)
    layers = [found[f"weight{layer}"] for layer in range(len(found))]
    first = np.broadcast_to(layers[0], params["weight0"].shape)
    return {
        "mean": np.array([values.mean() for values in layers]),
        "capped": np.array([np.mean(values > CAPPED) for values in layers]),
        "shares": np.stack([shares(values) for values in layers]),
        "pixels": first.mean(1),
    }


def shares(alpha: Array) -> Array:
    """The share of alphas in every bin, (BINS,); what is smaller than all bins counts in the first."""
    logarithm = np.log10(np.clip(alpha, 10**LOWEST, 1))
    return np.histogram(logarithm, EDGES)[0] / alpha.size


def accuracies(trained: Fit, dataset: Dataset) -> dict[str, Any]:
    """Held-out accuracy in both ways."""
    many = trained.predict(dataset.x_test, NUM_SAMPLES).mean
    one = trained.predict(dataset.x_test, 1, with_dropout=False).mean
    return {
        "accuracy": calibration.accuracy(many, dataset.y_test),
        "one_pass": calibration.accuracy(one, dataset.y_test),
    }


def nll_by_kl_weight(seed: int) -> dict[str, list[float]]:
    """Held-out nats per point at `EXTREMES`, an alpha for each neuron (see `bdlviz.topics.shared.study_seeds`)."""
    dataset = load(CURVE)
    trained = run(curve_config("neuron", dataset, seed=seed), dataset)
    predicted = [trained.cell(kl_weight=each).predict(dataset.x_test, SCORE_DRAWS) for each in EXTREMES]
    return {"noise_nll": [negative_log_likelihood(each, dataset.y_test) for each in predicted]}


STUDIES = {
    **{
        f"noise_{which}": Study(f"Noise on weights, x sin x: {which}", partial(curve, which)) for which in CURVE_METHODS
    },
    **{
        f"learned_noise_{images}": Study(
            f"Variational dropout of {DATASETS[dataset].title}: an alpha per layer, neuron or weight",
            partial(learned_noise, images),
            keeps_weights=False,
        )
        for images, dataset in IMAGES.items()
    },
}
