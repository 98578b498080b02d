r"""Hamiltonian Monte Carlo: Markov chains whose draws follow the posterior, exactly in the limit of long chains.

$$ w_1, w_2, \dots \sim p(w \mid \mathcal{D}) \propto p(w) \prod_i p(y_i \mid x_i, w),
   \qquad p(w) = \mathcal{N}(0, \ell^{-2}) $$

Neal, "Bayesian learning for neural networks", 1996, and "MCMC using Hamiltonian dynamics", 2011 (arXiv 1206.1901).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods.common import LENGTH_SCALE, PRIOR_BY_WIDTH
from bdlviz.models.mlp import MLP
from bdlviz.models.priors import prior_precisions
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec, TrainingSettings

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup

NUM_CHAINS = Hyperparameter(
    name="num_chains",
    label="Chains",
    symbol="C",
    values=(4, 8, 16, 32, 64),
    default=32,
    minimum=2,
    maximum=256,
    help="Chains start at different weights. If their draws agree at the end, they have probably converged.",
    is_axis=False,
    is_whole=True,
)
NUM_LEAPFROG = Hyperparameter(
    name="num_leapfrog",
    label="Leapfrog steps",
    symbol="L",
    values=(5, 10, 20, 40, 60, 100),
    default=60,
    minimum=1,
    maximum=1000,
    help="The mean number of gradient steps per trajectory.",
    is_axis=False,
    is_whole=True,
)
MAX_KEPT = 2048  # draws of all chains together
MAX_NUMBERS = 8_000_000  # number of weights in all kept draws of a network: 32 MB


def build(setup: Setup) -> Method:
    r"""Chains of all seeds and cells together. A step is one trajectory; the first half of the steps is warm-up.

    $$ p(w \mid \mathcal{D}) \propto \mathcal{N}\left(w \mid 0, \Lambda^{-1}\right)
       \prod_i p(y_i \mid x_i, w), \qquad \Lambda_{jj} = \ell^2 n_{\text{in}} \text{ or } \ell^2 $$
    """
    from bdlviz.training.chains import Plan, hamiltonian_monte_carlo

    if not isinstance(setup.model.network, MLP):
        raise InvalidInput("Hamiltonian Monte Carlo works on the built-in network only.")
    chains = int(setup.options["num_chains"])
    affordable = min(MAX_KEPT, MAX_NUMBERS // setup.model.network.num_numbers) // chains
    kept = max(1, min(affordable, setup.num_steps // 2))
    plan = Plan(chains, int(setup.options["num_leapfrog"]), kept)
    by_width = bool(setup.options["prior_by_width"])
    precisions = prior_precisions(setup.model.network, setup.hyperparameters["length_scale"], by_width)
    return hamiltonian_monte_carlo(setup, plan, precisions)


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """A random choice from the kept draws of all chains: ``num_samples`` of them, or all if there are fewer."""
    weights = {name: params[name] for name in network.shapes()}
    chosen = rng.permutation(len(next(iter(weights.values()))))[:num_samples]
    return Draws({name: array[chosen] for name, array in weights.items()}, num_samples=len(chosen))


SPEC = MethodSpec(
    name="hmc",
    title="Hamiltonian Monte Carlo",
    idea="Markov chains that draw from the posterior. They are slow, and exact in the limit of long chains.",
    reference="Neal 1996, 2011",
    hyperparameters=(LENGTH_SCALE, PRIOR_BY_WIDTH, NUM_CHAINS, NUM_LEAPFROG),
    build=build,
    sample=sample,
    inference="sampled",
    needs_all_data=True,
    curve_settings=TrainingSettings(hidden=(50,), batch_size=None, num_steps=200),
    image_settings=TrainingSettings(hidden=(50,), batch_size=None, num_steps=200),
    order=130,
    short_title="HMC",
    exact_title="Exact (HMC)",
)
