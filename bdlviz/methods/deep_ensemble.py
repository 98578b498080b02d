r"""Deep ensemble: the same network trained from several random initial weights; every member is a draw.

$$ p(y \mid x) \approx \frac1M \sum_m p(y \mid x, W_m) $$

Lakshminarayanan, Pritzel & Blundell, "Simple and scalable predictive uncertainty estimation", NeurIPS 2017. The
members here differ in their initial weights and in the order of their minibatches. Each member is identical, bit for
bit, to a plain network (method ``map``) with the seed `member_seed`. There is no adversarial training.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.methods.common import WEIGHT_DECAY
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup, State

NUM_MEMBERS = Hyperparameter(
    name="num_members",
    label="Members",
    symbol="M",
    values=(2, 3, 5, 10, 20, 50),
    default=5,
    minimum=1,
    maximum=100,
    help="The number of networks, which are trained from different initial weights.",
    is_axis=False,
    is_whole=True,
)


def build(setup: Setup) -> Method:
    r"""Penalised likelihood for R M seeds together; every seed has its own minibatches.

    $$ W_m = \arg\min_W \; \frac1N \sum_i -\log p(y_i \mid x_i, W) + \lambda \sum_{\text{layers}} \lVert W \rVert_F^2 $$
    """
    from bdlviz.training.method import Method
    from bdlviz.training.penalised import penalised_likelihood

    count = int(setup.options["num_members"])
    seeds = tuple(member_seed(seed, member) for seed in setup.seeds for member in range(count))
    members = penalised_likelihood(replace(setup, seeds=seeds))

    def update(state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        state = members.update(state, batch, wants_loss)
        if state.loss is None:
            return state
        return state._replace(loss=state.loss.reshape(len(setup.seeds), count, -1).mean(1))

    def params(state: State) -> dict[str, Array]:
        # (R M, C, in, out) -> (R, C, M, in, out)
        return {
            name: array.reshape(len(setup.seeds), count, *array.shape[1:]).swapaxes(1, 2)
            for name, array in members.params(state).items()
        }

    return Method(members.init, update, params, minibatch_seeds=seeds)


def member_seed(seed: int, member: int) -> int:
    """The seed of the initial weights and minibatches of one member. Member 0 has the seed of the ensemble."""
    return seed + 1_000_003 * member


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """All M members, whatever ``num_samples`` is: an ensemble has only M functions."""
    return Draws(params, num_samples=len(next(iter(params.values()))), are_all=True)


SPEC = MethodSpec(
    name="deep_ensemble",
    title="Deep ensemble",
    idea="Several networks from different initial weights. They disagree where the data do not determine the function.",
    reference="Lakshminarayanan et al. 2017",
    hyperparameters=(WEIGHT_DECAY, NUM_MEMBERS),
    build=build,
    sample=sample,
    order=40,
    abbreviation="ensemble",
    is_usual=True,
)
