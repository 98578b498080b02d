"""The interface of a likelihood: the base class of the built-in likelihoods and of a user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset, Task

if TYPE_CHECKING:
    from torch import Tensor

HALF_LOG_TWO_PI = 0.9189385332046727


class Likelihood:
    """Base class of a user's own likelihood, and of the built-in ones.

    Attributes:
        name: stands in the configuration of fits.
        task: ``"regression"`` or ``"classification"``.
        standardises_y: True if it is a density of y scaled to mean 0 and standard deviation 1, False if it is one of y
            as given, such as counts. None counts as True, but must be replaced where y holds whole numbers alone.
        is_generative: True for a density of x, not of y given x.
    """

    name = "custom"
    task: Task = "regression"
    standardises_y: bool | None = None
    is_generative = False

    def is_of_scaled_y(self, dataset: Dataset) -> bool:
        """True if it gets y with mean 0 and standard deviation 1.

        Raises:
            InvalidInput: it does not say so, and y holds whole numbers alone, which may be counts.
        """
        is_unsaid = self.standardises_y is None and dataset.task == "regression" and not self.is_generative
        if is_unsaid and (dataset.y == np.rint(dataset.y)).all():
            raise InvalidInput(
                f"The likelihood {self.name!r} must say whether it is a density of y as given, such as counts: set "
                "standardises_y = False, or True if y is to be scaled to mean 0 and standard deviation 1."
            )
        return self.standardises_y is not False

    def num_outputs(self, num_targets: int) -> int:
        """Network outputs K needed for targets of that dimension (or that many classes)."""
        return num_targets

    def observe(self, images: Any) -> Any:
        """The observed variable for images (..., D), numpy or torch: the images, or for example thresholded images."""
        return images

    def negative_log_likelihood(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Negative log density per data point: (..., B, K) and (..., B, K_y) -> (..., B)."""
        raise NotImplementedError

    def log_likelihood(self, outputs: Array, y: Array) -> Array:
        """Log density per data point in numpy, (..., N), with all constants; bounds of generative models need it.

        For your own likelihood, scores use it if it exists, else `negative_log_likelihood`, if y is one number.
        """
        raise NotImplementedError

    def cdf(self, outputs: Array, y: Array) -> Array:
        """Probability of values below y (..., N, K), for each output of y. Needed only for coverage and decisions."""
        raise InvalidInput(
            f"The likelihood {self.name!r} has no cumulative distribution function: give it a method cdf(outputs, y)."
        )

    def mean(self, outputs: Array) -> Array:
        """E[y | x, w] from outputs (S, N, K)."""
        raise NotImplementedError

    def variance(self, outputs: Array) -> Array | None:
        """Var[y | x, w] from outputs (S, N, K), or None if it is the constant ``noise_std``."""
        return None

    def gradient(self, outputs: Array, y: Array, out: Array) -> None:
        """Gradient of the minibatch's mean loss by the outputs, written into ``out``; all (R, C, B, K)."""
        import torch

        leaf = torch.tensor(outputs, requires_grad=True)
        loss = self.negative_log_likelihood(leaf, torch.as_tensor(y)).mean(-1).sum()
        (result,) = torch.autograd.grad(loss, leaf)
        out[:] = result.numpy()

    def loss(self, outputs: Array, y: Array) -> Array:
        """Mean negative log likelihood over the minibatch, (R, C)."""
        import torch

        return self.negative_log_likelihood(torch.tensor(outputs), torch.as_tensor(y)).mean(-1).numpy()
