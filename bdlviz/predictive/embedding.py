"""Exact t-SNE of codes on one thread, with progress.

For a few thousand codes the exact gradient, computed in blocks that fit into the cache, is faster than scikit-learn's
tree. That implementation cannot report progress, and becomes slow when its threads share cores.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.threads import map_drawing
from bdlviz.types import Array, Snapshot

MAX_CODES = 5000  # the affinities of all pairs are kept: 100 MB
NUM_ITERATIONS = 500  # 1,000, the usual number, does not preserve neighbours better
EXAGGERATED_ITERATIONS = 250
EXAGGERATION = 12.0
PIECE_PAIRS = 2**16  # pairs worked on at once
REPORT_EVERY = 10
MAX_BISECTIONS = 60
SMALLEST_GAIN = 0.01
TINY = 1e-12


def embed(
    codes: Array,
    perplexity: float = 30.0,
    *,
    on_snapshot: Callable[[Snapshot[Array]], bool | None] | None = None,
    cancel: threading.Event | None = None,
) -> Array:
    r"""The t-SNE embedding of codes (N, Z) in the plane, (N, 2) float32 (van der Maaten & Hinton 2008).

    Starts at the two principal components and draws nothing at random: the same codes give the same picture. Distances
    between clusters mean little. ``perplexity`` is roughly how many neighbours count; it must be below N, which is at
    most 5,000. ``on_snapshot`` is called every few iterations with the positions so far, (N, 2); where it returns
    False, they are returned. Within milliseconds after ``cancel`` is set, InvalidInput is raised.

    $$ \min_y \sum_{i \ne j} p_{ij} \log \frac{p_{ij}}{q_{ij}}, \qquad
       q_{ij} \propto \left(1 + \lVert y_i - y_j \rVert^2\right)^{-1} $$
    """
    codes = np.asarray(codes, np.float32)
    if codes.ndim != 2 or codes.shape[1] < 2:
        raise InvalidInput(f"t-SNE needs codes (N, Z) of at least two dimensions, not an array {codes.shape}.")
    if len(codes) > MAX_CODES:
        raise InvalidInput(f"t-SNE takes at most {MAX_CODES:,} codes here, not {len(codes):,}: take some of them.")
    if not 0 < perplexity < len(codes):
        raise InvalidInput(f"perplexity must be above 0 and below the {len(codes)} codes, not {perplexity:g}.")
    if not np.isfinite(codes).all():
        raise InvalidInput("t-SNE needs finite codes.")
    [positions] = map_drawing(lambda points: _embed(points, perplexity, on_snapshot, cancel), [codes])
    return positions


def _embed(
    codes: Array,
    perplexity: float,
    on_snapshot: Callable[[Snapshot[Array]], bool | None] | None,
    cancel: threading.Event | None,
) -> Array:
    start = time.monotonic()
    affinities = symmetric_affinities(codes, perplexity, cancel)
    positions = _principal_components(codes)
    learning_rate = max(len(codes) / EXAGGERATION / 4, 50.0)  # Belkina et al. 2019
    velocity, gains = np.zeros_like(positions), np.ones_like(positions)
    for iteration in range(NUM_ITERATIONS):
        is_early = iteration < EXAGGERATED_ITERATIONS
        slope = gradient(affinities, positions, EXAGGERATION if is_early else 1.0, cancel)
        gains = np.where(velocity * slope < 0, gains + 0.2, gains * 0.8).clip(SMALLEST_GAIN)
        velocity = (0.5 if is_early else 0.8) * velocity - learning_rate * gains * slope
        positions = positions + velocity
        is_reported = (iteration + 1) % REPORT_EVERY == 0
        if is_reported and on_snapshot is not None:
            now = positions.astype(np.float32)
            if (
                on_snapshot(Snapshot(iteration + 1, NUM_ITERATIONS, time.monotonic() - start, lambda now=now: now))
                is False
            ):
                break
    return (positions - positions.mean(0)).astype(np.float32)


def _pieces(num_codes: int, cancel: threading.Event | None) -> Iterator[slice]:
    """The rows of all pairs, in pieces that stay in a core's cache.

    Raises:
        InvalidInput: the work was cancelled.
    """
    rows = max(1, PIECE_PAIRS // num_codes)
    for start in range(0, num_codes, rows):
        if cancel is not None and cancel.is_set():
            raise InvalidInput("t-SNE was stopped.")
        yield slice(start, min(start + rows, num_codes))


def symmetric_affinities(codes: Array, perplexity: float, cancel: threading.Event | None = None) -> Array:
    r"""Affinities of all pairs of codes, (N, N) float32, summing to 1.

    Each code's width beta is found by bisection: its distribution over the others has the perplexity asked for.

    $$ p_{j \mid i} \propto e^{-\beta_i \lVert z_i - z_j \rVert^2}, \quad H[p_{\cdot \mid i}] = \log \text{perplexity},
       \qquad p_{ij} = \frac{p_{j \mid i} + p_{i \mid j}}{2N} $$
    """
    codes = codes.astype(np.float64)
    codes = codes - codes.mean(0)
    squares = np.square(codes).sum(1)
    conditional = np.empty((len(codes), len(codes)), np.float32)
    for piece in _pieces(len(codes), cancel):
        distances = squares[piece, None] + squares - 2 * codes[piece] @ codes.T
        conditional[piece] = _conditional(np.maximum(distances, 0), piece.start, np.log(perplexity))
    joint = conditional + conditional.T
    return joint / joint.sum(dtype=np.float64).astype(np.float32)


def _conditional(distances: Array, first: int, wanted: float) -> Array:
    """Rows of p(j | i), of the entropy ``wanted``, from squared distances (n, N); row 0 is code number ``first``."""
    rows = np.arange(len(distances))
    distances[rows, first + rows] = np.inf  # no code is its own neighbour
    distances = distances - distances.min(1, keepdims=True)  # p does not change, and exp cannot underflow for all
    finite = np.where(np.isfinite(distances), distances, 0)
    low, high = np.zeros((len(distances), 1)), np.full((len(distances), 1), np.inf)
    beta = 1 / np.maximum(finite.mean(1, keepdims=True), TINY)
    for _ in range(MAX_BISECTIONS):
        weights = np.exp(-beta * distances)
        total = weights.sum(1, keepdims=True)
        entropy = np.log(total) + beta * (weights * finite).sum(1, keepdims=True) / total
        too_wide = entropy > wanted
        low, high = np.where(too_wide, beta, low), np.where(too_wide, high, beta)
        if np.abs(entropy - wanted).max() < 1e-5:
            break
        beta = np.where(np.isinf(high), 2 * beta, (low + high) / 2)
    weights = np.exp(-beta * distances)
    return weights / weights.sum(1, keepdims=True)


def _principal_components(codes: Array) -> Array:
    """The initial positions, (N, 2): the first two principal components, scaled to be small."""
    centred = codes.astype(np.float64) - codes.mean(0, dtype=np.float64)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    main = vectors[:, :-3:-1]
    main = main * np.sign(main[np.abs(main).argmax(0), [0, 1]])  # fixes the arbitrary sign of an eigenvector
    positions = centred @ main
    return positions / max(positions[:, 0].std(), TINY) * 1e-4


def gradient(affinities: Array, positions: Array, exaggeration: float, cancel: threading.Event | None = None) -> Array:
    r"""Gradient of the objective by the positions, (N, 2), with affinities enlarged as in the early phase.

    $$ 4 \sum_j \left(\alpha\, p_{ij} - \frac{w_{ij}}{\sum w}\right) w_{ij} (y_i - y_j), \qquad
       w_{ij} = \left(1 + \lVert y_i - y_j \rVert^2\right)^{-1} $$
    """
    y = positions.astype(np.float32)
    squares = np.square(y).sum(1)
    left = np.column_stack([-2 * y, np.ones_like(squares), squares + 1])  # left @ right is 1 + |y_i - y_j|^2
    right = np.vstack([y.T, squares, np.ones_like(squares)])
    with_one = np.column_stack([y, np.ones_like(squares)])
    rows = max(1, PIECE_PAIRS // len(y))
    near, attraction, repulsion = np.empty((rows, len(y)), np.float32), np.empty((len(y), 3)), np.empty((len(y), 3))
    total = 0.0
    for piece in _pieces(len(y), cancel):
        w = near[: piece.stop - piece.start]
        np.matmul(left[piece], right, out=w)
        np.maximum(w, 1, out=w)
        np.reciprocal(w, out=w)
        w[np.arange(len(w)), np.arange(piece.start, piece.stop)] = 0
        total += float(w.sum(dtype=np.float64))
        attraction[piece] = (w * affinities[piece]) @ with_one
        np.square(w, out=w)
        repulsion[piece] = w @ with_one
    pull = attraction[:, 2:] * positions - attraction[:, :2]
    push = repulsion[:, 2:] * positions - repulsion[:, :2]
    return 4 * (exaggeration * pull - push / total)
