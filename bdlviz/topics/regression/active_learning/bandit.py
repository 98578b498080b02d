"""A bandit: rewards are learned by trying arms, and a round that tries a worse arm costs reward.

The arms lie on a line, and the posterior of their rewards is one joint Gaussian. ``K`` counts arms, ``R`` runs (each
with its own seed), ``T`` rounds; runs are played side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array

POLICIES = ("thompson", "greedy", "epsilon_greedy", "upper_confidence")
JITTER = 1e-9  # added to variances before a Cholesky factor is taken
UPPER = 2.0  # standard deviations above the mean


class Model(Protocol):
    """What a policy asks of a model of the rewards, for R runs side by side."""

    def mean(self) -> Array:
        """Expected reward of every arm, (R, K)."""
        ...

    def std(self) -> Array:
        """Posterior standard deviation of it, without noise, (R, K)."""
        ...

    def draw(self, rng: np.random.Generator) -> Array:
        """One function of the arms from the posterior, for each run, (R, K)."""
        ...

    def observe(self, arms: Array, rewards: Array) -> None:
        """Learn the rewards of one arm in each run, (R,) both."""
        ...


def prior_covariance(arms: Array, length_scale: float, std: float = 1.0) -> Array:
    r"""Prior covariance of the rewards of the arms (K,), (K, K).

    $$ k(a, a') = s^2 \exp\left(-\frac{(a - a')^2}{2 \ell^2}\right) $$

    Raises:
        InvalidInput: a length-scale or standard deviation that is not positive.
    """
    if not (length_scale > 0 and std > 0):
        raise InvalidInput("The length-scale and the standard deviation of the prior must be positive.")
    return std**2 * np.exp(-0.5 * np.square((arms[:, None] - arms) / length_scale))


def posterior_after(
    mean: Array, covariance: Array, arms: Array, rewards: Array, noise_std: float
) -> tuple[Array, Array]:
    r"""Posterior after one reward in each run: conjugate Gaussian regression, one point at a time (Kalman 1960).

    Args:
        mean: (R, K).
        covariance: (R, K, K).
        arms: which arm gave the reward, (R,).
        rewards: (R,).
        noise_std: of a reward.

    $$ g = \frac{C_{\cdot a}}{C_{aa} + \sigma^2}, \qquad m \leftarrow m + g\,(r - m_a), \qquad
       C \leftarrow C - g\, C_{a \cdot} $$
    """
    runs = np.arange(len(arms))
    column = covariance[runs, :, arms]
    gain = column / (column[runs, arms] + noise_std**2)[:, None]
    return (
        mean + gain * (rewards - mean[runs, arms])[:, None],
        covariance - gain[:, :, None] * column[:, None, :],
    )


class GaussianModel:
    """The exact posterior over the rewards of all arms, in R runs; ``widened`` multiplies its standard deviation.

    1 is Bayes' rule. Less is an over-confident model, 0 keeps the mean alone; more is an under-confident one.
    """

    def __init__(self, covariance: Array, noise_std: float, num_runs: int, widened: float = 1.0) -> None:
        if not noise_std > 0 or widened < 0:
            raise InvalidInput(
                "The noise must be positive, and the factor of the standard deviation cannot be negative."
            )
        self._mean = np.zeros((num_runs, len(covariance)))
        self._covariance = np.repeat(covariance[None], num_runs, axis=0)
        self._noise_std, self._widened = noise_std, widened

    def mean(self) -> Array:
        """As `Model`."""
        return self._mean

    def std(self) -> Array:
        """As `Model`."""
        return self._widened * np.sqrt(np.maximum(np.diagonal(self._covariance, axis1=1, axis2=2), 0.0))

    def draw(self, rng: np.random.Generator) -> Array:
        r"""As `Model`: the mean plus correlated noise.

        $$ \tilde f = m + c\, L \epsilon, \qquad L L^\top = C, \quad \epsilon \sim \mathcal{N}(0, I) $$
        """
        size = self._mean.shape[1]
        room = JITTER * self._covariance[:, range(size), range(size)].max() + 1e-12
        for power in range(6):  # rounding makes a nearly singular matrix indefinite now and then
            try:
                factor = np.linalg.cholesky(self._covariance + 10**power * room * np.eye(size))
                break
            except np.linalg.LinAlgError:
                continue
        else:
            raise InvalidInput(
                "The posterior covariance of the arms is singular: take a shorter length-scale or more noise."
            )
        return self._mean + self._widened * (factor @ rng.standard_normal((*self._mean.shape, 1)))[..., 0]

    def observe(self, arms: Array, rewards: Array) -> None:
        """As `Model`."""
        self._mean, self._covariance = posterior_after(self._mean, self._covariance, arms, rewards, self._noise_std)


def thompson(model: Model, rng: np.random.Generator) -> tuple[Array, Array]:
    r"""Draw one function from the posterior and take its best arm (Thompson 1933).

    An arm is tried with its posterior probability of being the best. Returns the arms (R,) and the draws (R, K).

    $$ \tilde f \sim p(f \mid D), \qquad a = \operatorname*{argmax}_a \tilde f(a) $$
    """
    drawn = model.draw(rng)
    return drawn.argmax(1), drawn


def greedy(model: Model, rng: np.random.Generator) -> tuple[Array, Array]:
    r"""Take the arm with the highest expected reward, without any exploration.

    $$ a = \operatorname*{argmax}_a \mathbb{E}[f(a) \mid D] $$
    """
    mean = model.mean()
    return mean.argmax(1), mean


def epsilon_greedy(model: Model, rng: np.random.Generator, epsilon: float) -> tuple[Array, Array]:
    r"""Greedy, but with probability epsilon a random arm.

    $$ a = \begin{cases} \text{any arm} & \text{with probability } \varepsilon \\
       \operatorname*{argmax}_a \mathbb{E}[f(a) \mid D] & \text{else} \end{cases} $$

    Raises:
        InvalidInput: an epsilon that is no probability.
    """
    if not 0 <= epsilon <= 1:
        raise InvalidInput(f"epsilon is a probability, between 0 and 1, not {epsilon:g}.")
    mean = model.mean()
    runs, size = mean.shape
    anywhere, tries = rng.integers(size, size=runs), rng.random(runs) < epsilon
    return np.where(tries, anywhere, mean.argmax(1)), mean


def upper_confidence(model: Model, rng: np.random.Generator) -> tuple[Array, Array]:
    r"""Take the arm that could be the best: mean plus two standard deviations (Srinivas et al. 2010, with beta = 4).

    $$ a = \operatorname*{argmax}_a \mathbb{E}[f(a) \mid D] + 2 \operatorname{sd}[f(a) \mid D] $$
    """
    bound = model.mean() + UPPER * model.std()
    return bound.argmax(1), bound


@dataclass(frozen=True, eq=False)
class Game:
    """All rounds of R runs.

    ``arms``, ``rewards`` and ``regret`` (expected loss of each round) are (R, T); of the first run, ``mean``, ``std``
    and ``looked_at`` (T, K) are what the policy saw when it chose.
    """

    arms: Array
    rewards: Array
    regret: Array
    mean: Array
    std: Array
    looked_at: Array


def play(
    model: Model,
    truth: Array,
    policy: str,
    *,
    num_rounds: int,
    noise_std: float,
    seeds: tuple[int, ...],
    first: Array | None = None,
    epsilon: float = 0.1,
    on_round: Callable[[int], bool] = lambda number: True,
) -> Game:
    """Play T rounds of every run.

    The noise of a round belongs to the run and the round, so that policies meet the same luck.

    Args:
        model: that has seen nothing yet.
        truth: expected reward of each arm, (K,).
        policy: one of `POLICIES`.
        num_rounds: T.
        noise_std: of the rewards.
        seeds: one for each run.
        first: arms (R, n) tried in the first n rounds, whatever the policy.
        epsilon: of epsilon-greedy.
        on_round: told the number of rounds played; returning False ends the game.

    Raises:
        InvalidInput: an unknown policy, no rounds, or no runs.
    """
    if policy not in POLICIES:
        raise InvalidInput(f"Unknown policy {policy!r}: choose one of {', '.join(POLICIES)}.")
    if num_rounds < 1 or not seeds:
        raise InvalidInput("A game needs at least one round and one run.")
    choose = _policies(epsilon)[policy]
    noise = np.stack([_generator(seed, b"rewards").standard_normal(num_rounds) for seed in seeds])
    rng = _generator(seeds[0], b"policy")
    rows: list[tuple[Array, Array, Array, Array, Array]] = []
    for number in range(num_rounds):
        mean, std = model.mean()[0].copy(), model.std()[0].copy()
        arms, looked_at = choose(model, rng)
        if first is not None and number < first.shape[1]:
            arms = first[:, number]
        rewards = truth[arms] + noise_std * noise[:, number]
        model.observe(arms, rewards)
        rows.append((arms, rewards, mean, std, looked_at[0].copy()))
        if not on_round(number + 1):
            break
    arms, rewards, mean, std, looked_at = (np.stack(column) for column in zip(*rows, strict=True))
    return Game(arms.T, rewards.T, expected_regret(truth, arms.T), mean, std, looked_at)


def expected_regret(truth: Array, arms: Array) -> Array:
    r"""What every choice (...) of an arm loses against the best one, on average over the noise, (...).

    $$ \rho_t = \max_a f(a) - f(a_t) $$
    """
    return truth.max() - truth[arms]


def cumulative_regret(regret: Array) -> Array:
    r"""Everything lost up to a round, (..., T) from (..., T).

    $$ R_T = \sum_{t = 1}^{T} \left(\max_a f(a) - f(a_t)\right) $$
    """
    return np.cumsum(regret, axis=-1)


def _policies(epsilon: float) -> Mapping[str, Callable[[Model, np.random.Generator], tuple[Array, Array]]]:
    return {
        "thompson": thompson,
        "greedy": greedy,
        "epsilon_greedy": lambda model, rng: epsilon_greedy(model, rng, epsilon),
        "upper_confidence": upper_confidence,
    }


def _generator(seed: int, purpose: bytes) -> np.random.Generator:
    return np.random.Generator(np.random.SFC64([seed, *purpose]))
