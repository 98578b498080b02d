r"""Sets with known noise at every input, which the aleatoric uncertainty of a model should reproduce.

Two curves of one input are in the registry. The other sets serve one study each: what a better feature does to the
noise, what a second task does to it, and classes that overlap on one side of a gap.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bdlviz.data.built_in import built_in
from bdlviz.data.curves import NUM_TEST, heteroscedastic_noise_std
from bdlviz.data.sampling import MAX_NUM_DATA, Split, generator, whole_number
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset

FEATURE_STD = 0.4  # of the feature that may be missing
BASE_NOISE = 0.1  # of y, also if all features are known
TASK_NOISE = (0.3, 0.6)  # of the curve and of its edges
GAP = (-0.5, 2.0)  # without data, in `two_classes`

# Maps numbers uniform on [0, 1), (N, 2), and standard normal ones, (N, 3), to x and y.
Law = Callable[[Array, Array], tuple[Array, Array]]


def noise_and_gap(num_data: int = 200, seed: int = 0) -> Dataset:
    r"""Data with little noise on the left, much noise on the right, and a gap between them.

    $$ y = \sin(1.2 x) + 0.3 x + \sigma(x) \, \varepsilon, \qquad x \sim \tfrac12 U(-4, -1) + \tfrac12 U(1, 4),
       \quad \varepsilon \sim \mathcal{N}(0, 1) $$

    Points fall to the left and to the right in turn; `noise_and_gap_noise_std` is $\sigma(x)$, so ``noise_std`` is
    None. Source: synthetic, made for this project.
    """

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        is_left = np.arange(len(uniform)).reshape(-1, 1) % 2 == 0
        x = np.where(is_left, -4, 1) + 3 * uniform[:, :1]
        return x, _gap_truth(x) + noise_and_gap_noise_std(x) * normal[:, :1]

    return Dataset(
        name="noise_and_gap",
        title="Noise on one side, a gap",
        **_split("noise_and_gap", law, num_data, seed),
        truth=_gap_truth,
        x_range=(-6.0, 6.0),
        y_range=(-4.0, 4.0),
        source="Synthetic, made for this project.",
    )


def noise_and_gap_noise_std(x: Array) -> Array:
    r"""Standard deviation of y at x in `noise_and_gap`; shape of ``x``.

    $$ \sigma(x) = 0.1 + \frac{0.4}{1 + e^{-2 x}} $$
    """
    return 0.1 + 0.4 / (1 + np.exp(-2 * np.asarray(x)))


def noise_in_waves(num_data: int = 200, seed: int = 0) -> Dataset:
    r"""Noise that varies periodically with x.

    $$ y = \sin(2 x) + \sigma(x) \, \varepsilon, \qquad x \sim U(-3, 3), \quad \varepsilon \sim \mathcal{N}(0, 1) $$

    `noise_in_waves_noise_std` is $\sigma(x)$, so ``noise_std`` is None. Source: synthetic, made for this project.
    """

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        x = 6 * uniform[:, :1] - 3
        return x, _waves_truth(x) + noise_in_waves_noise_std(x) * normal[:, :1]

    return Dataset(
        name="noise_in_waves",
        title="Noise in waves",
        **_split("noise_in_waves", law, num_data, seed),
        truth=_waves_truth,
        x_range=(-4.5, 4.5),
        y_range=(-3.0, 3.0),
        source="Synthetic, made for this project.",
    )


def noise_in_waves_noise_std(x: Array) -> Array:
    r"""Standard deviation of y at x in `noise_in_waves`; shape of ``x``.

    $$ \sigma(x) = 0.1 + 0.4 \cos^2 x $$
    """
    return 0.1 + 0.4 * np.cos(x) ** 2


KNOWN_NOISE: dict[str, Callable[[Array], Array]] = {
    "noise_and_gap": noise_and_gap_noise_std,
    "noise_in_waves": noise_in_waves_noise_std,
    "heteroscedastic": heteroscedastic_noise_std,
}


def true_noise_std(dataset: Dataset, x: Array) -> Array | None:
    """The standard deviation of y at x (N, 1) in y's units, (N, 1); None if it is unknown."""
    if dataset.name in KNOWN_NOISE:
        return KNOWN_NOISE[dataset.name](x)
    return None if dataset.noise_std is None else np.full(np.shape(x), dataset.noise_std)


# A second feature -----------------------------------------------------------------------------------------------------


@built_in
def second_feature(num_data: int = 500, error_std: float | None = None, seed: int = 0) -> Dataset:
    r"""One feature that is observed, and one that is observed with an error or not at all, which then acts as noise.

    $$ y = \sin(2 a) + b + 0.1 \, \varepsilon, \qquad a \sim U(-3, 3), \quad b \sim \mathcal{N}(0, 0.4^2) $$

    The inputs are $a$, and $b + \kappa \, \varepsilon'$ when ``error_std`` is a number $\kappa \ge 0$; x is (N, 1) or
    (N, 2). Fewer points are the first of more. ``noise_std`` is `unseen_noise_std`. Source: synthetic, made for this
    project after the claim of Kendall & Gal (2017) that better inputs, not more data, lower aleatoric uncertainty.

    Raises:
        InvalidInput: ``error_std`` is negative.
    """
    noise_std = unseen_noise_std(error_std)

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        a, (feature, noise, error) = 6 * uniform[:, :1] - 3, normal.T[..., None]
        b = FEATURE_STD * feature
        seen = [a] if error_std is None else [a, b + error_std * error]
        return np.concatenate(seen, 1), np.sin(2 * a) + b + BASE_NOISE * noise

    split = _split("second_feature", law, num_data, seed)
    return Dataset("second_feature", "A second feature", **split, noise_std=noise_std, source="Synthetic.")


