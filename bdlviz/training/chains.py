"""Hamiltonian Monte Carlo for many chains of many networks together, with the gradients of `StackedMLP`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from bdlviz.models.mlp import MLP
from bdlviz.training.method import Method, Setup, State
from bdlviz.training.noise import generator
from bdlviz.training.stacked_mlp import StackedMLP
from bdlviz.types import Array

WARM_UP = 0.5  # share of the trajectories in which the step size adapts and no draws are kept
TARGET_ACCEPTANCE = 0.8
FIRST_STEP_SIZE = 0.02
JITTER = 0.5  # largest relative change of the length of a trajectory, which prevents periodic trajectories
SMALLEST_STD = 1e-3  # lower bound of the standard deviation of the weights of a layer
GOLDEN = 0.6180339887  # its multiples modulo 1 are evenly distributed in the interval
LARGEST_ERROR = 1000.0  # upper bound of the energy error; larger errors mean that leapfrog steps were unstable


@dataclass(frozen=True)
class Plan:
    """The number of chains per network, of leapfrog steps per trajectory (on average), and of kept draws per chain."""

    num_chains: int
    num_leapfrog: int
    num_kept: int


def hamiltonian_monte_carlo(setup: Setup, plan: Plan, precisions: Mapping[str, Array]) -> Method:
    r"""Chains that draw from the posterior, R x C x chains together; a training step is one trajectory.

    A trajectory solves Hamilton's equations with leapfrog steps and is accepted or rejected by the Metropolis rule.
    During the warm-up the step size of every grid cell is adapted to the acceptance rate `TARGET_ACCEPTANCE` by dual
    averaging over all its chains (Hoffman & Gelman 2014, section 3.2). The step size of a layer is proportional to the
    standard deviation of its weights over the chains.

    $$ H(w, m) = U(w) + \tfrac12 \lVert m \rVert^2, \qquad
       U(w) = -\tau \sum_i \log p(y_i \mid x_i, w) + \tfrac12 \sum_j \lambda_j w_j^2 $$

    Source: Neal 2011 (arXiv 1206.1901), sections 2 and 3.

    Args:
        setup: of the fit; the batch must be all data.
        plan: numbers of chains, leapfrog steps and kept draws.
        precisions: inverse prior variances lambda of every layer's weights and biases by name, (C,) each.
    """
    chains = _Chains(setup, plan, precisions)
    return Method(chains.start, chains.update, chains.params)


class DualAveraging:
    r"""Step sizes for a target of the mean acceptance (Hoffman & Gelman 2014, equation 6, with their constants).

    $$ \log \epsilon_{t+1} = \mu - \frac{\sqrt t}{\gamma} \bar H_t, \qquad
       \bar H_t = \left(1 - \tfrac{1}{t + t_0}\right) \bar H_{t-1} + \tfrac{1}{t + t_0} (\delta - \alpha_t) $$
    """

    GAMMA, T0, KAPPA = 0.05, 10.0, 0.75

    def __init__(self, step_size: Array) -> None:
        """``step_size`` is the initial step size, of any shape; its entries adapt independently."""
        self.current, self.final = step_size, step_size
        self.restart()

    def restart(self) -> None:
        """Restart from the current step size, after a change of the scale of the problem."""
        self._count = 0
        self._error = np.zeros_like(self.current)
        self._centre, self._log_mean = np.log(10 * self.current), np.log(self.current)

    def learn(self, acceptance: Array) -> None:
        """Update the step sizes with a mean acceptance, 0 to 1."""
        self._count += 1
        weight = 1 / (self._count + self.T0)
        self._error = (1 - weight) * self._error + weight * (TARGET_ACCEPTANCE - acceptance)
        log_size = self._centre - self._count**0.5 / self.GAMMA * self._error
        share = self._count**-self.KAPPA
        self._log_mean = share * log_size + (1 - share) * self._log_mean
        self.current, self.final = np.exp(log_size), np.exp(self._log_mean)


class _Chains:
    """The state of all chains, in the buffers of a stack of R x (C chains) networks.

    Weights, gradients and momenta of the stack have one flat buffer each, so that a leapfrog step needs few calls.
    Numbers that differ between chains or layers are expanded to the same layout by `_expanded`.
    """

    def __init__(self, setup: Setup, plan: Plan, precisions: Mapping[str, Array]) -> None:
        self._setup, self._plan = setup, plan
        self._network: MLP = setup.model.network
        seeds, cells, chains = len(setup.seeds), setup.num_cells, plan.num_chains
        self._stack = StackedMLP(self._network, seeds, cells * chains, setup.batch_size)
        self._weights = self._stack.parameters()
        self._momentum, self._scratch = np.zeros((2, *self._stack.flat.shape), np.float32)
        self._rngs = [generator(seed, "chains") for seed in setup.seeds]
        everywhere = {name: np.ones((seeds, cells * chains)) for name in self._weights}
        self._precision = self._expanded(
            {name: ones * np.repeat(precisions[name], chains) for name, ones in everywhere.items()}
        )
        # Torch adds a product in one call (addcmul_); numpy needs two.
        self._flat_torch, self._gradient_torch, self._momentum_torch, self._precision_torch = map(
            torch.from_numpy, (self._stack.flat, self._stack.flat_gradient, self._momentum, self._precision)
        )
        self._is_padding = self._expanded(everywhere) == 0
        self._scales = {name: np.ones((seeds, cells)) for name in self._weights}
        self._adaptation = DualAveraging(np.full((seeds, cells), FIRST_STEP_SIZE))
        self._warm_up = max(1, int(WARM_UP * setup.num_steps))
        self._kept = {
            name: np.zeros((seeds, cells, chains, plan.num_kept, *shape), np.float32)
            for name, shape in self._network.shapes().items()
        }
        self._num_kept, self._accepted = 0, np.zeros((seeds, cells))
        self._energy: Array | None = None

    def start(self) -> State:
        """Set every chain to its own draw from the network's distribution of initial weights."""
        for row, rng in enumerate(self._rngs):
            for chain in range(self._plan.num_chains):
                start = self._network.init(rng)
                for name, view in self._weights.items():
                    view[row, chain :: self._plan.num_chains] = start[name]
        return State(0, None, None)

    def update(self, state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        """Simulate one trajectory of every chain."""
        if self._energy is None:
            self._set_gradient(batch)
            self._energy = self._potential(batch[1])
        before = self._stack.flat.copy(), self._stack.flat_gradient.copy()
        self._draw_momenta()
        start = self._energy + self._kinetic()
        self._leapfrog(state.step, batch)
        end = self._potential(batch[1])
        with np.errstate(invalid="ignore", over="ignore"):
            error = end + self._kinetic() - start
        acceptance = np.exp(-np.clip(np.nan_to_num(error, nan=LARGEST_ERROR), 0, LARGEST_ERROR))
        uniform = np.stack([rng.random(self._plan.num_chains) for rng in self._rngs])
        is_accepted = acceptance > np.tile(uniform, (1, self._setup.num_cells))
        self._restore(~is_accepted, before)
        self._energy = np.where(is_accepted, end, self._energy)
        self._adapt_or_keep(state.step, self._by_cell(acceptance).mean(-1))
        loss = self._by_cell(self._energy).mean(-1) / self._setup.num_data if wants_loss else None
        return State(state.step + 1, loss, None)

    def params(self, state: State) -> dict[str, Array]:
        """Draws (R, C, chains x kept, in, out), chain after chain; those not yet drawn are the current weights."""
        shape = (len(self._setup.seeds), self._setup.num_cells, -1)
        kept = self._kept
        if self._num_kept < self._plan.num_kept:
            kept = {name: array.copy() for name, array in kept.items()}
            for name, array in kept.items():
                array[:, :, :, self._num_kept :] = self._by_cell(self._weights[name])[:, :, :, None]
        num_after_warm_up = max(1, state.step - self._warm_up)
        return {name: array.reshape(*shape, *array.shape[-2:]) for name, array in kept.items()} | {
            "acceptance": (self._accepted / num_after_warm_up).astype(np.float32)[:, :, None, None],
            "step_size": self._adaptation.final.astype(np.float32)[:, :, None, None],
        }

    # One trajectory ---------------------------------------------------------------------------------------------------

    def _leapfrog(self, step: int, batch: tuple[Array, Array]) -> None:
        """Leapfrog steps of a trajectory: the first and the last update of the momenta have half the step size."""
        size = self._adaptation.current if step < self._warm_up else self._adaptation.final
        sizes = {name: self._of_chains(size * scale) for name, scale in self._scales.items()}
        whole = torch.from_numpy(self._expanded(sizes))
        half = whole / 2
        self._update_momenta(half)
        for remaining in reversed(range(self._trajectory_length(step))):
            self._flat_torch.addcmul_(self._momentum_torch, whole)
            self._set_gradient(batch)
            self._update_momenta(whole if remaining else half)

    def _update_momenta(self, size: Tensor) -> None:
        self._momentum_torch.addcmul_(self._gradient_torch, size, value=-1)

    def _set_gradient(self, batch: tuple[Array, Array]) -> None:
        """Compute the gradient of the potential energy at the current weights."""
        x, y = batch
        stack = self._stack
        outputs = stack.forward(x, None)
        self._setup.model.likelihood.gradient(outputs, y, stack.output_gradients)
        stack.backward()
        np.multiply(stack.flat_gradient, self._data_weight, out=stack.flat_gradient)
        self._gradient_torch.addcmul_(self._flat_torch, self._precision_torch)

    @property
    def _data_weight(self) -> np.float32:
        """The factor from the mean loss to the negative log-likelihood of all data in nats."""
        return np.float32(self._setup.precision * self._setup.num_data)

    def _potential(self, y: Array) -> Array:
        """Potential energies (R, C chains) for the current outputs and weights of the stack."""
        energy = self._data_weight * self._setup.model.likelihood.loss(self._stack.outputs.astype(np.float64), y)
        np.multiply(np.square(self._stack.flat), self._precision, out=self._scratch)
        return energy + self._sum_of_chains(self._scratch) / 2

    def _kinetic(self) -> Array:
        np.square(self._momentum, out=self._scratch)
        return self._sum_of_chains(self._scratch) / 2

    def _sum_of_chains(self, flat: Array) -> Array:
        return np.sum([view.sum((-1, -2), dtype=np.float64) for view in self._stack.named(flat).values()], axis=0)

    def _expanded(self, of_chains: Mapping[str, Array]) -> Array:
        """A flat buffer with one number, (R, C chains), for all weights of a chain and layer."""
        flat = np.zeros(self._stack.flat.shape, np.float32)
        for name, view in self._stack.named(flat).items():
            view[:] = of_chains[name][..., None, None]
        return flat

    def _draw_momenta(self) -> None:
        """Draw momenta that are the same for all cells of a seed, so that cells differ in their settings only."""
        for name, momentum in self._stack.named(self._momentum).items():
            for row, rng in enumerate(self._rngs):
                drawn = rng.standard_normal((self._plan.num_chains, *self._network.shapes()[name]), np.float32)
                momentum[row] = np.tile(drawn, (self._setup.num_cells, 1, 1))

    def _trajectory_length(self, step: int) -> int:
        """The number of leapfrog steps of all chains: 0.5 to 1.5 times ``num_leapfrog``, evenly distributed."""
        share = step * GOLDEN % 1
        return max(1, round((1 - JITTER + 2 * JITTER * share) * self._plan.num_leapfrog))

    def _restore(self, is_rejected: Array, before: tuple[Array, Array]) -> None:
        """Restore the weights and gradients of chains whose trajectory was rejected."""
        if not is_rejected.any():
            return
        stack = self._stack
        for flat, old in zip((stack.flat, stack.flat_gradient), before, strict=True):
            for view, was in zip(stack.named(flat).values(), stack.named(old).values(), strict=True):
                view[is_rejected] = was[is_rejected]
        for flat in (stack.flat, stack.flat_gradient, self._momentum):
            flat[self._is_padding] = 0  # an unstable trajectory may have written infinities there

    # Adaptation -------------------------------------------------------------------------------------------------------

    def _adapt_or_keep(self, step: int, acceptance: Array) -> None:
        """Adapt the step sizes in the warm-up; keep draws after it."""
        if step < self._warm_up:
            self._adaptation.learn(acceptance)
            if step + 1 in (self._warm_up // 4, self._warm_up // 2):
                self._rescale()
            return
        self._accepted += acceptance
        done = (step + 1 - self._warm_up) * self._plan.num_kept // (self._setup.num_steps - self._warm_up)
        if done > self._num_kept:
            for name, view in self._weights.items():
                self._kept[name][:, :, :, self._num_kept] = self._by_cell(view)
            self._num_kept = done

    def _rescale(self) -> None:
        """Set the scale of each layer's steps to the standard deviation of its weights over chains and units."""
        for name, view in self._weights.items():
            std = np.sqrt(np.square(self._by_cell(view), dtype=np.float64).mean((2, 3, 4)))
            self._scales[name] = np.maximum(std, SMALLEST_STD)
        self._adaptation.restart()

    def _of_chains(self, of_cells: Array) -> Array:
        """(R, C) -> (R, C chains)."""
        return np.repeat(of_cells, self._plan.num_chains, axis=1)

    def _by_cell(self, array: Array) -> Array:
        """(R, C chains, ...) -> (R, C, chains, ...)."""
        return array.reshape(len(self._setup.seeds), self._setup.num_cells, self._plan.num_chains, *array.shape[2:])
