"""Conversion between prior length-scale, noise and weight decay of MC dropout.

All values are in standardised units, for masks divided by the keep probability, as in torch.
Large length-scale means small weights and smooth functions.
"""

from __future__ import annotations

import numpy as np


def model_precision(length_scale: float, weight_decay: float, num_data: int, dropout_rate: float) -> float:
    r"""Precision of the observation noise, the inverse of its variance.

    Gal & Ghahramani 2016 ("Obtaining model uncertainty") give tau for unscaled masks, W = M diag(z). Here kept units
    are divided by the keep probability and the penalty is on W = keep_prob M, which multiplies the precision by
    1 / keep_prob^2. Weights of a layer whose input is never dropped (the first one) follow the same formula with
    keep_prob = 1.

    $$ \tau = \frac{\ell^2}{2 N \lambda\, (1 - p)} $$
    """
    return length_scale**2 / (2 * num_data * weight_decay * (1 - dropout_rate))


def weight_decay_for(length_scale: float, precision: float, num_data: int, dropout_rate: float) -> float:
    r"""The weight decay for a length-scale and a precision.

    $$ \lambda = \frac{\ell^2}{2 N \tau\, (1 - p)} $$
    """
    return length_scale**2 / (2 * num_data * precision * (1 - dropout_rate))


def length_scale_for(weight_decay: float, precision: float, num_data: int, dropout_rate: float) -> float:
    r"""The length-scale of the prior, p(w) = N(0, l^-2), for a weight decay and a precision.

    $$ \ell = \sqrt{2 N \lambda \tau\, (1 - p)} $$
    """
    return float(np.sqrt(2 * num_data * weight_decay * precision * (1 - dropout_rate)))


def layer_length_scales(
    weight_decay: float, precision: float, num_data: int, dropout_rate: float, num_layers: int
) -> tuple[float, ...]:
    r"""The length-scale of the prior over each layer's weights, first layer first.

    The input of the first layer is never dropped, so its formula has p = 0. The penalty leaves the biases out: their
    prior is flat and has no length-scale.

    $$ \ell_1 = \sqrt{2 N \lambda \tau}, \qquad \ell_2 = \ell_3 = \dots = \sqrt{2 N \lambda \tau\, (1 - p)} $$
    """
    first = length_scale_for(weight_decay, precision, num_data, 0.0)
    later = length_scale_for(weight_decay, precision, num_data, dropout_rate)
    return (first, *[later] * (num_layers - 1))


def precision_without_rescaling(length_scale: float, weight_decay: float, num_data: int, dropout_rate: float) -> float:
    r"""The precision as in the paper, for unscaled masks and a penalty on M.

    $$ \tau = \frac{(1 - p)\, \ell^2}{2 N \lambda} $$
    """
    return (1 - dropout_rate) * length_scale**2 / (2 * num_data * weight_decay)