def unseen_noise_std(error_std: float | None) -> float:
    r"""Noise of y in `second_feature` if b is observed with an error of that size, or not at all (None).

    $$ \operatorname{Var}[y \mid x] = 0.1^2 + \frac{0.4^2 \kappa^2}{0.4^2 + \kappa^2} $$
    """
    if error_std is None:
        return float(np.hypot(BASE_NOISE, FEATURE_STD))
    if not 0 <= error_std < np.inf:
        raise InvalidInput(f"error_std must be at least 0, not {error_std:g}.")
    left = FEATURE_STD**2 * error_std**2 / (FEATURE_STD**2 + error_std**2)
    return float(np.sqrt(BASE_NOISE**2 + left))


# A second task --------------------------------------------------------------------------------------------------------


@built_in
def two_tasks(num_data: int = 200, seed: int = 0, num_tasks: int = 2) -> Dataset:
    r"""Two tasks: a curve, and its edges, which depend on its derivative.

    $$ y_1 = f(x) + 0.3 \, \varepsilon_1, \qquad y_2 = |f'(x)| + 0.6 \, \varepsilon_2, \qquad
       f(x) = \sin(2 x) + 0.5 \sin(5 x), \quad x \sim U(-3, 3) $$

    y is (N, num_tasks). With one task the numbers of the first are the same. Source: synthetic, made for this project.
    """
    if num_tasks not in (1, 2):
        raise InvalidInput(f"num_tasks must be 1 or 2, not {num_tasks}.")

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        x = 6 * uniform[:, :1] - 3
        return x, (two_tasks_truth(x) + TASK_NOISE * normal[:, :2])[:, :num_tasks]

    return Dataset(
        "two_tasks", "A curve and its edges", **_split("two_tasks", law, num_data, seed), source="Synthetic."
    )


def two_tasks_truth(x: Array) -> Array:
    r"""The curve of `two_tasks` and its edges at x (N, 1), without noise: (N, 2).

    $$ f(x) = \sin(2 x) + 0.5 \sin(5 x), \qquad |f'(x)| = |2 \cos(2 x) + 2.5 \cos(5 x)| $$
    """
    curve, slope = np.sin(2 * x) + 0.5 * np.sin(5 * x), 2 * np.cos(2 * x) + 2.5 * np.cos(5 * x)
    return np.concatenate([curve, np.abs(slope)], 1)


# Classes --------------------------------------------------------------------------------------------------------------


@built_in
def two_classes(num_data: int = 200, seed: int = 0) -> Dataset:
    r"""Two classes that overlap on the left. A further class boundary is in a gap without data.

    $$ P(y = 1 \mid x) = \frac{1}{1 + e^{-3 (x + 3)}} \; \frac{1}{1 + e^{8 (x - 0.75)}}, \qquad
       x \sim \tfrac34 U(-5, -0.5) + \tfrac14 U(2, 4) $$

    Every fourth point lies on the right, and is of class 0. ``truth`` is that probability. Source: synthetic, made for
    this project.
    """
    whole_number("num_data", num_data, 2)

    def law(uniform: Array, normal: Array) -> tuple[Array, Array]:
        is_right = np.arange(len(uniform)) % 4 == 3
        place, chance = uniform.T
        x = np.where(is_right, GAP[1] + 2 * place, -5 + (5 + GAP[0]) * place)[:, None]
        return x, (chance < _two_classes_truth(x)[:, 0]).astype(int)

    split = _split("two_classes", law, num_data, seed)
    split["y"][:2] = 0, 1  # both classes occur, also with few points
    return Dataset(
        "two_classes",
        "Two classes",
        **split,
        task="classification",
        classes=(0, 1),
        truth=_two_classes_truth,
        x_range=(-7.0, 6.0),
        y_range=(-0.05, 1.05),
        source="Synthetic, made for this project.",
    )


def _split(name: str, law: Law, num_data: int, seed: int) -> Split:
    """Points of ``law``: ``num_data`` for training and 500 held out, from separate streams."""
    size = whole_number("num_data", num_data, 1, MAX_NUM_DATA)
    x, y = law(*_numbers(f"{name}/train", size, seed))
    x_test, y_test = law(*_numbers(f"{name}/test", NUM_TEST, 0))
    return Split(x=x, y=y, x_test=x_test, y_test=y_test)


def _numbers(purpose: str, size: int, seed: int) -> tuple[Array, Array]:
    return generator(seed, f"{purpose}/x").random((size, 2)), generator(seed, f"{purpose}/noise").standard_normal(
        (size, 3)
    )


def _gap_truth(x: Array) -> Array:
    return np.sin(1.2 * x) + 0.3 * x


def _waves_truth(x: Array) -> Array:
    return np.sin(2 * x)


def _two_classes_truth(x: Array) -> Array:
    return 1 / (1 + np.exp(-3 * (x + 3))) / (1 + np.exp(8 * (x - 0.75)))
