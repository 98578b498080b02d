"""Figures of a posterior with a fit or with chains: they draw what they were given."""

import numpy as np
import pytest

from bdlviz.plots.theme import theme
from bdlviz.topics.foundations.variational_or_mcmc import figures
from tests.plots import test_every_figure as rules
from tests.told import numbers_in
from tests.topics.shared.page_results import named

RNG = np.random.default_rng(0)
PLANE = figures.Plane(np.linspace(-2, 2, 9), np.linspace(-1, 3, 7), RNG.random((7, 9)), ("a", "b"))
MEAN, COVARIANCE = np.array([[0.0, 1.0], [0.5, 0.8]]), np.array([np.eye(2), [[0.5, -0.3], [-0.3, 0.4]]])
PLACES = RNG.normal(size=(21, 4, 2))
ELBO, REVERSE = np.array([-30.0, -9.0, -8.5]), np.array([22.0, 1.0, 0.5])
RUNS = [
    figures.Errors("VI", np.array([50, 500]), RNG.random((2, 9)), is_fit=True),
    figures.Errors("HMC", np.array([50, 500, 5000]), RNG.random((3, 9)), is_fit=False),
]
BUILDS = {
    "fit": lambda look: figures.fit_beside_chain(PLANE, (0.5, 1.0), MEAN, COVARIANCE, PLACES[:, 0], theme=look),
    "chains": lambda look: figures.posterior_with_chains(PLANE, PLACES, theme=look),
    "course": lambda look: figures.evidence_history(ELBO, REVERSE, REVERSE, theme=look),
    "course_stacked": lambda look: figures.evidence_history(ELBO, REVERSE, REVERSE, theme=look, stacked=True),
    "traces": lambda look: figures.chain_traces(PLACES, MEAN[0], MEAN[1], [(-2, 2), (-1, 3)], ("a", "b"), theme=look),
    "errors": lambda look: figures.error_against_work(RUNS, label="Error", last=9000, theme=look),
}


@pytest.mark.parametrize("name", BUILDS)
def test_rules_of_every_figure(name):
    for look in (theme("light"), theme("dark"), theme("dark", presenter=True)):
        rules.check(BUILDS[name](look), look)


def test_ellipses_are_one_and_two_standard_deviations():
    [q] = named(BUILDS["fit"](theme("light")), "q")
    points = np.stack([q.x, q.y], axis=1)
    points = points[np.isfinite(points).all(1)] - MEAN[1]
    distance = np.sqrt(np.einsum("ni,ij,nj->n", points, np.linalg.inv(COVARIANCE[1]), points))
    half = len(distance) // 2
    np.testing.assert_allclose(distance, [1] * half + [2] * half, rtol=1e-5)


def test_chains_are_drawn_where_they_have_been():
    fig = BUILDS["chains"](theme("light"))
    for chain in range(4):
        [trace] = named(fig, f"Chain {chain + 1}")
        np.testing.assert_allclose(np.stack([trace.x, trace.y], axis=1), PLACES[:, chain], rtol=1e-6)


def test_the_bars_beside_each_other_are_as_wide_as_their_words_say():
    fig = BUILDS["fit"](theme("light"))
    of_q, first, of_chain, second = (np.ptp(bar.x) for bar in named(fig, "width"))
    texts = [numbers_in(note.text) for note in fig.layout.annotations]
    assert first == second == pytest.approx(4.0)
    assert all([round(100 * width / first)] in texts for width in (of_q, of_chain))
    assert of_chain == pytest.approx(4 * np.std(PLACES[:, 0, 0]), rel=1e-5)


def test_the_evidence_is_a_level_above_the_bound():
    fig = BUILDS["course"](theme("light"))
    [level] = named(fig, "log p(D)")
    np.testing.assert_allclose(level.y, -8, rtol=1e-6)
    [bound] = [trace for trace in named(fig, "ELBO") if trace.fill is None]
    np.testing.assert_allclose(bound.y, ELBO)
    assert fig.to_dict()["layout"]["yaxis"]["range"] == [-20, -7]


def test_errors_are_medians_and_a_fit_goes_on_at_its_bias():
    fig = BUILDS["errors"](theme("light"))
    medians = [trace for trace in named(fig, "HMC") if trace.hovertemplate]
    np.testing.assert_allclose(medians[0].y, np.median(RUNS[1].errors, axis=1), rtol=1e-6)
    bias = named(fig, "VI")[-1]
    np.testing.assert_allclose(bias.x, [500, 9000])
    np.testing.assert_allclose(bias.y, np.median(RUNS[0].errors[-1]), rtol=1e-6)


def test_descriptions_say_the_numbers():
    assert {-30, -8.5} <= set(numbers_in(figures.describe_fit(ELBO, REVERSE, REVERSE)))
    assert f"{np.median(RUNS[1].errors[-1]):.3f} after 5,000" in figures.describe_errors(RUNS)
