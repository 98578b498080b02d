"""The methods that remove parts of a network, by name: weights one by one, or units with all their weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from bdlviz.errors import InvalidInput
from bdlviz.methods import group_horseshoe, group_normal_jeffreys, sparse_variational_dropout
from bdlviz.types import Array

Params = Mapping[str, Array]  # of one cell


class Pruner(Protocol):
    """What is known of a method that removes parts; above ``threshold``, in log alpha, they usually leave."""

    @property
    def threshold(self) -> float:
        """The log alpha above which parts usually leave."""
        ...

    @property
    def log_alphas(self) -> Callable[[Params], dict[str, Array]]:
        """A function from parameters to log alpha of every weight, or of every unit, by the names of the weights."""
        ...

    def pruned(self, params: Params, threshold: float) -> dict[str, Array]:
        """The mean weights, (in, out) by name, with 0 for those that leave; the biases as they are."""
        ...

    def variances(self, params: Params) -> dict[str, Array]:
        """The posterior variance of every weight, (in, out) by name."""
        ...

    def sparsity(self, params: Params, threshold: float) -> dict[str, float]:
        """The share of weights that leave, 0 to 1, by the names of the layers' weights."""
        ...

    def compression(self, params: Params, threshold: float) -> float:
        """The number of weights divided by that of those left; infinite where none is."""
        ...


PRUNERS: dict[str, Pruner] = {
    "group_normal_jeffreys": group_normal_jeffreys.PRUNER,
    "group_horseshoe": group_horseshoe.PRUNER,
    "sparse_variational_dropout": sparse_variational_dropout.PRUNER,
    "ard": sparse_variational_dropout.PRUNER,
}


def pruner(method: str) -> Pruner:
    """How a method removes parts."""
    if method not in PRUNERS:
        raise InvalidInput(f"{method!r} removes nothing: choose one of {', '.join(PRUNERS)}.")
    return PRUNERS[method]
