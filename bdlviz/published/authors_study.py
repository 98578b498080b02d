"""The synthetic study of Gal, Hron & Kendall 2017: data, network and training as in their notebook."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bdlviz.data.built_in import built_in
from bdlviz.data.sampling import generator
from bdlviz.fits import Fit, configure, fit_of
from bdlviz.methods import method
from bdlviz.models.likelihoods import likelihood
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.models.scaling import Scaling
from bdlviz.training.loop import BlockIndex
from bdlviz.training.run import Task, build_block
from bdlviz.types import Array, Dataset, FitConfig

# (N, epochs) of batches of 20.
AUTHORS_EPOCHS = ((10, 2000), (25, 1000), (50, 500), (100, 200), (1000, 20), (10_000, 2))
AUTHORS_BATCH = 20
AUTHORS_WIDTH = 1024
AUTHORS_HELD_OUT = 1000
AUTHORS_SAMPLES = 20
AUTHORS_OPTIONS: dict[str, Any] = {"start_rate": 0.1, "shared_rate": 1.0}
NUM_MOMENTS = 20  # of training, at which dropout rates are recorded


def authors_steps(num_data: int, num_epochs: int) -> int:
    """The number of steps of some epochs in batches of 20."""
    return num_epochs * -(-num_data // AUTHORS_BATCH)


@built_in
def authors_data(num_data: int, seed: int) -> Dataset:
    """Points of y = 2 x + 8 + e with x and e standard normal."""
    rng = generator(seed, f"authors/{num_data}")
    x = rng.standard_normal((num_data + AUTHORS_HELD_OUT, 1))
    y = 2 * x + 8 + rng.standard_normal(x.shape)
    train, rest = slice(num_data), slice(num_data, None)
    return Dataset(
        "authors_line", "y = 2 x + 8 + noise", x[train], y[train], x[rest], y[rest], noise_std=1.0, y_label="y"
    )


def authors_study(
    counts: Sequence[int], steps: Sequence[int], width: int, seeds: Sequence[int]
) -> tuple[dict[str, Array], Fit]:
    """Rates and uncertainties (R, V, ...) of R seeds' fits at every N, and the first fit."""
    rows, paths, first = [], [], None
    for seed in seeds:
        for count, num_steps in zip(counts, steps, strict=True):
            dataset = authors_data(count, seed)
            trained, path = fit_in_own_units(_authors_config(dataset, num_steps, width, seed), dataset)
            first = first or trained
            rows.append(_uncertainties(trained, dataset) | {"rates": path[-1]})
            paths.append(path)
    assert first is not None
    shape = (len(seeds), len(counts))
    found = {key: np.array([row[key] for row in rows], np.float32).reshape(*shape, -1) for key in rows[0]}
    squeezed = {key: array if key == "rates" else array[..., 0] for key, array in found.items()}
    return squeezed | {"path": np.array(paths, np.float32).reshape(*shape, NUM_MOMENTS + 1, -1)}, first


def _authors_config(dataset: Dataset, num_steps: int, width: int, seed: int) -> FitConfig:
    return configure(
        "concrete_dropout",
        dataset,
        hidden=(width,) * 3,
        num_steps=num_steps,
        batch_size=AUTHORS_BATCH,
        seed=seed,
        likelihood="heteroscedastic",
        length_scale=1e-4,
        temperature=0.1,
        **AUTHORS_OPTIONS,
    )


def fit_in_own_units(config: FitConfig, dataset: Dataset) -> tuple[Fit, Array]:
    """Train on x and y without standardisation, from Glorot weights, as the authors do.

    Returns the fit and the dropout rates (T, L) of every layer's input at the start and at 20 moments.
    """
    chosen = likelihood(config.likelihood)
    network = MLP((dataset.x.shape[1], *config.hidden, chosen.num_outputs(dataset.y.shape[1])), "relu", "glorot")
    model = Model(network, chosen)
    x, y = dataset.x.astype(np.float32), dataset.y.astype(np.float32)
    block = build_block(Task(config, model, x, y, 1.0), method(config.method), BlockIndex(slice(0, 1), slice(0, 1)))
    rates = [np.full(network.num_layers, dict(config.options)["start_rate"])]
    for count in _rounds(config.num_steps):
        block.advance(count, threading.Event())
        rates.append(_rates(block.params()[0][1]))
    plain = Scaling(np.zeros((1, 1)), np.ones((1, 1)), np.zeros((1, 1)), np.ones((1, 1)))
    params = {name: array.copy() for name, array in block.params()[0][1].items()}
    trained = fit_of(config, model=model, scaling=plain, noise_std=0.0, num_data=dataset.num_data, params=params)
    return replace(trained, num_steps_done=config.num_steps), np.array(rates)


def _rounds(num_steps: int) -> Iterator[int]:
    """The steps at which rates are recorded."""
    ends = np.linspace(0, num_steps, NUM_MOMENTS + 1).astype(int)
    yield from np.diff(ends).tolist()


def _rates(params: Mapping[str, Array]) -> Array:
    """The dropout rate of the input of each layer that has one."""
    logits = np.array([array.ravel()[0] for name, array in sorted(params.items()) if name.startswith("drop_logit")])
    return 1 / (1 + np.exp(-logits))


def _uncertainties(trained: Fit, dataset: Dataset) -> dict[str, float]:
    """Standard deviations over held-out points, computed from the same moments as the authors'.

    Aleatoric: exp of the mean log variance over draws. Epistemic: the variance of the mean over draws.
    """
    outputs = trained.draw_outputs(dataset.x_test, AUTHORS_SAMPLES)
    mean, log_variance = outputs[..., 0], outputs[..., 1]
    return {
        "aleatoric": float(np.sqrt(np.exp(log_variance.mean(0)).mean())),
        "epistemic": float(np.sqrt(mean.var(0).mean())),
        "rmse": float(np.sqrt(np.square(mean.mean(0) - dataset.y_test[:, 0]).mean())),
    }
