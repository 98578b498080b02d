"""Trainings with further seeds of the networks that pages show one of: how far their comparisons depend on the seed.

Seed 0 is the network that is shipped with its weights. R counts seeds, L layers of units.

`WEIGHTS` holds, of networks on the 8x8 digits and of each method that removes weights,

- ``METHOD_left`` (R,): weights that are left between living units;
- ``METHOD_units`` (R, L): living units of every layer, pixels first;
- ``METHOD_accuracy`` (R,): held-out, of the means that are left;

of sparse variational dropout without and with a warm-up of the KL term, ``few`` being `FEW_IMAGES` digits and
``thousand`` MNIST-1000,

- ``few_paid`` (R, 2), ``thousand_paid`` (R, 2): data term and KL term, nats per training image;
- ``few_share``, ``thousand_share`` (R, 2): share of the weights left;

and of variational dropout on a curve ``noise_nll`` (R, 2): held-out nats per point at the smallest and at the full
weight of the KL term, an alpha for each neuron.

`GENERATIVE` holds, for ``digits`` and ``mnist`` (MNIST-1000),

- ``rmse_IMAGES`` (R, 4): error of the expected pixels of held-out images, from 0 to 1, for each of `LIKELIHOODS`;
- ``codes_std_IMAGES`` (R, 2): standard deviation of the training images' codes, plain autoencoder and VAE;
- ``plane_elbo`` (R, 2): training and held-out bound of a VAE with two code dimensions, MNIST-1000, nats;
- ``conditional_elbo`` (R,): held-out bound given the class, MNIST-1000, nats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Any, cast

import numpy as np

from bdlviz.data import load
from bdlviz.fits import Fit, GenerativeFit, configure, fit, run
from bdlviz.fitted.bundles import BundleRecipe
from bdlviz.methods.prunable import PRUNERS, pruner
from bdlviz.methods.sparse_variational_dropout import PRUNER
from bdlviz.models import divergences
from bdlviz.predictive import compression
from bdlviz.predictive.summaries import negative_log_likelihood
from bdlviz.topics.digits.concrete_dropout import study as concrete_dropout_study
from bdlviz.topics.generative.likelihood import study as likelihood_study
from bdlviz.topics.generative.likelihood.study import LIKELIHOODS
from bdlviz.topics.generative.vae import study as vae_study
from bdlviz.topics.weights.sparsity import study as sparsity_study
from bdlviz.topics.weights.variational_dropout import study as variational_dropout_study
from bdlviz.types import Array, Dataset, FitConfig

WEIGHTS, GENERATIVE = "repeats_weights", "repeats_generative"  # names of the bundles
SEEDS = (0, 1, 2, 3, 4)
FEWER_SEEDS = (0, 1, 2)  # of what takes a minute
FEW_IMAGES, FEW_STEPS = 100, 6000
FEW_WARM_UPS, THOUSAND_WARM_UPS = (0.0, 0.1), (0.0, 0.5)
NOISE_KL_WEIGHTS = (variational_dropout_study.KL_WEIGHTS[0], variational_dropout_study.KL_WEIGHTS[-1])
SPARSE = "sparse_variational_dropout"
FEW_SETTINGS: dict[str, Any] = sparsity_study.SETTINGS["digits"] | {"num_epochs": None, "num_steps": FEW_STEPS}
NUM_DRAWS = 100  # of the data term
SCORE_DRAWS = 400  # of a negative log-likelihood


# Weights --------------------------------------------------------------------------------------------------------------


def weights() -> dict[str, Array]:
    """The arrays of `WEIGHTS`."""
    found: dict[str, Any] = {}
    for method in PRUNERS:
        found |= _removed(method)
    few, thousand = concrete_dropout_study.image_data("digits", FEW_IMAGES), load("mnist-1000")
    found |= _warmed("few", few, SEEDS, FEW_SETTINGS, FEW_WARM_UPS)
    found |= _warmed("thousand", thousand, FEWER_SEEDS, sparsity_study.SETTINGS["mnist1000"], THOUSAND_WARM_UPS)
    return _float32(found | {"noise_nll": [_noise_nll(seed) for seed in SEEDS]})


@cache
def few_config(kl_warm_up: float) -> FitConfig:
    """The network of the first seed on few images."""
    few = concrete_dropout_study.image_data("digits", FEW_IMAGES)
    settings: dict[str, Any] = FEW_SETTINGS | {"kl_warm_up": kl_warm_up}
    return configure(SPARSE, few, **settings)


def _removed(method: str) -> dict[str, Any]:
    """What a method leaves of the network on 8x8 digits."""
    dataset, left, units, accuracy = load("digits"), [], [], []
    for seed in SEEDS:
        trained = run(sparsity_study.config_of(method, "digits", seed), dataset)
        means = pruner(method).pruned(sparsity_study.single_params(trained), pruner(method).threshold)
        alive = compression.living_units(means)
        blocks = zip(compression.weight_names(means), alive, alive[1:], strict=False)
        left.append(sum(np.count_nonzero(means[name][np.ix_(*ends)]) for name, *ends in blocks))
        units.append([layer.sum() for layer in alive])
        accuracy.append(sparsity_study.pruned_accuracy(trained, dataset))
    return {f"{method}_left": left, f"{method}_units": units, f"{method}_accuracy": accuracy}


def _warmed(
    name: str, dataset: Dataset, seeds: Iterable[int], settings: dict[str, Any], warm_ups: tuple[float, float]
) -> dict[str, Any]:
    """What sparse variational dropout pays and keeps without and with a warm-up."""
    both: list[dict[str, Any]] = [settings | {"kl_warm_up": warm_up} for warm_up in warm_ups]
    rows = [[_paid(fit(SPARSE, dataset, seed=seed, **each), dataset) for each in both] for seed in seeds]
    paid, share = np.moveaxis(np.array(rows), -1, 0)
    return {f"{name}_paid": paid, f"{name}_share": share}


def _paid(trained: Fit, dataset: Dataset) -> tuple[float, float]:
    """Nats per training image, and the share of the weights left."""
    params = sparsity_study.single_params(trained)
    kl = sum(float(divergences.sparse_variational(each).sum()) for each in PRUNER.log_alphas(params).values())
    draws = trained.predict(dataset.x, NUM_DRAWS).draws[:, np.arange(dataset.num_data), dataset.y.astype(int)]
    data_term = -np.log(np.maximum(draws, sparsity_study.SMALLEST_PROBABILITY)).mean()
    return float(data_term) + kl / dataset.num_data, 1 / PRUNER.compression(params, PRUNER.threshold)


@cache
def noise_config(kl_weight: float) -> FitConfig:
    """The network of the first seed with an alpha for each neuron."""
    return variational_dropout_study.curve_config("neuron", load(variational_dropout_study.CURVE), kl_weight=kl_weight)


def _noise_nll(seed: int) -> list[float]:
    dataset = load(variational_dropout_study.CURVE)
    trained = run(variational_dropout_study.curve_config("neuron", dataset, seed=seed), dataset)
    cells = [trained.cell(kl_weight=weight) for weight in NOISE_KL_WEIGHTS]
    predicted = [cell.predict(dataset.x_test, SCORE_DRAWS) for cell in cells]
    return [negative_log_likelihood(each, dataset.y_test) for each in predicted]


# Generative models ----------------------------------------------------------------------------------------------------


def generative() -> dict[str, Array]:
    """The arrays of `GENERATIVE`."""
    found: dict[str, Any] = {}
    for images, dataset_name in likelihood_study.IMAGES.items():
        dataset = load(dataset_name)
        seeds, hidden = (SEEDS, {"hidden": vae_study.SMALL}) if images == "digits" else (FEWER_SEEDS, {})
        found[f"rmse_{images}"] = [[_rmse(dataset, chosen, seed) for chosen in LIKELIHOODS] for seed in seeds]
        planes = [[_plane(each, dataset, seed, **hidden) for each in ("autoencoder", "vae")] for seed in seeds]
        found[f"codes_std_{images}"] = [[each.encode(dataset.x)[0].std() for each in pair] for pair in planes]
        if images == "mnist":
            found["plane_elbo"] = [[vae.history["elbo"].ravel()[-1], _held_out(vae, dataset)] for _, vae in planes]
            found["conditional_elbo"] = [_conditional(dataset, seed) for seed in seeds]
    return _float32(found)


def _plane(method: str, dataset: Dataset, seed: int, **settings: Any) -> GenerativeFit:
    return cast(GenerativeFit, fit(method, dataset, latent_dim=2, seed=seed, **settings))


def _held_out(vae: GenerativeFit, dataset: Dataset) -> float:
    return float(vae.elbo(dataset.x_test, likelihood_study.NUM_SAMPLES).mean())


def _rmse(dataset: Dataset, chosen: str, seed: int) -> float:
    trained = fit("vae", dataset, likelihood=chosen, seed=seed, **likelihood_study.SETTINGS)
    return likelihood_study.rmse(cast(GenerativeFit, trained), dataset.x_test)


def _conditional(dataset: Dataset, seed: int) -> float:
    """The bound of held-out images given their class."""
    trained = cast(Any, _plane("conditional_vae", dataset, seed))
    bounds = [
        trained.given(label).elbo(dataset.x_test[dataset.y_test == label], vae_study.CONDITIONAL_SAMPLES)
        for label in range(trained.num_classes)
    ]
    return float(np.concatenate(bounds).mean())


def _float32(found: dict[str, Any]) -> dict[str, Array]:
    return {name: np.array(values, np.float32) for name, values in found.items()}


def _as_json(**settings: Any) -> dict[str, Any]:
    """As they come back from the file: tuples are lists."""
    return json.loads(json.dumps(settings))


BUNDLES = {
    WEIGHTS: BundleRecipe(
        "Networks with noise on weights: further seeds",
        weights,
        _as_json(
            seeds=[SEEDS, FEWER_SEEDS],
            few=[FEW_IMAGES, FEW_STEPS],
            networks={method: sparsity_study.settings_of(method, "digits") for method in PRUNERS},
            thousand=sparsity_study.SETTINGS["mnist1000"],
            curve=variational_dropout_study.CURVE_SETTINGS,
        ),
    ),
    GENERATIVE: BundleRecipe(
        "Generative models: further seeds",
        generative,
        _as_json(seeds=[SEEDS, FEWER_SEEDS], likelihoods=[LIKELIHOODS, likelihood_study.SETTINGS]),
    ),
}
