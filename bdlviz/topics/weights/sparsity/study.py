"""The shipped networks that remove their own weights: LeNet-300-100 on MNIST, and a small one on 8x8 digits.

Beside each fit stand arrays over T moments of its training (the first after one epoch), for L layers and D pixels:

- ``step`` (T,); ``accuracy`` (T,) on the held-out images, of the network of means without the pruned weights;
- ``misfit`` (T,), nats per training image, the mean over 20 draws; ``kl`` (T,), nats of the whole network;
- ``sparsity`` (T, L), share of weights pruned; ``compression`` (T,), weights there are for each that is left;
- ``alive`` (T, D) uint16, how many first-layer weights of each pixel are left;
- ``histograms`` (T, L, len(EDGES) - 1) uint32, weights by their log alpha, those outside in the outermost bins;

and arrays over the thresholds `THRESHOLDS` that the fit could be pruned at: ``threshold_accuracy`` (K,),
``threshold_sparsity`` (K, L); and of all seeds ``seed_accuracy``, ``seed_compression`` (R,) and
``seed_sparsity`` (R, L). Beside a fit on all of MNIST, whose images do not come with the package, is what `Accuracies`
says at each of `SHIFTS`: ``compressed_accuracy`` (len(SHIFTS), 3 + len(PLACES)) and ``compressed_images`` (1,).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from bdlviz.data import DATASETS, load
from bdlviz.fits import Fit, Snapshot, configure, fit, run
from bdlviz.methods.prunable import pruner as pruner_of
from bdlviz.models import divergences
from bdlviz.predictive import compression
from bdlviz.predictive.functions import evaluate
from bdlviz.studies.scene_fit import SceneFit, studies_of
from bdlviz.studies.study import Made, Study
from bdlviz.topics.digits.concrete_dropout.study import image_data
from bdlviz.types import Array, Dataset, Draws, FitConfig

DIVERGENCES = {"sparse_variational_dropout": divergences.sparse_variational, "ard": divergences.ard}
IMAGES = {"mnist": "mnist", "mnist1000": "mnist-1000", "digits": "digits"}  # what checkpoints are called by -> data set
LENET: dict[str, Any] = {"hidden": (300, 100), "batch_size": 400, "learning_rate": 3e-3}
SETTINGS: dict[str, dict[str, Any]] = {
    "mnist": LENET | {"num_epochs": 300, "kl_warm_up": 0.05, "schedule": "linear"},
    "mnist1000": LENET | {"num_epochs": 400, "batch_size": 100, "kl_warm_up": 0.0, "schedule": "linear"},
    "digits": {
        "hidden": (64, 32),
        "batch_size": 100,
        "learning_rate": 3e-3,
        "num_epochs": 400,
        "kl_warm_up": 0.1,
        "schedule": "drop_at_half",
    },
}
GROUP = {"num_epochs": 60}  # their steps take several times as long
CHANGED: dict[tuple[str, str], dict[str, Any]] = {  # besides, for a method and images
    ("ard", "mnist"): {"num_epochs": 200, "batch_size": 100, "kl_warm_up": 0.1, "schedule": "drop_at_half"},
    ("group_normal_jeffreys", "mnist"): GROUP,
    ("group_horseshoe", "mnist"): GROUP,
}
FEW_IMAGES, FEW_STEPS = 100, 6000
FEW_SETTINGS: dict[str, Any] = SETTINGS["digits"] | {"num_epochs": None, "num_steps": FEW_STEPS}
SHIFTS = (-np.inf, *map(float, range(-6, 7)), np.inf)  # of the threshold, from the usual one
PLACES = np.arange(13)  # binary places of all weights
NUM_MOMENTS = 20
EDGES = np.linspace(-15, 15, 61)  # of log alpha
THRESHOLDS = np.linspace(-8, 8, 33)
MISFIT_IMAGES, MISFIT_DRAWS = 5000, 20  # training images whose misfit is watched, and draws it is a mean over
SMALLEST_PROBABILITY = 1e-30  # where one rounds to 0


def name_of(method: str, images: str, kl_warm_up: float | None = None) -> str:
    """What a checkpoint is called; ``kl_warm_up`` where it is not the usual one for these images."""
    return f"pruned_{images}_{method}" + ("" if kl_warm_up is None else f"_warm_up_{kl_warm_up:g}")


def config_of(method: str, images: str, seed: int = 0, **changed: Any) -> FitConfig:
    """The configuration of a shipped network; needs its data."""
    return configure(method, load(IMAGES[images]), seed=seed, **settings_of(method, images) | changed)


def settings_of(method: str, images: str) -> dict[str, Any]:
    """How a method is trained on such images."""
    return SETTINGS[images] | CHANGED.get((method, images), {})


def prunable(method: str, images: str, seeds: tuple[int, ...] = (0,), **changed: Any) -> Made:
    """The fit of the first seed with the course of its training, and what all seeds came to."""
    dataset = load(IMAGES[images])
    watch = Watch(method, dataset)
    settings = settings_of(method, images) | changed
    fits = [
        fit(method, dataset, seed=seed, on_snapshot=watch if seed == seeds[0] else None, **settings) for seed in seeds
    ]
    pruner, params = pruner_of(method), [each.single() for each in fits]
    ends = {
        "seed_accuracy": [pruned_accuracy(each, dataset) for each in fits],
        "seed_compression": [pruner.compression(each, pruner.threshold) for each in params],
        "seed_sparsity": [[*pruner.sparsity(each, pruner.threshold).values()] for each in params],
    }
    extra = watch.arrays() | by_threshold(fits[0], dataset)
    if dataset.name == "mnist":
        extra |= by_shift(fits[0], dataset)
    return fits[0], extra | {name: np.array(values, np.float32) for name, values in ends.items()}


def pruned_accuracy(trained: Fit, dataset: Dataset, threshold: float | None = None) -> float:
    """On the held-out images, by one pass through the means that are left at a threshold, or the method's usual one."""
    pruner = pruner_of(trained.config.method)
    means = pruner.pruned(trained.single(), pruner.threshold if threshold is None else threshold)
    x = trained.scaling.standardise_x(dataset.x_test).astype(np.float32)
    outputs = evaluate(trained.model.network, Draws(means), x)[0]
    return float((outputs.argmax(1) == dataset.y_test).mean())


