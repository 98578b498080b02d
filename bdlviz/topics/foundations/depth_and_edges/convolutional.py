"""A small convolutional network with outputs for every pixel; the same description is evaluated by numpy and torch.

It halves the size of the picture twice and doubles it twice, with two skip connections between layers of equal size
(a U-Net). Dropout removes whole channels: one mask of channels, used for all pixels of all pictures, is one function.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bdlviz.types import Array


class Operations(Protocol):
    """The operations of the network, on arrays of numpy or tensors of torch."""

    def convolve(self, x: Any, weight: Any, bias: Any) -> Any:
        """Convolution with zero padding, (N, H, W, O): x (N, H, W, I), weight (size, size, I, O), bias (O,)."""
        ...

    def relu(self, x: Any) -> Any:
        """The maximum of x and 0."""
        ...

    def halve(self, x: Any) -> Any:
        """The means of blocks of 2 x 2 pixels, (N, H/2, W/2, C)."""
        ...

    def double(self, x: Any) -> Any:
        """Every pixel repeated as a block of 2 x 2, (N, 2H, 2W, C)."""
        ...


@dataclass(frozen=True)
class Convolutional:
    """A network for pictures whose sides are multiples of four; it has ``num_outputs`` outputs for every pixel.

    ``widths`` are the numbers of channels at full, half and quarter size.
    """

    num_outputs: int
    widths: tuple[int, int, int] = (16, 24, 32)
    num_inputs: int = 5  # three colours, and the row and column of the pixel

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
        """The number of channels of every layer with dropout."""
        _, half, quarter = self.widths
        return {"down1": half, "down2": half, "bottom1": quarter, "bottom2": quarter, "bottom3": quarter, "up1": half}

    def outputs(self, use: Operations, params: Mapping[str, Any], x: Any, masks: Mapping[str, Any]) -> Any:
        """The outputs, (N, H, W, num_outputs), for inputs (N, H, W, num_inputs).

        ``masks`` (N, 1, 1, channels) multiply the channels of the layers in `masked`. If x has one picture, there may
        be S masks, and the outputs are (S, H, W, num_outputs).
        """

        def layer(name: str, x: Any) -> Any:
            units = use.relu(use.convolve(x, params[f"{name}.weight"], params[f"{name}.bias"]))
            return units * masks[name] if name in masks else units

        def lift(name: str, x: Any) -> Any:
            return use.double(use.convolve(x, params[f"{name}.weight"], params[f"{name}.bias"]))

        full = layer("in", x)
        half = layer("down2", layer("down1", use.halve(full)))
        quarter = layer("bottom3", layer("bottom2", layer("bottom1", use.halve(half))))
        half = layer("up1", lift("lift1", quarter) + half)
        full = layer("up2", lift("lift2", half) + full)
        return use.convolve(full, params["out.weight"], params["out.bias"])


class NumpyOperations:
    """The operations of `Operations` in numpy."""

    def convolve(self, x: Array, weight: Array, bias: Array) -> Array:
        count, height, width, _ = x.shape
        edge = len(weight) // 2
        if edge:
            x = np.pad(x, ((0, 0), (edge, edge), (edge, edge), (0, 0)))
            shifted = [x[:, i : i + height, j : j + width] for i in range(len(weight)) for j in range(len(weight))]
            x = np.concatenate(shifted, axis=-1)
        products = x.reshape(count * height * width, -1) @ weight.reshape(-1, weight.shape[-1])
        return (products + bias).reshape(count, height, width, -1)

    def relu(self, x: Array) -> Array:
        return np.maximum(x, 0)

    def halve(self, x: Array) -> Array:
        count, height, width, channels = x.shape
        return x.reshape(count, height // 2, 2, width // 2, 2, channels).mean((2, 4))

    def double(self, x: Array) -> Array:
        return x.repeat(2, axis=1).repeat(2, axis=2)


def with_places(images: Array) -> Array:
    """Inputs (N, H, W, 5) from images (N, H, W, 3) from 0 to 1: colours, row and column, all scaled to -1 to 1."""
    height, width = images.shape[1:3]
    rows, columns = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    places = np.broadcast_to(np.stack([rows, columns], -1), (*images.shape[:3], 2))
    return np.concatenate([2 * images - 1, places], axis=-1).astype(np.float32)


def draw_masks(
    network: Convolutional, dropout_rate: float, num_samples: int, rng: np.random.Generator
) -> dict[str, Array]:
    r"""S dropout masks for every layer of `Convolutional.masked`, each (S, 1, 1, channels), float32.

    $$ m_c = z_c / (1 - p), \qquad z_c \sim \operatorname{Bernoulli}(1 - p) $$

    A dropped channel is zero at all pixels (Tompson et al. 2015, arXiv 1411.4280). Gal & Ghahramani (2016, arXiv
    1506.02158) drop units of every patch instead.
    """
    kept = np.float32(1 - dropout_rate)
    return {
        name: (rng.random((num_samples, 1, 1, channels), np.float32) < kept).astype(np.float32) / kept
        for name, channels in network.masked.items()
    }
