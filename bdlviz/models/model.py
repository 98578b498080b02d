"""A model: a network and a likelihood. (The prior enters as weight decay or inside a method's KL term.)"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bdlviz.errors import InvalidInput
from bdlviz.models.autoencoder import Autoencoder
from bdlviz.models.likelihood_base import Likelihood
from bdlviz.models.likelihoods import Gaussian, likelihood
from bdlviz.models.mlp import MLP
from bdlviz.models.scaling import Scaling
from bdlviz.types import Dataset, FitConfig


@dataclass(frozen=True)
class Model:
    """p(y | x, w) for one network architecture; holds no weights.

    ``network`` is an `MLP`, an `Autoencoder` or a `bdlviz.models.from_module.ModuleNetwork`.
    """

    network: Any
    likelihood: Likelihood


def build_model(
    config: FitConfig,
    dataset: Dataset,
    own_likelihood: Likelihood | None,
    own_network: Any,
    sees_classes: bool = False,
) -> Model:
    """The model that a configuration describes for a data set, with the user's own parts where given."""
    chosen = own_likelihood or _built_in(config, dataset)
    if chosen.task != dataset.task and not chosen.is_generative:
        raise InvalidInput(f"The likelihood {chosen.name!r} is for {chosen.task}, the data are for {dataset.task}.")
    num_outputs = chosen.num_outputs(dataset.num_classes if dataset.task == "classification" else dataset.y.shape[1])
    if own_network is not None:
        if own_network.num_outputs != num_outputs:
            raise InvalidInput(
                f"Your network has {own_network.num_outputs} outputs, but {num_outputs} are needed here."
            )
        return Model(own_network, chosen)
    if chosen.is_generative:
        num_classes = dataset.num_classes if sees_classes else 0
        return Model(_autoencoder(config, chosen, dataset.x.shape[1], num_classes), chosen)
    sizes = (dataset.x.shape[1], *config.hidden, num_outputs)
    scheme = "glorot" if dataset.image_shape else "fan_in"
    return Model(MLP(sizes, config.activation, scheme), chosen)


def _built_in(config: FitConfig, dataset: Dataset) -> Likelihood:
    chosen = likelihood(config.likelihood)
    if isinstance(chosen, Gaussian) and isinstance(config.noise_std, tuple):
        return Gaussian(Scaling.of(dataset).output_weights(config.noise_std))
    return chosen


def _autoencoder(config: FitConfig, chosen: Likelihood, num_pixels: int, num_classes: int) -> Autoencoder:
    return Autoencoder(
        num_pixels,
        config.hidden,
        latent_dim=int(dict(config.options)["latent_dim"]),
        activation=config.activation,
        num_outputs=chosen.num_outputs(num_pixels),
        is_variational="beta" in dict(config.axes),  # methods without a KL term have no distribution over codes
        num_classes=num_classes,
    )
