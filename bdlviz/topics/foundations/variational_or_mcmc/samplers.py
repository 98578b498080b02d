r"""Markov chains on a posterior: Metropolis, Langevin and Hamiltonian Monte Carlo, many chains at once.

$$ w_1, w_2, \dots \sim p(w \mid \mathcal{D}) $$

All samplers but the unadjusted Langevin one accept or reject a proposal by Metropolis' rule, which needs the posterior
only up to a constant. Arrays have any leading axes for chains, (..., 2) with their place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.targets import Target
from bdlviz.types import Array

LARGEST_ERROR = 1000.0  # of the energy, in nats: nothing that far off is ever accepted
FAR = 1e6  # beyond this a chain has run away; it stays where it is not a number any more


@dataclass(frozen=True)
class Sampler:
    """A sampler: ``needs_gradient``, ``is_adjusted`` by Metropolis' rule, ``is_long``: leapfrog steps to choose."""

    name: str
    title: str
    needs_gradient: bool = True
    is_adjusted: bool = True
    is_long: bool = False

    def evaluations(self, num_leapfrog: int) -> int:
        """How often a step evaluates the posterior or its gradient."""
        return num_leapfrog if self.is_long else 1


SAMPLERS = {
    sampler.name: sampler
    for sampler in (
        Sampler("metropolis", "Metropolis", needs_gradient=False),
        Sampler("langevin", "Langevin (MALA)"),
        Sampler("unadjusted", "Langevin, unadjusted", is_adjusted=False),
        Sampler("hmc", "Hamiltonian (HMC)", is_long=True),
    )
}


@dataclass(frozen=True, eq=False)
class Chains:
    """Where chains have been: ``places`` (T + 1, ..., 2) with their start, and what happened at each of T steps.

    ``paths`` (T, ..., P, 2) lead from a place to what was proposed there; empty unless they were asked for.
    """

    places: Array
    is_accepted: Array  # (T, ...)
    paths: Array
    evaluations: int  # of the posterior or its gradient, by one chain in one step

    @property
    def acceptance(self) -> float:
        """Share of the proposals that were accepted."""
        return float(self.is_accepted.mean())


def run_chains(
    target: Target,
    sampler: str,
    step_size: float,
    starts: Array,
    num_steps: int,
    rng: np.random.Generator,
    *,
    num_leapfrog: int = 10,
    keeps_paths: bool = False,
    on_step: Callable[[int], bool] | None = None,
) -> Chains:
    """Run chains from ``starts`` (..., 2) for ``num_steps`` steps.

    A chain that runs away becomes not a number. ``on_step`` hears how many steps are done; when it returns False the
    chains end there.

    Raises:
        InvalidInput: an unknown sampler, or sizes that are not positive.
    """
    if sampler not in SAMPLERS:
        raise InvalidInput(f"There is no sampler called {sampler!r}; choose one of {', '.join(SAMPLERS)}.")
    if not step_size > 0 or num_leapfrog < 1 or num_steps < 1:
        raise InvalidInput("A chain needs a positive step size and at least one step: raise them.")
    chosen = SAMPLERS[sampler]
    length = num_leapfrog if chosen.is_long else 1
    state = _State(np.array(starts, float), target, chosen)
    places, accepted, paths = [state.place], [], []
    for step in range(num_steps):
        momentum, uniform = rng.standard_normal(state.place.shape), rng.random(state.place.shape[:-1])
        path, is_accepted = state.step(momentum, uniform, step_size, length)
        places.append(state.place)
        accepted.append(is_accepted)
        if keeps_paths:
            paths.append(np.moveaxis(path, 0, -2))
        if on_step is not None and not on_step(step + 1):
            break
    return Chains(np.array(places), np.array(accepted), np.array(paths), chosen.evaluations(length))


