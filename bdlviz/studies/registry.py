"""How each shipped checkpoint is made. `python -m bdlviz train --all` follows these recipes.

The regression grids hold every stop of the sliders of their page, so that no default move of a slider trains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bdlviz import data
from bdlviz.errata import study as errata_study
from bdlviz.fits import Fit, configure, run
from bdlviz.fitted.bundles import BundleRecipe
from bdlviz.methods.common import DROPOUT_RATE, WEIGHT_DECAY
from bdlviz.predictive.summaries import negative_log_likelihood, rmse
from bdlviz.predictive.surface import pack_surface
from bdlviz.studies import scenes
from bdlviz.topics.digits.concrete_dropout import study as concrete_dropout_study
from bdlviz.topics.digits.mc_dropout import study as mc_dropout_study
from bdlviz.topics.foundations.kinds_of_uncertainty import study as kinds_of_uncertainty_study
from bdlviz.topics.foundations.kinds_of_uncertainty import study_dense as kinds_of_uncertainty_study_dense
from bdlviz.topics.generative.likelihood import study as likelihood_study
from bdlviz.topics.generative.vae import study as vae_study
from bdlviz.topics.regression.active_learning import study as active_learning_study
from bdlviz.topics.regression.active_learning import study_bandit as active_learning_study_bandit
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.in_between import study as in_between_study
from bdlviz.topics.results.scoreboard import study as scoreboard_study
from bdlviz.topics.shared import repeats_study
from bdlviz.topics.weights.bayes_by_backprop import study as bayes_by_backprop_study
from bdlviz.topics.weights.signal_to_noise import study as signal_to_noise_study
from bdlviz.topics.weights.sparsity import study as sparsity_study
from bdlviz.topics.weights.variational_dropout import study as variational_dropout_study
from bdlviz.types import Array, Dataset, FitConfig

Made = tuple[Fit, dict[str, Array]]  # the fit, and what its page needs beside it
SCORE_SAMPLES = 200
SURFACE_DRAWS, SURFACE_INPUTS = 50, 200  # functions of every cell of a grid that a page scrubs, and their points

# The grid of the page on weight decay: 33 weight decays x 6 dropout rates x 3 seeds. The points are noisy, and the
# learning rate is high enough to fit that noise when nothing holds the weights back: a too small lambda is then seen.
LAMBDA_DECAYS = tuple(float(f"{value:.3g}") for value in np.geomspace(1e-7, 10, 33))
LAMBDA_RATES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)
LAMBDA_NOISE_STD = 0.9
LAMBDA_SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Recipe:
    """What a checkpoint holds and how it is made; ``needs`` names the data set it cannot do without.

    Without ``keeps_weights`` only what stands beside the fit is shipped: its page needs no more.
    """

    title: str
    make: Callable[[], Made]
    needs: str | None = None
    half: bool = True
    keeps_weights: bool = True


def _function_draws(method: str, **axes: Any) -> Callable[[], Made]:
    def make() -> Made:
        dataset = data.load("x_sin_x")
        return scored(run(configure(method, dataset, **axes), dataset), dataset)

    return make


def lambda_config(dataset: Dataset) -> FitConfig:
    """The grid of the page on weight decay, on any one-dimensional data."""
    return configure(
        "mc_dropout",
        dataset,
        dropout_rate=LAMBDA_RATES,
        weight_decay=LAMBDA_DECAYS,
        seed=LAMBDA_SEEDS,
        num_steps=2000,
        learning_rate=5e-3,
    )


def _effect_of_lambda(name: str, noise_std: float | None = None) -> Made:
    """The scores of all seeds, and the weights of the first, which are all that the pictures need."""
    dataset = data.load(name, noise_std=noise_std)
    fit, extra = scored(run(lambda_config(dataset), dataset), dataset)
    return fit.cell(seed=LAMBDA_SEEDS[0]), extra


def scored(fit: Fit, dataset: Dataset) -> Made:
    """A grid with what its page shows at once: the scores of every cell, and its functions as a block to scrub."""
    scores = held_out_scores(fit, dataset)
    surface = function_surface(fit, dataset, scores["nll"].mean(0))
    return fit, scores | {"surface": np.frombuffer(surface, np.uint8)}


def held_out_scores(fit: Fit, dataset: Dataset, num_samples: int = SCORE_SAMPLES) -> dict[str, Array]:
    """Held-out negative log likelihood and RMSE of every network of a grid.

    Both have an axis for the seeds and one for every axis of the grid, such as (R, P, L) for dropout rates and weight
    decays: ``nll`` in nats per point, ``rmse`` in y's units.
    """
    shape = (len(fit.config.seeds), *fit.config.grid_shape)
    scores = {"nll": np.empty(shape, np.float32), "rmse": np.empty(shape, np.float32)}
    for index in np.ndindex(shape):
        predictive = _cell(fit, *index).predict(dataset.x_test, num_samples)
        scores["nll"][index] = negative_log_likelihood(predictive, dataset.y_test)
        scores["rmse"][index] = rmse(predictive, dataset.y_test)
    return scores


def function_surface(fit: Fit, dataset: Dataset, nll: Array | None = None) -> bytes:
    """The functions of every cell of a grid, first seed, as one block (see `bdlviz.predictive.surface`).

    ``nll`` are held-out scores in the shape of the grid, to colour it with.
    """
    x = np.linspace(*dataset.x_range, SURFACE_INPUTS)[:, None]
    cells = [_cell(fit, 0, *index).predict(x, SURFACE_DRAWS) for index in np.ndindex(fit.config.grid_shape)]
    most = max(len(cell.draws) for cell in cells)  # without dropout all draws are one
    draws = np.stack([np.broadcast_to(cell.draws[:, :, 0], (most, SURFACE_INPUTS)) for cell in cells])
    return pack_surface(fit.config.axes, draws, dataset.y_range, {} if nll is None else {"nll": nll.ravel()})


def _cell(fit: Fit, seed: int, *index: int) -> Fit:
    """The network of a grid at these positions on its axes."""
    values = {name: stops[at] for (name, stops), at in zip(fit.config.axes, index, strict=True)}
    return fit.cell(seed=fit.config.seeds[seed], **values)


def _classifiers() -> dict[str, Recipe]:
    """The rows of the scoreboard."""
    return {
        scoreboard_study.name_of(method, images): Recipe(
            f"Scoreboard on {data.DATASETS[dataset].title}: {method}",
            partial(scoreboard_study.classifier, method, images),
            needs="mnist" if images == "mnist" else None,  # scored on the 10,000 test images, too
            keeps_weights=method in scoreboard_study.METHODS,
        )
        for images, dataset in scoreboard_study.IMAGES.items()
        for method in scoreboard_study.on_board(images)
    }


def _likelihoods() -> dict[str, Recipe]:
    """VAEs that differ in their likelihood alone."""
    return {
        likelihood_study.name_of(images, chosen): Recipe(
            f"VAE of {data.DATASETS[dataset].title}, likelihood {chosen}",
            partial(likelihood_study.of_likelihood, images, chosen),
        )
        for images, dataset in likelihood_study.IMAGES.items()
        for chosen in likelihood_study.LIKELIHOODS
    }


def _backprop() -> dict[str, Recipe]:
    """Bayes by Backprop on curves: every prior and KL weight of its page, and what stands beside it."""
    made = {
        "bayes_by_backprop_curve": Recipe(
            "Bayes by Backprop, its paper's curve: every prior and KL weight", bayes_by_backprop_study.curve
        ),
        "bayes_by_backprop_gap": Recipe(
            "Bayes by Backprop, two clusters: every prior and KL weight",
            partial(bayes_by_backprop_study.curve, "two_clusters"),
        ),
        "bayes_by_backprop_course": Recipe(
            "Bayes by Backprop, its paper's curve, in training", bayes_by_backprop_study.course
        ),
    }
    beside = {
        f"beside_{method}_{name}": Recipe(
            f"Beside Bayes by Backprop, {name}: {method}", partial(bayes_by_backprop_study.beside, method, name)
        )
        for method in bayes_by_backprop_study.BESIDE
        for name in bayes_by_backprop_study.DATASETS
    }
    return made | beside


def _pruned() -> dict[str, Recipe]:
    """Networks that remove their own weights; those without a warm-up of the KL term have one seed."""
    made: dict[str, Recipe] = {}
    for method in ("sparse_variational_dropout", "ard"):
        made |= _pruned_recipe(method, "digits", (0, 1, 2))
        made |= _pruned_recipe(method, "digits", kl_warm_up=0.0)
        made |= _pruned_recipe(method, "mnist")
    made |= _pruned_recipe("sparse_variational_dropout", "mnist1000")
    made |= _pruned_recipe("sparse_variational_dropout", "mnist1000", kl_warm_up=0.5)
    for method in ("group_normal_jeffreys", "group_horseshoe"):
        made |= _pruned_recipe(method, "digits") | _pruned_recipe(method, "mnist")
    return made


def _pruned_recipe(
    method: str, images: str, seeds: tuple[int, ...] = (0,), kl_warm_up: float | None = None
) -> dict[str, Recipe]:
    changed = {} if kl_warm_up is None else {"kl_warm_up": kl_warm_up}
    dataset = sparsity_study.IMAGES[images]
    recipe = Recipe(
        f"Weights removed, {data.DATASETS[dataset].title}: {method}"
        + ("" if kl_warm_up is None else f", warm-up {kl_warm_up:g}"),
        partial(sparsity_study.prunable, method, images, seeds, **changed),
        needs=dataset if data.DATASETS[dataset].files else None,
        keeps_weights=images != "mnist1000",  # of these the page shows what stands beside the fit
    )
    return {sparsity_study.name_of(method, images, kl_warm_up): recipe}


def _noise() -> dict[str, Recipe]:
    """Gaussian and variational dropout: functions of every stop of their sliders, and the noise learned from digits."""
    curves = {
        f"noise_{which}": Recipe(f"Noise on weights, x sin x: {which}", partial(variational_dropout_study.curve, which))
        for which in variational_dropout_study.CURVE_METHODS
    }
    studies = {
        f"learned_noise_{images}": Recipe(
            f"Variational dropout of {data.DATASETS[dataset].title}: an alpha per layer, neuron or weight",
            partial(variational_dropout_study.learned_noise, images),
            keeps_weights=False,
        )
        for images, dataset in variational_dropout_study.IMAGES.items()
    }
    return curves | studies


def _bayes() -> dict[str, Recipe]:
    """Bayes by Backprop on digits: the page on which weights matter."""
    made: dict[str, Recipe] = {}
    for images, dataset in signal_to_noise_study.IMAGES.items():
        title, needs = data.DATASETS[dataset].title, dataset if data.DATASETS[dataset].files else None
        for preset in signal_to_noise_study.PRESETS:
            name, words = signal_to_noise_study.name_of(images, preset), preset.replace("_", " ")
            make = partial(signal_to_noise_study.bayes, images, preset)
            made[name] = Recipe(f"Bayes by Backprop beside dropout, {title}: {words}", make, needs=needs)
        make = partial(signal_to_noise_study.notebook, images)
        made[f"notebook_{images}"] = Recipe(f"The notebook's Bayes by Backprop, {title}", make, needs=needs)
    return made


def _kinds() -> dict[str, Recipe]:
    """The page on kinds of uncertainty: its studies, and the fits it shows first."""
    return {
        name: Recipe(title, make, keeps_weights=keeps) for name, title, make, keeps in kinds_of_uncertainty_study.made()
    }


def _compared() -> dict[str, Recipe]:
    """Methods side by side: the first pictures of the pages that compare them."""
    return {
        compare_study.name_of(method, dataset, hidden): Recipe(
            f"Comparison on {data.DATASETS[dataset].title}, hidden layers: {len(hidden)}, {method}",
            partial(compare_study.compared, method, dataset, hidden),
            half=method not in ("gaussian_process", "laplace"),
        )
        for method, dataset, hidden in compare_study.shipped()
    }


def _active() -> dict[str, Recipe]:
    """Active learning: curves, digits and a bandit, several runs of each."""
    curves = {
        f"active_curves_{method}": Recipe(
            f"Active learning on curves: {method}", partial(active_learning_study.curves, method), keeps_weights=False
        )
        for method in active_learning_study.METHODS
    }
    digits = {
        f"active_digits_{method}": Recipe(
            f"Active learning on 8x8 digits: {method}",
            partial(active_learning_study.digits, method),
            keeps_weights=False,
        )
        for method in active_learning_study.DIGIT_METHODS
    }
    title = "A bandit of two hills: networks that choose arms"
    return curves | digits | {"active_bandit": Recipe(title, active_learning_study_bandit.bandits, keeps_weights=False)}


def _scenes() -> dict[str, Recipe]:
    """What single scenes show: their fits, and the noise of gradients beside a fit that is shipped already."""
    fits = {f"scene_{name}": Recipe(each.title, each.make, half=each.half) for name, each in scenes.FITS.items()}
    vaes = {
        f"scene_{name}": Recipe(f"VAE, 8x8 digits, KL weight {beta:g}", partial(scenes.vae, beta))
        for name, beta in scenes.BETAS.items()
    }
    title = "Bayes by Backprop, its paper's curve: the noise of gradients"
    return fits | vaes | {"scene_gradients": Recipe(title, scenes.gradients, keeps_weights=False)}


RECIPES: dict[str, Recipe] = {
    "function_draws_mc_dropout": Recipe(
        "Function draws, MC dropout: every dropout rate and weight decay of the sliders",
        _function_draws("mc_dropout", dropout_rate=DROPOUT_RATE.values, weight_decay=WEIGHT_DECAY.values),
    ),
    "function_draws_map": Recipe(
        "Function draws, plain network: every weight decay", _function_draws("map", weight_decay=WEIGHT_DECAY.values)
    ),
    "function_draws_deep_ensemble": Recipe(
        "Function draws, ensemble of five: every weight decay",
        _function_draws("deep_ensemble", weight_decay=WEIGHT_DECAY.values),
    ),
    "effect_of_lambda": Recipe(
        "Effect of lambda: 33 weight decays x 6 dropout rates x 3 seeds",
        partial(_effect_of_lambda, "x_sin_x", LAMBDA_NOISE_STD),
    ),
    "effect_of_lambda_gap": Recipe(
        "Effect of lambda, two clusters: the same grid", partial(_effect_of_lambda, "two_clusters")
    ),
    "vae_digits_2d": Recipe("VAE with a plane of codes, 8x8 digits", vae_study.vae_digits_2d),
    "vae_digits_20d": Recipe("VAE with 20 code dimensions, 8x8 digits", vae_study.vae_digits_20d),
    "vae_mnist_2d": Recipe("VAE with a plane of codes, MNIST-1000", vae_study.vae_mnist_2d),
    "vae_mnist_20d": Recipe("VAE with 20 dimensions, MNIST-1000", vae_study.vae_mnist_20d),
    "vae_mnist60000_2d": Recipe("VAE with a plane of codes, all of MNIST", vae_study.vae_mnist60000_2d, needs="mnist"),
    "vae_mnist60000_20d": Recipe("VAE with 20 dimensions, all of MNIST", vae_study.vae_mnist60000_20d, needs="mnist"),
    "conditional_vae_digits_2d": Recipe(
        "Conditional VAE with a plane of codes, 8x8 digits", vae_study.conditional_vae_digits_2d
    ),
    "conditional_vae_mnist_2d": Recipe(
        "Conditional VAE with a plane of codes, MNIST-1000",
        vae_study.conditional_vae_mnist_2d,
    ),
    **_likelihoods(),
    "betas_digits": Recipe("VAEs of every weight of the KL term, 8x8 digits", likelihood_study.betas),
    "autoencoder_digits_2d": Recipe("Plain autoencoder, 8x8 digits", vae_study.autoencoder_digits_2d),
    "autoencoder_mnist_2d": Recipe("Plain autoencoder, MNIST-1000", vae_study.autoencoder_mnist_2d),
    "autoencoder_mnist60000_2d": Recipe(
        "Plain autoencoder, all of MNIST", vae_study.autoencoder_mnist60000_2d, needs="mnist"
    ),
    "concrete_digits": Recipe(
        "Concrete dropout, 8x8 digits: four N, and no entropy term", concrete_dropout_study.digits
    ),
    "concrete_mnist": Recipe(
        "Concrete dropout, MNIST: N = 1000, 2000, and no entropy term", concrete_dropout_study.mnist, needs="mnist"
    ),
    "concrete_mnist_10000": Recipe(
        "Concrete dropout, MNIST: N = 10000 and 5000", concrete_dropout_study.mnist_10000, needs="mnist"
    ),
    "concrete_widths": Recipe("Concrete dropout: width against rate, 8x8 digits", concrete_dropout_study.widths),
    "concrete_authors": Recipe(
        "Concrete dropout: the authors' study, their steps", concrete_dropout_study.authors_published
    ),
    "concrete_authors_settled": Recipe(
        "Concrete dropout: the authors' study, settled", concrete_dropout_study.authors_settled
    ),
    **_backprop(),
    **_classifiers(),
    **_bayes(),
    **_pruned(),
    "unseen_digits": Recipe("MC dropout, 8x8 digits without the 7s", partial(mc_dropout_study.unseen, "digits")),
    "unseen_mnist": Recipe("MC dropout, MNIST-1000 without the 7s", partial(mc_dropout_study.unseen, "mnist")),
    **_noise(),
    **_kinds(),
    **_compared(),
    **_active(),
    **_scenes(),
}

BUNDLES: dict[str, BundleRecipe] = {  # what is shipped and no fit
    **kinds_of_uncertainty_study_dense.BUNDLES,
    **scenes.BUNDLES,
    **errata_study.BUNDLES,
    **repeats_study.BUNDLES,
    **in_between_study.BUNDLES,
}

GROUPS: dict[str, tuple[str, ...]] = {  # recipes that are made together
    "scoreboard": tuple(_classifiers()),
    "compare": tuple(_compared()),
    "scenes": ("effect_of_lambda_gap", *_scenes(), *scenes.BUNDLES),
}
