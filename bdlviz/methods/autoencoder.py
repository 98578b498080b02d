r"""Plain autoencoder: the VAE without noise and without a KL term, so that its codes have no prior.

$$ \max_{\theta, \phi} \sum_i \log p_\theta(x_i \mid z_i), \qquad z_i = \mu_\phi(x_i) $$

Network, data, minibatches and initial weights of the decoder are the same as in a VAE with the same seed. Codes have no
probability distribution, and codes between those of the training images may decode to images that are not digits.
Hinton & Salakhutdinov, "Reducing the dimensionality of data with neural networks", Science 2006.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods.common import LATENT_DIM, record_every
from bdlviz.types import Array, Draws, MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup


def build(setup: Setup) -> Method:
    """The negative log-likelihood of the decoded code alone."""
    from bdlviz.training.autoencoding import autoencoding

    every = record_every(setup.num_data, setup.batch_size, setup.num_steps)
    return autoencoding(setup, beta=None, warm_up=0.0, record_every=every)


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """Always raises `InvalidInput`: labels are ignored in training, so there is no function from x to y."""
    raise InvalidInput("An autoencoder predicts no y: use encode and decode of its fit.")


SPEC = MethodSpec(
    name="autoencoder",
    title="Plain autoencoder",
    idea="Every image has one code and every code decodes to an image; codes have no distribution.",
    reference="Hinton & Salakhutdinov 2006",
    hyperparameters=(LATENT_DIM,),
    build=build,
    sample=sample,
    is_generative=True,
    order=160,
)
