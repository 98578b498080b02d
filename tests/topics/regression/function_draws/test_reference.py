"""The answer outlined over the function picture: which it is, and when it is withheld."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bdlviz
from bdlviz.predictive.convergence import Convergence
from bdlviz.topics.regression.function_draws.controls import NAMES
from bdlviz.ui.frame import tabs
from tests.ui.harness import assert_works, figures, move, open_page, open_working, trace

SMALL = {"width": "16", "depth": "1", "data": "two_clusters"}


def test_the_infinitely_wide_network_is_outlined_as_exact():
    app = open_working("function_draws", SMALL | {"method": "bayes_by_backprop", "reference": "gaussian_process"})
    x, mean = trace(figures(app)[0], "Exact, infinitely wide (GP), mean")
    assert len(x) == len(mean) == 200
    data = bdlviz.dataset("two_clusters")
    settings = {"hidden": (16,), "noise_std": data.noise_std, "length_scale": 1.0, "prior_by_width": 0}
    expected = bdlviz.fit("gaussian_process", data, **settings).predict(x).mean[:, 0]
    np.testing.assert_allclose(mean, expected, rtol=1e-3, atol=1e-3)
    assert "Exact, 2 sd" not in {each.get("name") for each in figures(app)[0]["data"]}


@pytest.mark.usefixtures("quick")
def test_another_method_has_a_colour_of_its_own():
    app = open_working("function_draws", SMALL | {"reference": "deep_ensemble"})
    other = colour_of(app, "Deep ensemble, mean")
    assert other != colour_of(move(app, "reference", "gaussian_process"), "Exact, infinitely wide (GP), mean")


def colour_of(app: AppTest, name: str) -> str:
    [line] = [each for each in figures(app)[0]["data"] if each.get("name") == name]
    return line["line"]["color"]


@pytest.mark.usefixtures("quick")
def test_chains_that_do_not_agree_are_not_shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Convergence, "is_reached", False)
    app = open_page("function_draws", SMALL | {"method": "bayes_by_backprop", "reference": "hmc"})
    assert_works(app, warnings=1)
    assert not any("HMC" in each.get("name", "") for each in figures(app)[0]["data"])


@pytest.mark.usefixtures("quick")
def test_chains_that_agree_are_said_to():
    for values in ({"method": "hmc"}, {"reference": "hmc"}):
        app = open_page("function_draws", SMALL | values)
        assert_works(app)
        assert any("agree" in each.value for each in app.caption)
    assert any(each.get("name") == "Exact (HMC), mean" for each in figures(app)[0]["data"])


@pytest.mark.usefixtures("quick")
def test_a_flat_prior_has_no_posterior_to_outline():
    app = open_working("function_draws", SMALL | {"weight_decay": "0", "reference": "hmc"})
    assert app.info


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", [*NAMES, "map", "bayes_by_backprop"])
def test_a_method_has_an_equation_and_is_not_outlined_over_itself(name: str):
    values = {"method": name, "tab": tabs.MATHS} | ({"reference": name} if name in NAMES else {})
    app = open_working("function_draws", SMALL | values)
    assert len(app.latex) >= 2
    assert not any(each.get("name", "").endswith(", mean") for each in figures(app)[0]["data"])
