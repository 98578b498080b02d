"""The noise of the KL term's gradient where it is estimated from one draw of every weight, under a Gaussian prior.

The estimate is log q(w) - log p(w) at w = mu + sigma epsilon. It depends on mu and sigma through w, and directly
through q; the second part of its gradient is the score of q, whose mean is 0. In closed form the gradient has no noise.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.types import Array

LIMIT = 0.5**0.5  # of sigma over the prior's standard deviation: above it, the score adds noise


def with_score(mean: Array, std: Array, prior_std: float) -> Mapping[str, Array]:
    r"""Variance of the whole gradient by the mean and by rho of each weight (W,), as "mean" and "rho".

    $$ \operatorname{Var}\left[\frac{\partial}{\partial \mu}\right] = \frac{\sigma^2}{s^4}, \qquad
       \operatorname{Var}\left[\frac{\partial}{\partial \sigma}\right] = \frac{\mu^2 + 2 \sigma^2}{s^4} $$
    """
    return _by_group(mean, std, std / prior_std**2, prior_std)


def without_score(mean: Array, std: Array, prior_std: float) -> Mapping[str, Array]:
    r"""The same without the score of q (Roeder et al. 2017): 0 by the mean where q is as wide as the prior.

    $$ \operatorname{Var}\left[\frac{\partial}{\partial \mu}\right] = \left(\frac{\sigma}{s^2} - \frac{1}{\sigma}
       \right)^2, \qquad \operatorname{Var}\left[\frac{\partial}{\partial \sigma}\right] = \frac{\mu^2}{s^4}
       + 2 \left(\frac{\sigma}{s^2} - \frac{1}{\sigma}\right)^2 $$
    """
    return _by_group(mean, std, std / prior_std**2 - 1 / std, prior_std)


def _by_group(mean: Array, std: Array, slope: Array, prior_std: float) -> dict[str, Array]:
    """The noise by mu is ``slope`` epsilon, that by sigma mu epsilon / s^2 plus ``slope`` epsilon^2."""
    by_std = np.square(mean) / prior_std**4 + 2 * np.square(slope)
    return {"mean": np.square(slope), "rho": by_std * np.square(np.expm1(-std))}
