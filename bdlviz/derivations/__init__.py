"""Derivations of the bounds that the methods maximise, in steps that can be opened and checked in numbers."""

from bdlviz.derivations import (
    bayes_by_backprop,
    compression,
    concrete_dropout,
    evidence,
    mc_dropout,
    sparse,
    vae,
    variational_dropout,
)
from bdlviz.derivations.derivation import Derivation, Sides, Step

__all__ = [
    "Derivation",
    "Sides",
    "Step",
    "bayes_by_backprop",
    "compression",
    "concrete_dropout",
    "evidence",
    "mc_dropout",
    "sparse",
    "vae",
    "variational_dropout",
]
