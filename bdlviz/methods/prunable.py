"""Methods that prune a network, by name: single weights, or units with all their weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from bdlviz.errors import InvalidInput
from bdlviz.methods import group_horseshoe, group_normal_jeffreys, sparse_variational_dropout
from bdlviz.types import Array

Params = Mapping[str, Array]  # of one cell


class Pruner(Protocol):
    """The pruning of a method. Weights or units whose log alpha is above a threshold are removed."""

    @property
    def threshold(self) -> float:
        """The usual threshold."""
        ...

    @property
    def log_alphas(self) -> Callable[[Params], dict[str, Array]]:
        """A function that returns log alpha of every weight or unit, by the names of the weights, from parameters."""
        ...

    def pruned(self, params: Params, threshold: float) -> dict[str, Array]:
        """The mean weights, (in, out) by name, with 0 for those that are removed; the biases are unchanged."""
        ...

    def variances(self, params: Params) -> dict[str, Array]:
        """The posterior variance of every weight, (in, out) by name."""
        ...

    def sparsity(self, params: Params, threshold: float) -> dict[str, float]:
        """The share of weights that are removed, 0 to 1, by the names of the weights of the layers."""
        ...

    def compression(self, params: Params, threshold: float) -> float:
        """The number of weights divided by the number of those left; infinite if none is left."""
        ...


PRUNERS: dict[str, Pruner] = {
    "group_normal_jeffreys": group_normal_jeffreys.PRUNER,
    "group_horseshoe": group_horseshoe.PRUNER,
    "sparse_variational_dropout": sparse_variational_dropout.PRUNER,
    "ard": sparse_variational_dropout.PRUNER,
}


def pruner(method: str) -> Pruner:
    """The pruning of the method with this name.

    Raises:
        InvalidInput: the method has none.
    """
    if method not in PRUNERS:
        raise InvalidInput(f"{method!r} does not prune: choose one of {', '.join(PRUNERS)}.")
    return PRUNERS[method]
