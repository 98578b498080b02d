r"""Concrete dropout: the dropout rate of every input unit of every layer is learned.

$$ \tilde z = \operatorname{sigmoid}\left(\tfrac1t\left(-\operatorname{logit} p - \operatorname{logit} u\right)\right),
   \qquad u \sim \mathcal{U}(0, 1) $$

Gal, Hron & Kendall, "Concrete dropout", NeurIPS 2017 (arXiv 1705.07832). They learn one probability per layer, which
is the option ``shared_rate``. Otherwise each input unit has its own rate, and the rates of the first layer can be
drawn as a picture of the pixels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods.common import LENGTH_SCALE
from bdlviz.models.mlp import MLP
from bdlviz.models.random_words import random_words
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec

if TYPE_CHECKING:
    from torch import Tensor

    from bdlviz.models.model import Model
    from bdlviz.training.method import Method, Setup

TEMPERATURE = Hyperparameter(
    name="temperature",
    label="Temperature of the relaxation t",
    symbol="t",
    values=(0.01, 0.03, 0.1, 0.3, 1.0),
    default=0.1,
    minimum=0.001,
    maximum=10.0,
    help="In training, masks have values between 0 and 1. The lower the temperature, the closer they are to 0 or 1.",
)
START_RATE = Hyperparameter(
    name="start_rate",
    label="Dropout rate at the start",
    symbol="p_0",
    values=(0.05, 0.12, 0.2, 0.5),
    default=0.12,
    minimum=0.001,
    maximum=0.999,
    help="The initial dropout rate of every unit.",
    is_axis=False,
)
SHARED_RATE = Hyperparameter(
    name="shared_rate",
    label="One rate for each layer",
    symbol=r"p_{\text{layer}}",
    values=(0.0, 1.0),
    default=0.0,
    minimum=0.0,
    maximum=1.0,
    help="1: all input units of a layer share one dropout rate, as in the paper. 0: every unit has its own.",
    is_axis=False,
    is_whole=True,
)
ENTROPY_WEIGHT = Hyperparameter(
    name="entropy_weight",
    label="Weight of the entropy term",
    symbol=r"\gamma",
    values=(0.0, 1.0),
    default=1.0,
    minimum=0.0,
    maximum=1.0,
    help="1: the evidence lower bound. 0: the loss is lowest without dropout, and every rate falls towards 0.",
    is_axis=False,
)


def logit(rate: Array | float) -> Array:
    r"""$$ \operatorname{logit} p = \log p - \log(1 - p) $$"""
    return np.log(rate) - np.log1p(-np.asarray(rate))


LOGISTIC_QUANTILES = logit((np.arange(65536) + 0.5) / 65536).astype(np.float32)


def build(setup: Setup) -> Method:
    """The negative evidence lower bound per data point, minimised by gradient descent with relaxed masks."""
    from bdlviz.training.stacked_concrete import Terms, concrete

    network = setup.model.network
    if not isinstance(network, MLP):
        raise InvalidInput("Concrete dropout works on the built-in network only.")
    widths, start = network.sizes[:-1], logit(setup.options["start_rate"])
    terms = Terms(
        temperature=setup.hyperparameters["temperature"],
        decay=np.square(setup.hyperparameters["length_scale"]) / setup.num_data,
        entropy=setup.options.get("entropy_weight", 1.0) / setup.num_data,
        precision=setup.precision,
        is_shared=setup.options.get(SHARED_RATE.name, SHARED_RATE.default) == 1,
    )

    def init(rng: np.random.Generator) -> dict[str, Array]:
        shapes = [(1, 1 if terms.is_shared else width) for width in widths]
        logits = {f"drop_logit{layer}": np.full(shape, start, np.float32) for layer, shape in enumerate(shapes)}
        return network.init(rng) | logits

    return concrete(setup, init, terms, LOGISTIC_QUANTILES)


def relaxed_negative_log_likelihood(
    model: Model, params: dict[str, Tensor], x: Tensor, y: Tensor, noise: Sequence[Tensor], temperature: Tensor
) -> Tensor:
    r"""Mean data term of a minibatch with relaxed masks, (R, C), differentiable with respect to the dropout rates.

    x is (R or 1, 1, B, D), y (R or 1, 1, B, K), the logistic ``noise`` of every layer's input (R, 1, B, H) and
    ``temperature`` (C,).

    $$ \frac1B \sum_i -\log p\left(y_i \mid x_i, W, \tilde z_i\right), \qquad
       \tilde z_i = \operatorname{sigmoid}\left(-\tfrac1t (\operatorname{logit} p + \operatorname{logit} u_i)\right) $$
    """
    from bdlviz.training.by_gradient import forward

    pairs = zip(drop_logits(params), noise, strict=True)
    masks = [relaxed_mask(drop_logit, u, temperature[:, None, None]) for drop_logit, u in pairs]
    return model.likelihood.negative_log_likelihood(forward(model.network, params, x, masks), y).mean(-1)


def relaxed_mask(drop_logit: Tensor, noise: Tensor, temperature: Tensor | float) -> Tensor:
    r"""A mask between 0 and 1, divided by the keep probability, (R, C, B, H).

    ``drop_logit`` is (R, C, 1, H), or (R, C, 1, 1) if it is shared in a layer; the logistic ``noise``, logit u, is
    (R, 1, B, H).

    $$ \frac{1}{1 - p} \operatorname{sigmoid}\left(-\frac{\operatorname{logit} p + \operatorname{logit} u}{t}\right) $$
    """
    from bdlviz.training.by_gradient import sigmoid

    return sigmoid(-(drop_logit + noise) / temperature) / sigmoid(-drop_logit)


def kl_to_prior(params: Mapping[str, Tensor], length_scale: Tensor, entropy_weight: float = 1.0) -> Tensor:
    r"""KL from q to the prior over all layers, up to a constant, in nats: (R, C), not yet divided by N.

    Unit k of a layer's input is kept with probability 1 - p_k and then multiplies the weights M_k. Masks here are
    divided by 1 - p_k, so the weights of the network are W_k = (1 - p_k) M_k, and the squared norm of W_k is divided by
    1 - p_k. If a rate is shared in a layer, its entropy is counted once for every unit. ``entropy_weight`` multiplies
    the entropies; the bound has 1.

    $$ \sum_{\text{layers}} \sum_k \left[ \frac{\ell^2}{2} (1 - p_k) \lVert M_k \rVert^2 - \mathbb{H}(p_k) \right]
       + \frac{\ell^2}{2} \lVert b \rVert^2, \qquad
       (1 - p_k) \lVert M_k \rVert^2 = \frac{\lVert W_k \rVert^2}{1 - p_k} $$
    """
    import torch

    from bdlviz.training.by_gradient import sigmoid

    layers = range(len(drop_logits(params)))
    widths = [params[f"weight{layer}"].shape[-2] for layer in layers]
    by_layer = zip(drop_logits(params), widths, strict=True)
    drop_logit = torch.cat([each.expand(*each.shape[:-1], width) for each, width in by_layer], dim=-1)
    norms = torch.cat([params[f"weight{layer}"].square().sum(-1) for layer in layers], dim=-1)
    biases = torch.cat([params[f"bias{layer}"] for layer in layers], dim=-1)
    penalty = (norms / sigmoid(-drop_logit)[..., 0, :]).sum(-1) + biases.square().sum((-1, -2))
    return length_scale**2 / 2 * penalty - entropy_weight * bernoulli_entropy(drop_logit).sum((-1, -2))


def bernoulli_entropy(drop_logit: Tensor) -> Tensor:
    r"""Entropy in nats of a Bernoulli variable with this logit; same shape as ``drop_logit``.

    $$ \mathbb{H}(p) = -p \log p - (1 - p) \log (1 - p) = \log(1 + e^{a}) - p\,a, \qquad a = \operatorname{logit} p $$
    """
    from bdlviz.training.by_gradient import sigmoid, softplus

    return softplus(drop_logit) - sigmoid(drop_logit) * drop_logit


def logistic_noise(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    r"""Logistic noise from a table of 65,536 quantiles, which is several times faster than two logarithms.

    $$ \operatorname{logit} u, \qquad u \sim \mathcal{U}(0, 1) $$
    """
    count = int(np.prod(shape))
    words = random_words(rng, -(-count // 4)).view(np.uint16)[:count]
    return LOGISTIC_QUANTILES.take(words).reshape(shape)


def drop_logits(params: Mapping[str, Any]) -> list[Any]:
    """The logits of the dropout rates, an array or tensor (..., 1, H) for each layer's input; (..., 1, 1) if shared."""
    return [params[f"drop_logit{layer}"] for layer in range(sum(name.startswith("weight") for name in params))]


