"""Convergence of the chains of a sampled fit, judged by their predictions, not by their weights.

Hidden units can be permuted and change signs, so that chains with different weights can have the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bdlviz.models.model import Model
from bdlviz.predictive.chains import ENOUGH, FEWEST_KEPT, effective_sample_size, split_r_hat, stopped
from bdlviz.predictive.functions import evaluate
from bdlviz.types import Array, Draws

# Of the worst of many x. `chains.CONVERGED` (1.01) is for one quantity and long chains: even independent draws in 16
# chains of 64 exceed it at the worst of 200 x in a third of all cases. Below 1.05 the disagreement of the chains widens
# a band by less than 5 %; `ENOUGH` effective draws have an error of that size, too.
LARGEST_R_HAT = 1.05


@dataclass(frozen=True, eq=False)
class Convergence:
    """Split R-hat and effective sample size of the prediction at every x, for the worst output; (N,) each."""

    r_hat: Array
    effective_samples: Array
    acceptance: float  # of the trajectories after the warm-up, 0 to 1; 1 for chains without rejection
    num_chains: int
    num_draws: int  # of all chains together
    num_stopped: int = 0  # chains that have not moved in a half of their draws

    @property
    def worst(self) -> float:
        """The largest R-hat of all x."""
        return float(self.r_hat.max())

    @property
    def fewest(self) -> float:
        """The smallest effective sample size of all x."""
        return float(self.effective_samples.min())

    @property
    def is_reached(self) -> bool:
        """True if the draws represent the posterior. Both numbers count, since R-hat can be small by chance."""
        return self.worst < LARGEST_R_HAT and self.fewest >= ENOUGH

    @property
    def numbers(self) -> str:
        """The worst values of both numbers and their limits, in words; chains that do not move are named."""
        if self.num_stopped:
            verb = "does" if self.num_stopped == 1 else "do"
            return f"{self.num_stopped} of {self.num_chains} chains {verb} not move"
        return (
            f"split R̂ is {self.worst:.3f} where it is largest (it should be below {LARGEST_R_HAT:g}), and the "
            f"effective sample size is {self.fewest:,.0f} where it is smallest (it should be at least {ENOUGH:,})"
        )


def convergence_of(model: Model, params: Mapping[str, Array], num_chains: int, x: Array) -> Convergence:
    """Diagnostics of all kept draws of one cell's chains at standardised x (N, D).

    ``params`` are the weights (chains x kept, in, out) by name, chain after chain, and the ``acceptance``
    unless no state is rejected.
    """
    weights = {name: params[name] for name in model.network.shapes()}
    count = len(next(iter(weights.values())))
    outputs = evaluate(model.network, Draws(weights, num_samples=count), x)
    chains = model.likelihood.mean(outputs).reshape(num_chains, count // num_chains, len(x), -1)
    is_judged = chains.shape[1] >= FEWEST_KEPT
    return Convergence(
        r_hat=split_r_hat(chains).max(-1) if is_judged else np.full(len(x), np.inf),
        effective_samples=effective_sample_size(chains).min(-1) if is_judged else np.zeros(len(x)),
        acceptance=float(np.ravel(params.get("acceptance", 1.0))[0]),
        num_chains=num_chains,
        num_draws=count,
        num_stopped=int(stopped(chains).any((1, 2)).sum()) if is_judged else 0,
    )
