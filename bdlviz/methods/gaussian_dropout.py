r"""Gaussian dropout: every weight is multiplied by Gaussian noise with mean 1 instead of being dropped.

$$ w = \theta (1 + \sqrt{\alpha}\, \epsilon), \qquad \epsilon \sim \mathcal{N}(0, 1), \qquad \alpha = \frac{p}{1 - p} $$

Srivastava et al., "Dropout", JMLR 2014 (section 10); Wang & Manning 2013. With this alpha the noise has the mean and
the variance of a Bernoulli mask that is divided by the keep probability. Here the noise of each weight is independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.methods.common import DROPOUT_RATE, WEIGHT_DECAY
from bdlviz.types import Array, Draws, MethodSpec

if TYPE_CHECKING:
    from torch import Tensor

    from bdlviz.training.method import Method, Setup


def build(setup: Setup) -> Method:
    r"""Penalised likelihood with Gaussian noise on the weights of all layers; biases have no noise.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, w_i) + \lambda \sum_{\text{weights}} \theta^2 $$
    """
    import torch

    from bdlviz.training.gaussian_weights import gaussian_weights, total

    rate, decay = (setup.hyperparameters[name].astype(np.float32) for name in ("dropout_rate", "weight_decay"))
    size = torch.from_numpy(np.sqrt(rate / (1 - rate)))[:, None, None]
    decays = setup.num_data * torch.from_numpy(decay)  # `gaussian_weights` divides the penalty by N

    def std_of(params: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {name: size * theta.abs() for name, theta in params.items() if name.startswith("weight")}

    def penalty(params: Mapping[str, Tensor], std: Mapping[str, Tensor]) -> Tensor:
        return decays * total({name: params[name].square() for name in std})

    return gaussian_weights(setup, setup.model.network.init, std_of, penalty, 1.0)


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """One set of weights per draw, shared by all inputs."""
    rate = hyperparameters["dropout_rate"]
    if rate == 0:
        return Draws(params, num_samples=1)
    return noisy_draws(params, dict.fromkeys(params, np.float32(rate / (1 - rate))), rng, num_samples)


def noisy_draws(
    params: Mapping[str, Array], alpha: Mapping[str, Any], rng: np.random.Generator, num_samples: int
) -> Draws:
    """One set of weights theta (1 + sqrt(alpha) eps) per draw; biases have no noise. ``alpha`` is by weight name."""
    std = {
        name: np.sqrt(alpha[name]) * np.abs(theta) if name.startswith("weight") else np.zeros_like(theta)
        for name, theta in params.items()
    }
    return Draws(params, num_samples=num_samples, weight_std=std, weight_seeds=rng.integers(2**63, size=num_samples))


SPEC = MethodSpec(
    name="gaussian_dropout",
    title="Gaussian dropout",
    idea="Weights are multiplied by Gaussian noise with mean 1 and the variance of a dropout mask.",
    reference="Srivastava et al. 2014",
    hyperparameters=(DROPOUT_RATE, WEIGHT_DECAY),
    build=build,
    sample=sample,
    order=60,
    noise_on="units",
)
