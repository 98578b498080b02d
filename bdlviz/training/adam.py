"""Adam on one flat buffer."""

from __future__ import annotations

import numpy as np
import torch

from bdlviz.types import Array


class Adam:
    r"""Adam (Kingma & Ba 2015, algorithm 1) over a flat parameter buffer, equal to ``torch.optim.Adam``.

    One call of torch's fused kernel updates every network of the stack: the optimiser object of torch spends more
    time in its bookkeeping than the kernel takes.

    $$ w \leftarrow w - \eta\, \hat m / (\sqrt{\hat v} + \epsilon) $$
    """

    def __init__(self, parameters: Array, gradient: Array, learning_rate: float) -> None:
        flat = torch.from_numpy(parameters)
        self._count = np.zeros(1, np.float32)  # torch's kernel reads the same memory; adding here is the cheaper call
        self._state = (
            [flat],
            [torch.from_numpy(gradient)],
            [torch.zeros_like(flat)],
            [torch.zeros_like(flat)],
            [],
            [torch.from_numpy(self._count)[0]],
        )
        self._settings = {
            "lr": learning_rate,
            "beta1": 0.9,
            "beta2": 0.999,
            "weight_decay": 0.0,
            "eps": 1e-8,
            "amsgrad": False,
            "maximize": False,
        }

    def set_learning_rate(self, learning_rate: float) -> None:
        """Use another learning rate from the next step on."""
        self._settings["lr"] = learning_rate

    def step(self) -> None:
        """Take one step along the gradient buffer."""
        self._count += 1
        torch._fused_adam_(*self._state, **self._settings)
