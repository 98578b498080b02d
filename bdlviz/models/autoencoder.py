"""The description of an autoencoder: an encoder MLP from images to (distributions over) codes, and a decoder MLP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.mlp import MAX_WIDTH, MLP
from bdlviz.types import Array

MIN_STD = 1e-6  # of a code, so that its logarithm is finite
RECORD = "record.kl"  # among a fit's parameters: KL term of each code dimension during training, (R, C, T, Z)


@dataclass(frozen=True)
class Autoencoder:
    """``num_inputs -> hidden -> (mu, rho)`` and ``latent_dim -> reversed hidden -> num_outputs``; holds no weights.

    Parameters are one dict, those of the encoder as ``encoder.weight0``, those of the decoder as ``decoder.weight0``.
    Kingma & Welling, "Auto-encoding variational Bayes", ICLR 2014.

    Attributes:
        num_outputs: of the decoder, as many as the likelihood needs; by default one for each pixel.
        is_variational: False for a plain autoencoder, whose encoder gives a code instead of a distribution.
        num_classes: if not 0, encoder and decoder also get the class of an image, one-hot after the image and after
            the code.
    """

    num_inputs: int
    hidden: tuple[int, ...]
    latent_dim: int
    activation: str = "relu"
    num_outputs: int = 0
    is_variational: bool = True
    num_classes: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.latent_dim <= MAX_WIDTH // 2:
            raise InvalidInput(f"latent_dim must be between 1 and {MAX_WIDTH // 2}, not {self.latent_dim}.")

    @property
    def encoder(self) -> MLP:
        """From an image to mu and rho, 2 Z outputs (the std of the code is softplus(rho)), or to Z outputs."""
        width = self.latent_dim * (2 if self.is_variational else 1)
        return MLP((self.num_inputs + self.num_classes, *self.hidden, width), self.activation, "glorot")

    @property
    def decoder(self) -> MLP:
        """From a code to the parameters of the likelihood: one logit per pixel, and perhaps more."""
        num_outputs = self.num_outputs or self.num_inputs
        sizes = (self.latent_dim + self.num_classes, *reversed(self.hidden), num_outputs)
        return MLP(sizes, self.activation, "glorot")

    @property
    def num_numbers(self) -> int:
        """Number of weights and biases."""
        return self.encoder.num_numbers + self.decoder.num_numbers

    def init(self, rng: np.random.Generator) -> dict[str, Array]:
        """Draw the starting weights of encoder and decoder, float32."""
        return {
            f"{part}.{name}": array
            for part, network in (("encoder", self.encoder), ("decoder", self.decoder))
            for name, array in network.init(rng).items()
        }


def part_of(params: Mapping[str, Any], part: str) -> dict[str, Any]:
    """The parameters of the ``"encoder"`` or the ``"decoder"``, under the names that its `MLP` has for them."""
    return {name.removeprefix(f"{part}."): array for name, array in params.items() if name.startswith(f"{part}.")}
