"""The page on two clusters: every method and reference, failures, axes, and the ceilings of two theorems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bdlviz import fits
from bdlviz.predictive import convergence
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.in_between import study as in_between_study
from bdlviz.topics.regression.in_between import views
from bdlviz.topics.regression.in_between.controls import dataset_of
from bdlviz.topics.shared import compare_choice, compare_reference
from bdlviz.topics.shared.compare_fits import DIVERGED, Candidate
from bdlviz.ui.model import Result, Setting
from tests.topics.regression.short_fits import SCREEN, candidates, figure_of, names_in, run_call
from tests.ui.harness import assert_works, axis_ranges, open_page, scenes

TWO = {"methods": "own", "chosen": "mc_dropout,deep_ensemble"}


def drawn(values: dict[str, str]) -> Result:
    """The view of short fits."""
    setting = Setting(values)
    return views.in_the_gap(setting, SCREEN, candidates(setting, dataset_of(setting)))


def said(result: Result) -> str:
    return " ".join(result.words)


def test_the_page_draws_its_shipped_fits():
    app = open_page("in_between")
    assert_works(app)
    assert len(app.metric) == 4


@pytest.mark.parametrize("scene", in_between_study.GAPS)
def test_the_scenes_are_shipped(scene: str):
    needs = views.needed(Setting(scenes("in_between")[scene].values))
    assert all(need.shipped is not None and need.shipped() is not None for need in needs)


@pytest.mark.parametrize("group", compare_choice.GROUPS)
def test_every_group_of_methods(group: str):
    [figure] = drawn({"methods": group}).figures
    assert figure.alt.count("times its own at the data") == len({*compare_choice.GROUPS[group], "hmc"})


def test_the_snippet_runs(monkeypatch: pytest.MonkeyPatch):
    assert run_call(drawn(TWO | {"gap": "0.3", "per_cluster": "5"}), monkeypatch)["gap"][0] < 0


def test_a_method_that_fails_says_so_and_the_others_stay():
    setting = Setting(TWO)
    found: list[Candidate | None] = [*candidates(setting, dataset_of(setting))]
    found[0] = Candidate("mc_dropout", problem=DIVERGED)
    result = views.in_the_gap(setting, SCREEN, found)
    assert "MC dropout: The training diverged" in said(result)
    assert "Deep ensemble" in names_in(figure_of(result))
    alone = views.in_the_gap(setting, SCREEN, [*found[:-1], None])
    assert "are shown once its training has ended" in said(alone) and alone.numbers["Methods"] == "1"


@pytest.mark.parametrize("limit", [("LARGEST_R_HAT", 0.5), ("ENOUGH", 10**6)])
def test_chains_that_have_not_converged_are_said_and_give_no_ratios(
    limit: tuple[str, float], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(convergence, *limit)
    result = drawn({})
    assert "have not converged (split R̂" in said(result)
    names = names_in(figure_of(result))
    assert not any(name.startswith("Exact") for name in names) and any("not converged" in name for name in names)
    assert not any("est sd" in label for label in result.numbers)


@pytest.mark.parametrize("reference", compare_choice.REFERENCES)
def test_every_reference(reference: str):
    assert compare_reference.NOT_THIS_NETWORK.get(reference, "") in said(drawn({"reference": reference}))


def test_axes_stay_while_sliders_move():
    first = axis_ranges(figure_of(drawn({})))
    assert first["xaxis"] == [-2.0, 2.0]
    for values in ({"length_scale": "3"}, {"dropout_rate": "0.5"}, {"seed": "4"}, {"width": "10"}, {"gap": "2"}):
        assert axis_ranges(figure_of(drawn(values))) == first


@pytest.mark.parametrize(("values", "count"), [({}, 2), ({"activation": "tanh"}, 0), ({"depth": "2"}, 0)])
def test_the_ceilings_are_for_one_layer_of_relu(values: dict[str, str], count: int):
    assert sum("ceiling" in name for name in names_in(figure_of(drawn(values)))) == count


def test_the_trained_methods_keep_below_their_ceilings():
    dataset = compare_study.clusters()
    gap = np.linspace(-0.5, 0.3, 9)[:, None]
    for method in ("bayes_by_backprop", "mc_dropout"):
        config = compare_study.config_of(method, dataset)
        fit = fits.run(replace(config, num_steps=300), dataset)
        spread = fit.predict(gap, 2000).epistemic_std[:, 0]
        assert (spread <= 1.1 * views.ceiling_of(fit, dataset.x, gap)).all()
