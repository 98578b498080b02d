r"""Posteriors of two parameters. A grid gives them exactly, so that fits and chains can be compared with them.

Each is the posterior of a model with Gaussian noise and a Gaussian prior; the models differ in their function f.

$$ w \sim \mathcal{N}(0, \sigma_p^2 I), \qquad y_i \sim \mathcal{N}\left(f(x_i, w), \sigma^2\right), \qquad
   p(w \mid \mathcal{D}) = \frac{p(\mathcal{D}, w)}{p(\mathcal{D})} $$
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array

Range = tuple[float, float]
Slopes = tuple[Array | float, Array | float]
NUM_POINTS = 501  # of each axis of a grid
MARGIN = 0.75  # added on every side, relative to the limits: the grid must cover every q, not only the posterior


@dataclass(frozen=True, eq=False)
class Target:
    """The posterior of a two-parameter model given its data.

    ``function`` takes weights (..., 1, 2) and inputs (N,); it gives f (..., N) and its slopes by both weights, which
    broadcast to the shape of f.
    ``limits`` are the ranges of the two weights in figures; they contain all visible parts of the posterior.
    """

    name: str
    title: str
    model: str  # how its function is written
    labels: tuple[str, str]
    limits: tuple[Range, Range]
    function: Callable[[Array, Array], tuple[Array, Slopes]]
    x: Array = field(repr=False)
    y: Array = field(repr=False)
    noise_std: float
    prior_std: float

    def log_joint(self, weights: Array) -> Array:
        r"""The logarithm of prior times likelihood in nats, with all constants.

        At weights (..., 2); gives (...).

        $$ \log p(\mathcal{D}, w) = -\frac{\lVert w \rVert^2}{2 \sigma_p^2} - \log 2 \pi \sigma_p^2
           - \sum_i \left[ \frac{(y_i - f(x_i, w))^2}{2 \sigma^2} + \tfrac12 \log 2 \pi \sigma^2 \right] $$
        """
        weights = np.asarray(weights, float)
        with np.errstate(over="ignore", invalid="ignore"):
            f, _ = self.function(weights[..., None, :], self.x)
            prior = -np.square(weights / self.prior_std).sum(-1) / 2 - np.log(2 * np.pi * self.prior_std**2)
            squares = np.square((self.y - f) / self.noise_std).sum(-1) / 2
            return prior - squares - len(self.y) * np.log(2 * np.pi * self.noise_std**2) / 2

    def gradient(self, weights: Array) -> Array:
        r"""The gradient of the log joint, which equals that of the log posterior.

        By the weights (..., 2); of the same shape.

        $$ \nabla_w \log p(\mathcal{D}, w) = -\frac{w}{\sigma_p^2}
           + \sum_i \frac{y_i - f(x_i, w)}{\sigma^2}\, \nabla_w f(x_i, w) $$
        """
        weights = np.asarray(weights, float)
        with np.errstate(over="ignore", invalid="ignore"):
            f, slopes = self.function(weights[..., None, :], self.x)
            residual = (self.y - f) / self.noise_std**2
            return np.stack([(residual * slope).sum(-1) for slope in slopes], -1) - weights / self.prior_std**2


@dataclass(frozen=True, eq=False)
class Grid:
    """A target on a lattice: ``across`` (G,) and ``up`` (G,), arrays (G, G) with rows for ``up``."""

    across: Array
    up: Array
    log_joint: Array

    @property
    def area(self) -> float:
        """Of one cell."""
        return float((self.across[1] - self.across[0]) * (self.up[1] - self.up[0]))

    @property
    def points(self) -> Array:
        """(G, G, 2)."""
        return np.stack(np.meshgrid(self.across, self.up), axis=-1)

    @property
    def log_evidence(self) -> float:
        r"""The log evidence in nats: a sum over cells, exact to rounding for a smooth posterior inside the grid.

        $$ \log p(\mathcal{D}) = \log \int p(\mathcal{D}, w)\, dw $$
        """
        top = self.log_joint.max()
        return float(top + np.log(np.exp(self.log_joint - top).sum() * self.area))

    @property
    def density(self) -> Array:
        """The posterior's density, (G, G)."""
        return np.exp(self.log_joint - self.log_evidence)

    @property
    def moments(self) -> tuple[Array, Array]:
        """Mean (2,) and covariance (2, 2) of the posterior."""
        mass = (self.density * self.area).ravel()
        points = self.points.reshape(-1, 2)
        mean = mass @ points
        return mean, (points - mean).T @ (mass[:, None] * (points - mean))