class _State:
    """Where chains are, with the energy and the gradient there."""

    def __init__(self, place: Array, target: Target, sampler: Sampler) -> None:
        self.place, self._target, self._sampler = place, target, sampler
        self._energy = -target.log_joint(place)
        self._gradient = target.gradient(place) if sampler.needs_gradient else np.zeros_like(place)

    def step(self, momentum: Array, uniform: Array, step_size: float, length: int) -> tuple[Array, Array]:
        """Propose, and go there or stay; the path to the proposal, and whether it was accepted."""
        kinetic = np.zeros(uniform.shape)
        if self._sampler.needs_gradient:
            path, end, gradient = leapfrog(self._target, self.place, momentum, step_size, length, self._gradient)
            kinetic = _kinetic(end) - _kinetic(momentum)
        else:
            path, gradient = np.stack([self.place, self.place + step_size * momentum]), self._gradient
        energy = -self._target.log_joint(path[-1])
        with np.errstate(invalid="ignore", over="ignore"):
            is_accepted = accepts(energy - self._energy + kinetic, uniform)
        proposed = path[-1]
        if not self._sampler.is_adjusted:
            is_accepted = np.ones_like(is_accepted)
            proposed = np.where((np.abs(proposed) < FAR).all(-1, keepdims=True), proposed, np.nan)
        self.place = np.where(is_accepted[..., None], proposed, self.place)
        self._energy = np.where(is_accepted, energy, self._energy)
        self._gradient = np.where(is_accepted[..., None], gradient, self._gradient)
        return path, is_accepted


def accepts(error: Array, uniform: Array) -> Array:
    r"""Metropolis' rule: is a proposal accepted?

    ``error`` is how much higher its energy is, in nats; ``uniform`` is drawn from [0, 1).

    $$ a = \min\left(1, e^{-\Delta H}\right), \qquad
       \text{Metropolis: } \Delta H = \log p(\mathcal{D}, w) - \log p(\mathcal{D}, w') $$

    Source: Metropolis et al. 1953; Hastings 1970.
    """
    error = np.clip(np.nan_to_num(error, nan=LARGEST_ERROR, posinf=LARGEST_ERROR), 0, LARGEST_ERROR)
    return uniform < np.exp(-error)


def leapfrog(
    target: Target, place: Array, momentum: Array, step_size: float, num_steps: int, gradient: Array | None = None
) -> tuple[Array, Array, Array]:
    r"""Follow Hamilton's equations in steps: half a kick, a drift, half a kick.

    $$ r \leftarrow r + \tfrac{\epsilon}{2} \nabla \log p(\mathcal{D}, w), \qquad w \leftarrow w + \epsilon r, \qquad
       r \leftarrow r + \tfrac{\epsilon}{2} \nabla \log p(\mathcal{D}, w) $$

    One step with a fresh momentum is a Langevin proposal, w + eps^2 / 2 grad + eps r. Source: Neal 2011
    (arXiv 1206.1901), equations 5.18 to 5.20 and section 5.2.

    Returns:
        The path (num_steps + 1, ..., 2), and momentum and gradient at its end, (..., 2).
    """
    gradient = target.gradient(place) if gradient is None else gradient
    path = [place]
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(num_steps):
            half = momentum + step_size / 2 * gradient
            path.append(path[-1] + step_size * half)
            gradient = target.gradient(path[-1])
            momentum = half + step_size / 2 * gradient
    return np.array(path), momentum, gradient


def unadjusted_covariance(precision: Array, step_size: float) -> Array:
    r"""The stationary covariance of the unadjusted Langevin chain on a Gaussian: too wide, and none for a large step.

    $$ w \leftarrow w + \tfrac{\epsilon^2}{2} \nabla \log p(w) + \epsilon r, \quad r \sim \mathcal{N}(0, I)
       \quad\Rightarrow\quad
       \operatorname{Cov}[w] = \left(\Lambda - \tfrac{\epsilon^2}{4} \Lambda^2\right)^{-1}, \qquad
       \epsilon^2 \lambda_{\max} < 4 $$

    Without rejections nothing corrects the error of a finite step (Roberts & Tweedie 1996).

    Raises:
        InvalidInput: a step so large that the chain runs away.
    """
    if step_size**2 * np.linalg.eigvalsh(precision)[-1] >= 4:
        raise InvalidInput("With steps this large the unadjusted chain runs away: it has no covariance.")
    return np.linalg.inv(precision - step_size**2 / 4 * precision @ precision)


def _kinetic(momentum: Array) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.square(momentum).sum(-1) / 2
