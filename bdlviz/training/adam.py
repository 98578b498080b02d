"""Adam for one flat buffer of parameters."""

from __future__ import annotations

import numpy as np
import torch

from bdlviz.types import Array


class Adam:
    r"""Adam (Kingma & Ba 2015, algorithm 1) over a flat parameter buffer, equal to ``torch.optim.Adam``.

    One call of torch's fused kernel updates all networks of a stack. The kernel is called directly, because torch's
    optimiser object needs more time than the kernel itself.

    $$ w \leftarrow w - \eta\, \hat m / (\sqrt{\hat v} + \epsilon) $$
    """

    def __init__(self, parameters: Array, gradient: Array, learning_rate: float) -> None:
        flat = torch.from_numpy(parameters)
        self._count = np.zeros(1, np.float32)  # shares memory with torch's tensor; numpy's addition is the faster call
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
        """Set the learning rate of the next steps."""
        self._settings["lr"] = learning_rate

    def step(self) -> None:
        """Take one step with the gradient in the buffer."""
        self._count += 1
        torch._fused_adam_(*self._state, **self._settings)
