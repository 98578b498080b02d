"""`Predictive`, the predictive distribution of new observations: moments, densities and distribution functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bdlviz.errors import USUAL_ERRORS, InvalidInput
from bdlviz.observed import Array, observed_labels, observed_values
from bdlviz.scoring.probabilities import log_of_labels


class Density(Protocol):
    """The density of new observations under each kept draw, for a likelihood that is not Gaussian, in y's units."""

    def log_prob(self, y: Array) -> Array:
        """Log density of y (N, K) in nats, (S, N)."""
        ...

    def cdf(self, y: Array) -> Array:
        """Probability of values below y (N, K), for each output, (S, N, K); `InvalidInput` if it is unknown."""
        ...


@dataclass(frozen=True, eq=False)
class Predictive:
    """A predictive distribution for figures and scores: numpy arrays in the user's units.

    For regression ``mean`` and ``draws`` are function values; for classification they are class probabilities, and
    the entropies (in nats) are filled in. Variances add: total = epistemic + aleatoric.

    The distribution of a new observation is the mixture of the distributions under each draw, not one Gaussian with the
    moments. One case is exact: where functions are Gaussian with known moments and the noise is a constant (Gaussian
    process, Laplace), a new observation is Gaussian, and ``covariance`` is not None. Then `log_prob` and `cdf` use the
    moments, and have no error from a finite number of draws.

    Where all draws at all points would not fit into memory, ``draws`` holds only the first ones, for figures. Moments
    and scores still use all of them: ``pieces`` then predicts successive pieces of the points once more.
    """

    x: Array  # (N, D)
    draws: Array  # (S, N, K), one function each
    mean: Array  # (N, K)
    epistemic_std: Array  # (N, K)
    aleatoric_std: Array  # (N, K)
    num_samples: int
    predictive_entropy: Array | None = None  # (N,)
    expected_entropy: Array | None = None  # (N,)
    mutual_information: Array | None = None  # (N,)
    variances: Array | None = None  # (S, N, K), of y under each draw; None: aleatoric_std squared under every draw
    density: Density | None = None  # of y under each draw; None: Gaussian, or classes
    classes: tuple[Any, ...] = ()  # the labels in the order of the probabilities; none: 0 to K - 1
    covariance: Array | None = None  # (N, K, K), between the outputs of functions that are exactly Gaussian at each x
    has_all_draws: bool = False  # True if there are no other functions, as in an ensemble: no Monte Carlo error
    pieces: Callable[[], Iterable[Predictive]] | None = None  # of the points, in their order, with all draws each

    @property
    def total_std(self) -> Array:
        r"""Standard deviation of a new observation, (N, K).

        $$ \sigma_{\text{total}}^2 = \operatorname{Var}_s[f_s(x)] + \mathbb{E}_s[\sigma_s^2(x)] $$
        """
        return np.sqrt(self.epistemic_std**2 + self.aleatoric_std**2)

    @property
    def is_classification(self) -> bool:
        """True if these are class probabilities."""
        return self.predictive_entropy is not None

    @np.errstate(**USUAL_ERRORS)
    def log_prob(self, y: Any) -> Array:
        r"""Log predictive density of y in nats, (N,): the draws' own densities are mixed, outputs are joint.

        For classes it is the log probability of the label; one that rounds to 0 counts as the smallest positive number
        of its precision. If functions are exactly Gaussian with covariance C(x) between outputs, it is the density of
        one Gaussian.

        $$ \log p(y \mid x) = \log \frac1S \sum_s p(y \mid x, w_s), \qquad
           p(y \mid x, w_s) = \prod_k \mathcal{N}\left(y_k \mid f_{sk}(x), \sigma_{sk}^2(x)\right)
           \text{ unless the likelihood is another} $$

        $$ p(y \mid x) = \mathcal{N}\left(y \mid \mathbb{E}[f(x)], C(x) + \operatorname{diag}(\sigma^2)\right)
           \text{ if exact} $$

        Args:
            y: (N, K), or (N,) for one output; for classes labels, (N,) or (N, 1). Never broadcast.

        Raises:
            InvalidInput: y has another shape, is not finite, or holds a label that is not among the classes.
        """
        return self.log_prob_and_error(y)[0]

    @np.errstate(**USUAL_ERRORS)
    def log_prob_and_error(self, y: Any) -> tuple[Array, Array]:
        r"""`log_prob`, and its standard error from the finite number of draws in nats, (N,) each.

        The error is that of the logarithm of a mean (delta method). It takes draws as independent, and is 0 if the
        density is exact. It is below 1: the closer it is to 1, the fewer draws contribute to the mean, and then the
        density is probably too small, by more than the error.

        $$ \operatorname{se}\left[\log \bar p\right] \approx \frac{\operatorname{sd}_s[p_s]}{\sqrt S\, \bar p},
           \qquad \bar p = \frac1S \sum_s p_s, \quad p_s = p(y \mid x, w_s) $$

        Raises:
            InvalidInput: as `log_prob`.
        """
        if self.is_classification:
            return self._of_labels(y)
        targets = self.targets(y)
        if self.covariance is not None:
            return self._exact_log_prob(targets), np.zeros(len(targets))
        if self.pieces is not None:
            log_prob, error = zip(*(piece._mixed_log_prob(part) for piece, part in self._split(targets)), strict=True)
            return np.concatenate(log_prob), np.concatenate(error)
        return self._mixed_log_prob(targets)

    @np.errstate(**USUAL_ERRORS)
    def cdf(self, y: Any) -> Array:
        r"""The predictive distribution function at y, 0 to 1, for each output, (N, K).

        $$ P(Y_k < y_k \mid x) = \frac1S \sum_s P(Y_k < y_k \mid x, w_s) $$

        Args:
            y: as in `log_prob`.

        Raises:
            InvalidInput: as `log_prob`; for classes; or if the likelihood has no distribution function.
        """
        from scipy.special import ndtr

        targets = self.targets(y)
        if self.covariance is not None:
            return ndtr((targets - self.mean) / self.total_std)
        if self.pieces is not None:
            return np.concatenate([piece.cdf(part) for piece, part in self._split(targets)])
        if self.density is not None:
            return self.density.cdf(targets).mean(0)
        return ndtr((targets - self.draws) / self.draw_std).mean(0)

    def targets(self, y: Any) -> Array:
        """Observed values of a regression as (N, K) in float64, or `InvalidInput`: see `log_prob`."""
        if self.is_classification:
            raise InvalidInput("This score is for regression, and these are class probabilities: score their labels.")
        return observed_values(y, *self.mean.shape)

    @property
    def draw_std(self) -> Array:
        """Standard deviation of y under each draw: (S, N, K), or (N, K) where all draws have the same."""
        return self.aleatoric_std if self.variances is None else np.sqrt(self.variances)

    def _split(self, y: Array) -> Iterable[tuple[Predictive, Array]]:
        """The pieces, each with its part of y (N, K)."""
        start = 0
        for piece in self.pieces() if self.pieces else ():
            end = start + len(piece.x)
            yield piece, y[start:end]
            start = end

    def _of_labels(self, y: Any) -> tuple[Array, Array]:
        labels = observed_labels(y, len(self.mean), self.classes or tuple(range(self.mean.shape[1])))
        rows = np.arange(len(labels))
        log_prob, num_draws = log_of_labels(self.mean, labels), np.inf if self.has_all_draws else self.num_samples
        return log_prob, self.epistemic_std[rows, labels] / np.exp(log_prob) / np.sqrt(num_draws)

    def _mixed_log_prob(self, y: Array) -> tuple[Array, Array]:
        each = self._gaussian_log_prob(y) if self.density is None else self.density.log_prob(y)
        largest = each.max(0)
        shares = np.exp(each - np.where(np.isfinite(largest), largest, 0))
        mean = shares.mean(0)
        with np.errstate(divide="ignore", invalid="ignore"):  # the density may be 0 under every draw
            log_prob, error = largest + np.log(mean), shares.std(0) / mean / np.sqrt(len(each))
        return log_prob, np.zeros(len(y)) if self.has_all_draws else error

    def _gaussian_log_prob(self, y: Array) -> Array:
        std = self.draw_std
        return (-0.5 * np.square((y - self.draws) / std) - np.log(std) - 0.5 * np.log(2 * np.pi)).sum(-1)

    def _exact_log_prob(self, y: Array) -> Array:
        assert self.covariance is not None
        noise = self.aleatoric_std
        variances, axes = np.linalg.eigh(self.covariance / noise[:, :, None] / noise[:, None])
        variances = np.maximum(variances, 0) + 1  # of observations in units of the noise; rounding may give less than 0
        scaled = (axes.swapaxes(1, 2) @ ((y - self.mean) / noise)[..., None])[..., 0]
        return (-0.5 * (np.square(scaled) / variances + np.log(2 * np.pi * variances)) - np.log(noise)).sum(-1)
