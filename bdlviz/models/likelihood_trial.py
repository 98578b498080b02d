"""A trial of a user's own likelihood before the training, so that each mistake in it is one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bdlviz.errors import InvalidInput
from bdlviz.models.likelihood_base import Likelihood
from bdlviz.models.likelihoods import HomoscedasticGaussian, is_built_in
from bdlviz.types import Array

STACK, POINTS, DRAWS = (2, 3), 5, 2  # networks, data points and draws of the trial


def try_likelihood(likelihood: Likelihood, y: Array, num_classes: int) -> None:
    """Evaluate a user's likelihood of y and its moments once, at outputs between -1 and 1 and the first targets.

    Args:
        likelihood: built-in ones and those of images are not tried.
        y: targets as the likelihood gets them, (N, K_y), or indices of classes (N, 1).
        num_classes: of classification, else 0.

    Raises:
        InvalidInput: it fails, or returns something of another shape, without gradient, or no finite number.
    """
    if is_built_in(likelihood) or likelihood.is_generative:
        return
    num_outputs = likelihood.num_outputs(num_classes or y.shape[1])
    name, shape = likelihood.name, (DRAWS, POINTS, num_classes or y.shape[1])
    outputs = np.linspace(-1, 1, 6 * POINTS * num_outputs, dtype=np.float32)
    targets = y[np.arange(POINTS) % len(y)]
    _try_density(likelihood, outputs.reshape(*STACK, POINTS, -1), targets[None, None])
    some = np.resize(outputs, (DRAWS, POINTS, num_outputs))
    mean = _moment(name, "mean", likelihood.mean, some, shape)
    variance = likelihood.variance
    if not num_classes and _called(name, "variance", lambda: variance(some)) is not None:
        _moment(name, "variance", variance, some, shape)
    if num_classes and not (np.abs(mean.sum(-1) - 1).max() < 1e-3 and mean.min() >= 0):
        raise InvalidInput(f"The mean of the likelihood {name!r} must be probabilities of the classes that sum to 1.")


def _try_density(likelihood: Likelihood, outputs: Array, y: Array) -> None:
    name, what = likelihood.name, "negative_log_likelihood"
    leaf, targets = torch.tensor(outputs, requires_grad=True), torch.tensor(y)
    found: Any = _called(name, what, lambda: likelihood.negative_log_likelihood(leaf, targets))
    if not isinstance(found, Tensor) or found.shape != leaf.shape[:-1]:
        returned = f"the shape {tuple(found.shape)}" if isinstance(found, Tensor) else f"a {type(found).__name__}"
        raise InvalidInput(
            f"{what} of the likelihood {name!r} must return a tensor with one number for each data point, here of the "
            f"shape {tuple(leaf.shape[:-1])}, not {returned}."
        )
    if not found.requires_grad:
        raise InvalidInput(f"{what} of the likelihood {name!r} has no gradient by the outputs: compute it with torch.")
    if isinstance(likelihood, HomoscedasticGaussian):
        return
    alone = _called(name, what, lambda: likelihood.negative_log_likelihood(leaf[..., :1, :], targets[..., :1, :]))
    if not torch.allclose(alone, found[..., :1], rtol=1e-3, atol=1e-5, equal_nan=True):
        raise InvalidInput(
            f"{what} of the likelihood {name!r} has a value for a point that depends on other points: combine outputs "
            "(..., B, K) and y (..., B, K_y) point by point."
        )
    if not bool(found.isfinite().any()):
        units = "as given" if likelihood.standardises_y is False else "scaled to mean 0 and standard deviation 1"
        raise InvalidInput(f"{what} of the likelihood {name!r} is not finite for your y, which it gets {units}.")


def _moment(name: str, what: str, function: Callable[[Array], Any], outputs: Array, shape: tuple[int, ...]) -> Array:
    found = _called(name, what, lambda: function(outputs))
    if not isinstance(found, np.ndarray) or found.shape != shape:
        returned = f"one of the shape {found.shape}" if isinstance(found, np.ndarray) else f"a {type(found).__name__}"
        raise InvalidInput(
            f"{what} of the likelihood {name!r} must return a numpy array of the shape {shape} here, not {returned}."
        )
    return found


def _called(name: str, what: str, function: Callable[[], Any]) -> Any:
    try:
        return function()
    except InvalidInput:
        raise
    except Exception as error:
        reason = (str(error).splitlines() or [""])[0] or type(error).__name__
        raise InvalidInput(f"{what} of the likelihood {name!r} fails: {reason.rstrip('.')}.") from error
