"""Networks that predict every pixel of a synthetic scene, and their scores, stored as bundles of arrays (not as fits).

`scenes` stores weights, ``{tasks}.{N}.{parameter}`` in half precision, for all of `TASKS_OF` and `NUM_SCENES`. It also
stores the standard deviation of depth, in metres, over the three networks of one N on held-out scenes:
``networks_epistemic`` (N,) over all pixels, ``networks_front`` (N, changes) over the thing in front.

`sizes` and `tasks` store scores of R trainings on held-out scenes:

- of `sizes`, for the N of `STUDIED`, (R, N): ``rmse`` of the mean depth, ``aleatoric`` and ``epistemic`` (mean sd over
  pixels, metres), ``correlation`` of the aleatoric sd with the known one, ``coverage_aleatoric`` and
  ``coverage_total`` of 95 % bands; (R, N, regions) ``aleatoric_by`` and ``epistemic_by``; (R, N, changes)
  ``front_epistemic``, ``front_aleatoric`` and ``front_error`` (root mean square) of the thing in front. The known
  noise, without R, is in ``known`` and ``known_by`` (regions);
- of `tasks`, (R, tasks): ``sigma``, the one learned noise of depth in metres, ``second``, the sigma that weights the
  second task, and the held-out ``rmse`` of depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bdlviz.studies.study import ArrayStudy
from bdlviz.topics.foundations.depth_and_edges.convolutional import draw_masks
from bdlviz.topics.foundations.depth_and_edges.dense_network import (
    DEPTH_MEAN,
    DEPTH_SCALE,
    DenseSettings,
    heads,
    metres,
)
from bdlviz.topics.foundations.depth_and_edges.dense_scores import (
    DepthPicture,
    correlation,
    coverage,
    depth_picture,
    draw_outputs,
)
from bdlviz.topics.foundations.depth_and_edges.scenes import CHANGES, Change, Scenes, make_scenes
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
TRAINING_SEED, HELD_OUT_SEED = 0, 1_000_000  # seeds of the scenes
NUM_HELD_OUT, NUM_DRAWS = 20, 20
TASK_STEPS, SIGMA_SPEED = 600, 10.0


def settings_of(tasks: str, num_scenes: int) -> DenseSettings:
    """The settings of one shipped network."""
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
    """The depth of one image (H, W, 3), predicted by a network that learns the noise of every pixel."""
    outputs = heads(outputs_of(settings, params, image, num_draws, seed), settings.tasks)["depth"]
    return depth_picture(outputs[..., 0], outputs[..., 1], offset=DEPTH_MEAN, scale=DEPTH_SCALE)


def outputs_of(
    settings: DenseSettings, params: Mapping[str, Array], image: Array, num_draws: int = NUM_DRAWS, seed: int = 0
) -> Array:
    """S draws of all outputs for one image (H, W, 3), (S, H, W, K); draw s does not depend on S."""
    masks = [
        draw_masks(settings.network, settings.dropout_rate, 1, np.random.Generator(np.random.SFC64([seed, index])))
        for index in range(num_draws)
    ]
    together = {name: np.concatenate([mask[name] for mask in masks]) for name in masks[0]}
    return draw_outputs(settings.network, params, image, together)


def network_depths(arrays: Mapping[str, Array], num_scenes: int, image: Array) -> Array:
    """Standardised depth and its log variance by the ensemble of one N, (3, H, W, 2), without dropout.

    The three networks differ in their initial weights, in the order of their minibatches, and in their second task.
    """
    by_network = []
    for tasks in TASKS_OF:
        settings, params = settings_of(tasks, num_scenes), params_of(arrays, tasks, num_scenes)
        by_network.append(heads(draw_outputs(settings.network, params, image, {})[0], settings.tasks)["depth"])
    return np.stack(by_network)


# What is shipped ------------------------------------------------------------------------------------------------------


def scenes() -> dict[str, Array]:
    """The weights of every network on the page, and the standard deviations over networks."""
    from bdlviz.topics.foundations.depth_and_edges.dense_training import train_dense

    training = make_scenes(max(NUM_SCENES), TRAINING_SEED)
    arrays: dict[str, Array] = {}
    for tasks in TASKS_OF:
        for num_scenes in NUM_SCENES:
            trained = train_dense(settings_of(tasks, num_scenes), training[:num_scenes])
            arrays |= {f"{tasks}.{num_scenes}.{name}": each.astype(np.float16) for name, each in trained.params.items()}
    return arrays | _disagreement(arrays)


def _disagreement(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The standard deviation of depth over the networks of every N, for all pixels and for the thing in front."""
    everywhere, front = np.zeros(len(NUM_SCENES), np.float32), np.zeros((len(NUM_SCENES), len(CHANGES)), np.float32)
    for column, change in enumerate(CHANGES):
        test = make_scenes(NUM_HELD_OUT, HELD_OUT_SEED, change)
        for row, count in enumerate(NUM_SCENES):
            means = np.stack([metres(network_depths(arrays, count, image)[..., 0]) for image in test.images], axis=1)
            std = means.std(0)
            front[row, column] = std[test.front].mean()
            everywhere[row] = std.mean() if change == "none" else everywhere[row]
    return {"networks_epistemic": everywhere, "networks_front": front}


