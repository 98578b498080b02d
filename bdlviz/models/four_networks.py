"""Four networks with fixed weights, for which Bayes' rule can be computed by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models import bayes_rule
from bdlviz.models.bayes_rule import Terms
from bdlviz.types import Array, Predictive

# For each network: weights and biases of two tanh units, their output weights, and the output bias.
WEIGHTS = np.array(
    [
        [[1.0, 1.0], [0.0, 0.0], [0.75, 0.75], [0.0, 0.0]],
        [[0.45, 0.45], [0.0, 0.0], [1.1, 1.1], [0.0, 0.0]],
        [[1.1, 2.0], [0.0, -5.0], [1.5, -1.3], [-1.3, 0.0]],
        [[1.5, 1.5], [2.2, -2.2], [1.5, -1.5], [-1.6, 0.0]],
    ]
)
NAMES = ("1", "2", "3", "4")


@dataclass(frozen=True, eq=False)
class FourPosteriors:
    """Bayes' rule for the four networks after data: all its terms, and the prediction."""

    terms: Terms  # of shape (4,)
    noise_std: float

    @property
    def most_likely(self) -> int:
        """The index of the maximum likelihood network."""
        return int(self.terms.log_likelihood.argmax())

    @property
    def most_probable(self) -> int:
        """The index of the MAP network."""
        return int(self.terms.posterior.argmax())

    def predict(self, x: Array) -> Predictive:
        """The posterior average at x (P,), with the four functions as draws."""
        functions = evaluate(x)
        mean, std = bayes_rule.average(self.terms.posterior, functions)
        noise = np.full((len(x), 1), self.noise_std)
        return Predictive(x[:, None], functions[..., None], mean[:, None], std[:, None], noise, len(functions))

    def log_predictive(self, x: Array, y: Array) -> Array:
        """Logarithm of the density of new values y (P,) at x (P,) under the posterior average, (P,), in nats."""
        return bayes_rule.log_predictive(self.terms.posterior, evaluate(x), y, self.noise_std)


def evaluate(x: Array) -> Array:
    r"""The four networks at x (P,), (4, P).

    $$ f_k(x) = \sum_{j=1}^{2} v_{kj} \tanh(w_{kj} x + b_{kj}) + c_k $$
    """
    weight, bias, out, shift = WEIGHTS.swapaxes(0, 1)[..., None]
    return (out * np.tanh(weight * x + bias)).sum(1) + shift[:, 0]


def infer(x: Array, y: Array, prior: Array, noise_std: float) -> FourPosteriors:
    """The posterior of the networks after x and y (N,), from prior weights (4,), which need not sum to 1.

    Raises:
        InvalidInput: all weights are 0, a weight is negative, or the noise is not positive.
    """
    if not (np.isfinite(prior).all() and prior.min() >= 0 and prior.sum() > 0):
        raise InvalidInput("The prior of all networks is 0: set one of the prior weights above 0.")
    if not 0 < noise_std < np.inf:
        raise InvalidInput(f"The noise's standard deviation must be above 0, not {noise_std:g}.")
    with np.errstate(divide="ignore"):  # a network with prior probability 0 has posterior probability 0
        log_prior = np.log(prior / prior.sum())
    squares = np.square(y - evaluate(x)).sum(1)
    return FourPosteriors(bayes_rule.update(log_prior, bayes_rule.log_normal(squares, len(x), noise_std)), noise_std)
