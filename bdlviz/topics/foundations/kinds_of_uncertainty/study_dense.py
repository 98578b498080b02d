"""Networks that say something of every pixel of a made scene, and what was measured of them: bundles, not fits.

`scenes` ships weights, ``{tasks}.{N}.{parameter}`` in half precision, for all of `TASKS_OF` and `NUM_SCENES`. Beside
them, how far the three networks of one N differ in depth on held-out scenes (sd, metres): ``networks_epistemic`` (N,)
over all pixels, ``networks_front`` (N, changes) over the thing in front.

`sizes` and `tasks` ship numbers over R trainings, all on held-out scenes:

- of `sizes`, for the N of `STUDIED`, (R, N): ``rmse`` of the mean depth, ``aleatoric`` and ``epistemic`` (mean sd over
  pixels, metres), ``correlation`` of the aleatoric sd with the known one, ``coverage_aleatoric`` and
  ``coverage_total`` of 95 % bands; (R, N, regions) ``aleatoric_by`` and ``epistemic_by``; (R, N, changes)
  ``front_epistemic``, ``front_aleatoric`` and ``front_error`` (root mean square) of the thing in front; and without
  trainings ``known`` and ``known_by`` (regions);
- of `tasks`, (R, tasks): ``sigma``, the one learned noise of depth in metres, ``second``, the sigma that weighs the
  second task, and the held-out ``rmse`` of depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bdlviz.studies.study import ArrayStudy
from bdlviz.topics.foundations.kinds_of_uncertainty.convolutional import draw_masks
from bdlviz.topics.foundations.kinds_of_uncertainty.dense_network import (
    DEPTH_MEAN,
    DEPTH_SCALE,
    DenseSettings,
    heads,
    metres,
)
from bdlviz.topics.foundations.kinds_of_uncertainty.dense_scores import (
    DepthPicture,
    correlation,
    coverage,
    depth_picture,
    draw_outputs,
)
from bdlviz.topics.foundations.kinds_of_uncertainty.scenes import CHANGES, Change, Scenes, make_scenes
from bdlviz.types import Array

SCENES, SIZES, TASKS = "dense_scenes", "dense_sizes", "dense_tasks"  # names of the bundles
NUM_SCENES = (3, 30, 300)
STUDIED = (*NUM_SCENES, 3000)
TASKS_OF: dict[str, tuple[str, ...]] = {
    "depth": ("depth",),
    "edges": ("depth", "edges"),
    "classes": ("depth", "classes"),
}
REGIONS = ("outlines", "glossy", "far", "near")
FAR = 5.0  # metres
SIZE_SEEDS, TASK_SEEDS = (1, 2, 3), (1, 2, 3, 4)
TRAINING_SEED, HELD_OUT_SEED = 0, 1_000_000  # of the scenes
NUM_HELD_OUT, NUM_DRAWS = 20, 20
TASK_STEPS, SIGMA_SPEED = 600, 10.0


def settings_of(tasks: str, num_scenes: int) -> DenseSettings:
    """How a shipped network of `TASKS_OF` and `NUM_SCENES` was trained."""
    return DenseSettings(TASKS_OF[tasks], num_scenes)


def params_of(arrays: Mapping[str, Array], tasks: str, num_scenes: int) -> dict[str, Array]:
    """The parameters of one shipped network."""
    start = f"{tasks}.{num_scenes}."
    return {
        name.removeprefix(start): each.astype(np.float32) for name, each in arrays.items() if name.startswith(start)
    }


def depth_of(
    settings: DenseSettings, params: Mapping[str, Array], image: Array, num_draws: int = NUM_DRAWS, seed: int = 0
) -> DepthPicture:
    """The depth of one image (H, W, 3), by a network with a noise for every pixel."""
    found = heads(outputs_of(settings, params, image, num_draws, seed), settings.tasks)["depth"]
    return depth_picture(found[..., 0], found[..., 1], offset=DEPTH_MEAN, scale=DEPTH_SCALE)


def outputs_of(
    settings: DenseSettings, params: Mapping[str, Array], image: Array, num_draws: int = NUM_DRAWS, seed: int = 0
) -> Array:
    """S draws of all outputs of one image (H, W, 3), (S, H, W, K); the first of S draws do not depend on S."""
    masks = [
        draw_masks(settings.network, settings.dropout_rate, 1, np.random.Generator(np.random.SFC64([seed, index])))
        for index in range(num_draws)
    ]
    together = {name: np.concatenate([mask[name] for mask in masks]) for name in masks[0]}
    return draw_outputs(settings.network, params, image, together)


def network_depths(arrays: Mapping[str, Array], num_scenes: int, image: Array) -> Array:
    """Depth and its log variance by all networks of one N, (3, H, W, 2), each without dropout: an ensemble.

    They differ in their start, in the order of their minibatches, and in their second task.
    """
    found = []
    for tasks in TASKS_OF:
        settings, params = settings_of(tasks, num_scenes), params_of(arrays, tasks, num_scenes)
        found.append(heads(draw_outputs(settings.network, params, image, {})[0], settings.tasks)["depth"])
    return np.stack(found)


# What is shipped ------------------------------------------------------------------------------------------------------


def scenes() -> dict[str, Array]:
    """The weights of every network that the page draws."""
    from bdlviz.topics.foundations.kinds_of_uncertainty.dense_training import train_dense

    whole = make_scenes(max(NUM_SCENES), TRAINING_SEED)
    arrays: dict[str, Array] = {}
    for tasks in TASKS_OF:
        for num_scenes in NUM_SCENES:
            trained = train_dense(settings_of(tasks, num_scenes), whole[:num_scenes])
            arrays |= {f"{tasks}.{num_scenes}.{name}": each.astype(np.float16) for name, each in trained.params.items()}
    return arrays | _disagreement(arrays)


def _disagreement(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """How far the networks of every N differ, over all pixels of held-out scenes and over the thing in front."""
    everywhere, front = np.zeros(len(NUM_SCENES), np.float32), np.zeros((len(NUM_SCENES), len(CHANGES)), np.float32)
    for column, change in enumerate(CHANGES):
        test = make_scenes(NUM_HELD_OUT, HELD_OUT_SEED, change)
        for row, count in enumerate(NUM_SCENES):
            means = np.stack([metres(network_depths(arrays, count, image)[..., 0]) for image in test.images], axis=1)
            spread = means.std(0)
            front[row, column] = spread[test.front].mean()
            everywhere[row] = spread.mean() if change == "none" else everywhere[row]
    return {"networks_epistemic": everywhere, "networks_front": front}


def sizes() -> dict[str, Array]:
    """Depth alone, for every N and some seeds: both uncertainties against what is known."""
    from bdlviz.topics.foundations.kinds_of_uncertainty.dense_training import train_dense

    whole = make_scenes(max(STUDIED), TRAINING_SEED)
    held_out: dict[Change, Scenes] = {change: make_scenes(NUM_HELD_OUT, HELD_OUT_SEED, change) for change in CHANGES}
    rows = [
        [
            _measured(settings, train_dense(settings, whole[: settings.num_scenes]).params, held_out)
            for settings in (replace(settings_of("depth", count), seed=seed) for count in STUDIED)
        ]
        for seed in SIZE_SEEDS
    ]
    arrays = {key: np.array([[cell[key] for cell in row] for row in rows], np.float32) for key in rows[0][0]}
    test = held_out["none"]
    known_by = [test.noise_std[region].mean() for region in regions(test).values()]
    return arrays | {"known": np.array([test.noise_std.mean()]), "known_by": np.array(known_by, np.float32)}


def regions(scenes: Scenes) -> dict[str, Array]:
    """Pixels (N, H, W) by where they are: at jumps of depth or beside one, else on glossy things, far away or near."""
    wide = np.pad(scenes.edges, ((0, 0), (1, 1), (1, 1)))
    outline = scenes.edges | wide[:, 2:, 1:-1] | wide[:, :-2, 1:-1] | wide[:, 1:-1, 2:] | wide[:, 1:-1, :-2]
    glossy, is_far = scenes.glossy & ~outline, scenes.depth > FAR
    rest = ~outline & ~glossy
    return dict(zip(REGIONS, (outline, glossy, rest & is_far, rest & ~is_far), strict=True))


def _measured(
    settings: DenseSettings, params: Mapping[str, Array], held_out: Mapping[Change, Scenes]
) -> dict[str, float | list[float]]:
    """The scores of one network."""
    pictures = {
        change: [depth_of(settings, params, image, seed=index) for index, image in enumerate(each.images)]
        for change, each in held_out.items()
    }
    test, found = held_out["none"], _stacked(pictures["none"])
    by = regions(test).values()
    fronts = {change: (_stacked(pictures[change]), each) for change, each in held_out.items()}
    return {
        "rmse": float(np.sqrt(np.mean(np.square(found.mean - test.depth)))),
        "aleatoric": float(found.aleatoric_std.mean()),
        "epistemic": float(found.epistemic_std.mean()),
        "correlation": correlation(found.aleatoric_std, test.noise_std),
        "coverage_aleatoric": coverage(test.readings, found.mean, found.aleatoric_std),
        "coverage_total": coverage(test.readings, found.mean, found.total_std),
        "aleatoric_by": [float(found.aleatoric_std[region].mean()) for region in by],
        "epistemic_by": [float(found.epistemic_std[region].mean()) for region in by],
        "front_epistemic": [float(each.epistemic_std[of.front].mean()) for each, of in fronts.values()],
        "front_aleatoric": [float(each.aleatoric_std[of.front].mean()) for each, of in fronts.values()],
        "front_error": [
            float(np.sqrt(np.mean(np.square(each.mean - of.depth)[of.front]))) for each, of in fronts.values()
        ],
    }


def _stacked(pictures: list[DepthPicture]) -> DepthPicture:
    names = ("mean", "aleatoric_std", "epistemic_std")
    return DepthPicture(*(np.stack([getattr(picture, name) for picture in pictures]) for name in names))


def task_settings(tasks: str, seed: int) -> DenseSettings:
    """Depth with one learned noise for all pixels, and the second task that is weighed against it."""
    # A log sigma moves by at most one learning rate a step: at the weights' rate it would still be on its way.
    return DenseSettings(
        TASKS_OF[tasks], 300, seed, is_heteroscedastic=False, num_steps=TASK_STEPS, sigma_speed=SIGMA_SPEED
    )


def tasks() -> dict[str, Array]:
    """What a second task changes of the learned noise of depth."""
    from bdlviz.topics.foundations.kinds_of_uncertainty.dense_training import train_dense

    whole, test = make_scenes(300, TRAINING_SEED), make_scenes(NUM_HELD_OUT, HELD_OUT_SEED)
    found = {key: np.full((len(TASK_SEEDS), len(TASKS_OF)), np.nan, np.float32) for key in ("sigma", "second", "rmse")}
    for at in np.ndindex(found["sigma"].shape):
        name = tuple(TASKS_OF)[at[1]]
        settings = task_settings(name, TASK_SEEDS[at[0]])
        trained = train_dense(settings, whole)
        means = [metres(outputs_of(settings, trained.params, image)[..., 0].mean(0)) for image in test.images]
        found["sigma"][at] = DEPTH_SCALE * np.exp(trained.log_sigma["depth"])
        found["second"][at] = np.exp(trained.log_sigma.get(name, np.nan)) if name != "depth" else np.nan
        found["rmse"][at] = np.sqrt(np.mean(np.square(np.stack(means) - test.depth)))
    return found


def _listed(settings: Iterable[DenseSettings]) -> dict[str, Any]:
    return {"networks": [each.as_json() for each in settings], "held_out": [HELD_OUT_SEED, NUM_HELD_OUT, NUM_DRAWS]}


ARRAYS = {
    SCENES: ArrayStudy(
        "Depth, edges and classes of made scenes: weights",
        scenes,
        _listed(settings_of(tasks, count) for tasks in TASKS_OF for count in NUM_SCENES),
    ),
    SIZES: ArrayStudy(
        "Depth of made scenes: both uncertainties for every N",
        sizes,
        _listed(replace(settings_of("depth", count), seed=seed) for seed in SIZE_SEEDS for count in STUDIED),
    ),
    TASKS: ArrayStudy(
        "Depth of made scenes beside a second task: the learned noise",
        tasks,
        _listed(task_settings(tasks, seed) for seed in TASK_SEEDS for tasks in TASKS_OF),
    ),
}
