"""Derivations of the bounds that the methods maximise, in steps that can be opened and checked in numbers."""

from bdlviz.derivations.derivation import Derivation, Sides, Step

__all__ = ["Derivation", "Sides", "Step"]
