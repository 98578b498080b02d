"""Priors over weights: precisions, log density and its gradient."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from bdlviz.models.likelihood_base import HALF_LOG_TWO_PI
from bdlviz.models.mlp import MLP
from bdlviz.types import Array


def prior_precisions(network: MLP, length_scale: Any, by_width: bool) -> Mapping[str, Any]:
    r"""Inverse prior variance of the weights and biases of every layer, by name, of the shape of ``length_scale``.

    Scaled by width, the variance of functions does not depend on the widths, and the limit is a Gaussian process (Neal
    1996, chapter 2). Unscaled, all weights have the same prior.

    $$ W \sim \mathcal{N}\left(0, \frac{1}{n_{\text{in}}\, \ell^2}\right) \;\text{or}\; \mathcal{N}(0, \ell^{-2}),
       \qquad b \sim \mathcal{N}(0, \ell^{-2}) $$
    """
    squared = np.asarray(length_scale, np.float64) ** 2
    return {
        name: squared * (num_inputs if by_width and name.startswith("weight") else 1)
        for name, (num_inputs, _) in network.shapes().items()
    }


class Logarithms(NamedTuple):
    """The functions of one kind of array."""

    log: Callable[[Any], Any]
    logaddexp: Callable[[Any, Any], Any]


def _log(a: Array) -> Array:
    with np.errstate(divide="ignore"):  # a weight of 0 in the mixture
        return np.log(a)


NUMPY = Logarithms(_log, np.logaddexp)


def log_scale_mixture(weights: Any, wide_std: Any, narrow_std: Any, share: Any, of: Logarithms = NUMPY) -> Any:
    r"""Log density in nats of weights under a mixture of two Gaussians around 0, of the weights' shape.

    Most weights may be nearly 0, and some large. All arguments broadcast; on numpy arrays, or on what else has the
    operators when given its ``Logarithms``. ``share`` is that of the wide one, above 0 and at most 1. Source: Blundell
    et al. 2015, equation 7, for one weight.

    $$ \log p(w) = \log\left[ \pi\, \mathcal{N}(w \mid 0, \sigma_1^2) + (1 - \pi)\, \mathcal{N}(w \mid 0, \sigma_2^2)
       \right] $$
    """

    def log_normal(std: Any) -> Any:
        return -0.5 * (weights / std) ** 2 - of.log(std) - HALF_LOG_TWO_PI

    return of.logaddexp(of.log(share) + log_normal(wide_std), of.log(1 - share) + log_normal(narrow_std))


def log_scale_mixture_slope(
    weights: Any, wide_std: Any, narrow_std: Any, share: Any, sigmoid: Callable[[Any], Any] = expit
) -> Any:
    r"""Gradient of `log_scale_mixture` with respect to the weight.

    $$ -w \left[ \frac{r}{\sigma_1^2} + \frac{1 - r}{\sigma_2^2} \right], \qquad
       r = \frac{\pi\, \mathcal{N}(w \mid 0, \sigma_1^2)}{p(w)} $$
    """
    wide, narrow = wide_std**-2, narrow_std**-2
    odds = np.log(share / (1 - share) * narrow_std / wide_std) - 0.5 * (wide - narrow) * weights**2
    return -weights * (sigmoid(odds) * wide + sigmoid(-odds) * narrow)
