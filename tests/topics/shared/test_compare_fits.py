"""How pages that compare methods use fits that are shipped, trained, stopped, refused or diverged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bdlviz import fits
from bdlviz.fits import Fit
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.shared.compare_fits import DIVERGED, Candidate, compared_fits, needs_of
from bdlviz.types import FitConfig

DATA = compare_study.clusters()
CONFIG = compare_study.config_of("map", DATA)


def trained(num_steps: int = CONFIG.num_steps) -> Fit:
    fit = fits.run(replace(CONFIG, num_steps=5), DATA)
    return replace(fit, config=CONFIG, num_steps_done=num_steps)


def test_results_of_jobs_become_candidates():
    [need] = needs_of({"map": CONFIG}, DATA)
    found = need.read(trained())
    assert found and found.fit is not None and not found.is_shipped
    assert need.read(trained(num_steps=5)) is None, "A stopped fit is no fit of that method."
    fit = trained()
    diverged = replace(fit, params={name: array * np.nan for name, array in fit.params.items()})
    assert (found := need.read(diverged)) and found.problem == DIVERGED
    assert need.problem is not None
    assert (found := need.problem("It refuses.")) and found.problem == "It refuses."


def test_an_impossible_configuration_becomes_a_sentence():
    [need] = needs_of({"map": "Take fewer points."}, DATA)
    assert need.work is None and need.shipped is not None
    assert (found := need.shipped()) and found.problem == "Take fewer points."


def test_what_is_shipped_is_known_as_shipped():
    configs: dict[str, FitConfig | str] = {"map": CONFIG, "hmc": "Too many.", "laplace": CONFIG}
    need = needs_of(configs, DATA)[0]
    shipped = need.shipped() if need.shipped else None
    assert shipped and shipped.is_shipped
    compared = compared_fits(configs, DATA, [shipped, Candidate("hmc", problem="Too many."), None])
    assert (compared.shipped, compared.problems, compared.waiting) == ({"map"}, {"hmc": "Too many."}, ("laplace",))
