"""The shipped runs of Bayes by Backprop on digits: beside dropout and a plain network, and the lecture notebook's.

Beside a fit of `bayes` stand, over T moments of training (the first after one epoch), F fractions of weights removed,
N held-out images and E bins of weights:

- ``step`` (T,); ``error_bayes``, ``error_dropout``, ``error_plain`` (T,), the share of held-out images that the mean
  of `NUM_DRAWS` draws (or of masks; or the one network there is) gets wrong;
- ``error_many`` (1,), that of `MANY_DRAWS` draws at the end;
- ``misfit`` (T,), nats per training image, of one draw; ``kl`` (T,), nats of the whole network; ``mean_std`` (T,), the
  mean standard deviation of its weights;
- ``removed_error``, ``removed_se`` (len(CURVES), F): the same error once weights are removed, and the standard error
  of its difference from the first of its row, where none is;
- ``histogram_plain``, ``histogram_dropout``, ``histogram_means``, ``histogram_draw`` (E,) uint32, weights by value,
  those outside in the outermost bins; ``num_dropped`` (1,), weights of dropout that one set of masks sets to 0 and its
  histogram leaves out;
- ``labels`` (N,) uint8, ``probabilities`` (N, 10) of the mean of `NUM_DRAWS` draws, ``spread`` (N,), the standard
  deviation over draws of the largest class's probability;
- on MNIST, whose images do not come with the package, those of the `NUM_UNSURE` least certain by each of `UNSURE`:
  ``unsure_rows`` (M,) uint16, in increasing order, and ``unsure_images`` (M, D) uint8.

`notebook` gives the last ones, too, and ``step``, ``error`` (T,) of its network, ``plain_step``, ``plain_error``
(T',) of a plain one, and ``nll``, ``plain_nll`` (1,), held-out negative log likelihoods in nats per image at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from bdlviz.data import DATASETS, load
from bdlviz.fits import Fit, Snapshot, configure, fit
from bdlviz.methods import bayes_by_backprop
from bdlviz.methods.bayes_by_backprop import kl_to_prior, standard_deviations
from bdlviz.predictive import calibration
from bdlviz.predictive.functions import drawn_weights, evaluate
from bdlviz.studies.study import Made, Study
from bdlviz.topics.weights.signal_to_noise import signal
from bdlviz.topics.weights.sparsity.study import MISFIT_IMAGES
from bdlviz.types import Array, Dataset, Draws, FitConfig

IMAGES = {"mnist": "mnist", "digits": "digits"}  # what checkpoints are called by -> data set
PRESETS = ("honest", "small_sigma")
NUM_DRAWS, MANY_DRAWS = 10, 100  # the first is the notebook's number
UNSURE, NUM_UNSURE = ("spread", "largest"), 24  # orders of the held-out images, and how many are shown of each
LAST_MOMENT = 39  # with the first, after one epoch, at most 40 moments
DROPOUT_RATE = 0.5
EDGES = np.linspace(-1, 1, 401)  # of weights
FRACTIONS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1)
CURVES = ("snr_means", "snr_draws", "size_means", "size_draws", "plain")  # what is removed first, and what predicts

BESIDE: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("dropout", "mc_dropout", {"dropout_rate": DROPOUT_RATE}),
    ("plain", "map", {}),
)

# What the three networks share. The optimiser is Adam, where the paper has plain stochastic gradients.
SHARED: dict[str, dict[str, Any]] = {
    "mnist": {"hidden": (400, 400), "batch_size": 128, "num_epochs": 30, "schedule": "drop_at_half"},
    "digits": {"hidden": (128, 128), "batch_size": 128, "num_epochs": 300, "schedule": "drop_at_half"},
}
# Presets differ in the prior and in where standard deviations start. The KL term has its full weight but for the small
# ones on MNIST, which train half as long, too: Adam moves every rho at the same speed, and forgets a small start.
BAYES: dict[tuple[str, str], dict[str, Any]] = {
    ("mnist", "honest"): {"length_scale": 5.0, "start_rho": -5.0, "learning_rate": 1e-3},
    ("mnist", "small_sigma"): {
        "length_scale": 5.0,
        "start_rho": -10.0,
        "learning_rate": 1e-3,
        "kl_weight": 0.1,
        "num_epochs": 16,
    },
    ("digits", "honest"): {"length_scale": 3.0, "start_rho": -4.0, "learning_rate": 3e-3},
    ("digits", "small_sigma"): {"length_scale": 1.0, "start_rho": -10.0, "learning_rate": 1e-3},
}
# 784-128-10 with the lecture's scale mixture: a quarter N(0, e^-2), the rest N(0, e^-14). RMSProp there, Adam here.
NOTEBOOK: dict[str, Any] = {"hidden": (128,), "batch_size": 100, "schedule": "constant"}
NOTEBOOK_PRIOR = {"mixture_weight": 0.25, "length_scale": math.e, "narrow_std": math.exp(-7)}
NOTEBOOK_STEPS, PLAIN_STEPS, NOTEBOOK_RHO = 10_000, 3000, -4.0


def name_of(images: str, preset: str) -> str:
    """What a checkpoint is called; ``preset`` may be ``"notebook"``."""
    return f"notebook_{images}" if preset == "notebook" else f"bayes_{images}_{preset}"


def config_of(images: str, preset: str, **changed: Any) -> FitConfig:
    """The configuration of the shipped network; needs its data."""
    return configure("bayes_by_backprop", load(IMAGES[images]), **settings_of(images, preset) | changed)


def settings_of(images: str, preset: str) -> dict[str, Any]:
    """How Bayes by Backprop is trained."""
    if preset == "notebook":
        return NOTEBOOK | NOTEBOOK_PRIOR | {"start_rho": NOTEBOOK_RHO, "num_steps": NOTEBOOK_STEPS}
    return SHARED[images] | BAYES[images, preset]


def bayes(images: str, preset: str, **changed: Any) -> Made:
    """Bayes by Backprop with the course of its training, beside MC dropout and a plain network of the same size."""
    dataset = load(IMAGES[images])
    course = Course(lambda trained: error_of(trained, dataset) | parts_of(trained, dataset))
    trained = fit("bayes_by_backprop", dataset, on_snapshot=course, **settings_of(images, preset) | changed)
    own = BAYES[images, preset] | changed
    shared = SHARED[images] | {name: value for name, value in own.items() if name in SHARED[images]}
    others: dict[str, tuple[Fit, Course]] = {}
    for name, method, values in BESIDE:
        beside = Course(lambda other: error_of(other, dataset))
        others[name] = (fit(method, dataset, on_snapshot=beside, **shared | values), beside)
    seen = course.arrays()
    errors = {"error_bayes": seen.pop("error")} | {f"error_{n}": c.arrays()["error"] for n, (_, c) in others.items()}
    plain, dropout = others["plain"][0], others["dropout"][0]
    return trained, {
        **seen,
        **errors,
        "error_many": _one(error_of(trained, dataset, MANY_DRAWS)["error"]),
        **by_fraction(trained, plain, dataset),
        **histograms(trained, dropout, plain),
        **held_out(trained, dataset),
    }


def notebook(images: str, **changed: Any) -> Made:
    """The notebook's network of one hidden layer, and a plain one that trains for three tenths of its steps."""
    dataset = load(IMAGES[images])
    course, plain_course = (Course(lambda trained: error_of(trained, dataset)) for _ in range(2))
    settings = settings_of(images, "notebook") | changed
    trained = fit("bayes_by_backprop", dataset, on_snapshot=course, **settings)
    plain_steps = settings["num_steps"] * PLAIN_STEPS // NOTEBOOK_STEPS
    plain = fit("map", dataset, on_snapshot=plain_course, num_steps=plain_steps, **NOTEBOOK)
    found = held_out(trained, dataset)
    of_plain = plain.predict(dataset.x_test, 1).mean
    return trained, {
        **course.arrays(),
        **{f"plain_{name}": array for name, array in plain_course.arrays().items()},
        "nll": _one(calibration.negative_log_likelihood(found["probabilities"].astype(np.float32), dataset.y_test)),
        "plain_nll": _one(calibration.negative_log_likelihood(of_plain, dataset.y_test)),
        **found,
    }