def sizes() -> dict[str, Array]:
    """Scores of networks for depth alone, for every N and some seeds, with the known noise."""
    from bdlviz.topics.foundations.depth_and_edges.dense_training import train_dense

    training = make_scenes(max(STUDIED), TRAINING_SEED)
    held_out: dict[Change, Scenes] = {change: make_scenes(NUM_HELD_OUT, HELD_OUT_SEED, change) for change in CHANGES}
    rows = [
        [
            _measured(settings, train_dense(settings, training[: settings.num_scenes]).params, held_out)
            for settings in (replace(settings_of("depth", count), seed=seed) for count in STUDIED)
        ]
        for seed in SIZE_SEEDS
    ]
    arrays = {key: np.array([[cell[key] for cell in row] for row in rows], np.float32) for key in rows[0][0]}
    test = held_out["none"]
    known_by = [test.noise_std[region].mean() for region in regions(test).values()]
    return arrays | {"known": np.array([test.noise_std.mean()]), "known_by": np.array(known_by, np.float32)}


def regions(scenes: Scenes) -> dict[str, Array]:
    """Masks (N, H, W) by region: at jumps of depth and next to them; of the other pixels glossy, far and near ones."""
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
    test, depth = held_out["none"], _stacked(pictures["none"])
    by = regions(test).values()
    fronts = [(_stacked(pictures[change]), scenes) for change, scenes in held_out.items()]
    return {
        "rmse": float(np.sqrt(np.mean(np.square(depth.mean - test.depth)))),
        "aleatoric": float(depth.aleatoric_std.mean()),
        "epistemic": float(depth.epistemic_std.mean()),
        "correlation": correlation(depth.aleatoric_std, test.noise_std),
        "coverage_aleatoric": coverage(test.readings, depth.mean, depth.aleatoric_std),
        "coverage_total": coverage(test.readings, depth.mean, depth.total_std),
        "aleatoric_by": [float(depth.aleatoric_std[region].mean()) for region in by],
        "epistemic_by": [float(depth.epistemic_std[region].mean()) for region in by],
        "front_epistemic": [float(each.epistemic_std[scenes.front].mean()) for each, scenes in fronts],
        "front_aleatoric": [float(each.aleatoric_std[scenes.front].mean()) for each, scenes in fronts],
        "front_error": [
            float(np.sqrt(np.mean(np.square(each.mean - scenes.depth)[scenes.front]))) for each, scenes in fronts
        ],
    }


def _stacked(pictures: list[DepthPicture]) -> DepthPicture:
    names = ("mean", "aleatoric_std", "epistemic_std")
    return DepthPicture(*(np.stack([getattr(picture, name) for picture in pictures]) for name in names))


def task_settings(tasks: str, seed: int) -> DenseSettings:
    """Settings with one learned noise of depth for all pixels, and a second task with a learned weight."""
    # A log sigma changes by at most about one learning rate per step. With the learning rate of the weights it would
    # not converge within TASK_STEPS steps.
    return DenseSettings(
        TASKS_OF[tasks], 300, seed, is_heteroscedastic=False, num_steps=TASK_STEPS, sigma_speed=SIGMA_SPEED
    )


def tasks() -> dict[str, Array]:
    """Learned noise and error of depth for every set of tasks."""
    from bdlviz.topics.foundations.depth_and_edges.dense_training import train_dense

    training, test = make_scenes(300, TRAINING_SEED), make_scenes(NUM_HELD_OUT, HELD_OUT_SEED)
    shape, keys = (len(TASK_SEEDS), len(TASKS_OF)), ("sigma", "second", "rmse")
    arrays = {key: np.full(shape, np.nan, np.float32) for key in keys}
    for at in np.ndindex(shape):
        name = tuple(TASKS_OF)[at[1]]
        settings = task_settings(name, TASK_SEEDS[at[0]])
        trained = train_dense(settings, training)
        means = [metres(outputs_of(settings, trained.params, image)[..., 0].mean(0)) for image in test.images]
        arrays["sigma"][at] = DEPTH_SCALE * np.exp(trained.log_sigma["depth"])
        arrays["second"][at] = np.exp(trained.log_sigma.get(name, np.nan)) if name != "depth" else np.nan
        arrays["rmse"][at] = np.sqrt(np.mean(np.square(np.stack(means) - test.depth)))
    return arrays


def _listed(settings: Iterable[DenseSettings]) -> dict[str, Any]:
    return {"networks": [each.as_json() for each in settings], "held_out": [HELD_OUT_SEED, NUM_HELD_OUT, NUM_DRAWS]}


ARRAYS = {
    SCENES: ArrayStudy(
        "Depth, edges and classes of synthetic scenes: weights",
        scenes,
        _listed(settings_of(tasks, count) for tasks in TASKS_OF for count in NUM_SCENES),
    ),
    SIZES: ArrayStudy(
        "Depth of synthetic scenes: both uncertainties for every N",
        sizes,
        _listed(replace(settings_of("depth", count), seed=seed) for seed in SIZE_SEEDS for count in STUDIED),
    ),
    TASKS: ArrayStudy(
        "Depth of synthetic scenes with a second task: the learned noise",
        tasks,
        _listed(task_settings(tasks, seed) for seed in TASK_SEEDS for tasks in TASKS_OF),
    ),
}
