"""Methods with a closed-form solution, which take one step with all data."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bdlviz.training.method import Method, Setup, State
from bdlviz.types import Array

NUM_SEEN = "num_seen"  # number of points of x and y in the posterior; before the step it is 0, which gives the prior

Numbers = float | Array  # one number, or (K,)
Solve = Callable[[int, Array, Array], tuple[float, Mapping[str, Numbers]]]


def solved(setup: Setup, numbers: Mapping[str, Numbers], solve: Solve) -> Method:
    """One step that computes ``solve(cell, x, y)`` for every cell: its loss, and new values of its ``numbers``.

    The fit stores x (R, C, N, D), y (R, C, N, K) and the numbers (R, C, 1) or (R, C, K) by name. The solution is not
    random: all R seeds have the same result.
    """
    seeds, cells = len(setup.seeds), setup.num_cells
    x_shape, y_shape = (setup.num_data, setup.num_inputs), (setup.num_data, setup.model.network.sizes[-1])

    def keep(x: Array, y: Array, num_seen: int, of_cells: list[Mapping[str, Numbers]]) -> dict[str, Array]:
        kept = {name: np.tile(a, (seeds, cells, 1, 1)).astype(np.float32) for name, a in (("x", x), ("y", y))}
        for name in (NUM_SEEN, *numbers):
            values = [np.atleast_1d({**numbers, NUM_SEEN: num_seen, **solution}[name]) for solution in of_cells]
            kept[name] = np.tile(np.array(values, np.float32), (seeds, 1, 1))
        return kept

    def init() -> State:
        return State(0, None, keep(np.zeros(x_shape), np.zeros(y_shape), 0, [{}] * cells))

    def update(state: State, batch: tuple[Array, Array], wants_loss: bool) -> State:
        x, y = batch[0][0, 0], batch[1][0, 0]
        losses, solutions = zip(*(solve(cell, x, y) for cell in range(cells)), strict=True)
        return State(state.step + 1, np.tile(losses, (seeds, 1)), keep(x, y, len(x), list(solutions)))

    return Method(init, update, lambda state: state.memory)
