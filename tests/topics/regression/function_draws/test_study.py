"""What the shipped fits of the real record say."""

from __future__ import annotations

import numpy as np

from bdlviz import data
from bdlviz.fitted import shelf


def test_beyond_the_record_the_sd_grows_with_relu_and_not_with_tanh():
    """What the two scenes say of the real record, as in Gal & Ghahramani 2016, Fig. 2."""
    dataset = data.load("mauna_loa_co2")
    years = np.array([*dataset.x.ravel()[::10], 2015.0, 2025.0, 2035.0, 2045.0])[:, None]
    sds, covered = {}, {}
    for activation in ("relu", "tanh"):
        fit, _ = shelf.shipped(f"scene_draws_record_{activation}")
        assert fit.config.data_fingerprint == dataset.fingerprint
        sds[activation] = fit.predict(years, 200).draws.std(0)[:, 0]
        later = fit.predict(dataset.x_test, 200)
        sd = np.hypot(later.draws.std(0), fit.config.noise_std or 0)
        covered[activation] = float((np.abs(later.mean - dataset.y_test) < 2 * sd).mean())
    among = {name: float(sd[:-4].mean()) for name, sd in sds.items()}
    assert (np.diff(sds["relu"][-4:]) > 0).all() and sds["relu"][-1] > 4 * among["relu"]
    assert np.ptp(sds["tanh"][-4:]) < 0.1 * among["tanh"] and sds["tanh"][-1] < 1.5 * among["tanh"]
    assert covered["relu"] > 0.9 and covered["tanh"] < 0.3, "Of the years held out."
