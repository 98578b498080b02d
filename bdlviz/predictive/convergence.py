"""Have the chains of a sampled fit found the same functions? Judged by what they predict, not by their weights.

Hidden units may swap places and signs, so that chains with other weights can hold the same functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from bdlviz.models.model import Model
from bdlviz.predictive.chains import ENOUGH, FEWEST_KEPT, effective_sample_size, split_r_hat
from bdlviz.predictive.functions import evaluate
from bdlviz.types import Array, Draws

# Looser than `chains.CONVERGED`, so that an exact answer can follow a slider: below it, what the chains disagree about
# widens a band by less than a twentieth.
LARGEST_R_HAT = 1.05


@dataclass(frozen=True, eq=False)
class Convergence:
    """Split R-hat and effective sample size of the prediction at every x, the worse of several outputs; (N,) each."""

    r_hat: Array
    effective_samples: Array
    acceptance: float  # of the trajectories after the warm-up, 0 to 1
    num_chains: int
    num_draws: int  # of all chains together

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
        """May the draws stand for the posterior? R-hat of a few effective draws may be small by chance."""
        return self.worst < LARGEST_R_HAT and self.fewest >= ENOUGH

    @property
    def numbers(self) -> str:
        """Both numbers, where they are worst, and what they should be."""
        return (
            f"split R̂ is {self.worst:.3f} where it is largest (it should be below {LARGEST_R_HAT:g}), and the "
            f"effective sample size is {self.fewest:,.0f} where it is smallest (it should be at least {ENOUGH:,})"
        )


def convergence_of(model: Model, params: Mapping[str, Array], num_chains: int, x: Array) -> Convergence:
    """What all kept draws of one cell's chains say at standardised x (N, D).

    ``params`` are the weights (chains x kept, in, out) by name, chain after chain, and the ``acceptance``.
    """
    weights = {name: params[name] for name in model.network.shapes()}
    count = len(next(iter(weights.values())))
    outputs = evaluate(model.network, Draws(weights, num_samples=count), x)
    chains = model.likelihood.mean(outputs).reshape(num_chains, count // num_chains, len(x), -1)
    is_judged = chains.shape[1] >= FEWEST_KEPT
    return Convergence(
        r_hat=split_r_hat(chains).max(-1) if is_judged else np.full(len(x), np.inf),
        effective_samples=effective_sample_size(chains).min(-1) if is_judged else np.zeros(len(x)),
        acceptance=float(np.ravel(params["acceptance"])[0]),
        num_chains=num_chains,
        num_draws=count,
    )
