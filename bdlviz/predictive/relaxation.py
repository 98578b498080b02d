"""The relaxed Bernoulli variable behind concrete dropout: its density, its distribution function, and its limit."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from bdlviz.errors import InvalidInput
from bdlviz.types import Array

MIN_TEMPERATURE, MAX_TEMPERATURE = 1e-3, 10.0


def relaxed_density(z: Array, dropout_rate: float, temperature: float) -> Array:
    r"""Density of a relaxed mask at z, of the shape of z; masks are not divided by the keep probability here.

    Maddison, Mnih & Teh 2017, "The concrete distribution" (arXiv 1611.00712), appendix B.

    $$ p(\tilde z) = \frac{t\, \alpha\, \tilde z^{-t-1} (1 - \tilde z)^{-t-1}}
       {\left( \alpha\, \tilde z^{-t} + (1 - \tilde z)^{-t} \right)^2}
       = \frac{t\, s\,(1 - s)}{\tilde z\,(1 - \tilde z)}, \qquad s = P(\tilde z), \quad \alpha = \frac{1 - p}{p} $$

    The second form holds at any temperature without overflow.

    Args:
        z: strictly between 0 (dropped) and 1 (kept).
        dropout_rate: p, strictly between 0 and 1.
        temperature: t, from 0.001 to 10.

    Raises:
        InvalidInput: an argument outside its range.
    """
    share = relaxed_distribution(z, dropout_rate, temperature)
    rest = expit(-_exponent(z, dropout_rate, temperature))  # 1 - share, without cancellation near 1
    return temperature * share * rest / (z * (1 - z))


def relaxed_distribution(z: Array, dropout_rate: float, temperature: float) -> Array:
    r"""Probability of a relaxed mask of at most z, of the shape of z.

    $$ P(\tilde z) = \operatorname{sigmoid}\left( t \operatorname{logit} \tilde z + \operatorname{logit} p \right)
       \;\xrightarrow{\,t \to 0\,}\; p \quad \text{for all } 0 < \tilde z < 1 $$

    The limit is the hard mask: 0 with probability p, 1 with probability 1 - p. For arguments and errors see
    `relaxed_density`.
    """
    return expit(_exponent(z, dropout_rate, temperature))


def share_between(low: float, high: float, dropout_rate: float, temperature: float) -> float:
    r"""Probability of a relaxed mask between two values: of a unit that is neither kept nor dropped.

    $$ P(\tilde z_{\text{high}}) - P(\tilde z_{\text{low}}) $$
    """
    below, upto = relaxed_distribution(np.array([low, high]), dropout_rate, temperature)
    return float(upto - below)


def fastest_rate(start: float, num_steps: Array, learning_rate: float = 1e-3) -> Array:
    r"""The dropout rate after ``num_steps`` steps of Adam whose gradients all increase it; same shape as ``num_steps``.

    Adam changes a parameter by about one learning rate per step if all gradients have the same sign; the parameter is
    logit p. A learned rate on this curve reflects the length of the training, not the data.

    $$ p_n = \operatorname{sigmoid}\left( \operatorname{logit} p_0 + n\,\eta \right) $$
    """
    if not 0 < start < 1:
        raise InvalidInput(f"The dropout rate at the start must be strictly between 0 and 1, not {start:g}.")
    return expit(np.log(start) - np.log1p(-start) + np.asarray(num_steps) * learning_rate)


def _exponent(z: Array, dropout_rate: float, temperature: float) -> Array:
    if not 0 < dropout_rate < 1:
        raise InvalidInput(f"The dropout rate must be strictly between 0 and 1, not {dropout_rate:g}.")
    if not MIN_TEMPERATURE <= temperature <= MAX_TEMPERATURE:
        raise InvalidInput(
            f"The temperature must be between {MIN_TEMPERATURE:g} and {MAX_TEMPERATURE:g}, not {temperature:g}."
        )
    if not (np.min(z) > 0 and np.max(z) < 1):
        raise InvalidInput("A relaxed mask lies strictly between 0 and 1.")
    return temperature * (np.log(z) - np.log1p(-z)) + np.log(dropout_rate) - np.log1p(-dropout_rate)
