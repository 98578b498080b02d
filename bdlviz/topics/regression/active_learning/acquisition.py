"""Which point should be measured next? Scores of unlabelled points by what a model does not know of them.

Every score takes a `Predictive` at N points and gives (N,); the highest is measured next. ``rng`` is for choices that
chance makes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.predictive.votes import variation_ratio
from bdlviz.types import Array, Predictive

Score = Callable[[Predictive, np.random.Generator], Array]


def epistemic_variance(predictive: Predictive, rng: np.random.Generator) -> Array:
    r"""How far the functions disagree, (N,), in squared units of y, summed over outputs.

    $$ a(x) = \operatorname{Var}_s[f_s(x)] $$
    """
    return np.square(predictive.epistemic_std.astype(float)).sum(-1)


def total_variance(predictive: Predictive, rng: np.random.Generator) -> Array:
    r"""Variance of a new observation, (N,): noise counts as if it could be learned away, which it cannot.

    $$ a(x) = \operatorname{Var}_s[f_s(x)] + \sigma^2(x) $$
    """
    return np.square(predictive.total_std.astype(float)).sum(-1)


def information(predictive: Predictive, rng: np.random.Generator) -> Array:
    r"""What one noisy observation would tell of the function, (N,), in nats (MacKay 1992, section 3).

    Exact where the function values are Gaussian; several outputs are taken to be independent.

    $$ \mathbb{I}[y, f \mid x] = \tfrac12 \log\left(1 + \frac{\operatorname{Var}_s[f_s(x)]}{\sigma^2(x)}\right) $$
    """
    epistemic, noise = (np.square(std.astype(float)) for std in (predictive.epistemic_std, predictive.aleatoric_std))
    return 0.5 * np.log1p(epistemic / np.maximum(noise, np.finfo(float).tiny)).sum(-1)


def mutual_information(predictive: Predictive, rng: np.random.Generator) -> Array:
    r"""BALD: how much a label would tell of the weights, (N,), in nats (Houlsby et al. 2011, equation 2).

    High where every draw is sure, and the draws contradict each other.

    $$ \mathbb{I}[y, w \mid x] = \mathbb{H}\left[\tfrac1S \sum_s p_s\right] - \tfrac1S \sum_s \mathbb{H}[p_s] $$

    Raises:
        InvalidInput: there are no classes.
    """
    return _of_classes(predictive.mutual_information)


def predictive_entropy(predictive: Predictive, rng: np.random.Generator) -> Array:
    r"""How uncertain the class is, (N,), in nats, whether the draws disagree or the image is ambiguous.

    $$ \mathbb{H}\left[\tfrac1S \sum_s p_s\right] $$

    Raises:
        InvalidInput: there are no classes.
    """
    return _of_classes(predictive.predictive_entropy)


def votes_apart(predictive: Predictive, rng: np.random.Generator) -> Array:
    r"""The variation ratio of the draws, (N,), ties broken by chance (Freeman 1965).

    $$ 1 - \frac1S \max_c \sum_s \left[\operatorname{argmax}_k p_{sk} = c\right] $$

    Raises:
        InvalidInput: there are no classes.
    """
    _of_classes(predictive.predictive_entropy)
    ratio = variation_ratio(predictive.draws)
    return ratio + 1e-6 * rng.random(len(ratio))


def at_random(predictive: Predictive, rng: np.random.Generator) -> Array:
    r"""Uniform numbers (N,): every point is as good as every other.

    $$ a(x) \sim \mathcal{U}(0, 1) $$
    """
    return rng.random(len(predictive.x))


CURVE_SCORES: Mapping[str, Score] = {
    "epistemic": epistemic_variance,
    "total": total_variance,
    "information": information,
    "random": at_random,
}
CLASS_SCORES: Mapping[str, Score] = {
    "bald": mutual_information,
    "entropy": predictive_entropy,
    "votes": votes_apart,
    "random": at_random,
}


def highest(scores: Array, is_free: Array, count: int = 1) -> Array:
    """The positions of the ``count`` best points that are still free, the best first; fewer where fewer are left.

    Args:
        scores: (N,); of equal ones the first counts.
        is_free: (N,), false for points that have a label already.
        count: at least 1.

    Raises:
        InvalidInput: a score is not a number, or no point is left.
    """
    if not np.isfinite(scores).all():
        raise InvalidInput("A score is not a finite number, so no point is the best: the model has diverged.")
    free = np.flatnonzero(is_free)
    if not len(free):
        raise InvalidInput("Every point of the pool has its label already: nothing is left to ask for.")
    return free[np.argsort(-scores[free], kind="stable")[:count]]


def _of_classes(entropies: Array | None) -> Array:
    if entropies is None:
        raise InvalidInput("This score needs class probabilities; for a regression take the epistemic variance.")
    return entropies.astype(float)
