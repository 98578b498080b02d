"""Codes of many dimensions as a picture: t-SNE."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from bdlviz.errors import InvalidInput
from bdlviz.threads import map_drawing
from bdlviz.types import Array

NUM_ITERATIONS = 500  # with 1,000, scikit-learn's own, the neighbours are no better kept


def embed(codes: Array, seed: int = 0, perplexity: float = 30.0) -> Array:
    r"""Codes (N, Z) in the plane, (N, 2) float32, neighbours beside neighbours (van der Maaten & Hinton 2008).

    Starts at the two principal components and runs on one thread: the same codes give the same picture. Distances
    between clusters mean little. ``perplexity`` is roughly how many neighbours count; it must be below N.

    $$ \min_y \sum_{i \ne j} p_{ij} \log \frac{p_{ij}}{q_{ij}}, \qquad
       q_{ij} \propto \left(1 + \lVert y_i - y_j \rVert^2\right)^{-1} $$
    """
    codes = np.asarray(codes, np.float32)
    if codes.ndim != 2 or codes.shape[1] < 2:
        raise InvalidInput(f"t-SNE needs codes (N, Z) of at least two dimensions, not an array {codes.shape}.")
    if not 0 < perplexity < len(codes):
        raise InvalidInput(f"perplexity must be above 0 and below the {len(codes)} codes, not {perplexity:g}.")
    if not np.isfinite(codes).all():
        raise InvalidInput("t-SNE needs finite codes.")
    [positions] = map_drawing(lambda points: _embed(points, seed, perplexity), [codes])
    return positions


def _embed(codes: Array, seed: int, perplexity: float) -> Array:
    from sklearn.manifold import TSNE

    with threadpool_limits(1, user_api="openmp"):  # a limit of this thread alone
        return TSNE(perplexity=perplexity, init="pca", max_iter=NUM_ITERATIONS, random_state=seed).fit_transform(codes)