def _one(value: float) -> Array:
    return np.array([value], np.float32)


@dataclass
class Course:
    """Looks at a fit at some moments of its training."""

    look: Callable[[Fit], Mapping[str, float]]
    last_moment: int = LAST_MOMENT
    _seen: list[dict[str, float]] = field(default_factory=list)

    def __call__(self, snapshot: Snapshot[Fit]) -> None:
        """Between two rounds."""
        if not self._seen or snapshot.step >= len(self._seen) * snapshot.num_steps / self.last_moment:
            self._seen.append({"step": snapshot.step, **self.look(snapshot.take())})

    def arrays(self) -> dict[str, Array]:
        """What was seen, (T,) by name."""
        columns = {name: np.array([each[name] for each in self._seen]) for name in self._seen[-1]}
        return {name: column.astype(np.int32 if name == "step" else np.float32) for name, column in columns.items()}


# One moment -----------------------------------------------------------------------------------------------------------


def error_of(trained: Fit, dataset: Dataset, num_draws: int = NUM_DRAWS) -> dict[str, float]:
    """The share of held-out images that the mean of the draws gets wrong."""
    return {"error": 1 - calibration.accuracy(trained.predict(dataset.x_test, num_draws).mean, dataset.y_test)}


def parts_of(trained: Fit, dataset: Dataset) -> dict[str, float]:
    """The parts of the bound, and the mean standard deviation of the weights."""
    images, labels = dataset.x[:MISFIT_IMAGES], dataset.y[:MISFIT_IMAGES].astype(int)
    misfit = calibration.negative_log_likelihood(trained.predict(images, 1).draws[0], labels)
    return {"misfit": misfit, "kl": kl_of(trained), "mean_std": mean_std(trained)}


