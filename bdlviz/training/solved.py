"""Methods with a closed-form solution: their one step uses all data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bdlviz.training.method import Method, Setup, State
from bdlviz.types import Array

NUM_SEEN = "num_seen"  # points of x and y that the fit has seen: 0 before its step, when it knows the prior only

Numbers = float | Array  # one, or (K,)
Solve = Callable[[int, Array, Array], tuple[float, Mapping[str, Numbers]]]


def solved(setup: Setup, numbers: Mapping[str, Numbers], solve: Solve) -> Method:
    """One step that asks ``solve(cell, x, y)`` for the loss of a cell and for what changes in its ``numbers``.

    The fit keeps x (R, C, N, D), y (R, C, N, K) and the numbers (R, C, 1), or (R, C, K), by name. Nothing is random:
    all R seeds have the same result.
    """
    seeds, cells = len(setup.seeds), setup.num_cells
    x_shape, y_shape = (setup.num_data, setup.num_inputs), (setup.num_data, setup.model.network.sizes[-1])

    def keep(x: Array, y: Array, num_seen: int, of_cells: list[Mapping[str, Numbers]]) -> dict[str, Array]:
        kept = {name: np.tile(a, (seeds, cells, 1, 1)).astype(np.float32) for name, a in (("x", x), ("y", y))}
        for name in (NUM_SEEN, *numbers):
            values = [np.atleast_1d({**numbers, NUM_SEEN: num_seen, **found}[name]) for found in of_cells]
            kept[name] = np.tile(np.array(values, np.float32), (seeds, 1, 1))
        return kept

    def init() -> State:
        return State(0, None, keep(np.zeros(x_shape), np.zeros(y_shape), 0, [{}] * cells))

    def update(state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        x, y = batch[0][0, 0], batch[1][0, 0]
        losses, found = zip(*(solve(cell, x, y) for cell in range(cells)), strict=True)
        return State(state.step + 1, np.tile(losses, (seeds, 1)), keep(x, y, len(x), list(found)))

    return Method(init, update, lambda state: state.memory)