def on_grid(target: Target, num_points: int = NUM_POINTS) -> Grid:
    """A target on a lattice that reaches `MARGIN` beyond its limits."""
    across, up = (
        np.linspace(low - MARGIN * (high - low), high + MARGIN * (high - low), num_points)
        for low, high in target.limits
    )
    return Grid(across, up, target.log_joint(np.stack(np.meshgrid(across, up), axis=-1)))


def shown(target: Target, num_points: int = 160) -> tuple[Array, Array, Array]:
    """The values for a figure: ``across`` (G,), ``up`` (G,) and the posterior density (G, G) within the limits."""
    across, up = (np.linspace(*limits, num_points) for limits in target.limits)
    log_joint = target.log_joint(np.stack(np.meshgrid(across, up), axis=-1))
    return across, up, np.exp(log_joint - on_grid(target).log_evidence)


def _line(w: Array, x: Array) -> tuple[Array, Slopes]:
    return w[..., 0] + w[..., 1] * x, (1.0, x)


def _banana(w: Array, x: Array) -> tuple[Array, Slopes]:
    return w[..., 1] + np.square(w[..., 0]) + 0 * x, (2 * w[..., 0], 1.0)


def _unit(w: Array, x: Array) -> tuple[Array, Slopes]:
    h = np.tanh(w[..., 0] * x)
    return w[..., 1] * h, (w[..., 1] * (1 - h**2) * x, h)


def _ring(w: Array, x: Array) -> tuple[Array, Slopes]:
    return np.square(w).sum(-1) + 0 * x, (2 * w[..., 0], 2 * w[..., 1])


def line_moments(target: Target) -> tuple[Array, Array]:
    r"""Mean (2,) and precision (2, 2) of the straight line's posterior, a Gaussian.

    $$ \Lambda = \frac{X^\top X}{\sigma^2} + \frac{I}{\sigma_p^2}, \qquad \mu = \Lambda^{-1} \frac{X^\top y}{\sigma^2},
       \qquad X = [1, x] $$
    """
    design = np.stack([np.ones_like(target.x), target.x], axis=1)
    precision = design.T @ design / target.noise_std**2 + np.eye(2) / target.prior_std**2
    return np.linalg.solve(precision, design.T @ target.y / target.noise_std**2), precision


def _targets() -> dict[str, Target]:
    seen_once = np.zeros(1)
    intercept, w1, w2 = "Intercept w₁", "Weight w₁", "Weight w₂"
    every = (
        Target(
            "line",
            "a line: correlated weights",
            "f = w₁ + w₂ x",
            (intercept, "Slope w₂"),
            ((-2.0, 3.0), (-1.0, 1.5)),
            _line,
            np.array([1.1, 1.3, 1.6, 1.8, 2.1, 2.3, 2.6, 2.9]),
            np.array([0.35, 1.38, 0.92, 1.02, 1.73, 0.83, 1.39, 1.21]),
            noise_std=0.5,
            prior_std=2.0,
        ),
        Target(
            "banana",
            "a banana: w₁² + w₂ seen once",
            "f = w₁² + w₂",
            (w1, w2),
            ((-3.2, 3.2), (-5.5, 2.7)),
            _banana,
            seen_once,
            np.array([1.0]),
            noise_std=0.5,
            prior_std=1.5,
        ),
        Target(
            "unit",
            "two modes: a network of one unit",
            "f = w₂ tanh(w₁ x)",
            ("Weight into the unit w₁", "Weight out of it w₂"),
            ((-4.2, 4.2), (-4.2, 4.2)),
            _unit,
            np.array([-1.0, -0.6, 0.5, 1.0]),
            np.array([-1.2, -0.75, 0.6, 1.1]),
            noise_std=0.5,
            prior_std=1.3,
        ),
        Target(
            "ring",
            "a ring: w₁² + w₂² seen once",
            "f = w₁² + w₂²",
            (w1, w2),
            ((-3.6, 3.6), (-3.0, 3.0)),
            _ring,
            seen_once,
            np.array([4.0]),
            noise_std=1.0,
            prior_std=2.0,
        ),
    )
    return {target.name: target for target in every}


TARGETS = _targets()


def find(name: str) -> Target:
    """The target of that name.

    Raises:
        InvalidInput: there is none.
    """
    if name not in TARGETS:
        raise InvalidInput(f"There is no posterior called {name!r}; choose one of {', '.join(TARGETS)}.")
    return TARGETS[name]


@cache
def grid_of(name: str) -> Grid:
    """The lattice of a target known by name."""
    return on_grid(find(name))
