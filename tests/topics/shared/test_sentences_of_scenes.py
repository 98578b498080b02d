"""What captions of scenes say, against the shipped results they are about."""

from __future__ import annotations

import numpy as np
import pytest

from bdlviz.fitted import bundles, shelf
from bdlviz.predictive.in_between import at_the_points
from bdlviz.topics.foundations.bayes_rule import two_parameters
from bdlviz.topics.foundations.depth_and_edges import study_dense
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.in_between.study import GAPS
from bdlviz.topics.shared import study_seeds


def sd_at_the_points(method: str, scene: str) -> float:
    """The sd of the shipped fit at the points of a scene of *In between*."""
    dataset = study_seeds.cases()[f"in_between.{scene}.laplace"].load()
    settings = {name: value for name, value in GAPS[scene].items() if name not in ("gap", "per_cluster")}
    fit = shelf.find(compare_study.config_of(method, dataset, **settings))
    assert fit is not None
    x = np.linspace(*dataset.x_range, 200)
    return at_the_points(x, fit.predict(x[:, None], 500).epistemic_std[:, 0], dataset.x[:, 0])


def test_fewer_points_make_the_exact_sd_larger_and_not_that_of_every_method():
    exact, gp = ([sd_at_the_points(name, scene) for scene in ("one-layer", "few")]
                 for name in (compare_study.REFERENCE, "gaussian_process"))  # fmt: skip
    assert exact[1] > 2 * exact[0] and gp[1] > 2 * gp[0]
    found = bundles.shipped(study_seeds.CURVES, study_seeds.ARRAYS[study_seeds.CURVES].settings)
    for method in ("deep_ensemble", "mc_dropout"):
        many, few = (np.median(found[f"in_between.{scene}.{method}"], 0)[0] for scene in ("one-layer", "few"))
        assert few < many


def test_with_more_scenes_the_epistemic_sd_grows():
    found = bundles.shipped(study_dense.SIZES, study_dense.ARRAYS[study_dense.SIZES].settings)
    sd = found["epistemic"].astype(float).mean(0)
    assert sd[-1] / sd[0] == pytest.approx(1.44, abs=0.01)


def test_map_of_a_network_need_not_shrink_every_parameter():
    x, y = np.array([-1.5, -0.5, 0.5, 1.5]), np.array([-0.4, -0.2, 0.2, 0.4])
    mle, most = (two_parameters.most_likely(two_parameters.NETWORK, x, y, ridge_weight=w) for w in (0.0, 0.05))
    assert (most**2).sum() <= (mle**2).sum()
    assert (np.abs(most) > np.abs(mle)).any()
