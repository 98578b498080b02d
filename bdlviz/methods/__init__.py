"""The registry: adding a method is one file here and one line in this one."""

from __future__ import annotations

from typing import Literal

from bdlviz.errors import InvalidInput
from bdlviz.methods import (
    ard,
    autoencoder,
    bayes_by_backprop,
    concrete_dropout,
    conditional_vae,
    deep_ensemble,
    gaussian_dropout,
    gaussian_process,
    group_horseshoe,
    group_normal_jeffreys,
    hmc,
    laplace,
    map,
    mc_dropout,
    sparse_variational_dropout,
    vae,
    variational_dropout,
)
from bdlviz.types import MethodSpec

METHODS: dict[str, MethodSpec] = {}
# The built-in generative methods, for type checkers: fits of these are `bdlviz.GenerativeFit`.
GenerativeName = Literal["vae", "autoencoder", "conditional_vae"]


def register(spec: MethodSpec) -> None:
    """Make a method known to `bdlviz.fit`, the sliders, the comparison and the contract tests."""
    METHODS[spec.name] = spec


def method(name: str) -> MethodSpec:
    """The method of that name."""
    if name not in METHODS:
        raise InvalidInput(f"Unknown method {name!r}: choose one of {', '.join(METHODS)}.")
    return METHODS[name]


for _module in (
    map,
    mc_dropout,
    concrete_dropout,
    deep_ensemble,
    bayes_by_backprop,
    gaussian_dropout,
    variational_dropout,
    sparse_variational_dropout,
    ard,
    group_normal_jeffreys,
    group_horseshoe,
    hmc,
    gaussian_process,
    laplace,
    vae,
    autoencoder,
    conditional_vae,
):
    register(_module.SPEC)
