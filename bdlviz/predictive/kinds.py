"""Numbers on aleatoric and epistemic uncertainty: terms of a loss, noise of the residuals, and powers of N."""

from __future__ import annotations

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.observed import observed_values
from bdlviz.types import Array


def loss_terms(residual: Array, noise_std: Array) -> tuple[Array, Array]:
    r"""The two terms of a Gaussian's loss in nats, without its constant: the squared term and log sigma.

    ``residual`` and ``noise_std`` broadcast, both in y's units. The sum is lowest where the noise is as large as the
    residual. Source: Kendall & Gal 2017, equation 5.

    $$ L(\sigma) = \frac{(y - f)^2}{2 \sigma^2} + \log \sigma, \qquad
       \frac{\partial L}{\partial \sigma} = 0 \;\text{ at }\; \sigma = |y - f| $$
    """
    if not np.all(np.asarray(noise_std) > 0):
        raise InvalidInput("The noise must be above 0: a Gaussian with standard deviation 0 has no density.")
    return np.square(residual) / (2 * np.square(noise_std)), np.log(noise_std) + 0 * np.asarray(residual)


def noise_left(means: Array, y: Array) -> Array:
    r"""The maximum likelihood estimate of constant noise from the residuals of draws, in y's units, (K,).

    It is where the sum of `loss_terms` over all points is lowest, on average over draws. ``means`` are (S, N, K); y is
    (N, K), or (N,) for one output.

    $$ \sigma_k^2 = \frac{1}{S N} \sum_{s, i} (y_{ik} - f_{sk}(x_i))^2 $$
    """
    return np.sqrt(np.square(observed_values(y, *means.shape[1:]) - means).mean((0, 1)))


def power_of_number(num_data: Array, std: Array) -> float:
    r"""The exponent a of an uncertainty proportional to N^a: the slope of a straight line through logarithms.

    ``num_data`` and ``std`` are (V,), all above 0. A parameter estimated from N points has $a = -1/2$; an
    uncertainty that does not depend on the number of data has $a = 0$.

    $$ \log \sigma \approx a \log N + b $$

    Raises:
        InvalidInput: fewer than two different N, or numbers that are not above 0.
    """
    num_data, std = np.asarray(num_data, float), np.asarray(std, float)
    if len(set(num_data.tolist())) < 2 or not (np.all(num_data > 0) and np.all(std > 0)):
        raise InvalidInput("An exponent needs at least two different N, and numbers above 0.")
    x = np.log(num_data) - np.log(num_data).mean()
    return float((x * np.log(std)).sum() / np.square(x).sum())
