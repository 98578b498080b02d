r"""Variational dropout: Gaussian dropout with a learned noise variance alpha for each layer, neuron or weight.

$$ q(w) = \mathcal{N}(w \mid \theta, \alpha \theta^2), \qquad \alpha \le 1, \qquad p(|w|) \propto \frac{1}{|w|} $$

Kingma, Salimans & Welling, "Variational dropout and the local reparameterization trick", NeurIPS 2015 (arXiv
1506.02557): the variant with independent noise on every weight (section 3.1) and the options for shared alphas
(section 3.4). All outgoing weights of a neuron share its alpha, since dropout multiplies the input of a layer. Alpha is
at most 1, because the cubic approximation of the KL term is valid only there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.methods.common import KL_WEIGHT, with_prefix
from bdlviz.methods.gaussian_dropout import noisy_draws
from bdlviz.models import divergences
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec

if TYPE_CHECKING:
    from torch import Tensor

    from bdlviz.training.method import Method, Setup

LOG_ALPHA = "log_alpha_"  # prefix of the names of log alphas; the rest is the name of the weights
LAYER, NEURON, WEIGHT = 0, 1, 2  # values of `ALPHA_PER`
START_RATE = Hyperparameter(
    name="start_rate",
    label="Dropout rate at the start",
    symbol="p_0",
    values=(0.01, 0.05, 0.1, 0.2, 0.4),
    default=0.2,
    minimum=0.001,
    maximum=0.5,
    help="The initial noise of every layer is that of this dropout rate: α = p / (1 − p).",
    is_axis=False,
)
ALPHA_PER = Hyperparameter(
    name="alpha_per",
    label="One α for each: 0 layer, 1 neuron, 2 weight",
    symbol=r"\alpha_{\text{per}}",
    values=(0.0, 1.0, 2.0),
    default=0.0,
    minimum=0.0,
    maximum=2.0,
    help="0: one α per layer. 1: one α for all outgoing weights of a neuron. 2: one α per weight.",
    is_axis=False,
    is_whole=True,
)


def build(setup: Setup) -> Method:
    r"""The negative evidence lower bound per data point up to a constant; biases have no noise.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, w_i)
       + \frac{\beta}{N} \sum_{\text{weights}} \operatorname{KL}(\alpha) $$
    """
    import torch

    from bdlviz.training.gaussian_weights import TENSORS, exp, gaussian_weights, total

    kl_weight = torch.from_numpy(setup.hyperparameters["kl_weight"].astype(np.float32))
    start = np.log(setup.options["start_rate"] / (1 - setup.options["start_rate"]))
    alpha_per = setup.options["alpha_per"]

    def init(rng: np.random.Generator) -> dict[str, Array]:
        weights = setup.model.network.init(rng)
        shapes = {name: own_shape(array.shape, alpha_per) for name, array in weights.items() if "weight" in name}
        return weights | {LOG_ALPHA + name: np.full(shape, start, np.float32) for name, shape in shapes.items()}

    def bounded(params: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {name: at_most_zero(value) for name, value in with_prefix(params, LOG_ALPHA).items()}

    def std_of(params: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {name: exp(value / 2) * params[name].abs() for name, value in bounded(params).items()}

    def penalty(params: Mapping[str, Tensor], std: Mapping[str, Tensor]) -> Tensor:
        shared = {
            n: params[n].shape[-2:].numel() // a.shape[-2:].numel() for n, a in with_prefix(params, LOG_ALPHA).items()
        }
        terms = {name: shared[name] * divergences.cubic(value, TENSORS) for name, value in bounded(params).items()}
        return kl_weight * total(terms)

    return gaussian_weights(setup, init, std_of, penalty, setup.precision)


def own_shape(shape: tuple[int, ...], alpha_per: float) -> tuple[int, int]:
    """The shape of the alphas of weights (in, out): (1, 1) per layer, (in, 1) per neuron, (in, out) per weight."""
    rows, columns = shape
    return rows if alpha_per else 1, columns if alpha_per == WEIGHT else 1


def at_most_zero(log_alpha: Tensor) -> Tensor:
    """The smaller of log alpha and 0. Its gradient is that of log alpha if a gradient step lowers log alpha.

    The gradient of a plain minimum is 0 above 0, so that an alpha above 1 could never become smaller again.
    """
    bounded = log_alpha.clamp_max(0).detach()
    followed = bounded + (log_alpha - log_alpha.detach())  # the value of one, the gradient of the other
    if followed.requires_grad:
        followed.register_hook(lambda gradient: gradient.where((log_alpha <= 0) | (gradient > 0), 0))
    return followed


def alphas(params: Mapping[str, Array]) -> dict[str, Array]:
    """The learned noise variance of each layer, neuron or weight, at most 1, by the names of the weights.

    The shapes are those of `own_shape`.
    """
    return {name: np.exp(np.minimum(value, 0)) for name, value in with_prefix(params, LOG_ALPHA).items()}


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """One set of weights per draw, shared by all inputs."""
    weights = {name: array for name, array in params.items() if not name.startswith(LOG_ALPHA)}
    if hyperparameters.get("dropout_rate") == 0:  # the prediction with the means of the weights
        return Draws(weights, num_samples=1)
    return noisy_draws(weights, alphas(params), rng, num_samples)


SPEC = MethodSpec(
    name="variational_dropout",
    title="Variational dropout",
    idea="Gaussian dropout with a learned noise variance for each layer, neuron or weight.",
    reference="Kingma, Salimans & Welling 2015",
    hyperparameters=(KL_WEIGHT, START_RATE, ALPHA_PER),
    build=build,
    sample=sample,
    order=70,
    noise_on="units",
)
