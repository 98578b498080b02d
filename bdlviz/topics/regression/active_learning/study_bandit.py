"""The shipped bandit: networks that learn the rewards of arms on a line, beside the exact posterior, which is quick.

``R`` counts runs, ``T`` rounds, ``K`` arms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bdlviz.fits import fit
from bdlviz.studies.study import Made, Study
from bdlviz.topics.regression.active_learning import bandit
from bdlviz.types import Array, Predictive

ARMS = np.linspace(0.0, 1.0, 61)
BANDIT_ROUNDS, FITTED_ROUNDS = 100, 50
BANDIT_FIRST, BANDIT_RUNS, FITTED_RUNS = 2, 120, 5
PRIOR_STD = 0.7
NUM_SAMPLES = 200
FITTED_NOISE = 0.3
FITTED_EPSILON = 0.1
FITTED_POLICIES = ("thompson", "greedy", "epsilon_greedy")
BANDIT_SETTINGS: dict[str, dict[str, Any]] = {
    name: {"hidden": (32, 32), "num_steps": 300, "learning_rate": 1e-2, "batch_size": None} | own
    for name, own in (("mc_dropout", {"dropout_rate": 0.1}), ("deep_ensemble", {"num_members": 5}))
}


def _hills(arms: Array) -> Array:
    return 0.7 * _bump(arms, 0.25, 0.12) + _bump(arms, 0.8, 0.06) - 0.5


def _needle(arms: Array) -> Array:
    return 1.5 * _bump(arms, 0.63, 0.02) - 0.2 * np.abs(arms - 0.2) - 0.3


def _ramp(arms: Array) -> Array:
    return 1.2 * arms - 0.6


def _bump(arms: Array, centre: float, width: float) -> Array:
    return np.exp(-0.5 * np.square((arms - centre) / width))


REWARDS: Mapping[str, Callable[[Array], Array]] = {"hills": _hills, "needle": _needle, "ramp": _ramp}


class FitModel:
    """A method of the registry as the model of one run of a bandit: trained again after every reward."""

    def __init__(self, method: str, noise_std: float, seed: int) -> None:
        self._method, self._noise_std, self._seed = method, noise_std, seed
        self._arms: list[float] = []
        self._rewards: list[float] = []
        empty = np.zeros((1, len(ARMS), 1))
        self._predictive = Predictive(ARMS[:, None], empty, empty[0], empty[0] + 1, empty[0] + noise_std, 1)

    def mean(self) -> Array:
        """As `bandit.Model`."""
        return self._predictive.mean.T

    def std(self) -> Array:
        """As `bandit.Model`."""
        return self._predictive.epistemic_std.T

    def draw(self, rng: np.random.Generator) -> Array:
        """One of the functions of the fit: of an ensemble a member (Lu & Van Roy 2017)."""
        return self._predictive.draws[rng.integers(len(self._predictive.draws))].T

    def observe(self, arms: Array, rewards: Array) -> None:
        """As `bandit.Model`."""
        self._arms.append(float(ARMS[arms[0]]))
        self._rewards.append(float(rewards[0]))
        pairs = (np.array(self._arms), np.array(self._rewards))
        settings = BANDIT_SETTINGS[self._method]
        trained = fit(self._method, pairs, noise_std=self._noise_std, seed=self._seed, **settings)
        self._predictive = trained.predict(ARMS, NUM_SAMPLES)


def first_arms(num_runs: int) -> Array:
    """Arms that each run tries before its policy may choose, the same for all policies, (R, n)."""
    return np.stack([_generator(run, b"first").permutation(len(ARMS))[:BANDIT_FIRST] for run in range(num_runs)])


def exact_game(reward: str, policy: str, length_scale: float, noise_std: float, widened: float, epsilon: float):
    """A bandit with the exact posterior, `BANDIT_RUNS` runs side by side."""
    model = bandit.GaussianModel(
        bandit.prior_covariance(ARMS, length_scale, PRIOR_STD), noise_std, BANDIT_RUNS, widened
    )
    return bandit.play(
        model,
        REWARDS[reward](ARMS),
        policy,
        num_rounds=BANDIT_ROUNDS,
        noise_std=noise_std,
        seeds=tuple(range(BANDIT_RUNS)),
        first=first_arms(BANDIT_RUNS),
        epsilon=epsilon,
    )


def fitted_game(method: str, policy: str, run: int, num_rounds: int = FITTED_ROUNDS) -> bandit.Game:
    """One run with a network as the model of the two hills."""
    return bandit.play(
        FitModel(method, FITTED_NOISE, run),
        REWARDS["hills"](ARMS),
        policy,
        num_rounds=num_rounds,
        noise_std=FITTED_NOISE,
        seeds=(run,),
        first=first_arms(run + 1)[run:],
        epsilon=FITTED_EPSILON,
    )


def bandits() -> Made:
    """Networks that play the bandit of two hills, `FITTED_RUNS` runs of each policy.

    ``METHOD_POLICY_regret`` (R, T) of each round, and of the first run ``_arms``, ``_rewards`` (T,), ``_mean``,
    ``_std`` and ``_looked_at`` (T, K); the posterior's standard deviation over all arms is ``_spread`` (R, T).
    """
    extra: dict[str, Array] = {}
    for method in BANDIT_SETTINGS:
        for policy in FITTED_POLICIES:
            games = [fitted_game(method, policy, run) for run in range(FITTED_RUNS)]
            found = {
                "regret": np.concatenate([game.regret for game in games]),
                "spread": np.stack([game.std.mean(1) for game in games]),
                "arms": games[0].arms[0],
                "rewards": games[0].rewards[0],
                "mean": games[0].mean,
                "std": games[0].std,
                "looked_at": games[0].looked_at,
            }
            extra |= {f"{method}_{policy}_{part}": values.astype(np.float32) for part, values in found.items()}
    arms = first_arms(1)[0]
    pairs = (ARMS[arms], REWARDS["hills"](ARMS)[arms])
    return fit("mc_dropout", pairs, noise_std=FITTED_NOISE, **BANDIT_SETTINGS["mc_dropout"]), extra


def _generator(seed: int, purpose: bytes) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64([seed, *purpose]))


STUDIES = {
    "active_bandit": Study("A bandit of two hills: networks that choose arms", bandits, keeps_weights=False),
}
