"""The methods that remove parts of a network, by name: weights one by one, or units with all their weights."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods import group_horseshoe, group_normal_jeffreys, sparse_variational_dropout
from bdlviz.methods.common import beside
from bdlviz.models import divergences
from bdlviz.types import Array

# What knows log_alphas, pruned, sparsity and compression of a method's parameters.
PRUNERS: dict[str, ModuleType] = {
    "group_normal_jeffreys": group_normal_jeffreys,
    "group_horseshoe": group_horseshoe,
    "sparse_variational_dropout": sparse_variational_dropout,
    "ard": sparse_variational_dropout,
}


def threshold_of(method: str) -> float:
    """The log alpha above which a weight or unit of this method usually leaves."""
    return getattr(_pruner(method), "THRESHOLD", divergences.PRUNED)


def pruned(method: str, params: Mapping[str, Array], threshold: float) -> dict[str, Array]:
    """The mean weights (in, out), 0 where they or their unit left, and the biases."""
    return _pruner(method).pruned(params, threshold)


def variances(method: str, params: Mapping[str, Array]) -> dict[str, Array]:
    """The posterior variance of every weight, (in, out) by name."""
    pruner = _pruner(method)
    if hasattr(pruner, "variances"):
        return pruner.variances(params)
    return {n: np.exp(2 * log_std) for n, log_std in beside(params, sparse_variational_dropout.LOG_STD).items()}


def _pruner(method: str) -> ModuleType:
    if method not in PRUNERS:
        raise InvalidInput(f"{method!r} removes nothing: choose one of {', '.join(PRUNERS)}.")
    return PRUNERS[method]
