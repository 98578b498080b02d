"""Markov chains with minibatch gradients and without rejection: Langevin dynamics and HMC with friction.

One chain per seed and grid cell, all together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.mlp import MLP
from bdlviz.models.priors import prior_precisions
from bdlviz.training.method import Method, Setup, State
from bdlviz.training.noise import first_params, generator
from bdlviz.training.normals import Normals
from bdlviz.training.stacked_mlp import StackedMLP
from bdlviz.types import Array

MAX_NUMBERS = 8_000_000  # number of weights in all kept states of a chain: 32 MB


@dataclass(frozen=True, eq=False)
class Chain:
    """Flat buffers of all weights, gradients of the potential energy, standard normal noise, and momenta."""

    weights: Array
    gradient: Array
    noise: Array
    momentum: Array


Step = Callable[[Chain], None]  # changes weights and momenta in place
Expand = Callable[[Array], Array]  # from numbers of the cells, (C,), to the layout of the buffers


def langevin_step(step_size: Array, expand: Expand) -> Step:
    r"""One step of Langevin dynamics with a step size for every cell, (C,).

    $$ w_{t+1} = w_t - \frac{\epsilon^2}{2} \nabla U(w_t) + \epsilon\, r_t, \qquad r_t \sim \mathcal{N}(0, I) $$

    On a Gaussian posterior with precision lambda the variance of the states is, instead of 1 / lambda,

    $$ \operatorname{Var}[w] = \frac{1}{\lambda\, (1 - \epsilon^2 \lambda / 4)} $$

    Source: Welling & Teh 2011, equation 4, whose step size is epsilon squared.
    """
    size, half = expand(step_size), expand(np.square(step_size) / 2)

    def step(chain: Chain) -> None:
        np.multiply(chain.gradient, half, out=chain.gradient)
        np.multiply(chain.noise, size, out=chain.noise)
        np.subtract(chain.noise, chain.gradient, out=chain.noise)
        np.add(chain.weights, chain.noise, out=chain.weights)

    return step


def friction_step(step_size: Array, friction: Array, expand: Expand) -> Step:
    r"""One step of HMC with friction, with a step size and a friction for every cell, (C,) each.

    $$ m_{t+1} = m_t - \epsilon \nabla U(w_t) - \epsilon C m_t + \sqrt{2 C \epsilon}\, r_t, \qquad
       w_{t+1} = w_t + \epsilon\, m_{t+1}, \qquad r_t \sim \mathcal{N}(0, I) $$

    On a Gaussian posterior with precision lambda the variance of the states is, instead of 1 / lambda,

    $$ \operatorname{Var}[w] = \frac{1}{\lambda \left(1 - \frac{\epsilon^2 \lambda}{2 (2 - \epsilon C)}\right)} $$

    Source: Chen, Fox & Guestrin 2014 (arXiv 1402.4102), equation 13, with unit mass.
    """
    size, kept = expand(step_size), expand(1 - step_size * friction)
    std = expand(np.sqrt(2 * friction * step_size))

    def step(chain: Chain) -> None:
        np.multiply(chain.momentum, kept, out=chain.momentum)
        np.multiply(chain.gradient, size, out=chain.gradient)
        np.subtract(chain.momentum, chain.gradient, out=chain.momentum)
        np.multiply(chain.noise, std, out=chain.noise)
        np.add(chain.momentum, chain.noise, out=chain.momentum)
        np.multiply(chain.momentum, size, out=chain.noise)
        np.add(chain.weights, chain.noise, out=chain.weights)

    return step


def stochastic_gradient_chains(setup: Setup, step_of: Callable[[Expand], Step]) -> Method:
    r"""Chains without rejection on the posterior of the weights; a training step is one step of every chain.

    Every ``thinning`` steps the state is kept; the last ``num_kept`` of them are the draws. The potential energy is
    estimated from the minibatch, whose mean loss is multiplied by the number of data points:

    $$ U(w) = -\frac{N}{B} \tau \sum_{i \in \text{batch}} \log p(y_i \mid x_i, w) + \tfrac12 \sum_j \lambda_j w_j^2 $$

    Args:
        setup: of the fit, with ``length_scale``, ``prior_by_width``, ``num_kept`` and ``thinning``.
        step_of: makes the step of the chain: `langevin_step` or `friction_step` with its numbers.
    """
    if not isinstance(setup.model.network, MLP):
        raise InvalidInput("Chains without rejection work on the built-in network only.")
    chains = _Chains(setup, setup.model.network, step_of)
    return Method(chains.start, chains.update, chains.params)


class _Chains:
    """The state of all chains in the buffers of a stack of R x C networks."""

    def __init__(self, setup: Setup, network: MLP, step_of: Callable[[Expand], Step]) -> None:
        self._setup, self._network, num_seeds = setup, network, len(setup.seeds)
        self._stack = stack = StackedMLP(network, num_seeds, setup.num_cells, setup.batch_size)
        noise, momentum, self._precision = np.zeros((3, *stack.flat.shape), np.float32)
        self._chain = Chain(stack.flat, stack.flat_gradient, noise, momentum)
        by_width = bool(setup.options["prior_by_width"])
        precisions = prior_precisions(network, setup.hyperparameters["length_scale"], by_width)
        for name, view in stack.named(self._precision).items():
            view[:] = precisions[name][:, None, None]
        self._scratch = np.zeros_like(stack.flat)
        # The factor from the mean loss to the negative log-likelihood of all data in nats.
        self._data_weight = np.float32(setup.precision * setup.num_data)
        self._step = step_of(self._expanded)
        self._rngs = [generator(seed, "chains") for seed in setup.seeds]
        self._normals, self._drawn = Normals(network.num_numbers), np.zeros((num_seeds, network.num_numbers), "f4")
        self._weights = stack.parameters()
        self._thinning = int(setup.options["thinning"])
        self._num_kept = _affordable(setup, network)
        self._kept = {
            name: np.zeros((num_seeds, setup.num_cells, self._num_kept, *shape), np.float32)
            for name, shape in network.shapes().items()
        }

    def start(self) -> State:
        """Set the chains of a seed to the same initial weights, and draw their momenta."""
        self._stack.load(first_params(self._network.init, self._setup.seeds))
        self._draw(self._chain.momentum)
        return State(0, None, None)

    def update(self, state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        """Take one step of every chain; the recorded loss is the potential energy before it, divided by N."""
        x, y = batch
        stack, likelihood = self._stack, self._setup.model.likelihood
        outputs = stack.forward(x, None)
        likelihood.gradient(outputs, y, stack.output_gradients)
        loss = self._potential(y) / self._setup.num_data if wants_loss else None
        stack.backward()
        np.multiply(stack.flat_gradient, self._data_weight, out=stack.flat_gradient)
        np.multiply(stack.flat, self._precision, out=self._scratch)
        np.add(stack.flat_gradient, self._scratch, out=stack.flat_gradient)
        self._draw(self._chain.noise)
        self._step(self._chain)
        self._keep(state.step + 1)
        return State(state.step + 1, loss, None)

    def params(self, state: State) -> dict[str, Array]:
        """Kept states (R, C, num_kept, in, out), the oldest first; those not yet kept are the current weights."""
        num_kept = state.step // self._thinning
        if num_kept >= self._num_kept:
            oldest = num_kept % self._num_kept
            return {name: np.roll(array, -oldest, 2) if oldest else array for name, array in self._kept.items()}
        kept = {name: array.copy() for name, array in self._kept.items()}
        for name, array in kept.items():
            array[:, :, num_kept:] = self._weights[name][:, :, None]
        return kept

    def _keep(self, step: int) -> None:
        if step % self._thinning == 0:
            place = (step // self._thinning - 1) % self._num_kept
            for name, view in self._weights.items():
                self._kept[name][:, :, place] = view

    def _draw(self, flat: Array) -> None:
        """Standard normal numbers for all weights, the same for all cells of a seed."""
        for rng, row in zip(self._rngs, self._drawn, strict=True):
            self._normals.fill(rng, row)
        start = 0
        for name, view in self._stack.named(flat).items():
            shape = self._network.shapes()[name]
            end = start + int(np.prod(shape))
            view[...] = self._drawn[:, start:end].reshape(-1, 1, *shape)
            start = end

    def _expanded(self, numbers: Array) -> Array:
        """Numbers of the cells, (C,), in the layout of the buffers; padding is 0."""
        flat = np.zeros(self._stack.flat.shape, np.float32)
        for view in self._stack.named(flat).values():
            view[:] = numbers[:, None, None]
        return flat

    def _potential(self, y: Array) -> Array:
        """Estimated potential energies (R, C) for the current outputs and weights of the stack."""
        energy = self._data_weight * self._setup.model.likelihood.loss(self._stack.outputs.astype(np.float64), y)
        np.multiply(np.square(self._stack.flat), self._precision, out=self._scratch)
        views = self._stack.named(self._scratch).values()
        return energy + sum(view.sum((-1, -2), dtype=np.float64) for view in views) / 2


def _affordable(setup: Setup, network: MLP) -> int:
    """The number of kept states: as many as asked for, unless training or memory ends before."""
    asked, reached = int(setup.options["num_kept"]), setup.num_steps // int(setup.options["thinning"])
    return max(1, min(asked, reached, MAX_NUMBERS // network.num_numbers))