def keep_probabilities(fit: Any) -> dict[int, Array]:
    """The learned keep probabilities of the input units of every layer, (H,), of a `bdlviz.Fit` of one network.

    The input units of layer 0 are the inputs x, such as pixels. The shape is (1,) if a rate is shared in a layer.
    """
    return {layer: _keep(drop_logit[0, 0, 0]) for layer, drop_logit in enumerate(drop_logits(fit.params))}


def _keep(drop_logit: Array) -> Array:
    from scipy.special import expit

    return expit(-drop_logit)


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """The same weights with one set of binary masks per draw, on the inputs and on the hidden units."""
    if hyperparameters.get("dropout_rate") == 0:  # the prediction without masks
        return Draws(params, num_samples=1)
    widths = network.sizes[:-1]
    keep = [_keep(drop_logit[0]) for drop_logit in drop_logits(params)]
    uniform = np.split(rng.random((num_samples, sum(widths)), np.float32), np.cumsum(widths)[:-1], axis=1)
    input_mask, *masks = ((u < k).astype(np.float32) / k for u, k in zip(uniform, keep, strict=True))
    return Draws(params, tuple(masks), num_samples, input_mask)


SPEC = MethodSpec(
    name="concrete_dropout",
    title="Concrete dropout",
    idea="Dropout with learned rates: one for every input unit of every layer, or one for each layer.",
    reference="Gal, Hron & Kendall 2017",
    hyperparameters=(LENGTH_SCALE, TEMPERATURE, START_RATE, SHARED_RATE, ENTROPY_WEIGHT),
    build=build,
    sample=sample,
    order=30,
    noise_on="units",
    in_menus=False,
)