def by_threshold(trained: Fit, dataset: Dataset) -> dict[str, Array]:
    """What pruning at each of `THRESHOLDS` would leave."""
    pruner, params = pruner_of(trained.config.method), trained.single()
    return {
        "threshold_accuracy": np.array([pruned_accuracy(trained, dataset, at) for at in THRESHOLDS], np.float32),
        "threshold_sparsity": np.array([[*pruner.sparsity(params, at).values()] for at in THRESHOLDS], np.float32),
    }


@dataclass(frozen=True, eq=False)
class Accuracies:
    """The accuracy of one pass through the mean weights over the held-out images, from 0 to 1.

    ``whole`` is that of all weights, ``pruned`` of those left at a threshold, ``rounded`` of these with as many bits as
    their variances ask for, ``by_places`` (T,) with so many binary places of all of them.
    """

    num_images: int
    whole: float
    pruned: float
    rounded: float
    by_places: Array

    @classmethod
    def of(cls, trained: Fit, dataset: Dataset, threshold: float) -> Accuracies:
        """Measured on the held-out images of a data set, (N, D)."""
        pruner, params = pruner_of(trained.config.method), trained.single()
        x = trained.scaling.standardise_x(dataset.x_test).astype(np.float32)

        def accuracy(weights: dict[str, Array]) -> float:
            answers = compression.dense_outputs(weights, trained.config.activation, x).argmax(1)
            return float((answers == dataset.y_test).mean())

        pruned = pruner.pruned(params, threshold)
        precisions = compression.precisions(pruned, pruner.variances(params))
        asked = {name: each.significand for name, each in precisions.items()}
        names = compression.weight_names(pruned)
        alike = [accuracy(compression.rounded(pruned, dict.fromkeys(names, int(places)))) for places in PLACES]
        return cls(
            len(x),
            accuracy(pruner.pruned(params, np.inf)),
            accuracy(pruned),
            accuracy(compression.rounded(pruned, asked)),
            np.array(alike),
        )

    @classmethod
    def shipped(cls, extra: Mapping[str, Array], shift: float) -> Accuracies:
        """What stands beside a fit on all of MNIST, at one of `SHIFTS`."""
        whole, pruned, rounded, *by_places = extra["compressed_accuracy"][SHIFTS.index(shift)].astype(float)
        return cls(int(extra["compressed_images"][0]), whole, pruned, rounded, np.array(by_places))


