"""The page on fitting and walking: its numbers, its warnings, and what the view that plays is told."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from bdlviz.models import targets
from bdlviz.predictive.chains import effective_sample_size, split_r_hat
from bdlviz.predictive.surface import name_of, unpack
from bdlviz.topics.foundations.variational_or_mcmc import race
from bdlviz.topics.foundations.variational_or_mcmc import views_chains as variational_or_mcmc_views_chains
from bdlviz.topics.foundations.variational_or_mcmc import views_fit as variational_or_mcmc_views_fit
from bdlviz.topics.foundations.variational_or_mcmc import views_race as variational_or_mcmc_views_race
from bdlviz.ui.scrub import switch
from tests.ui.harness import assert_works, axis_ranges, drawn, figures, move, open_page, rested, scenes, trace

PAGE = "variational_or_mcmc"


def metrics(app) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def words(app) -> str:
    return " ".join(element.value for element in app.markdown)


@pytest.fixture
def short_race(monkeypatch) -> None:
    monkeypatch.setattr(race, "EVALUATIONS", 400)
    monkeypatch.setattr(race, "FIT_EVALUATIONS", 400)
    monkeypatch.setattr(race.run, "__kwdefaults__", {**(race.run.__kwdefaults__ or {}), "num_seeds": 4})
    monkeypatch.setattr(variational_or_mcmc_views_race, "QUEUE", type(variational_or_mcmc_views_race.QUEUE)())


def test_numbers_of_the_fit():
    app = open_page(PAGE)
    assert_works(app)
    shown = {label: value.replace("−", "-") for label, value in metrics(app).items()}
    evidence = targets.grid_of("line").log_evidence
    np.testing.assert_allclose(float(shown["log p(D) (nats)"]), evidence, atol=5e-4)
    total = float(shown["ELBO at the end (nats)"]) + float(shown["KL[q ‖ p] left (nats)"])
    np.testing.assert_allclose(total, evidence, atol=2e-3)
    covariance = targets.grid_of("line").moments[1]
    factor = 1 / np.sqrt(np.diag(np.linalg.inv(covariance)) * np.diag(covariance))
    np.testing.assert_allclose([float(each) for each in shown["sd of q over true sd"].split(",")], factor, atol=0.02)


def test_axes_stay_while_the_family_changes():
    app = open_page(PAGE)
    before = [axis_ranges(figure) for figure in figures(app)]
    app = move(app, "family", "full")
    assert [axis_ranges(figure) for figure in figures(app)] == before


@pytest.mark.parametrize("scene", ["small-step", "large-step", "stuck"])
def test_what_has_not_converged_says_so(scene):
    app = open_page(PAGE, {"scene": scene})
    assert_works(app)
    assert "NOT CONVERGED" in words(app)


def test_a_walk_that_ran_away_shows_no_estimate():
    app = open_page(PAGE, {"scene": "large-step"})
    assert metrics(app)["R-hat, later half"] == "∞"
    assert metrics(app)["Error of the mean (sd)"] == "–"


def test_agreement_on_one_mode_is_called_wrong():
    app = open_page(PAGE, {"scene": "agree"})
    assert "and wrong" in words(app)
    assert float(metrics(app)["R-hat, later half"]) < 1.01
    assert float(metrics(app)["Error of the mean (sd)"]) > 0.5


def test_the_good_walk_has_converged_and_is_right():
    app = open_page(PAGE, {"scene": "good"})
    assert "NOT CONVERGED" not in words(app) and "wrong" not in words(app)
    assert float(metrics(app)["Error of the mean (sd)"]) < 0.2
    walk = variational_or_mcmc_views_chains.walk_of("banana", "hmc", 0.2, 20, "spread", 0)
    r_hat = split_r_hat(
        variational_or_mcmc_views_chains.later_half(walk, variational_or_mcmc_views_chains.NUM_STEPS)
    ).max()
    np.testing.assert_allclose(float(metrics(app)["R-hat, later half"]), r_hat, atol=1e-3)


def test_nothing_is_judged_in_the_warm_up_and_nothing_agrees_on_few_draws():
    """After 13 steps the later half has an R-hat of 0.956, from 33 effective draws: that is no agreement."""
    walk = variational_or_mcmc_views_chains.walk_of("banana", "hmc", 0.2, 20, "spread", 0)
    early = variational_or_mcmc_views_chains.later_half(walk, 13)
    assert split_r_hat(early).max() < 1 and effective_sample_size(early).min() < 40
    found, names = (
        variational_or_mcmc_views_chains.diagnostics_of(walk),
        list(variational_or_mcmc_views_chains.VERDICTS),
    )
    assert names[found["verdict"][13]] == "warm-up"
    assert names[found["verdict"][-1]] == "agree"
    verdicts = {names[each] for each in found["verdict"][variational_or_mcmc_views_chains.WARM_UP :]}
    assert {"too few", "agree"} <= verdicts
    agree = found["verdict"] == names.index("agree")
    assert (found["ess"][agree] >= 400).all() and (found["r_hat"][agree] < 1.01).all()


def test_too_few_effective_draws_are_no_verdict():
    """A walk whose R-hat is below 1.01 at the end and whose draws are worth fewer than 400."""
    app = open_page(PAGE, {"look": "walk", "posterior": "line", "walk_step": "0.15"})
    assert_works(app)
    assert float(metrics(app)["R-hat, later half"]) < 1.01 and float(metrics(app)["Effective draws"]) < 400
    assert "NO VERDICT" in words(app)


def test_controls_follow_the_walk():
    app = open_page(PAGE, {"look": "walk"})
    assert {"sampler", "walk_step", "walk_leapfrog", "walk_starts"} <= drawn(app)
    assert "walk_leapfrog" not in drawn(move(app, "sampler", "metropolis"))


@pytest.mark.usefixtures("short_race")
def test_the_race_shows_every_method():
    app = open_page(PAGE, {"scene": "race"})
    assert_works(app)
    [figure] = figures(app)
    for title in race.RUNNERS.values():
        x, y = trace(figure, title)
        assert np.isfinite(y).any() and len(x) > 1
    assert len(app.metric) == 4
    app = move(app, "race_error", "std")
    assert "sds" in figures(app)[0]["layout"]["yaxis"]["title"]["text"]


@pytest.mark.usefixtures("short_race")
def test_a_stopped_race_keeps_what_there_is():
    app = open_page(PAGE)
    half = variational_or_mcmc_views_race.Runs({"mean_field": race.run(targets.find("line"), "mean_field")})  # type: ignore[dict-item]
    app.session_state[variational_or_mcmc_views_race.STOPPED] = (("race", "line"), half)
    app = move(app, "look", "race")
    assert_works(app)
    assert any("Stopped before" in text for text in words(app).splitlines()) or "Stopped before" in words(app)
    app.button(key="race_again").click()
    app = rested(app.run())
    assert_works(app)
    assert len(app.metric) == 4


def told(app):
    protos = [component.proto for component in app.get("bidi_component")]
    [view] = [data for proto in protos if proto.json and "kind" in (data := json.loads(proto.json))]
    blocks = {name_of(proto.bytes): unpack(proto.bytes) for proto in protos if proto.bytes}
    return view, blocks


def test_the_view_gets_the_fit_and_the_walk(monkeypatch):
    monkeypatch.setattr(switch, "PICTURE", replace(switch.PICTURE, default=switch.SCRUB))
    view, blocks = told(open_page(PAGE))
    _, arrays = blocks[view["course"]]
    course = variational_or_mcmc_views_fit.course_of("line", "mean_field", "reverse", "left")
    np.testing.assert_allclose(arrays["elbo"] + arrays["reverse"], view["evidence"], atol=1e-4)
    np.testing.assert_allclose(arrays["mean"].reshape(-1, 2), course.mean, rtol=1e-5)
    view, blocks = told(open_page(PAGE, {"scene": "good"}))
    _, arrays = blocks[view["course"]]
    steps, chains, corners = variational_or_mcmc_views_chains.NUM_STEPS, view["chains"], view["corners"]
    assert (chains, corners) == (4, 21)
    assert arrays["places"].shape == (steps + 1, chains, 2)
    assert arrays["paths"].shape == (steps, chains, corners, 2)
    warm_up = variational_or_mcmc_views_chains.WARM_UP
    assert np.isnan(arrays["r_hat"][:warm_up]).all() and np.isfinite(arrays["r_hat"][warm_up:]).all()
    assert not arrays["verdict"][:warm_up].any() and arrays["verdict"][warm_up:].all()
    assert view["verdicts"][arrays["verdict"][-1]].startswith("The chains agree")


def test_every_posterior_in_every_view():
    for scene in ("fit", "good"):
        app = open_page(PAGE, {"scene": scene})
        for name in targets.TARGETS:
            assert_works(move(app, "posterior", name))


def test_scenes_are_those_promised():
    assert {"fit", "one-mode", "both-modes", "good", "small-step", "large-step", "stuck", "race"} <= scenes(PAGE).keys()


@pytest.mark.parametrize("scene", ["fit", "good"])
def test_the_snippet_runs_and_gives_the_numbers_of_the_page(scene, capsys):
    app = open_page(PAGE, {"scene": scene})
    app.session_state["tabs"] = "Reproduce"
    app.run()
    exec(compile(app.code[0].value, "snippet", "exec"), {})
    said = capsys.readouterr().out
    assert any(number.strip("−-.0") and number.replace("−", "-")[:4] in said for number in metrics(app).values()), said