def mean_std(trained: Fit) -> float:
    """The mean standard deviation of the weights, without biases."""
    return float(_weights(means_and_stds(trained)[1]).mean())


def kl_of(trained: Fit) -> float:
    """KL to the Gaussian prior over the whole network, in nats."""
    return float(kl_to_prior(*means_and_stds(trained), trained.config.hyperparameter("length_scale")))


def means_and_stds(trained: Fit) -> tuple[dict[str, Array], dict[str, Array]]:
    """Mean and standard deviation of every weight and bias, by their names, in the order of the layers."""
    params = trained.single()
    std, names = standard_deviations(params), trained.model.network.shapes()
    return {name: params[name] for name in names}, {name: std[name] for name in names}


# The trained network --------------------------------------------------------------------------------------------------


def by_fraction(trained: Fit, plain: Fit, dataset: Dataset) -> dict[str, Array]:
    """Held-out error after removing each of `FRACTIONS` in the ways of `CURVES`."""
    mean, std = means_and_stds(trained)
    draws = draws_of(trained, NUM_DRAWS)
    weights = plain.single()
    scores = {
        "snr": signal.signal_to_noise(mean, std),
        "size": signal.magnitude(mean),
        "plain": signal.magnitude(weights),
    }
    right: dict[str, list[Array]] = {name: [] for name in CURVES}
    for fraction in FRACTIONS:
        for by, values in scores.items():
            stays = signal.kept(values, fraction)
            if by == "plain":
                right["plain"].append(_is_right(plain, Draws(signal.without(weights, stays)), dataset))
                continue
            right[f"{by}_means"].append(_is_right(trained, Draws(signal.without(mean, stays)), dataset))
            right[f"{by}_draws"].append(_is_right(trained, signal.without_draws(draws, stays), dataset))
    error = [[1 - each.mean() for each in right[name]] for name in CURVES]
    spread = [[signal.paired_standard_error(each, right[name][0]) for each in right[name]] for name in CURVES]
    return {"removed_error": np.array(error, np.float32), "removed_se": np.array(spread, np.float32)}


