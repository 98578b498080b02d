r"""Synthetic one-dimensional regression sets with known distributions.

Inputs and noise come from two streams of random numbers. So the first 20 of 50 points are the 20 points of the same
seed, and ``noise_std`` scales the same noise instead of drawing new noise. The held-out points are the same for every
seed, so that seeds are compared on one test set.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bdlviz.data.sampling import MAX_NUM_DATA, Split, check_noise_std, check_num_data, generator, thin
from bdlviz.types import Array, Dataset

NUM_TEST = 500
NUM_MONTHS = 480
NUM_TEST_MONTHS = 240

# Maps uniform numbers on [0, 1) and standard normal numbers, both (N, 1), to x and y, both (N, 1).
Law = Callable[[Array, Array], tuple[Array, Array]]


def x_sin_x(num_data: int = 20, noise_std: float = 0.3, seed: int = 0) -> Dataset:
    r"""A curve that keeps growing outside the data: 20 points by default, as in Gal's demo of MC dropout.

    $$ y = x \sin x + \varepsilon, \qquad x \sim U(-5, 5), \quad \varepsilon \sim \mathcal{N}(0, \sigma^2) $$

    Source: after Gal (2015), "What my deep model doesn't know".
    """
    noise_std = check_noise_std(noise_std)

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        x = 10 * uniform - 5
        return x, _x_sin_x_truth(x) + noise_std * normal

    return Dataset(
        name="x_sin_x",
        title="x sin x",
        **_sample("x_sin_x", law, num_data, seed),
        noise_std=noise_std,
        truth=_x_sin_x_truth,
        x_range=(-10.0, 10.0),
        y_range=(-10.0, 10.0),
        source="Synthetic, after Gal (2015), What my deep model doesn't know.",
    )


def two_clusters(num_data: int = 100, noise_std: float = 0.1, seed: int = 0) -> Dataset:
    r"""Two clusters of inputs with a gap between them, where the epistemic uncertainty should rise.

    $$ y = \cos(4 x + 0.8) + \varepsilon, \qquad x \sim \tfrac12 U(-1, -0.7) + \tfrac12 U(0.5, 1),
       \quad \varepsilon \sim \mathcal{N}(0, \sigma^2) $$

    Points fall to the left and to the right cluster in turn. Source: Foong et al. (2019), "'In-Between' Uncertainty
    in Bayesian Neural Networks".
    """
    noise_std = check_noise_std(noise_std)

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        is_left = np.arange(len(uniform)).reshape(-1, 1) % 2 == 0
        x = np.where(is_left, -1 + 0.3 * uniform, 0.5 + 0.5 * uniform)
        return x, _two_clusters_truth(x) + noise_std * normal

    return Dataset(
        name="two_clusters",
        title="Two clusters",
        **_sample("two_clusters", law, num_data, seed),
        noise_std=noise_std,
        truth=_two_clusters_truth,
        x_range=(-2.0, 2.0),
        y_range=(-3.0, 3.0),
        source="Synthetic, after Foong et al. (2019), 'In-Between' Uncertainty in Bayesian Neural Networks.",
    )


def blundell(num_data: int = 200, noise_std: float = 0.02, seed: int = 0) -> Dataset:
    r"""The regression of Bayes by Backprop, whose noise also enters inside the sines.

    $$ y = x + 0.3 \sin(2 \pi (x + \varepsilon)) + 0.3 \sin(4 \pi (x + \varepsilon)) + \varepsilon,
       \qquad x \sim U(0, 0.5), \quad \varepsilon \sim \mathcal{N}(0, \sigma^2) $$

    The paper writes N(0, 0.02) without saying whether 0.02 is the variance or the standard deviation; here it is the
    standard deviation. ``noise_std`` is that of $\varepsilon$. The noise of y varies with x and is known only
    approximately (`blundell_noise_std`), so the data set's own ``noise_std`` is None. Its ``truth`` is the curve at
    $\varepsilon = 0$. Source: Blundell et al. (2015), Figure 5.
    """
    noise_std = check_noise_std(noise_std)

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        x = 0.5 * uniform
        epsilon = noise_std * normal
        # The curve at x + epsilon is x + epsilon + the two sines: exactly the paper's y.
        return x, _blundell_truth(x + epsilon)

    return Dataset(
        name="blundell",
        title="Bayes by Backprop curve",
        **_sample("blundell", law, num_data, seed),
        truth=_blundell_truth,
        x_range=(-0.4, 1.2),
        y_range=(-1.0, 1.8),
        source="Synthetic, after Blundell et al. (2015), Weight Uncertainty in Neural Networks, Figure 5.",
    )


def blundell_noise_std(x: Array, noise_std: float = 0.02) -> Array:
    r"""Standard deviation of y at x in `blundell`, to first order in the noise; shape of ``x``.

    $$ \operatorname{sd}[y \mid x] \approx
       \sigma \, | 1 + 0.6 \pi \cos(2 \pi x) + 1.2 \pi \cos(4 \pi x) | $$

    The second order matters where the derivative of the curve is 0.
    """
    return noise_std * np.abs(1 + 0.6 * np.pi * np.cos(2 * np.pi * x) + 1.2 * np.pi * np.cos(4 * np.pi * x))


def step(num_data: int = 50, noise_std: float = 0.1, seed: int = 0) -> Dataset:
    r"""A step function, which a smooth function cannot represent exactly.

    $$ y = \mathbb{1}[x \ge 0] + \varepsilon, \qquad x \sim U(-1, 1), \quad \varepsilon \sim \mathcal{N}(0, \sigma^2) $$

    Source: synthetic, made for this project.
    """
    noise_std = check_noise_std(noise_std)

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        x = 2 * uniform - 1
        return x, _step_truth(x) + noise_std * normal

    return Dataset(
        name="step",
        title="Step",
        **_sample("step", law, num_data, seed),
        noise_std=noise_std,
        truth=_step_truth,
        x_range=(-2.0, 2.0),
        y_range=(-1.0, 2.0),
        source="Synthetic, made for this project.",
    )


def heteroscedastic(num_data: int = 200, seed: int = 0) -> Dataset:
    r"""Noise that grows with x, for models that learn the aleatoric uncertainty.

    $$ y = \sin(2 x) + \sigma(x) \, \varepsilon, \qquad \sigma(x) = 0.05 + 0.1 \max(x, 0), \quad x \sim U(0, 5),
       \quad \varepsilon \sim \mathcal{N}(0, 1) $$

    The data set's ``noise_std`` is None, since no single number is right; `heteroscedastic_noise_std` is
    $\sigma(x)$. Source: synthetic, made for this project, in the manner of Kendall & Gal (2017).
    """

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        x = 5 * uniform
        return x, _heteroscedastic_truth(x) + heteroscedastic_noise_std(x) * normal

    return Dataset(
        name="heteroscedastic",
        title="Noise that grows",
        **_sample("heteroscedastic", law, num_data, seed),
        truth=_heteroscedastic_truth,
        x_range=(-1.5, 6.5),
        y_range=(-3.0, 3.0),
        source="Synthetic, made for this project, in the manner of Kendall & Gal (2017).",
    )


def heteroscedastic_noise_std(x: Array) -> Array:
    r"""Standard deviation of y at x in `heteroscedastic`; shape of ``x``.

    $$ \sigma(x) = 0.05 + 0.1 \max(x, 0) $$
    """
    return 0.05 + 0.1 * np.maximum(x, 0)


def trend_and_season(num_data: int = NUM_MONTHS, noise_std: float = 0.3, seed: int = 0) -> Dataset:
    r"""A synthetic monthly record like that of CO2 at Mauna Loa: a bent trend and a yearly season.

    $$ y = 317 + 0.75 s + 0.0145 s^2 + 3 \sin(2 \pi (s - 0.12)) + \varepsilon, \qquad s = t - 1960,
       \quad \varepsilon \sim \mathcal{N}(0, \sigma^2) $$

    Training months are the 480 of 1960-1999, thinned evenly to ``num_data`` (fewer than two a year cannot show the
    season). Held out are the 240 months of 2000-2019: extrapolation, not fresh points between the old ones.
    Source: synthetic, made for this project as an offline stand-in for `bdlviz.data.real.mauna_loa_co2`.
    """
    noise_std = check_noise_std(noise_std)
    rows = thin(NUM_MONTHS, num_data)
    x = (1960 + (np.arange(NUM_MONTHS + NUM_TEST_MONTHS) + 0.5) / 12).reshape(-1, 1)
    noise = generator(seed, "trend_and_season/train/noise").standard_normal((NUM_MONTHS, 1))
    test_noise = generator(0, "trend_and_season/test/noise").standard_normal((NUM_TEST_MONTHS, 1))
    y = _trend_and_season_truth(x) + noise_std * np.concatenate([noise, test_noise])
    return Dataset(
        name="trend_and_season",
        title="Trend and season (synthetic)",
        x=x[rows],
        y=y[rows],
        x_test=x[NUM_MONTHS:],
        y_test=y[NUM_MONTHS:],
        noise_std=noise_std,
        truth=_trend_and_season_truth,
        x_label="year",
        y_label="synthetic CO₂ (ppm)",
        x_range=(1950.0, 2030.0),
        y_range=(290.0, 460.0),
        source="Synthetic, made for this project; not a measurement.",
    )


def _sample(name: str, law: Law, num_data: int, seed: int) -> Split:
    """Points of ``law``: ``num_data`` for training and 500 held out, from separate streams."""
    x, y = law(*_numbers(f"{name}/train", check_num_data(num_data, MAX_NUM_DATA), seed))
    x_test, y_test = law(*_numbers(f"{name}/test", NUM_TEST, seed=0))
    return Split(x=x, y=y, x_test=x_test, y_test=y_test)


def _numbers(purpose: str, size: int, seed: int) -> tuple[Array, Array]:
    """Uniform numbers on [0, 1) for the inputs and standard normal ones for the noise, both (size, 1)."""
    uniform = generator(seed, f"{purpose}/x").random((size, 1))
    normal = generator(seed, f"{purpose}/noise").standard_normal((size, 1))
    return uniform, normal


# Functions of the module, not closures, so that a cache can pickle the data sets that hold them.


def _x_sin_x_truth(x: Array) -> Array:
    return x * np.sin(x)


def _two_clusters_truth(x: Array) -> Array:
    return np.cos(4 * x + 0.8)


def _blundell_truth(x: Array) -> Array:
    return x + 0.3 * np.sin(2 * np.pi * x) + 0.3 * np.sin(4 * np.pi * x)


def _step_truth(x: Array) -> Array:
    return (x >= 0).astype(float)


def _heteroscedastic_truth(x: Array) -> Array:
    return np.sin(2 * x)


def _trend_and_season_truth(x: Array) -> Array:
    s = x - 1960
    return 317 + 0.75 * s + 0.0145 * s**2 + 3 * np.sin(2 * np.pi * (s - 0.12))