def by_shift(trained: Fit, dataset: Dataset) -> dict[str, Array]:
    """`Accuracies` at each of `SHIFTS`, with the weights as they are shipped, in half precision."""
    params = {name: array.astype(np.float16).astype(np.float32) for name, array in trained.params.items()}
    fit, usual = replace(trained, params=params), pruner_of(trained.config.method).threshold
    found = [Accuracies.of(fit, dataset, usual + shift) for shift in SHIFTS]
    rows = [[each.whole, each.pruned, each.rounded, *each.by_places] for each in found]
    return {
        "compressed_accuracy": np.array(rows, np.float32),
        "compressed_images": np.array([len(dataset.x_test)], np.uint16),
    }


@dataclass
class Watch:
    """Looks at a prunable network at some moments of its training."""

    method: str
    dataset: Dataset
    num_moments: int = NUM_MOMENTS
    _seen: list[dict[str, Any]] = field(default_factory=list)

    def __call__(self, snapshot: Snapshot[Fit]) -> None:
        """Between two rounds."""
        if not self._seen or snapshot.step >= len(self._seen) * snapshot.num_steps / self.num_moments:
            self._seen.append({"step": snapshot.step} | self.look(snapshot.take()))

    def look(self, trained: Fit) -> dict[str, Any]:
        """One moment, without the axis of moments."""
        pruner, params = pruner_of(self.method), trained.single()
        noise = pruner.log_alphas(params)
        first = noise["weight0"] <= pruner.threshold
        found: dict[str, Any] = {
            "accuracy": pruned_accuracy(trained, self.dataset),
            "misfit": self._misfit(trained),
            "sparsity": [*pruner.sparsity(params, pruner.threshold).values()],
            "compression": pruner.compression(params, pruner.threshold),
            "alive": first.sum(1) if first.ndim == 2 else first,
            "histograms": [counted(values) for values in noise.values()],
        }
        if self.method in DIVERGENCES:
            found["kl"] = sum(float(DIVERGENCES[self.method](values).sum()) for values in noise.values())
        return found

    def _misfit(self, trained: Fit) -> float:
        images, labels = self.dataset.x[:MISFIT_IMAGES], self.dataset.y[:MISFIT_IMAGES].astype(int)
        right = trained.predict(images, MISFIT_DRAWS).draws[:, np.arange(len(labels)), labels]
        return float(-np.log(np.maximum(right, SMALLEST_PROBABILITY)).mean())

    def arrays(self) -> dict[str, Array]:
        """What was seen, moments first."""
        kinds = {"step": np.int32, "alive": np.uint16, "histograms": np.uint32}
        return {
            name: np.array([each[name] for each in self._seen]).astype(kinds.get(name, np.float32))
            for name in self._seen[-1]
        }


def counted(log_alpha: Array) -> Array:
    """How many fall into each bin of `EDGES`."""
    return np.histogram(np.clip(log_alpha, EDGES[0], EDGES[-1]), EDGES)[0]


# Further training seeds -----------------------------------------------------------------------------------------------

SPARSE = "sparse_variational_dropout"
NUM_DRAWS = 100  # of the data term


