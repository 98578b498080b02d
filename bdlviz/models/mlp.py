"""The description of a multilayer perceptron. It holds no weights, so one object describes many networks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.activations import activation
from bdlviz.types import Array

MAX_WIDTH = 4096
MAX_DEPTH = 10


@dataclass(frozen=True)
class MLP:
    """A fully connected network ``sizes[0] -> ... -> sizes[-1]`` with one activation on every hidden layer.

    Parameters are a dict: ``weight0`` (in, out), ``bias0`` (1, out), ``weight1``, ... Further leading
    axes are allowed: the expression ``h @ weight + bias`` then evaluates a stack of networks.
    """

    sizes: tuple[int, ...]
    activation: str = "relu"
    init_scheme: str = "fan_in"

    def __post_init__(self) -> None:
        activation(self.activation)
        if len(self.sizes) < 2 or any(size < 1 for size in self.sizes):
            raise InvalidInput(f"A network needs at least one unit in every layer, not {self.sizes}.")
        if len(self.sizes) - 2 > MAX_DEPTH or max(self.sizes[1:]) > MAX_WIDTH:
            raise InvalidInput(f"At most {MAX_DEPTH} hidden layers of at most {MAX_WIDTH} units are supported.")

    @property
    def num_layers(self) -> int:
        """Number of weight matrices."""
        return len(self.sizes) - 1

    @property
    def hidden(self) -> tuple[int, ...]:
        """Widths of the hidden layers."""
        return self.sizes[1:-1]

    @property
    def num_numbers(self) -> int:
        """Number of weights and biases."""
        return sum(rows * columns for rows, columns in self.shapes().values())

    def shapes(self) -> dict[str, tuple[int, int]]:
        """Shape of every parameter: all weights first, then all biases."""
        pairs = list(zip(self.sizes, self.sizes[1:], strict=False))
        weights = {f"weight{layer}": pair for layer, pair in enumerate(pairs)}
        return weights | {f"bias{layer}": (1, pair[1]) for layer, pair in enumerate(pairs)}

    def init(self, rng: np.random.Generator) -> dict[str, Array]:
        r"""Draw the starting weights of one network, float32.

        ``fan_in`` is torch's default for linear layers, which also spreads the kinks of the first layer over the
        inputs; ``glorot`` (Glorot & Bengio 2010) has zero biases and is what the lecture's digit networks use.

        $$ W_{ij}, b_j \sim \mathcal{U}\left(\pm n_{\text{in}}^{-1/2}\right) \quad\text{or}\quad
           W_{ij} \sim \mathcal{U}\left(\pm \sqrt{6 / (n_{\text{in}} + n_{\text{out}})}\right),\; b_j = 0 $$
        """
        params = {}
        for name, (fan_in, fan_out) in self.shapes().items():
            if name.startswith("bias"):
                fan_in = self.sizes[int(name.removeprefix("bias"))]
                bound = fan_in**-0.5 if self.init_scheme == "fan_in" else 0.0
                params[name] = rng.uniform(-bound, bound, (1, fan_out)).astype(np.float32)
            else:
                bound = fan_in**-0.5 if self.init_scheme == "fan_in" else (6 / (fan_in + fan_out)) ** 0.5
                params[name] = rng.uniform(-bound, bound, (fan_in, fan_out)).astype(np.float32)
        return params
