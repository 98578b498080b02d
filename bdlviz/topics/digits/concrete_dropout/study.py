"""The shipped fits of concrete dropout: keep probabilities against N, a study of widths, and the authors' own study.

A run on images is stored as the arrays of `Watch.arrays` under the prefix that `run_name` gives it; ``run_num_data``
and ``run_entropy`` list the runs of a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bdlviz.data import load
from bdlviz.data.built_in import built_in
from bdlviz.data.shifts import shuffle_patches
from bdlviz.fits import Fit, Snapshot, fit
from bdlviz.methods.concrete_dropout import START_RATE, keep_probabilities
from bdlviz.published.authors_study import AUTHORS_EPOCHS, AUTHORS_WIDTH, authors_steps, authors_study
from bdlviz.studies.study import Made, Study
from bdlviz.types import Array, Dataset, Predictive

# Keep probabilities on images. A rate moves by at most one learning rate a step in its logit, so every N gets the same
# number of steps, and enough of them to go from where rates start to where they like to be.
NUM_STEPS = 5000
NUM_MOMENTS = 20
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
NUM_MNIST = (1000, 2000, 5000, 10_000)
NUM_DIGITS = (100, 300, 700, 1437)
SMALL = (256, 256)  # hidden units for 8x8 digits

# Width against rate, on 8x8 digits with one hidden layer. The digits that are not trained on are held out.
WIDTHS = (16, 64, 256, 1024, 2048)
RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
WIDTH_SEEDS = (0, 1, 2)
WIDTH_NUM_DATA = 320
WIDTH_SAMPLES = 50
WIDTH_SETTINGS: dict[str, Any] = {
    "num_steps": 1200,
    "batch_size": 32,
    "learning_rate": 3e-3,
    "schedule": "constant",
    "length_scale": 1.0,
}
PATCH = (
    2  # pixels: strokes stay, no digit is left. (Turned by 90 degrees, small digits pass for others with confidence.)
)


# The authors' study, which `bdlviz.published.authors_study` repeats.
NARROW_WIDTH = 256
AUTHORS_REPEATS = 3
SETTLED_NUM_DATA = (10, 100, 1000, 10_000)
SETTLED_STEPS = 10_000


# Keep probabilities on images -----------------------------------------------------------------------------------------


def mnist() -> Made:
    """The rates learned from 1,000 and 2,000 images, and without the entropy term."""
    return _runs("mnist", (1000, 2000))


def mnist_10000() -> Made:
    """The rates learned from 10,000 and 5,000 images."""
    return _runs("mnist", (10_000, 5000), without_entropy=False)


def digits() -> Made:
    """The rates learned from 8x8 digits, many and few, and without the entropy term."""
    return _runs("digits", NUM_DIGITS[::-1], hidden=SMALL)


def _runs(images: str, num_data: Sequence[int], *, without_entropy: bool = True, **settings: Any) -> Made:
    """The fit on the first number of images, with the courses of it and of all others."""
    plan = [(count, 1.0) for count in num_data] + ([(num_data[0], 0.0)] if without_entropy else [])
    trained, extra = None, {}
    for count, entropy_weight in plan:
        watch = Watch(NUM_STEPS)
        found = fit(
            "concrete_dropout",
            image_data(images, count),
            num_steps=NUM_STEPS,
            entropy_weight=entropy_weight,
            on_snapshot=watch,
            **settings,
        )
        trained = trained or found
        extra |= {f"{run_name(count, entropy_weight)}{key}": array for key, array in watch.arrays().items()}
    assert trained is not None
    counts, weights = zip(*plan, strict=True)
    return trained, extra | {"run_num_data": np.array(counts, np.int32), "run_entropy": np.array(weights, np.float32)}


def image_data(images: str, num_data: int) -> Dataset:
    """So many training images: of MNIST-1000 as many as it has, of all of MNIST beyond."""
    if images == "digits":
        return load("digits", num_data=num_data)
    return load("mnist-1000") if num_data == 1000 else load("mnist", num_data=num_data)


def run_name(num_data: int, entropy_weight: float) -> str:
    """What the arrays of a run begin with."""
    return f"n{num_data}_" if entropy_weight else f"n{num_data}_without_entropy_"


@dataclass
class Watch:
    """Looks at the keep probabilities of a fit at some moments of its training."""

    num_steps: int
    num_moments: int = NUM_MOMENTS
    _seen: list[tuple[int, dict[int, Array]]] = field(default_factory=list)

    def __call__(self, snapshot: Snapshot[Fit]) -> None:
        """Between two rounds."""
        if snapshot.step >= (len(self._seen) + 1) * self.num_steps / self.num_moments:
            self._seen.append((snapshot.step, keep_probabilities(snapshot.take())))

    def arrays(self) -> dict[str, Array]:
        """What was seen, moments first, the first of them the start, where all rates are the same.

        ``step`` (T,); ``pixels`` (T, D) uint8, keep probabilities of the inputs from 0 to 255; ``mean`` (T, L) and
        ``quantiles`` (T, L, 5) over the input units of each layer; ``keep0``, ``keep1``, ... (H,) at the end.
        """
        last = self._seen[-1][1]
        start = {layer: np.full_like(keep, 1 - START_RATE.default) for layer, keep in last.items()}
        seen = [(0, start), *self._seen]
        final = {f"keep{layer}": keep.astype(np.float16) for layer, keep in last.items()}
        return final | {
            "step": np.array([step for step, _ in seen], np.int32),
            "pixels": np.stack([np.rint(255 * keep[0]) for _, keep in seen]).astype(np.uint8),
            "mean": np.array([[k.mean() for k in keep.values()] for _, keep in seen], np.float32),
            "quantiles": np.array([[np.quantile(k, QUANTILES) for k in keep.values()] for _, keep in seen], np.float16),
        }


# Width against rate ---------------------------------------------------------------------------------------------------


def widths() -> Made:
    """Held-out scores of MC dropout at every width and rate, and what concrete dropout learns at each width.

    Beside the narrowest concrete fit: ``widths`` (W,), ``rates`` (P,); ``nll``, ``accuracy``, ``auroc`` (R, W, P) of
    MC dropout; ``concrete_nll``, ``concrete_accuracy``, ``concrete_auroc`` (R, W) and ``concrete_rate`` (R, W, 2), the
    dropout rates of pixels and of hidden units.
    """
    dataset = width_data()
    shape = (len(WIDTH_SEEDS), len(WIDTHS))
    scores = {name: np.empty((*shape, len(RATES)), np.float32) for name in ("nll", "accuracy", "auroc")}
    concrete = {f"concrete_{name}": np.empty(shape, np.float32) for name in scores}
    learned, first = np.empty((*shape, 2), np.float32), None
    for index in np.ndindex(shape):
        settings = WIDTH_SETTINGS | {"seed": WIDTH_SEEDS[index[0]], "hidden": (WIDTHS[index[1]],)}
        for column, rate in enumerate(RATES):
            found = held_out(fit("mc_dropout", dataset, dropout_rate=rate, **settings), dataset)
            for name, value in found.items():
                scores[name][(*index, column)] = value
        trained = fit("concrete_dropout", dataset, shared_rate=1, **settings)
        first = first or trained
        learned[index] = [1 - float(keep[0]) for keep in keep_probabilities(trained).values()]
        for name, value in held_out(trained, dataset).items():
            concrete[f"concrete_{name}"][index] = value
    assert first is not None
    grid = {"widths": np.array(WIDTHS, np.int32), "rates": np.array(RATES, np.float32)}
    return first, grid | scores | concrete | {"concrete_rate": learned}


@built_in
def width_data() -> Dataset:
    """Some 8x8 digits to train on; all others are held out."""
    whole = load("digits")
    x, y = (np.concatenate(parts) for parts in ((whole.x, whole.x_test), (whole.y, whole.y_test)))
    train, rest = slice(WIDTH_NUM_DATA), slice(WIDTH_NUM_DATA, None)
    return replace(whole, x=x[train], y=y[train], x_test=x[rest], y_test=y[rest])


def held_out(trained: Fit, dataset: Dataset) -> dict[str, float]:
    """Scores over held-out images: ``nll`` in nats, ``accuracy``, and ``auroc`` of telling them from shuffled ones.

    The last ranks by predictive entropy: 1 where every digit whose patches of 2x2 pixels changed places is less certain
    than any digit as it is, 0.5 where entropy tells nothing.
    """
    from sklearn.metrics import log_loss, roc_auc_score

    shape = dataset.image_shape or (8, 8)
    shuffled = shuffle_patches(dataset.x_test.reshape(-1, *shape), PATCH).reshape(dataset.x_test.shape)
    known, strange = (trained.predict(x, WIDTH_SAMPLES) for x in (dataset.x_test, shuffled))
    is_strange = np.repeat([0, 1], len(shuffled))
    probabilities = known.mean / known.mean.sum(1, keepdims=True, dtype=np.float64)  # beyond single precision
    return {
        "nll": float(log_loss(dataset.y_test, probabilities, labels=np.arange(10))),
        "accuracy": float(np.mean(known.mean.argmax(1) == dataset.y_test)),
        "auroc": float(roc_auc_score(is_strange, np.concatenate([_entropy(known), _entropy(strange)]))),
    }


def _entropy(predictive: Predictive) -> Array:
    assert predictive.predictive_entropy is not None
    return predictive.predictive_entropy


# The authors' study ---------------------------------------------------------------------------------------------------


def authors_published() -> Made:
    """The authors' study with their step counts: once at their width, and three times at a quarter of it.

    Beside one narrow fit: ``num_data`` (V,), ``num_steps`` (V,), and for each width ``wide_...`` (1, V) and
    ``narrow_...`` (3, V): ``rates`` (..., 4) of each layer's input, their ``path`` (..., 21, 4) over training,
    ``aleatoric`` and ``epistemic`` standard deviations, and the ``rmse`` of held-out points.
    """
    counts, steps = zip(*((count, authors_steps(count, epochs)) for count, epochs in AUTHORS_EPOCHS), strict=True)
    wide, _ = authors_study(counts, steps, AUTHORS_WIDTH, range(1))
    narrow, first = authors_study(counts, steps, NARROW_WIDTH, range(AUTHORS_REPEATS))
    grid = {"num_data": np.array(counts, np.int32), "num_steps": np.array(steps, np.int32)}
    named = {
        f"{width}_{key}": array for width, found in (("wide", wide), ("narrow", narrow)) for key, array in found.items()
    }
    return first, grid | named


def authors_settled() -> Made:
    """The same for some N until rates hardly move, at a quarter of the width; ``narrow_...`` as `authors_published`."""
    steps = (SETTLED_STEPS,) * len(SETTLED_NUM_DATA)
    narrow, first = authors_study(SETTLED_NUM_DATA, steps, NARROW_WIDTH, range(1))
    grid = {"num_data": np.array(SETTLED_NUM_DATA, np.int32), "num_steps": np.array(steps, np.int32)}
    return first, grid | {f"narrow_{key}": array for key, array in narrow.items()}


STUDIES = {
    "concrete_digits": Study("Concrete dropout, 8x8 digits: four N, and no entropy term", digits),
    "concrete_mnist": Study("Concrete dropout, MNIST: N = 1000, 2000, and no entropy term", mnist, needs="mnist"),
    "concrete_mnist_10000": Study("Concrete dropout, MNIST: N = 10000 and 5000", mnist_10000, needs="mnist"),
    "concrete_widths": Study("Concrete dropout: width against rate, 8x8 digits", widths),
    "concrete_authors": Study("Concrete dropout: the authors' study, their steps", authors_published),
    "concrete_authors_settled": Study("Concrete dropout: the authors' study, settled", authors_settled),
}
