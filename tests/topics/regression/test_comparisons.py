"""What the pages "compare" and "in_between" have in common: groups of methods, references, chains, axes, snippets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bdlviz.predictive import convergence
from bdlviz.topics.regression.compare import controls as compare_controls
from bdlviz.topics.regression.compare import views as compare_views
from bdlviz.topics.regression.in_between import controls as in_between_controls
from bdlviz.topics.regression.in_between import views as in_between_views
from bdlviz.topics.shared import compare_choice, compare_reference
from bdlviz.ui.model import Result, Setting
from tests.told import numbers_in
from tests.topics.regression.short_fits import SCREEN, candidates, figure_of, names_in, run_call
from tests.ui.harness import axis_ranges

Draw = Callable[..., Result]
TWO = {"methods": "own", "chosen": "mc_dropout,deep_ensemble"}
each_page = pytest.mark.parametrize("page", ["compare", "in_between"])


def drawn(page: str, values: dict[str, str], draw: Draw | None = None) -> Result:
    """A view of short fits: the first one of its page, unless another one is given."""
    setting = Setting(values)
    if page == "compare":
        dataset, view = compare_controls.dataset_of(setting)[0], draw or compare_views.panels
    else:
        dataset, view = in_between_controls.dataset_of(setting), in_between_views.in_the_gap
    return view(setting, SCREEN, candidates(setting, dataset))


@pytest.mark.parametrize("group", compare_choice.GROUPS)
def test_every_group_of_methods(group: str):
    values, expected = {"methods": group}, {*compare_choice.GROUPS[group], "hmc"}
    assert len(compare_views.needed(Setting(values))) == len(expected)
    [figure] = drawn("in_between", values).figures
    assert len(numbers_in(figure.alt)) >= len(expected)
    if group == "all":
        for draw in (compare_views.panels, compare_views.distance):
            assert drawn("compare", values, draw).numbers


@each_page
@pytest.mark.parametrize("limit", [("LARGEST_R_HAT", 0.5), ("ENOUGH", 10**6)])
def test_chains_that_have_not_converged_give_neither_ranks_nor_ratios(
    limit: tuple[str, float], page: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(convergence, *limit)
    result = drawn(page, {})
    assert "R̂" in " ".join(result.words)
    names = names_in(figure_of(result))
    assert not any(name.startswith("Exact") for name in names)


@each_page
@pytest.mark.parametrize("reference", compare_choice.REFERENCES)
def test_every_reference(reference: str, page: str):
    words = " ".join(drawn(page, {"reference": reference}).words)
    assert compare_reference.NOT_THIS_NETWORK.get(reference, "") in words


@each_page
def test_axes_stay_while_sliders_move(page: str):
    first = axis_ranges(figure_of(drawn(page, {})))
    assert page == "compare" or first["xaxis"] == [-2.0, 2.0]
    for values in ({"length_scale": "3"}, {"dropout_rate": "0.5"}, {"seed": "4"}, {"width": "10"}, {"gap": "2"}):
        assert axis_ranges(figure_of(drawn(page, values))) == first


@pytest.mark.parametrize("values", [{}, {"data": "own", "hold_out": "fifth"}])
def test_the_snippet_of_compare_runs(values: dict[str, str], monkeypatch: pytest.MonkeyPatch):
    assert len(run_call(drawn("compare", TWO | values), monkeypatch)["data"].x_test)


def test_the_snippet_of_in_between_runs(monkeypatch: pytest.MonkeyPatch):
    names: dict[str, Any] = run_call(drawn("in_between", TWO | {"gap": "0.3", "per_cluster": "5"}), monkeypatch)
    assert names["gap"][0] < 0
