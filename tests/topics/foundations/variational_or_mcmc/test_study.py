"""The shipped comparison of variational inference and MCMC: what a page would compute."""

from __future__ import annotations

import numpy as np
import pytest

from bdlviz.errors import InvalidInput
from bdlviz.fitted import bundles
from bdlviz.models import targets
from bdlviz.topics.foundations.variational_or_mcmc import race, study


def test_the_shipped_race_is_what_a_page_would_run():
    shipped = bundles.shipped(study.RACE, study.settings())
    for target in race.STEP_SIZES:
        runs = study.runs_on(shipped, target)
        assert runs.keys() == race.RUNNERS.keys()
        assert all(run.std.shape == (len(run.evaluations), race.NUM_SEEDS) for run in runs.values())
    now = race.run(targets.find("line"), "mean_field")
    then = study.runs_on(shipped, "line")["mean_field"]
    assert now is not None
    np.testing.assert_array_equal(then.evaluations, now.evaluations)
    np.testing.assert_allclose(then.mean, now.mean, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(then.std, now.std, rtol=1e-3, atol=1e-5)


def test_another_race_makes_the_shipped_one_stale(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(race, "EVALUATIONS", 400)
    with pytest.raises(InvalidInput, match="stale"):
        bundles.shipped(study.RACE, study.settings())