def draws_of(trained: Fit, num_samples: int) -> Draws:
    """The draws of weights that `Fit.predict` makes its predictions with."""
    rng = np.random.Generator(np.random.SFC64([0, *b"draws"]))
    return bayes_by_backprop.sample(trained.model.network, trained.single(), {}, rng, num_samples)


def _is_right(trained: Fit, draws: Draws, dataset: Dataset) -> Array:
    outputs = evaluate(trained.model.network, draws, trained.scaling.standardise_x(dataset.x_test))
    mean = trained.model.likelihood.mean(outputs).mean(0)
    return calibration.is_correct(mean, dataset.y_test)


def histograms(trained: Fit, dropout: Fit, plain: Fit) -> dict[str, Array]:
    """How the weights of the three networks are spread."""
    masked = np.concatenate([*masked_weights(dropout)])
    return {
        "histogram_plain": counted(_weights(plain.single())),
        "histogram_dropout": counted(masked[masked != 0]),
        "histogram_means": counted(_weights(trained.single())),
        "histogram_draw": counted(_weights(drawn_weights(draws_of(trained, 1), 0))),
        "num_dropped": np.array([(masked == 0).sum()], np.uint32),
    }


def masked_weights(dropout: Fit) -> Iterator[Array]:
    """The weights of each layer behind one set of masks, divided by the keep probability; those of dropped units 0."""
    params, masks = dropout.single(), dropout.masks(1)
    yield params["weight0"].ravel()
    for layer, mask in enumerate(masks, 1):
        yield (params[f"weight{layer}"] * mask[0][:, None]).ravel()


def _weights(params: Mapping[str, Array]) -> Array:
    return np.concatenate([values.ravel() for name, values in params.items() if name.startswith("weight")])


def counted(weights: Array) -> Array:
    """How many fall into each bin of `EDGES`."""
    return np.histogram(np.clip(weights, EDGES[0], EDGES[-1]), EDGES)[0].astype(np.uint32)


def held_out(trained: Fit, dataset: Dataset) -> dict[str, Array]:
    """What the draws say of every held-out image, and how far they are apart."""
    found = trained.predict(dataset.x_test, NUM_DRAWS)
    largest = np.take_along_axis(found.draws, found.mean.argmax(1)[None, :, None], 2)[..., 0]
    extra = {
        "labels": dataset.y_test.astype(np.uint8),
        "probabilities": found.mean.astype(np.float16),
        "spread": largest.std(0).astype(np.float16),
    }
    return extra | (unsure(extra, dataset) if dataset.name == "mnist" else {})


def unsure(extra: Mapping[str, Array], dataset: Dataset) -> dict[str, Array]:
    """The least certain of the held-out images, which pages show."""
    rows = np.unique([least_certain(extra, by)[:NUM_UNSURE] for by in UNSURE])
    images = np.rint(255 * dataset.x_test[rows]).astype(np.uint8)
    return {"unsure_rows": rows.astype(np.uint16), "unsure_images": images}


def least_certain(extra: Mapping[str, Array], by: str) -> Array:
    """Rows of the held-out images (N,), the least certain by one of `UNSURE` first."""
    probabilities = extra["probabilities"].astype(np.float32)
    score = -extra["spread"].astype(np.float32) if by == "spread" else probabilities.max(1)
    return np.argsort(score, kind="stable")


# What is shipped ------------------------------------------------------------------------------------------------------


def _studies(images: str) -> dict[str, Study]:
    """Those of one data set of images."""
    dataset = DATASETS[IMAGES[images]]
    needs = IMAGES[images] if dataset.files else None
    found = {
        name_of(images, preset): Study(
            f"Bayes by Backprop beside dropout, {dataset.title}: {preset.replace('_', ' ')}",
            partial(bayes, images, preset),
            needs=needs,
        )
        for preset in PRESETS
    }
    title = f"The notebook's Bayes by Backprop, {dataset.title}"
    return found | {name_of(images, "notebook"): Study(title, partial(notebook, images), needs=needs)}


STUDIES = {name: study for images in IMAGES for name, study in _studies(images).items()}
