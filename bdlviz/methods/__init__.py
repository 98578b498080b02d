"""The registry of methods. A new method needs one file in this folder and one line in this file."""

from __future__ import annotations

from importlib import import_module
from typing import Literal

from bdlviz.errors import InvalidInput
from bdlviz.types import MethodSpec

METHODS: dict[str, MethodSpec] = {}
BUILT_IN = (
    "map",
    "mc_dropout",
    "concrete_dropout",
    "deep_ensemble",
    "bayes_by_backprop",
    "gaussian_dropout",
    "variational_dropout",
    "sparse_variational_dropout",
    "ard",
    "group_normal_jeffreys",
    "group_horseshoe",
    "hmc",
    "sgld",
    "sghmc",
    "gaussian_process",
    "laplace",
    "vae",
    "autoencoder",
    "conditional_vae",
)
# Names of the generative methods, for type checkers: their fits are `bdlviz.GenerativeFit`.
GenerativeName = Literal["vae", "autoencoder", "conditional_vae"]


def register(spec: MethodSpec) -> None:
    """Make a method known to `bdlviz.fit`, the sliders, the comparison and the contract tests."""
    METHODS[spec.name] = spec


def ordered() -> tuple[MethodSpec, ...]:
    """All registered methods in the order of menus and tables, which does not depend on the order of registration."""
    return tuple(sorted(METHODS.values(), key=lambda spec: (spec.order, spec.name)))


def method(name: str) -> MethodSpec:
    """The method of that name.

    Raises:
        InvalidInput: no method has that name.
    """
    if not isinstance(name, str) or name not in METHODS:
        raise InvalidInput(f"Unknown method {name!r}: choose one of {', '.join(spec.name for spec in ordered())}.")
    return METHODS[name]


for _name in BUILT_IN:
    register(import_module(f"bdlviz.methods.{_name}").SPEC)
