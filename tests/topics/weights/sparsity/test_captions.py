"""What the captions of scenes say of one shipped network."""

from __future__ import annotations

import numpy as np

from bdlviz.fitted import shelf
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of
from tests.ui.harness import scenes


def caption(page: str, scene: str) -> str:
    return scenes(page)[scene].says


def test_the_scene_that_removes_nearly_all_weights_counts_whole_ones():
    extra = shelf.shipped("pruned_mnist_sparse_variational_dropout")[1]
    sizes = extra["histograms"][-1].sum(-1)
    left = [
        round(int(size) * (1 - float(share))) for size, share in zip(sizes, extra["threshold_sparsity"][0], strict=True)
    ]
    assert sizes.sum() == 266_200 and left == [0, 0, 1]
    assert result_of("sparsity", {"scene": "all-removed"}).numbers["Compression"] == "×266200"
    assert sizes.sum() in numbers_in(caption("sparsity", "all-removed"))


def test_the_data_term_falls_before_weights_are_removed():
    extra = shelf.shipped("pruned_mnist_sparse_variational_dropout")[1]
    assert extra["misfit"][0] < 0.1 * np.log(10) and extra["sparsity"][0].max() < 0.05
    assert extra["sparsity"][1].min() > 0.2