def left_over(method: str, seed: int) -> dict[str, Any]:
    """What a method leaves of the network on 8x8 digits (see `bdlviz.topics.shared.study_seeds`)."""
    dataset = load("digits")
    trained, pruner = run(config_of(method, "digits", seed), dataset), pruner_of(method)
    means = pruner.pruned(trained.single(), pruner.threshold)
    alive = compression.living_units(means)
    blocks = zip(compression.weight_names(means), alive, alive[1:], strict=False)
    return {
        f"{method}_left": sum(np.count_nonzero(means[name][np.ix_(*ends)]) for name, *ends in blocks),
        f"{method}_units": [layer.sum() for layer in alive],
        f"{method}_accuracy": pruned_accuracy(trained, dataset),
    }


def paid_by_warm_up(name: str, seed: int) -> dict[str, Any]:
    """Nats per training image, and the share of the weights left, without and with a warm-up.

    ``name`` is ``"few"`` (`FEW_IMAGES` digits) or ``"thousand"`` (MNIST-1000).
    """
    is_few = name == "few"
    dataset = image_data("digits", FEW_IMAGES) if is_few else load("mnist-1000")
    settings, warm_ups = (FEW_SETTINGS, (0.0, 0.1)) if is_few else (SETTINGS["mnist1000"], (0.0, 0.5))
    both: list[dict[str, Any]] = [settings | {"kl_warm_up": warm_up} for warm_up in warm_ups]
    paid, share = zip(*(_paid(fit(SPARSE, dataset, seed=seed, **each), dataset) for each in both), strict=True)
    return {f"{name}_paid": paid, f"{name}_share": share}


def _paid(trained: Fit, dataset: Dataset) -> tuple[float, float]:
    """Nats per training image, and the share of the weights left."""
    pruner, params = pruner_of(SPARSE), trained.single()
    kl = sum(float(divergences.sparse_variational(each).sum()) for each in pruner.log_alphas(params).values())
    draws = trained.predict(dataset.x, NUM_DRAWS).draws[:, np.arange(dataset.num_data), dataset.y.astype(int)]
    data_term = -np.log(np.maximum(draws, SMALLEST_PROBABILITY)).mean()
    return float(data_term) + kl / dataset.num_data, 1 / pruner.compression(params, pruner.threshold)


# What is shipped ------------------------------------------------------------------------------------------------------


def shipped(
    method: str, images: str, seeds: tuple[int, ...] = (0,), kl_warm_up: float | None = None
) -> dict[str, Study]:
    """The study of one method on some images, by the name of its checkpoint."""
    changed = {} if kl_warm_up is None else {"kl_warm_up": kl_warm_up}
    dataset = DATASETS[IMAGES[images]]
    study = Study(
        f"Weights removed, {dataset.title}: {method}" + ("" if kl_warm_up is None else f", warm-up {kl_warm_up:g}"),
        partial(prunable, method, images, seeds, **changed),
        needs=IMAGES[images] if dataset.files else None,
        keeps_weights=images != "mnist1000",  # of these the page shows only the arrays beside the fit
    )
    return {name_of(method, images, kl_warm_up): study}


def few_config(method: str, dataset: Dataset, kl_warm_up: float = 0.0, seed: int = 0) -> FitConfig:
    """A network that removes its weights, trained on few images; by default without a warm-up of the KL term."""
    changed: dict[str, Any] = {"kl_warm_up": kl_warm_up, "seed": seed}
    return configure(method, dataset, **FEW_SETTINGS | changed)


SCENE_FITS = {
    "pruned_few": SceneFit(
        f"Weights removed, {FEW_IMAGES} digits, no warm-up",
        SPARSE,
        partial(image_data, "digits", FEW_IMAGES),
        few_config,
    )
}

STUDIES = {
    **shipped(SPARSE, "digits", (0, 1, 2)),
    **shipped(SPARSE, "digits", kl_warm_up=0.0),
    **shipped(SPARSE, "mnist"),
    **shipped(SPARSE, "mnist1000"),
    **shipped(SPARSE, "mnist1000", kl_warm_up=0.5),
    **shipped("ard", "digits", (0, 1, 2)),
    **shipped("ard", "digits", kl_warm_up=0.0),
    **shipped("ard", "mnist"),
    **studies_of(SCENE_FITS),
}
