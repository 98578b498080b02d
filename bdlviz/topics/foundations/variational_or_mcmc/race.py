r"""Error against work: fits stop at their bias, the error of chains falls with the square root of the work.

Work is counted in evaluations of the posterior's gradient (of the posterior itself, for Metropolis); errors are those
of the posterior's means and standard deviations, in its own standard deviations:

$$ \text{error of the mean} = \sqrt{\tfrac12 \sum_i \left( \frac{\hat\mu_i - \mu_i}{\sigma_i} \right)^2}, \qquad
   \text{error of the sd} = \sqrt{\tfrac12 \sum_i \left( \frac{\hat\sigma_i}{\sigma_i} - 1 \right)^2} $$
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models import targets
from bdlviz.models.targets import Target
from bdlviz.topics.foundations.variational_or_mcmc import gaussian_fit, samplers
from bdlviz.types import Array

EVALUATIONS = 10_000  # each chain may make
FIT_EVALUATIONS = 3000  # a fit may make: it has then settled
FIT_DRAWS = 5  # of weights, in each step of a fit
FIT_RATE = 0.2  # of Adam, at first
NUM_SEEDS = 40
NUM_LEAPFROG = 10
NUM_CHECKS = 40
FIRST_CHECK = 50  # evaluations
START_STD = 0.3
RUNNERS = {
    "mean_field": "VI, mean field",
    "full": "VI, full covariance",
    "metropolis": "Metropolis",
    "langevin": "Langevin (MALA)",
    "hmc": "HMC",
}
# Step sizes of the chains, by trial: near those that give the most effective draws for an evaluation.
STEP_SIZES = {
    "line": {"metropolis": 0.4, "langevin": 0.1, "hmc": 0.1},
    "banana": {"metropolis": 1.0, "langevin": 0.25, "hmc": 0.2},
    "unit": {"metropolis": 1.6, "langevin": 0.35, "hmc": 0.2},
    "ring": {"metropolis": 1.6, "langevin": 0.5, "hmc": 0.3},
}


@dataclass(frozen=True, eq=False)
class Run:
    """Errors of one method: after ``evaluations`` (T,), of its ``mean`` and ``std`` for R seeds, (T, R)."""

    evaluations: Array
    mean: Array
    std: Array


def run(
    target: Target,
    runner: str,
    *,
    num_seeds: int = NUM_SEEDS,
    evaluations: int | None = None,
    seed: int = 0,
    on_progress: Callable[[float], bool] | None = None,
) -> Run | None:
    """Let one method run from ``num_seeds`` starts, spread evenly over the picture.

    VI draws `FIT_DRAWS` weights a step and follows their gradients; chains are judged by the later half of their
    draws. ``on_progress`` gets the share that is done; when it returns False there is no result.
    """
    is_fit = runner in gaussian_fit.FAMILIES
    evaluations = evaluations or (FIT_EVALUATIONS if is_fit else EVALUATIONS)
    rng = np.random.default_rng([seed, *runner.encode()])
    low, high = np.array(target.limits).T
    starts = np.random.default_rng(seed).uniform(low, high, (num_seeds, 2))
    grid = targets.on_grid(target)
    if is_fit:
        steps, is_full = evaluations // FIT_DRAWS, runner == "full"
        means, factors = gaussian_fit.fit_by_draws(
            target,
            starts,
            START_STD,
            rng,
            is_full=is_full,
            num_steps=steps,
            num_draws=FIT_DRAWS,
            learning_rate=FIT_RATE,
        )
        checks = _checks(evaluations) // FIT_DRAWS
        stds = np.sqrt(np.square(factors[checks]).sum(-1))
        return Run(checks * FIT_DRAWS, *moment_errors(means[checks], stds, grid))
    cost = samplers.SAMPLERS[runner].evaluations(NUM_LEAPFROG)
    steps = evaluations // cost

    def report(step: int) -> bool:
        return on_progress is None or step % 100 > 0 or on_progress(step / steps)

    step_size = STEP_SIZES[target.name][runner]
    found = samplers.run_chains(
        target, runner, step_size, starts, steps, rng, num_leapfrog=NUM_LEAPFROG, on_step=report
    )
    if len(found.is_accepted) < steps:
        return None
    checks = np.unique(_checks(evaluations) // cost)
    return Run(checks * cost, *moment_errors(*later_half(found.places[1:], checks), grid))


def run_all(target: Target, report: Callable[[Mapping[str, Run], float], bool], **settings: Any) -> dict[str, Run]:
    """All methods of `RUNNERS` one after another, with the settings of `run`.

    ``report`` gets the runs that have ended and the share of the present one; it returns False to stop.

    Raises:
        InvalidInput: it was stopped.
    """
    found: dict[str, Run] = {}
    for runner in RUNNERS:
        ended = run(target, runner, on_progress=lambda share: report(found, share), **settings)
        if ended is None or not report(found, 1.0):
            raise InvalidInput("The comparison was stopped.")
        found[runner] = ended
    return found


def _checks(evaluations: int) -> Array:
    """Whole numbers, evenly spaced on a logarithmic axis."""
    return np.unique(np.geomspace(FIRST_CHECK, evaluations, NUM_CHECKS).astype(int))


def later_half(places: Array, checks: Array) -> tuple[Array, Array]:
    r"""Means and standard deviations of the later half of the first n places.

    Of places (T, ..., 2), for each n in ``checks``; the earlier half is the warm-up.

    $$ \hat\mu = \frac{1}{n - m} \sum_{t = m + 1}^{n} w_t, \qquad
       \hat\sigma^2 = \frac{1}{n - m} \sum_{t = m + 1}^{n} (w_t - \hat\mu)^2, \qquad m = \lfloor n / 2 \rfloor $$
    """
    sums = np.concatenate([np.zeros((1, *places.shape[1:])), np.cumsum(places, axis=0)])
    squares = np.concatenate([np.zeros((1, *places.shape[1:])), np.cumsum(np.square(places), axis=0)])
    count = (checks - checks // 2).reshape(-1, *(1,) * (places.ndim - 1))
    mean = (sums[checks] - sums[checks // 2]) / count
    variance = (squares[checks] - squares[checks // 2]) / count - np.square(mean)
    return mean, np.sqrt(np.maximum(variance, 0))


def moment_errors(mean: Array, std: Array, grid: targets.Grid) -> tuple[Array, Array]:
    r"""Errors of means and of standard deviations, in standard deviations of the posterior.

    Of arrays (..., 2); gives (...) for each.

    $$ \sqrt{\tfrac12 \sum_i \left( \frac{\hat\mu_i - \mu_i}{\sigma_i} \right)^2}, \qquad
       \sqrt{\tfrac12 \sum_i \left( \frac{\hat\sigma_i}{\sigma_i} - 1 \right)^2} $$
    """
    true_mean, covariance = grid.moments
    true_std = np.sqrt(np.diag(covariance))
    of_mean = np.sqrt(np.square((mean - true_mean) / true_std).mean(-1))
    return of_mean, np.sqrt(np.square(std / true_std - 1).mean(-1))
