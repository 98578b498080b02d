"""Activation functions for numpy arrays; `bdlviz.training.stacked_mlp` holds the torch versions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array


def relu(a: Array) -> Array:
    r"""$$ \max(a, 0) $$"""
    return np.maximum(a, 0, out=a)


def tanh(a: Array) -> Array:
    r"""$$ \tanh a $$"""
    return np.tanh(a, out=a)


def gelu(a: Array) -> Array:
    r"""$$ a\,\Phi(a) $$ with the exact normal distribution function (Hendrycks & Gimpel 2016)."""
    from scipy.special import ndtr

    a *= ndtr(a)
    return a


def silu(a: Array) -> Array:
    r"""$$ a / (1 + e^{-a}) $$ (Elfwing, Uchibe & Doya 2018)."""
    from scipy.special import expit

    a *= expit(a)
    return a


# Each works in place on a float array that the caller owns and returns it.
ACTIVATIONS: dict[str, Callable[[Array], Array]] = {"relu": relu, "tanh": tanh, "gelu": gelu, "silu": silu}


def activation(name: str) -> Callable[[Array], Array]:
    """The activation of that name."""
    if not isinstance(name, str) or name not in ACTIVATIONS:
        raise InvalidInput(f"Unknown activation {name!r}: choose one of {', '.join(ACTIVATIONS)}.")
    return ACTIVATIONS[name]
