"""The shipped studies of active learning on curves and on digits, with several runs each.

A run has its own pool, start and training seed, which all scores share, so that runs can be compared in pairs.
``R`` counts runs, ``T`` rounds, ``P`` points of the pool, ``G`` points of a figure's grid.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bdlviz.data import load
from bdlviz.data.built_in import part_of
from bdlviz.data.curves import heteroscedastic_noise_std
from bdlviz.errors import InvalidInput
from bdlviz.fits import fit
from bdlviz.methods import METHODS as REGISTRY
from bdlviz.studies.study import Made, Study
from bdlviz.topics.regression.active_learning.acquisition import CLASS_SCORES, CURVE_SCORES
from bdlviz.topics.regression.active_learning.active import Course, Look, Seen, learn, starting_labels, starting_points
from bdlviz.types import Array, Dataset, Predictive

OnRound = Callable[[Course], bool]

# Curves: a pool of inputs, and one label at a time.
METHODS = tuple(name for name in ("gaussian_process", "deep_ensemble", "mc_dropout") if name in REGISTRY)
DATASETS = ("x_sin_x", "two_clusters", "heteroscedastic")
POOL, START, ROUNDS, RUNS = 100, 3, 20, 5
NUM_GRID, NUM_HELD_OUT = 120, 120
NUM_SAMPLES = {"gaussian_process": 1, "deep_ensemble": 5, "mc_dropout": 200}  # exact moments need no draws
NETWORK: dict[str, Any] = {"hidden": (32, 32), "num_steps": 300, "learning_rate": 1e-2, "batch_size": None}
CURVE_SETTINGS: dict[str, dict[str, Any]] = {
    "gaussian_process": {"hidden": (64, 64), "length_scale": 0.3, "prior_by_width": 1},
    "deep_ensemble": NETWORK | {"num_members": 5},
    "mc_dropout": NETWORK | {"dropout_rate": 0.1},
}

# Digits: a few labels at a time.
DIGIT_METHODS = ("mc_dropout", "deep_ensemble")
DIGIT_SCORES = ("bald", "entropy", "random")
DIGIT_START, DIGIT_BATCH, DIGIT_ROUNDS, DIGIT_RUNS, DIGIT_SAMPLES = 10, 5, 40, 6, 50
DIGIT_MINIBATCH = 64
DIGIT_SETTINGS: dict[str, dict[str, Any]] = {
    "mc_dropout": {"hidden": (128,), "num_steps": 300, "dropout_rate": 0.5},
    "deep_ensemble": {"hidden": (64,), "num_steps": 200, "num_members": 5},
}


# Curves ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CurveRun:
    """One run on a curve, as a figure needs it; T rounds are done.

    ``picks`` (T,) and ``start`` are positions in the pool; ``scores`` (T, P); over ``grid`` (G,) are ``mean`` and
    ``std`` (T + 1, G), the epistemic one; ``rmse`` (T + 1,) is to the truth, in y's units.
    """

    pool: Dataset
    start: Array
    picks: Array
    scores: Array
    grid: Array
    mean: Array
    std: Array
    rmse: Array

    @property
    def num_rounds(self) -> int:
        """How many labels were asked for."""
        return len(self.picks)

    def labelled(self, num_rounds: int) -> Array:
        """Positions with labels after so many rounds."""
        return np.concatenate([self.start, self.picks[:num_rounds]]).astype(int)


def scores_on(name: str) -> tuple[str, ...]:
    """The scores that choose differently there: where noise is the same everywhere, it decides nothing."""
    return tuple(CURVE_SCORES) if load(name, num_data=1).noise_std is None else ("epistemic", "random")


def curve_pool(name: str, run: int) -> Dataset:
    """The pool of one run, (P, 1), and the held-out inputs of its data set."""
    return load(name, num_data=POOL, seed=run)


def noise_std_at(pool: Dataset, x: Array) -> Array:
    """The noise of the data set's law at x (N, 1), in y's units, (N, 1)."""
    if pool.noise_std is None:
        return heteroscedastic_noise_std(x)
    return np.full(x.shape, pool.noise_std)


def curve_grid(pool: Dataset) -> Array:
    """Where a figure draws the function, (G,)."""
    return np.linspace(*pool.x_range, NUM_GRID)


def curve_look(method: str, pool: Dataset, seed: int, cancel: threading.Event | None = None) -> Look:
    """Train a method on some points of a pool, and predict everywhere; the noise is known, its law included."""
    truth, grid = pool.truth, curve_grid(pool)[:, None]
    if truth is None:
        raise InvalidInput("Errors are measured against the truth, which is unknown here.")
    typical = float(np.sqrt(np.mean(np.square(noise_std_at(pool, pool.x)))))
    held_out_x = pool.x_test[:NUM_HELD_OUT]
    x = np.concatenate([pool.x, grid, held_out_x])
    ends = np.cumsum([len(pool.x), len(grid)])

    def look(labelled: Array) -> Seen:
        known = part_of(pool, labelled)
        trained = fit(method, known, noise_std=typical, seed=seed, cancel=cancel, **CURVE_SETTINGS[method])
        whole = trained.predict(x, NUM_SAMPLES[method])
        candidates, curve, held_out = (_part(whole, rows) for rows in np.split(np.arange(len(x)), ends))
        error = float(np.sqrt(np.mean(np.square(held_out.mean - truth(held_out_x)))))
        return Seen(replace(candidates, aleatoric_std=noise_std_at(pool, pool.x)), error, curve)

    return look


def _part(whole: Predictive, rows: Array) -> Predictive:
    """A predictive at some of its points."""
    columns = ("mean", "epistemic_std", "aleatoric_std", "x")
    covariance = None if whole.covariance is None else whole.covariance[rows]
    columns = {name: getattr(whole, name)[rows] for name in columns}
    return replace(whole, draws=whole.draws[:, rows], covariance=covariance, **columns)


def curve_course(
    method: str,
    name: str,
    score: str,
    run: int,
    *,
    num_rounds: int = ROUNDS,
    cancel: threading.Event | None = None,
    on_round: OnRound = lambda course: True,
) -> CurveRun:
    """One run on a curve: which points were asked for, and the posterior after each round."""
    pool = curve_pool(name, run)
    course = learn(
        curve_look(method, pool, run, cancel),
        POOL,
        starting_points(POOL, START, _generator(run, b"start")),
        CURVE_SCORES[score],
        num_rounds=num_rounds,
        rng=_generator(run, b"score"),
        on_round=on_round,
    )
    return curve_run(pool, course)


def curve_run(pool: Dataset, course: Course) -> CurveRun:
    """A course on a curve, or what there is of it, as a figure needs it."""
    curves = [each.curve for each in course.seen if each.curve is not None]
    return CurveRun(
        pool=pool,
        start=course.start,
        picks=np.array(course.picks, int).reshape(-1),
        scores=np.array(course.scores, float).reshape(-1, len(pool.x)),
        grid=curve_grid(pool),
        mean=np.stack([each.mean[:, 0] for each in curves]),
        std=np.stack([each.epistemic_std[:, 0] for each in curves]),
        rmse=course.quality,
    )


def curves(method: str) -> Made:
    """Every data set with its `scores_on`, `RUNS` runs of each, and the first run in full.

    Arrays are named ``DATA_SCORE_rmse`` (R, T + 1), ``DATA_SCORE_picks`` (R, T), ``DATA_start`` (R, n0), and of the
    first run ``DATA_SCORE_scores`` (T, P), ``DATA_SCORE_mean`` and ``DATA_SCORE_std`` (T + 1, G).
    """
    extra: dict[str, Array] = {}
    for name in DATASETS:
        for score in scores_on(name):
            runs = [curve_course(method, name, score, run) for run in range(RUNS)]
            extra[f"{name}_start"] = np.stack([each.start for each in runs]).astype(np.uint8)
            extra[f"{name}_{score}_rmse"] = np.stack([each.rmse for each in runs]).astype(np.float32)
            extra[f"{name}_{score}_picks"] = np.stack([each.picks for each in runs]).astype(np.uint8)
            for part in ("scores", "mean", "std"):
                extra[f"{name}_{score}_{part}"] = getattr(runs[0], part).astype(np.float32)
    first = curve_pool(DATASETS[0], 0)
    return fit(method, first, noise_std=first.noise_std, **CURVE_SETTINGS[method]), extra


def first_run(extra: Mapping[str, Array], name: str, score: str) -> CurveRun:
    """The first run of what `curves` wrote."""
    pool = curve_pool(name, 0)
    of = {part: extra[f"{name}_{score}_{part}"] for part in ("scores", "mean", "std")}
    return CurveRun(
        pool,
        extra[f"{name}_start"][0].astype(int),
        extra[f"{name}_{score}_picks"][0].astype(int),
        grid=curve_grid(pool),
        rmse=extra[f"{name}_{score}_rmse"][0].astype(float),
        **of,
    )


# Digits ---------------------------------------------------------------------------------------------------------------


def known_images(pool: Dataset, labelled: Array) -> Dataset:
    """The images of a pool that have labels; the classes are those of the whole pool."""
    return part_of(pool, labelled)


def digit_look(method: str, pool: Dataset, seed: int, cancel: threading.Event | None = None) -> Look:
    """Train a classifier on some images of a pool; its quality is the held-out accuracy."""

    def look(labelled: Array) -> Seen:
        batch_size = None if len(labelled) <= DIGIT_MINIBATCH else DIGIT_MINIBATCH
        settings = DIGIT_SETTINGS[method] | {"learning_rate": 1e-2, "schedule": "constant", "batch_size": batch_size}
        trained = fit(method, known_images(pool, labelled), seed=seed, cancel=cancel, **settings)
        answers = trained.predict(pool.x_test, DIGIT_SAMPLES).mean.argmax(1)
        return Seen(trained.predict(pool.x, DIGIT_SAMPLES), float(np.mean(answers == pool.y_test)))

    return look


def digit_course(
    method: str,
    score: str,
    run: int,
    *,
    start: str = "each",
    num_rounds: int = DIGIT_ROUNDS,
    cancel: threading.Event | None = None,
    on_round: OnRound = lambda course: True,
) -> Course:
    """One run on 8x8 digits, from ten labels on."""
    pool = load("digits")
    return learn(
        digit_look(method, pool, run, cancel),
        len(pool.x),
        starting_labels(pool.y, DIGIT_START, start, _generator(run, b"start")),
        CLASS_SCORES[score],
        num_rounds=num_rounds,
        rng=_generator(run, b"score"),
        batch=DIGIT_BATCH,
        on_round=on_round,
    )


def digits(method: str) -> Made:
    """Every score, `DIGIT_RUNS` runs of each.

    ``SCORE_accuracy`` (R, T + 1), ``SCORE_picks`` (R, T, b) and ``start`` (R, n0), positions in the pool.
    """
    extra: dict[str, Array] = {}
    for score in DIGIT_SCORES:
        runs = [digit_course(method, score, run) for run in range(DIGIT_RUNS)]
        extra["start"] = np.stack([each.start for each in runs]).astype(np.uint16)
        extra[f"{score}_accuracy"] = np.stack([each.quality for each in runs]).astype(np.float32)
        extra[f"{score}_picks"] = np.stack([np.stack(each.picks) for each in runs]).astype(np.uint16)
    return fit(method, "digits", **DIGIT_SETTINGS[method]), extra


def _generator(seed: int, purpose: bytes) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64([seed, *purpose]))


STUDIES = {
    **{
        f"active_curves_{method}": Study(
            f"Active learning on curves: {method}", partial(curves, method), keeps_weights=False
        )
        for method in METHODS
    },
    **{
        f"active_digits_{method}": Study(
            f"Active learning on 8x8 digits: {method}", partial(digits, method), keeps_weights=False
        )
        for method in DIGIT_METHODS
    },
}
