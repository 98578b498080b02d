"""The live example of errata about dropout: a network whose dropout can be solved exactly.

It has random hidden units, of which only the linear output layer is trained. The expectation of its loss over all masks
is a quadratic form.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bdlviz.data.curves import x_sin_x
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.plots.theme import Range
from bdlviz.types import Array

RATE = 0.1

WEIGHT_DECAY = 1e-4

NUM_HIDDEN, NUM_DRAWS, NUM_INPUTS = 256, 40, 201
RATES = np.linspace(0.01, 0.95, 95)  # where figures evaluate what depends on the rate


class ExactDropout:
    r"""A network with one hidden layer of fixed random units, whose output weights w minimise the loss over all masks.

    Masks z are divided by the keep probability (Srivastava et al. 2014, section 9.1, for linear regression):

    $$ \mathbb{E}_z \tfrac{1}{2N} \lVert y - \Phi\, \tfrac{z}{1-p}\, w \rVert^2
       = \tfrac{1}{2N} \left( \lVert y - \Phi w \rVert^2
       + \tfrac{p}{1-p}\, w^\top \operatorname{diag}(\Phi^\top \Phi)\, w \right) $$
    """

    def __init__(self, dropout_rate: float = RATE) -> None:
        self.data = x_sin_x()
        rng = np.random.default_rng(0)
        self._slopes, self._places = rng.normal(size=NUM_HIDDEN), rng.uniform(-5, 5, NUM_HIDDEN)
        units, y = self.units(self.data.x[:, 0]), self.data.y[:, 0]
        products = units.T @ units
        noise = dropout_rate / (1 - dropout_rate) * np.diag(np.diag(products))
        decay = 2 * len(y) * WEIGHT_DECAY * np.eye(NUM_HIDDEN)
        self.weights = np.linalg.solve(products + noise + decay, units.T @ y)

    def units(self, x: Array) -> Array:
        """Outputs of the hidden units at x (P,), (P, H)."""
        return np.tanh(self._slopes * (x[:, None] - self._places))

    def std(self, x: Array, dropout_rate: float) -> Array:
        r"""Standard deviation over all masks at x (P,), exactly.

        $$ \operatorname{Var}_z[f(x)] = \tfrac{p}{1-p} \sum_k \phi_k(x)^2\, w_k^2 $$
        """
        variance = dropout_rate / (1 - dropout_rate) * np.square(self.units(x) * self.weights).sum(-1)
        return np.sqrt(variance)

    @property
    def inputs(self) -> Array:
        """Where figures evaluate it, (P,): the range of the data."""
        return np.linspace(-5, 5, NUM_INPUTS)


@lru_cache(maxsize=1)
def usual_network() -> ExactDropout:
    """The network that the live examples share."""
    return ExactDropout()


def draws_with_one_mask(units: Array, weights: Array, masks: Array) -> Array:
    r"""Functions (S, P) of hidden units (P, H), one mask each for all inputs, (S, H).

    $$ f_s(x_i) = \phi(x_i)^\top (z_s \odot w) $$
    """
    return (masks * weights) @ units.T


def compared_draws(
    network: ExactDropout, wrong: Array, right: Array, titles: tuple[str, str], says: str, y_range: Range
) -> Comparison:
    """Draws (S, P) of the wrong and of the right kind side by side, over the data."""
    x, data = network.inputs, network.data
    points = Curve("data", data.x[:, 0], data.y[:, 0], "data")
    truth = Curve("truth", x, x * np.sin(x), "truth")
    pairs = zip(titles, (wrong, right), ("wrong draws", "right draws"), strict=True)
    panels = [Panel([Curve("draws, " + title, x, draws, role), truth, points], title) for title, draws, role in pairs]
    return Comparison(panels, "x", "y", (-5.0, 5.0), y_range, says=says)
