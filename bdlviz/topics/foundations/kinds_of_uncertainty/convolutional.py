"""A small convolutional network that gives numbers for every pixel, described once and evaluated by numpy or torch.

It goes down to a quarter of the picture's size and up again, with two bridges between layers of equal size. Dropout
takes away whole channels: one mask of channels for all pixels of all pictures is one function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bdlviz.types import Array


class Operations(Protocol):
    """What the network is made of, for arrays of numpy or tensors of torch."""

    def convolve(self, x: Any, weight: Any, bias: Any) -> Any:
        """Every pixel's surroundings times weights: x (N, H, W, I), weight (size, size, I, O), bias (O,)."""
        ...

    def relu(self, x: Any) -> Any:
        """What is positive of x."""
        ...

    def halve(self, x: Any) -> Any:
        """The mean of every 2 x 2 pixels."""
        ...

    def double(self, x: Any) -> Any:
        """Every pixel four times."""
        ...


@dataclass(frozen=True)
class Convolutional:
    """A network for pictures whose sides are multiples of four; outputs are ``num_outputs`` numbers a pixel.

    ``widths`` are the channels at full, half and quarter size.
    """

    num_outputs: int
    widths: tuple[int, int, int] = (16, 24, 32)
    num_inputs: int = 5  # three colours, and where the pixel is

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of all parameters by name, in their order."""
        full, half, quarter = self.widths
        layers = {
            "in": (3, self.num_inputs, full),
            "down1": (3, full, half),
            "down2": (3, half, half),
            "bottom1": (3, half, quarter),
            "bottom2": (3, quarter, quarter),
            "bottom3": (3, quarter, quarter),
            "lift1": (1, quarter, half),
            "up1": (3, half, half),
            "lift2": (1, half, full),
            "up2": (3, full, full),
            "out": (1, full, self.num_outputs),
        }
        shapes: dict[str, tuple[int, ...]] = {}
        for name, (size, inputs, outputs) in layers.items():
            shapes |= {f"{name}.weight": (size, size, inputs, outputs), f"{name}.bias": (outputs,)}
        return shapes

    @property
    def masked(self) -> dict[str, int]:
        """The layers whose channels may be dropped, and how many channels they have."""
        _, half, quarter = self.widths
        return {"down1": half, "down2": half, "bottom1": quarter, "bottom2": quarter, "bottom3": quarter, "up1": half}

    def outputs(self, use: Operations, params: Mapping[str, Any], x: Any, masks: Mapping[str, Any]) -> Any:
        """All outputs, (N, H, W, num_outputs), from inputs (N, H, W, num_inputs).

        ``masks`` multiply the channels of `masked`, each (N, 1, 1, channels); a mask of more rows than x makes as many
        pictures of the one in x.
        """

        def layer(name: str, x: Any) -> Any:
            found = use.relu(use.convolve(x, params[f"{name}.weight"], params[f"{name}.bias"]))
            return found * masks[name] if name in masks else found

        def lift(name: str, x: Any) -> Any:
            return use.double(use.convolve(x, params[f"{name}.weight"], params[f"{name}.bias"]))

        full = layer("in", x)
        half = layer("down2", layer("down1", use.halve(full)))
        quarter = layer("bottom3", layer("bottom2", layer("bottom1", use.halve(half))))
        half = layer("up1", lift("lift1", quarter) + half)
        full = layer("up2", lift("lift2", half) + full)
        return use.convolve(full, params["out.weight"], params["out.bias"])


class NumpyOperations:
    """The operations of the network in numpy; what they do stands at `Operations`."""

    def convolve(self, x: Array, weight: Array, bias: Array) -> Array:
        count, height, width, _ = x.shape
        edge = len(weight) // 2
        if edge:
            x = np.pad(x, ((0, 0), (edge, edge), (edge, edge), (0, 0)))
            spots = [x[:, i : i + height, j : j + width] for i in range(len(weight)) for j in range(len(weight))]
            x = np.concatenate(spots, axis=-1)
        found = x.reshape(count * height * width, -1) @ weight.reshape(-1, weight.shape[-1])
        return (found + bias).reshape(count, height, width, -1)

    def relu(self, x: Array) -> Array:
        return np.maximum(x, 0)

    def halve(self, x: Array) -> Array:
        count, height, width, channels = x.shape
        return x.reshape(count, height // 2, 2, width // 2, 2, channels).mean((2, 4))

    def double(self, x: Array) -> Array:
        return x.repeat(2, axis=1).repeat(2, axis=2)


def with_places(images: Array) -> Array:
    """Images (N, H, W, 3) from 0 to 1 as inputs (N, H, W, 5): colours about 0, then row and column from -1 to 1."""
    height, width = images.shape[1:3]
    rows, columns = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    places = np.broadcast_to(np.stack([rows, columns], -1), (*images.shape[:3], 2))
    return np.concatenate([2 * images - 1, places], axis=-1).astype(np.float32)


def draw_masks(
    network: Convolutional, dropout_rate: float, num_samples: int, rng: np.random.Generator
) -> dict[str, Array]:
    r"""S masks of the channels of every layer of `Convolutional.masked`, each (S, 1, 1, channels), float32.

    $$ m_c = z_c / (1 - p), \qquad z_c \sim \operatorname{Bernoulli}(1 - p) $$

    A masked channel is zero at all pixels (Gal & Ghahramani 2016, arXiv 1506.02158, drop units of every patch;
    whole channels: Tompson et al. 2015, arXiv 1411.4280).
    """
    kept = np.float32(1 - dropout_rate)
    return {
        name: (rng.random((num_samples, 1, 1, channels), np.float32) < kept).astype(np.float32) / kept
        for name, channels in network.masked.items()
    }
