"""The shipped fits of the pages that compare methods: one network, one noise and, where a method has one, one prior."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bdlviz.data import DATASETS as ALL_DATASETS
from bdlviz.data import load
from bdlviz.data.built_in import built_in, part_of
from bdlviz.data.tables import starting_points
from bdlviz.errors import InvalidInput
from bdlviz.fits import configure, run
from bdlviz.methods import METHODS, ordered
from bdlviz.studies.scene_fit import KEPT, SceneFit, studies_of, thinned
from bdlviz.studies.study import Made, Study
from bdlviz.types import EMPTY, Dataset, FitConfig

REFERENCE = "hmc"
DATASETS = ("x_sin_x", "two_clusters")
HIDDEN = (50,)
DEEP = (50, 50)
DEEP_DATASET = "two_clusters"  # the one shipped with two hidden layers, too
LENGTH_SCALE, DROPOUT_RATE = 1.0, 0.1
DEEP_LENGTH_SCALE = 2.0  # with two layers chains agree under a narrower prior only
CLUSTER_GAP = 1.2  # of x, between the two clusters of that data set
FEWEST_TO_SPLIT = 5
MAX_SAMPLED = 500  # points that chains can go through while somebody waits
TRAINING: dict[str, Any] = {"num_steps": 3000, "batch_size": 32, "learning_rate": 1e-2, "schedule": "drop_at_half"}
# Long trajectories: with the usual ones, chains of so wide a prior agree only after ten times the trajectories.
CHAINS: dict[str, Any] = {"num_steps": 1000, "num_leapfrog": 100, "num_chains": 16}


def methods() -> tuple[str, ...]:
    """Every method of the registry that does regression, in the order of menus; of the chains, those in the menus."""
    found = (spec for spec in ordered() if "regression" in spec.tasks and not spec.is_generative)
    return tuple(spec.name for spec in found if spec.in_menus or spec.inference != "sampled")


def usual() -> tuple[str, ...]:
    """Those of the registry that are compared unless somebody chooses others."""
    return tuple(name for name in methods() if METHODS[name].is_usual)


def config_of(
    method: str,
    dataset: Dataset,
    *,
    hidden: Sequence[int] = HIDDEN,
    activation: str = "relu",
    length_scale: float = LENGTH_SCALE,
    dropout_rate: float = DROPOUT_RATE,
    seed: int = 0,
) -> FitConfig:
    """The fit of a method in a comparison.

    Every method gets the same network, the same noise and, where it has one, the prior N(0, 1/ℓ²) for every weight: a
    weight decay follows from ℓ, the noise and N.
    """
    spec = METHODS[method]
    if spec.inference == "sampled" and dataset.num_data > MAX_SAMPLED:
        raise InvalidInput(
            f"{spec.title} goes through all data at every step: at most {MAX_SAMPLED} points here, not "
            f"{dataset.num_data:,}. Take fewer points or another reference."
        )
    settings: dict[str, Any] = {"hidden": tuple(hidden), "activation": activation, "seed": seed}
    if spec.hyperparameter("length_scale") or spec.hyperparameter("weight_decay"):
        settings["length_scale"] = length_scale
    for name, value in (("prior_by_width", 0.0), ("dropout_rate", dropout_rate)):
        if spec.hyperparameter(name):
            settings[name] = value
    if spec.inference == "sampled":
        settings |= CHAINS
    elif spec.inference == "optimised":
        settings |= TRAINING
    return configure(method, dataset, **settings)


def name_of(method: str, dataset: str, hidden: Sequence[int] = HIDDEN) -> str:
    """What a checkpoint is called."""
    return f"compare_{dataset}_{method}" + ("" if len(hidden) == 1 else f"_{len(hidden)}")


def shipped() -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    """Method, data set and layers of every fit that is shipped."""
    names = [name for name in (*usual(), REFERENCE) if name in METHODS]
    shallow = [(method, dataset, HIDDEN) for dataset in DATASETS for method in names]
    return (*shallow, *((method, DEEP_DATASET, DEEP) for method in names))


def compared(method: str, dataset: str, hidden: Sequence[int] = HIDDEN) -> Made:
    """One method's fit as the pages' first pictures show it."""
    points = load(dataset)
    length_scale = LENGTH_SCALE if len(hidden) == 1 else DEEP_LENGTH_SCALE
    fitted = run(config_of(method, points, hidden=hidden, length_scale=length_scale), points)
    return thinned(fitted, KEPT) if METHODS[method].inference == "sampled" else fitted, {}


def every_fifth_held_out(dataset: Dataset) -> Dataset:
    """The same data with every fifth point kept for scoring; needs five points or more."""
    if dataset.num_data < FEWEST_TO_SPLIT:
        raise InvalidInput(f"Holding out every fifth point needs {FEWEST_TO_SPLIT} points, not {dataset.num_data}.")
    is_held = np.arange(dataset.num_data) % 5 == 4
    split = {"x_test": dataset.x[is_held], "y_test": dataset.y[is_held]}
    return part_of(dataset, ~is_held, **split)


@built_in
def clusters(gap: float = CLUSTER_GAP, per_cluster: int = 50, seed: int = 0) -> Dataset:
    """The data set of two clusters, moved apart or together until so much of x lies between them.

    The noise of every point stays; held-out points are left out, since their clusters are elsewhere.
    """
    usual = load("two_clusters", num_data=2 * per_cluster, seed=seed)
    if gap == CLUSTER_GAP or usual.truth is None:
        return usual
    x = usual.x + np.sign(usual.x) * (gap - CLUSTER_GAP) / 2
    return replace(usual, x=x, y=usual.y - usual.truth(usual.x) + usual.truth(x), x_test=EMPTY, y_test=EMPTY)


def own_points() -> Dataset:
    """The points that are in a visitor's table at first, every fifth held out."""
    return every_fifth_held_out(starting_points())


def scene_fits(name: str, words: str, load_data: Callable[[], Dataset]) -> dict[str, SceneFit]:
    """The fits of every method on the data of one scene, called ``name``."""
    return {
        f"compare_{name}_{method}": SceneFit(f"Comparison on {words}: {method}", method, load_data, config_of)
        for method in (*usual(), REFERENCE)
    }


SCENE_FITS = scene_fits("own", "six points", own_points)

STUDIES = {
    **{
        name_of(method, dataset, hidden): Study(
            f"Comparison on {ALL_DATASETS[dataset].title}, hidden layers: {len(hidden)}, {method}",
            partial(compared, method, dataset, hidden),
            half=method not in ("gaussian_process", "laplace"),
            group="compare",
        )
        for method, dataset, hidden in shipped()
    },
    **studies_of(SCENE_FITS),
}
