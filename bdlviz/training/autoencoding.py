"""Training of autoencoders, variational or plain, and the record of their KL terms."""

from __future__ import annotations

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.models.autoencoder import RECORD, Autoencoder
from bdlviz.training.adam import Adam
from bdlviz.training.method import Method, Setup, State
from bdlviz.training.noise import first_params, generator
from bdlviz.training.stacked_autoencoder import Codes, StackedAutoencoder
from bdlviz.types import Array


def autoencoding(setup: Setup, beta: Array | None, warm_up: float, record_every: int) -> Method:
    r"""Minimise with Adam the negative log-likelihood of decoded images plus ``beta`` (C,) times the KL of their codes.

    Without ``beta`` there is no KL term and no noise: a plain autoencoder. The recorded loss has beta = 1. The
    parameters include a record, (R, C, T, Z): the mean KL term of every code dimension over ``record_every`` steps.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(x_i \mid z_i) + \beta\, w(t) \sum_j \operatorname{KL}_{ij}, \qquad
       w(t) = \min\left(1, \frac{t}{t_{\text{warm-up}}}\right) $$

    Args:
        setup: seeds, cells, and how long to train.
        beta: weight of the KL term in every cell.
        warm_up: share of all steps during which this weight rises linearly from 0.
        record_every: number of steps per row of the record.
    """
    network, likelihood = setup.model.network, setup.model.likelihood
    if not isinstance(network, Autoencoder):
        raise InvalidInput("An autoencoder has its own network and a likelihood of images: do not pass others.")
    stack = StackedAutoencoder(network, len(setup.seeds), setup.num_cells, setup.batch_size)
    optimiser = Adam(stack.flat, stack.flat_gradient, setup.learning_rate)
    generators = [generator(seed, "noise") for seed in setup.seeds]
    record = _Record(stack, -(-setup.num_steps // record_every), record_every)

    def init() -> State:
        stack.load(first_params(network.init, setup.seeds))
        return State(0, None, None)

    def update(state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        x = likelihood.observe(batch[0])
        classes = one_hot(batch[1][..., 0], network.num_classes) if network.num_classes else None
        codes = stack.forward(x, None if beta is None else _noise(generators, stack), classes)
        likelihood.gradient(stack.outputs, x, stack.output_gradients)
        loss = likelihood.loss(stack.outputs, x) if wants_loss else None
        if beta is not None:
            kl = record.add(state.step, codes)
            loss = None if loss is None else loss + kl
        stack.backward(codes, None if beta is None else beta * _share(state.step, warm_up * setup.num_steps))
        optimiser.set_learning_rate(setup.learning_rate_at(state.step))
        optimiser.step()
        return State(state.step + 1, loss, None)

    def params(state: State) -> dict[str, Array]:
        return stack.parameters() | ({} if beta is None else {RECORD: record.rows})

    return Method(init, update, params)


def one_hot(labels: Array, num_classes: int) -> Array:
    """One-hot vectors (..., num_classes) of classes (...)."""
    return np.eye(num_classes, dtype=np.float32)[labels.astype(int)]


def _noise(generators: list[np.random.Generator], stack: StackedAutoencoder) -> Array:
    """The noise of one step, (R, B, Z), which is the same for all cells."""
    shape = (stack.batch_size, stack.network.latent_dim)
    return np.stack([rng.standard_normal(shape, np.float32) for rng in generators])


def _share(step: int, num_steps: float) -> float:
    """The factor of the KL term's weight at one step, which rises linearly to 1 during a warm-up of ``num_steps``."""
    return min(1.0, (step + 1) / num_steps) if num_steps > 0 else 1.0


class _Record:
    """Running means of the KL term of each code dimension."""

    def __init__(self, stack: StackedAutoencoder, num_rows: int, every: int) -> None:
        self._every, self._grid = every, (stack.num_seeds, stack.num_cells)
        self.rows = np.zeros((*self._grid, num_rows, stack.network.latent_dim), np.float32)

    def add(self, step: int, codes: Codes) -> Array:
        """Record the codes of a step; returns their mean KL term, (R, C)."""
        mean, std = codes
        assert std is not None
        terms = 0.5 * (np.square(mean) + np.square(std) - 2 * np.log(std) - 1).mean(1)
        terms = terms.reshape(*self._grid, -1)
        row, num_before = divmod(step, self._every)
        mean_terms = self.rows[:, :, row]
        mean_terms += (terms - mean_terms) / (num_before + 1)
        return terms.sum(-1)
