"""How each shipped checkpoint is made. `python -m bdlviz train --all` follows these recipes.

The regression grids hold every stop of the sliders of their page, so that no default move of a slider trains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bdlviz import (
    data,
    recipes_active,
    recipes_backprop_curves,
    recipes_backprop_digits,
    recipes_bandit,
    recipes_classifiers,
    recipes_compare,
    recipes_concrete,
    recipes_curve_seeds,
    recipes_dense,
    recipes_errata,
    recipes_images,
    recipes_kinds,
    recipes_likelihoods,
    recipes_pruned,
    recipes_repeats,
    recipes_scenes,
    recipes_unseen,
    recipes_variational,
)
from bdlviz.bundles import BundleRecipe
from bdlviz.fits import Fit, configure, run
from bdlviz.methods.common import DROPOUT_RATE, WEIGHT_DECAY
from bdlviz.predictive.summaries import negative_log_likelihood, rmse
from bdlviz.predictive.surface import pack_surface
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
        recipes_classifiers.name_of(method, images): Recipe(
            f"Scoreboard on {data.DATASETS[dataset].title}: {method}",
            partial(recipes_classifiers.classifier, method, images),
            needs="mnist" if images == "mnist" else None,  # scored on the 10,000 test images, too
            keeps_weights=method in recipes_classifiers.METHODS,
        )
        for images, dataset in recipes_classifiers.IMAGES.items()
        for method in recipes_classifiers.on_board(images)
    }


def _likelihoods() -> dict[str, Recipe]:
    """VAEs that differ in their likelihood alone."""
    return {
        recipes_likelihoods.name_of(images, chosen): Recipe(
            f"VAE of {data.DATASETS[dataset].title}, likelihood {chosen}",
            partial(recipes_likelihoods.of_likelihood, images, chosen),
        )
        for images, dataset in recipes_likelihoods.IMAGES.items()
        for chosen in recipes_likelihoods.LIKELIHOODS
    }


def _backprop() -> dict[str, Recipe]:
    """Bayes by Backprop on curves: every prior and KL weight of its page, and what stands beside it."""
    made = {
        "bayes_by_backprop_curve": Recipe(
            "Bayes by Backprop, its paper's curve: every prior and KL weight", recipes_backprop_curves.curve
        ),
        "bayes_by_backprop_gap": Recipe(
            "Bayes by Backprop, two clusters: every prior and KL weight",
            partial(recipes_backprop_curves.curve, "two_clusters"),
        ),
        "bayes_by_backprop_course": Recipe(
            "Bayes by Backprop, its paper's curve, in training", recipes_backprop_curves.course
        ),
    }
    beside = {
        f"beside_{method}_{name}": Recipe(
            f"Beside Bayes by Backprop, {name}: {method}", partial(recipes_backprop_curves.beside, method, name)
        )
        for method in recipes_backprop_curves.BESIDE
        for name in recipes_backprop_curves.DATASETS
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
    dataset = recipes_pruned.IMAGES[images]
    recipe = Recipe(
        f"Weights removed, {data.DATASETS[dataset].title}: {method}"
        + ("" if kl_warm_up is None else f", warm-up {kl_warm_up:g}"),
        partial(recipes_pruned.prunable, method, images, seeds, **changed),
        needs=dataset if data.DATASETS[dataset].files else None,
        keeps_weights=images != "mnist1000",  # of these the page shows what stands beside the fit
    )
    return {recipes_pruned.name_of(method, images, kl_warm_up): recipe}


def _noise() -> dict[str, Recipe]:
    """Gaussian and variational dropout: functions of every stop of their sliders, and the noise learned from digits."""
    curves = {
        f"noise_{which}": Recipe(f"Noise on weights, x sin x: {which}", partial(recipes_variational.curve, which))
        for which in recipes_variational.CURVE_METHODS
    }
    studies = {
        f"learned_noise_{images}": Recipe(
            f"Variational dropout of {data.DATASETS[dataset].title}: an alpha per layer, neuron or weight",
            partial(recipes_variational.learned_noise, images),
            keeps_weights=False,
        )
        for images, dataset in recipes_variational.IMAGES.items()
    }
    return curves | studies


def _bayes() -> dict[str, Recipe]:
    """Bayes by Backprop on digits: the page on which weights matter."""
    made: dict[str, Recipe] = {}
    for images, dataset in recipes_backprop_digits.IMAGES.items():
        title, needs = data.DATASETS[dataset].title, dataset if data.DATASETS[dataset].files else None
        for preset in recipes_backprop_digits.PRESETS:
            name, words = recipes_backprop_digits.name_of(images, preset), preset.replace("_", " ")
            make = partial(recipes_backprop_digits.bayes, images, preset)
            made[name] = Recipe(f"Bayes by Backprop beside dropout, {title}: {words}", make, needs=needs)
        make = partial(recipes_backprop_digits.notebook, images)
        made[f"notebook_{images}"] = Recipe(f"The notebook's Bayes by Backprop, {title}", make, needs=needs)
    return made


def _kinds() -> dict[str, Recipe]:
    """The page on kinds of uncertainty: its studies, and the fits it shows first."""
    return {name: Recipe(title, make, keeps_weights=keeps) for name, title, make, keeps in recipes_kinds.made()}


def _compared() -> dict[str, Recipe]:
    """Methods side by side: the first pictures of the pages that compare them."""
    return {
        recipes_compare.name_of(method, dataset, hidden): Recipe(
            f"Comparison on {data.DATASETS[dataset].title}, hidden layers: {len(hidden)}, {method}",
            partial(recipes_compare.compared, method, dataset, hidden),
            half=method not in ("gaussian_process", "laplace"),
        )
        for method, dataset, hidden in recipes_compare.shipped()
    }


def _active() -> dict[str, Recipe]:
    """Active learning: curves, digits and a bandit, several runs of each."""
    curves = {
        f"active_curves_{method}": Recipe(
            f"Active learning on curves: {method}", partial(recipes_active.curves, method), keeps_weights=False
        )
        for method in recipes_active.METHODS
    }
    digits = {
        f"active_digits_{method}": Recipe(
            f"Active learning on 8x8 digits: {method}", partial(recipes_active.digits, method), keeps_weights=False
        )
        for method in recipes_active.DIGIT_METHODS
    }
    title = "A bandit of two hills: networks that choose arms"
    return curves | digits | {"active_bandit": Recipe(title, recipes_bandit.bandits, keeps_weights=False)}


def _scenes() -> dict[str, Recipe]:
    """What single scenes show: their fits, and the noise of gradients beside a fit that is shipped already."""
    fits = {
        f"scene_{name}": Recipe(each.title, each.make, half=each.half) for name, each in recipes_scenes.FITS.items()
    }
    vaes = {
        f"scene_{name}": Recipe(f"VAE, 8x8 digits, KL weight {beta:g}", partial(recipes_scenes.vae, beta))
        for name, beta in recipes_scenes.BETAS.items()
    }
    title = "Bayes by Backprop, its paper's curve: the noise of gradients"
    return fits | vaes | {"scene_gradients": Recipe(title, recipes_scenes.gradients, keeps_weights=False)}


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
    "vae_digits_2d": Recipe("VAE with a plane of codes, 8x8 digits", recipes_images.vae_digits_2d),
    "vae_digits_20d": Recipe("VAE with 20 code dimensions, 8x8 digits", recipes_images.vae_digits_20d),
    "vae_mnist_2d": Recipe("VAE with a plane of codes, MNIST-1000", recipes_images.vae_mnist_2d),
    "vae_mnist_20d": Recipe("VAE with 20 dimensions, MNIST-1000", recipes_images.vae_mnist_20d),
    "vae_mnist60000_2d": Recipe(
        "VAE with a plane of codes, all of MNIST", recipes_images.vae_mnist60000_2d, needs="mnist"
    ),
    "vae_mnist60000_20d": Recipe(
        "VAE with 20 dimensions, all of MNIST", recipes_images.vae_mnist60000_20d, needs="mnist"
    ),
    "conditional_vae_digits_2d": Recipe(
        "Conditional VAE with a plane of codes, 8x8 digits", recipes_images.conditional_vae_digits_2d
    ),
    "conditional_vae_mnist_2d": Recipe(
        "Conditional VAE with a plane of codes, MNIST-1000",
        recipes_images.conditional_vae_mnist_2d,
    ),
    **_likelihoods(),
    "betas_digits": Recipe("VAEs of every weight of the KL term, 8x8 digits", recipes_likelihoods.betas),
    "autoencoder_digits_2d": Recipe("Plain autoencoder, 8x8 digits", recipes_images.autoencoder_digits_2d),
    "autoencoder_mnist_2d": Recipe("Plain autoencoder, MNIST-1000", recipes_images.autoencoder_mnist_2d),
    "autoencoder_mnist60000_2d": Recipe(
        "Plain autoencoder, all of MNIST", recipes_images.autoencoder_mnist60000_2d, needs="mnist"
    ),
    "concrete_digits": Recipe("Concrete dropout, 8x8 digits: four N, and no entropy term", recipes_concrete.digits),
    "concrete_mnist": Recipe(
        "Concrete dropout, MNIST: N = 1000, 2000, and no entropy term", recipes_concrete.mnist, needs="mnist"
    ),
    "concrete_mnist_10000": Recipe(
        "Concrete dropout, MNIST: N = 10000 and 5000", recipes_concrete.mnist_10000, needs="mnist"
    ),
    "concrete_widths": Recipe("Concrete dropout: width against rate, 8x8 digits", recipes_concrete.widths),
    "concrete_authors": Recipe("Concrete dropout: the authors' study, their steps", recipes_concrete.authors_published),
    "concrete_authors_settled": Recipe(
        "Concrete dropout: the authors' study, settled", recipes_concrete.authors_settled
    ),
    **_backprop(),
    **_classifiers(),
    **_bayes(),
    **_pruned(),
    "unseen_digits": Recipe("MC dropout, 8x8 digits without the 7s", partial(recipes_unseen.unseen, "digits")),
    "unseen_mnist": Recipe("MC dropout, MNIST-1000 without the 7s", partial(recipes_unseen.unseen, "mnist")),
    **_noise(),
    **_kinds(),
    **_compared(),
    **_active(),
    **_scenes(),
}

BUNDLES: dict[str, BundleRecipe] = {  # what is shipped and no fit
    **recipes_dense.BUNDLES,
    **recipes_scenes.BUNDLES,
    **recipes_errata.BUNDLES,
    **recipes_repeats.BUNDLES,
    **recipes_curve_seeds.BUNDLES,
}

GROUPS: dict[str, tuple[str, ...]] = {  # recipes that are made together
    "scoreboard": tuple(_classifiers()),
    "compare": tuple(_compared()),
    "scenes": ("effect_of_lambda_gap", *_scenes(), *recipes_scenes.BUNDLES),
}
