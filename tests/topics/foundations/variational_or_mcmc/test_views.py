"""The views of variational inference and MCMC: their numbers, their warnings, and what the view that plays is given."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from bdlviz.errors import InvalidInput
from bdlviz.fitted import bundles
from bdlviz.models import targets
from bdlviz.predictive.chains import effective_sample_size, split_r_hat
from bdlviz.predictive.surface import name_of, unpack
from bdlviz.topics.foundations.variational_or_mcmc import controls, race, study, views_chains, views_race
from bdlviz.topics.foundations.variational_or_mcmc.views_chains import chains_of
from bdlviz.topics.foundations.variational_or_mcmc.views_fit import chain_of, history_of
from bdlviz.types import Snapshot
from bdlviz.ui.model import Result, Setting
from bdlviz.ui.scrub import switch
from tests.told import numbers_in
from tests.topics.shared.page_results import SCREEN, number, plain, reading, result_of, run_snippet, said
from tests.ui.harness import assert_works, axis_ranges, definition, drawn, move, open_page, trace

PAGE = "variational_or_mcmc"
SHORT: dict[str, Any] = {"num_seeds": 4, "evaluations": 400}


def at_scene(name: str, **values: str) -> Result:
    page = definition(PAGE)
    assert page is not None
    former = dict(page.former.get(name, {}))
    return result_of(PAGE, (former or {"scene": name}) | values)


# Fit ------------------------------------------------------------------------------------------------------------------


def test_numbers_of_the_fit():
    result, evidence = result_of(PAGE), targets.grid_of("line").log_evidence
    np.testing.assert_allclose(number(result, "log p(D)"), evidence, atol=5e-4)
    total = number(result, "ELBO") + number(result, "KL")
    assert total == pytest.approx(number(result, "log p(D)"), abs=1e-9), "The numbers shown do not add up."
    covariance = targets.grid_of("line").moments[1]
    factor = 1 / np.sqrt(np.diag(np.linalg.inv(covariance)) * np.diag(covariance))
    widths = [float(each) for each in reading(result, "true sd").split(",")]
    np.testing.assert_allclose(widths, factor, atol=0.02)


@pytest.mark.parametrize("direction", ["reverse", "forward"])
def test_the_sentence_and_the_picture_tell_the_width_of_q_in_closed_form(direction: str):
    """The best q without correlation on a Gaussian has the variances of the conditionals, or those of the posterior.

    The chain has the width of the posterior, up to the error of its effective draws.
    """
    result = result_of(PAGE, {"direction": direction})
    _, precision = targets.line_moments(targets.find("line"))
    variance = np.linalg.inv(precision)[0, 0]
    best = 1 / precision[0, 0] if direction == "reverse" else variance
    told = numbers_in(result.says)
    chain = chain_of("line", "left", 100).places[:, 0, 0]
    of_chain = 100 * chain.std() / np.sqrt(variance)
    assert told == [100, pytest.approx(100 * np.sqrt(best / variance), abs=1.5), pytest.approx(of_chain, abs=0.6)]
    assert abs(of_chain - 100) < 400 / np.sqrt(2 * effective_sample_size(chain[None, :, None]).min())
    marks = [numbers_in(note["text"]) for note in plain(result)["layout"]["annotations"]]
    assert all([each] in marks for each in told[1:])


@pytest.mark.parametrize("start", controls.SHARES)
def test_a_fit_and_a_chain_that_stay_at_one_of_two_modes_are_called_so(start: str):
    """Half of the draws of a posterior with two equal modes are on each side of 0 in the first weight."""
    result = result_of(PAGE, {"posterior": "unit", "family": "full", "start_at": start})
    places = chain_of("unit", start, 100).places[:, 0, 0]
    is_stuck = min((places > 0).mean(), (places < 0).mean()) < 0.25
    assert (result.says.count("on one mode") == 2) == is_stuck


@pytest.mark.parametrize("posterior", targets.TARGETS)
@pytest.mark.parametrize("direction", ["reverse", "forward"])
def test_the_divergence_that_is_minimised_falls(posterior: str, direction: str):
    for family in ("mean_field", "full"):
        history = history_of(posterior, family, direction, "left")
        kl = history.forward if direction == "forward" else history.reverse
        assert kl[-1] < kl[0]


def test_axes_stay_while_the_family_changes():
    results = [result_of(PAGE, {"family": name}) for name in ("mean_field", "full")]
    one, other = ([axis_ranges(plain(result, index)) for index in range(2)] for result in results)
    assert one == other


# Chains ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scene", ["small-step", "large-step", "stuck"])
def test_chains_that_have_not_converged_are_reported(scene: str):
    result = at_scene(scene)
    assert ":red[" in said(result)
    if scene == "large-step":
        assert reading(result, "R-hat") == "∞" and reading(result, "Error") == "–"
        later = chains_of("ring", "unadjusted", 0.5, 10, "spread", 1).places[views_chains.NUM_STEPS // 2 + 1 :]
        assert numbers_in(result.says)[-2:] == [np.isnan(later.sum((0, 2))).sum(), 4]
    if scene == "small-step":
        found = chains_of("banana", "metropolis", 0.05, 10, "spread", 0)
        told = numbers_in(result.says)
        assert told[1] == pytest.approx(100 * found.is_accepted.mean(), abs=0.6)
        assert told[2] == pytest.approx(number(result, "R-hat"))


def test_chains_that_do_not_move_are_named():
    result = at_scene("small-step", posterior="line", walk_step="2")
    found = chains_of("line", "metropolis", 2.0, 10, "spread", 0)
    kept = views_chains.later_half(found, views_chains.NUM_STEPS)
    halves = np.stack(np.split(kept[:, : len(kept[0]) // 2 * 2], 2, 1))
    still = (np.ptp(halves, axis=2) == 0).any((0, 2)).sum()
    assert 0 < still < 4 and reading(result, "R-hat") == "∞"
    assert (still, 4) in pairwise(numbers_in(result.says))


def test_agreement_on_one_mode_is_called_wrong():
    result = at_scene("agree")
    assert number(result, "R-hat") < 1.01 and number(result, "Error") > 0.5
    assert numbers_in(result.says)[-1] == pytest.approx(number(result, "Error"), abs=0.06)


def test_good_chains_have_converged_and_are_right():
    result = at_scene("good")
    assert ":red[" not in said(result)
    assert number(result, "Error") < 0.2
    told = [number(result, "R-hat"), number(result, "Error"), *numbers_in(reading(result, "true sd"))]
    assert numbers_in(result.says)[-4:] == pytest.approx(told)
    found = chains_of("banana", "hmc", 0.2, 20, "spread", 0)
    r_hat = split_r_hat(views_chains.later_half(found, views_chains.NUM_STEPS)).max()
    np.testing.assert_allclose(number(result, "R-hat"), r_hat, atol=1e-3)


def test_nothing_is_judged_in_the_warm_up_and_nothing_agrees_on_few_draws():
    """After 13 steps one chain has not moved in a half of its few draws: that is no agreement."""
    found = chains_of("banana", "hmc", 0.2, 20, "spread", 0)
    early = views_chains.later_half(found, 13)
    assert split_r_hat(early).max() == np.inf and effective_sample_size(early).min() < 40
    diagnostics, names = views_chains.diagnostics_of(found), list(views_chains.VERDICTS)
    assert names[diagnostics["verdict"][13]] == "warm-up"
    assert names[diagnostics["verdict"][-1]] == "agree"
    assert {"too few", "agree"} <= {names[each] for each in diagnostics["verdict"][views_chains.WARM_UP :]}
    agree = diagnostics["verdict"] == names.index("agree")
    assert (diagnostics["ess"][agree] >= 400).all() and (diagnostics["r_hat"][agree] < 1.01).all()


def test_too_few_effective_draws_are_no_verdict():
    """Chains whose R-hat is below 1.01 at the end and whose draws are worth fewer than 400."""
    result = result_of(PAGE, {"look": "walk", "posterior": "line", "walk_step": "0.15"})
    assert number(result, "R-hat") < 1.01 and number(result, "ffective") < 400
    assert ":red[" in said(result)


@pytest.mark.parametrize("scene", ["fit", "good"])
def test_every_posterior_in_every_view(scene: str):
    for name in targets.TARGETS:
        result = at_scene(scene, posterior=name)
        assert len(result.figures) == 2 and len(result.numbers) == 4


@pytest.mark.parametrize("scene", ["fit", "good"])
def test_the_snippet_runs_and_gives_the_numbers_of_the_view(
    scene: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda figure: None)
    result = at_scene(scene)
    run_snippet(result)
    told, values = capsys.readouterr().out, result.numbers.values()
    assert any(value.strip("−-.0") and value.replace("−", "-")[:4] in told for value in values), told


# Error against work ---------------------------------------------------------------------------------------------------


def test_the_comparison_shows_every_method():
    runs = views_race.run_all("line", lambda snapshot: True, **SHORT)
    result = views_race.errors(Setting({"race_error": "mean"}), SCREEN, runs)
    for title in race.RUNNERS.values():
        x, y = trace(plain(result), title)
        assert np.isfinite(y).any() and len(x) > 1
    assert len(result.numbers) == 4
    other = views_race.errors(Setting(), SCREEN, runs)
    assert "sds" in plain(other)["layout"]["yaxis"]["title"]["text"]


@pytest.mark.parametrize("posterior", targets.TARGETS)
@pytest.mark.parametrize("error", ["mean", "std"])
def test_the_sentence_of_the_comparison_has_the_last_medians(posterior: str, error: str):
    arrays = bundles.shipped(study.RACE, study.settings())
    last = {name: np.median(arrays[f"{posterior}.{name}.{error}"][-1]) for name in race.RUNNERS}
    chains = [last[name] for name in race.STEP_SIZES["line"]]
    told = numbers_in(result_of(PAGE, {"look": "race", "posterior": posterior, "race_error": error}).says)
    assert told[1:] == pytest.approx([min(chains), last["mean_field"], last["full"]], rel=0.06)


def test_a_stopped_comparison_keeps_the_methods_that_have_ended():
    seen: list[views_race.Runs] = []

    def look(snapshot: Snapshot[views_race.Runs]) -> bool:
        seen.append(snapshot.take())
        return "mean_field" not in seen[-1].found

    with pytest.raises(InvalidInput, match="stopped"):
        views_race.run_all("line", look, **SHORT)
    assert list(seen[-1].found) == ["mean_field"]
    assert len(views_race.errors(Setting(), SCREEN, seen[-1]).numbers) == 1


def test_the_runs_of_the_chosen_posterior_are_shipped_and_nothing_is_drawn_before_one_has_ended():
    need = views_race.needed(Setting({"posterior": "ring"}))
    assert need.key == ("race", "ring") and need.shipped is not None
    found = need.shipped()
    assert found is not None and list(found.found) == list(race.RUNNERS)
    assert need.read(views_race.Runs({})) is None
    assert views_race.about(Setting()).call and not views_race.about(Setting()).parts


# On the page ----------------------------------------------------------------------------------------------------------


def test_controls_follow_the_sampler():
    app = open_page(PAGE, {"look": "walk"})
    assert_works(app)
    assert {"sampler", "walk_step", "walk_leapfrog", "walk_starts"} <= drawn(app)
    assert "walk_leapfrog" not in drawn(move(app, "sampler", "metropolis"))
    assert_works(open_page(PAGE, {"look": "race"}))


def given(query: dict[str, str], patch: pytest.MonkeyPatch) -> tuple[dict[str, Any], dict[str, Any]]:
    """The data that the page sends to the animated view, and the arrays of its history by name."""
    patch.setattr(switch, "PICTURE", replace(switch.PICTURE, default=switch.SCRUB))
    app = open_page(PAGE, query)
    protos = [component.proto for component in app.get("bidi_component")]  # type: ignore[attr-defined]
    [view] = [data for proto in protos if proto.json and "kind" in (data := json.loads(proto.json))]
    return view, {name_of(proto.bytes): unpack(proto.bytes)[1] for proto in protos if proto.bytes}[view["course"]]


def test_the_animated_view_gets_the_fit(monkeypatch: pytest.MonkeyPatch):
    view, arrays = given({}, monkeypatch)
    history = history_of("line", "mean_field", "reverse", "left")
    np.testing.assert_allclose(arrays["mean"].reshape(-1, 2), history.mean, rtol=1e-5)
    places, std = arrays["places"].reshape(-1, 2), targets.grid_of("line").moments[1][0, 0] ** 0.5
    assert len(places) == len(history.mean) and view["spread"][1] == pytest.approx(std, rel=1e-6)
    for step in (0, 1, 43, 100):
        so_far = places[: step + 1, 0]
        told = arrays["chain_mean"][step], arrays["chain_std"][step]
        assert told == pytest.approx((so_far.mean(), so_far.std()), abs=1e-5)


def test_the_animated_view_gets_the_chains(monkeypatch: pytest.MonkeyPatch):
    view, arrays = given({"scene": "good"}, monkeypatch)
    steps, warm_up = views_chains.NUM_STEPS, views_chains.WARM_UP
    assert (view["chains"], view["corners"]) == (4, 21)
    assert arrays["places"].shape == (steps + 1, 4, 2) and arrays["paths"].shape == (steps, 4, 21, 2)
    assert np.isnan(arrays["r_hat"][:warm_up]).all() and np.isfinite(arrays["r_hat"][warm_up:]).all()
    assert not arrays["verdict"][:warm_up].any() and arrays["verdict"][warm_up:].all()
    assert list(views_chains.VERDICTS)[arrays["verdict"][-1]] == "agree"
