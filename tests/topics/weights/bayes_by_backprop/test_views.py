"""The page on Bayes by Backprop: its numbers are those of the fit, its snippets run, bad settings get a sentence."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch

from bdlviz import data, fits
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, configure
from bdlviz.fitted import shelf
from bdlviz.methods import bayes_by_backprop
from bdlviz.methods.common import KL_WEIGHT
from bdlviz.predictive import weight_gradients
from bdlviz.topics.weights.bayes_by_backprop import controls as c
from bdlviz.topics.weights.bayes_by_backprop import (
    description,
    kl_noise,
    network,
    study,
    views_costs,
    views_functions,
    views_gradients,
    views_prior,
    views_weight,
)
from bdlviz.topics.weights.bayes_by_backprop.figures_functions import HILL
from bdlviz.ui.model import Note, Obtained, Result, Setting, sentence_of
from tests.told import numbers_in
from tests.topics.regression.short_fits import figure_of, names_in
from tests.topics.shared.page_results import number, reading, result_of
from tests.topics.weights.results import SCREEN, run_call
from tests.ui.harness import assert_works, axis_ranges, figures, open_page, press, trace

PAGE = "bayes_by_backprop"
QUICK: dict[str, Any] = study.SETTINGS | {"num_steps": 40, "num_snapshots": 4}
DATA = data.load("blundell")


@pytest.fixture(autouse=True)
def few_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure the noise of gradients from few draws."""
    few = partial(weight_gradients.variance_course, num_minibatches=8, num_draws=4)
    monkeypatch.setattr(weight_gradients, "variance_course", few)


def trained(method: str, **changed: Any) -> Fit:
    return fits.fit(method, DATA, **QUICK | changed)


@pytest.fixture(scope="module")
def small() -> Fit:
    return trained(PAGE)


@pytest.fixture(scope="module")
def there(small: Fit) -> dict[str, Fit]:
    """The fits that `drawn` uses, by name."""
    return {"small": small, "grid": trained(PAGE, kl_weight=KL_WEIGHT.values), "other": trained("map")}


def drawn(view: str, fits: dict[str, Fit], setting: Setting | None = None) -> Result:
    """The result of a view of fits that are called ``small``, ``grid`` and ``other``."""
    setting, small = setting or Setting(), fits["small"]
    if view == "functions":
        return views_functions.drawn(setting, SCREEN, [fits["other"], small])
    if view == "bits":
        return views_costs.bits(setting, SCREEN, fits["grid"])
    draw = {"prior": views_prior.prior, "weight": views_weight.one_weight, "gradients": views_gradients.gradients}
    return draw[view](setting, SCREEN, small)


VIEWS = ("functions", "prior", "weight", "bits", "gradients")


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_with_its_snippet(view: str, there: dict[str, Fit], monkeypatch: pytest.MonkeyPatch):
    result = drawn(view, there)
    if view == "gradients":
        [_, part] = result.parts
        assert isinstance(part, Obtained) and part.need.work is not None
        measured = part.need.work(lambda progress: True, threading.Event())
        shown = Result(part.parts(measured))
        assert len(shown.figures) == 1 and len(shown.numbers) == 4
    else:
        assert len(result.figures) == 1 and len(result.numbers) == 4
    short = replace(result, call=result.call.replace("num_steps=3000", "num_steps=40"))
    assert run_call(short, monkeypatch)["fit"].config.method == PAGE


def test_the_snippet_says_the_configuration_of_the_page(small: Fit):
    setting = Setting({"mixture_weight": "0.25", "kl_schedule": "halving", "prior_std": "0.368"})
    call = network.call_of(setting, network.needed(setting).config, [])
    for said in ("mixture_weight=0.25", "narrow_std=0.000912", "kl_halving=1", "length_scale=2.71739"):
        assert said in call


def test_what_is_to_be_shipped_is_what_the_page_asks_for():
    axes: dict[str, Any] = {"length_scale": [study.length_scale_of(std) for std in study.PRIOR_STDS]}
    whole = configure(PAGE, DATA, kl_weight=(0.0, 0.1, 1.0), **study.SETTINGS, **axes)
    for std in c.PRIOR_STD.options:
        asked = configure(PAGE, DATA, **study.SETTINGS, length_scale=study.length_scale_of(float(std)), kl_weight=1.0)
        assert shelf._covers(whole, asked)


def test_snapshots_are_kept_only_where_a_view_needs_them():
    assert network.needed(Setting()).config.num_snapshots == 0
    unusual = Setting({"start_rho": "-3"})
    for need in (views_weight.needed(Setting()), views_costs.needed(Setting()), network.needed(unusual)):
        assert need.config.num_snapshots == study.NUM_SNAPSHOTS


# Sentences ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        {"start_rho": "-20"},
        {"start_rho": "5"},
        {"kl_weight": "0"},
        {"mixture_weight": "0.5", "prior_std": "0.368", "narrow_std": "0.368"},
        {"mixture_weight": "0.5", "prior_std": "0.0498", "narrow_std": "0.368"},
    ],
)
def test_a_setting_that_trains_badly_gets_one_sentence(values: dict[str, str]):
    notes = [entry.says for entry in c.trained() if isinstance(entry, Note)]
    [_] = [said for says in notes if (said := says(Setting(values)))]
    assert not any(says(Setting()) for says in notes)


def test_a_minibatch_larger_than_the_data_gets_one_sentence(small: Fit):
    few = data.load("x_sin_x")
    found = study.gradient_noise(small, DATA)
    parts = views_gradients.parts_of(Setting({"minibatch": "128"}), SCREEN, found, few)
    assert few.num_data in numbers_in(Result(parts).words[0])


@pytest.mark.parametrize("view", VIEWS)
def test_a_diverged_fit_gets_one_sentence(view: str, there: dict[str, Fit]):
    def broken(fit: Fit) -> Fit:
        params = {name: array * np.nan for name, array in fit.params.items()}
        return replace(fit, params=params, snapshots={n: a * np.float16(np.nan) for n, a in fit.snapshots.items()})

    with pytest.raises(InvalidInput, match="diverged"):
        drawn(view, there | {"small": broken(there["small"]), "grid": broken(there["grid"])})


def test_an_unfinished_fit_has_neither_numbers_nor_a_measurement(there: dict[str, Fit]):
    begun = replace(trained(PAGE, num_snapshots=0), num_steps_done=20)
    there = there | {"small": begun, "grid": trained(PAGE, num_snapshots=0, kl_weight=KL_WEIGHT.values)}
    assert not drawn("functions", there).numbers and drawn("functions", there).figures
    for view in ("weight", "bits"):
        assert drawn(view, there).says == network.FIRST_SNAPSHOT
    gradients = drawn("gradients", there)
    assert gradients.words and not gradients.numbers and not gradients.figures


# The sentence of what is drawn ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [{}, {"prior_std": "7.39"}, {"prior_std": "0.0498"}, {"kl_weight": "0"}])
def test_the_sentence_tells_how_far_the_lines_of_the_picture_differ(values: dict[str, str]):
    """By way of the band of the figure."""
    result = result_of(PAGE, values)
    x, y = (np.asarray(each).reshape(2, -1) for each in trace(figure_of(result), "± 1 standard deviation"))
    x, std = x[0], (y[0] - y[1, ::-1]) / 2
    chosen = [float(values.get("prior_std", "1")), *([0.0] if "kl_weight" in values else [])]
    *first, here, among, there, right = numbers_in(result.says)
    assert first == [pytest.approx(each, rel=0.05) for each in chosen]
    assert DATA.x.min() < among < DATA.x.max() < right
    assert [here, there] == [pytest.approx(np.interp(each, x, std), rel=0.1) for each in (among, right)]
    marks = [note for note in result.figures[0].figure.layout.annotations if "x = " in note.text]
    assert [numbers_in(note.text) for note in marks] == [[here, among], [there, right]]
    assert ("miss the points" in result.says) == (values.get("prior_std") == "0.0498")
    here, there = (note.x for note in marks)
    assert DATA.x.min() < here < DATA.x.max() < there


def test_the_sentences_of_the_other_views():
    prior = result_of(PAGE, {"look": "prior"})
    assert numbers_in(prior.says)[0] == pytest.approx(number(prior, "As wide"), abs=0.6)
    weight = result_of(PAGE, {"look": "weight", "weight_rank": "100"})
    mean, std, *_, ratio, _ = numbers_in(weight.says)
    assert ratio == pytest.approx(abs(mean) / std, rel=0.1)
    bits = result_of(PAGE, {"look": "bits"})
    parts = [number(bits, word) for word in ("Together", "Error cost", "Complexity")]
    assert numbers_in(bits.says)[1:4] == [pytest.approx(each, rel=0.05) for each in parts]
    gradients = result_of(PAGE, {"look": "gradients", "minibatch": "8"})
    _, extra = shelf.shipped("scene_gradients")
    at = extra["batch_sizes"].tolist().index(8)
    one_draw, flipout, local = (extra[f"noise.{kind}.mean"][at, 0] for kind in ("weights", "flipout", "sums"))
    expected = [8, one_draw / local, flipout / local]
    assert numbers_in(gradients.says) == [pytest.approx(each, rel=0.06) for each in expected]


@pytest.mark.parametrize("group", ["mean", "rho"])
@pytest.mark.parametrize("size", ["1", "8", "32", "128"])
def test_the_two_sources_of_noise_share_the_variance_of_the_gradient(group: str, size: str):
    """Shares of the shipped variances, which add up by the law of total variance."""
    _, extra = shelf.shipped("scene_gradients")
    sizes = extra["batch_sizes"].tolist()
    at = int(np.argmin([abs(each - int(size)) for each in sizes]))
    points, noise = (float(extra[name][at, 0]) for name in (f"minibatch.{group}", f"noise.weights.{group}"))
    result = result_of(PAGE, {"look": "gradients", "minibatch": size, "gradient_by": group})
    parts = result.tabs["Doubly stochastic gradient"]()
    share = 100 * points / (points + noise)
    expected = [share, *([] if size == "1" else [sizes[at]]), 100 - share]
    assert numbers_in(sentence_of(parts)) == [pytest.approx(each, abs=0.51) for each in expected]


# Pictures -------------------------------------------------------------------------------------------------------------


def test_the_mean_is_on_the_figure():
    def shown(**values: str) -> Result:
        setting = Setting({"data": "two_clusters", "beside": "deep_ensemble"} | values)
        needs = views_functions.needed(setting)
        return views_functions.drawn(setting, SCREEN, [need.shipped() for need in needs if need.shipped])

    result = shown()
    picture = figure_of(result)
    assert {"Mean", "± 1 standard deviation", "Function draws", "Data", "Truth"} <= names_in(picture)
    for values in ({"prior_std": "7.39"}, {"draws": "100"}):
        assert axis_ranges(figure_of(shown(**values))) == axis_ranges(picture)


@pytest.mark.parametrize("prior_std", ["0.0498", "1", "7.39"])
def test_densities_of_weights_stand_beside_the_functions(prior_std: str):
    """The standard deviations are the smallest, the median and the largest of the file; the prior is N(0, σ₁²)."""
    setting = Setting({"beside": "nothing", "prior_std": prior_std})
    fits = [need.shipped() for need in views_functions.needed(setting) if need.shipped]
    picture: Any = views_functions.drawn(setting, SCREEN, fits).figures[0].figure
    params = fits[1].params  # pyright: ignore[reportOptionalMemberAccess]
    stds = np.log1p(np.exp(np.concatenate([params[key].ravel() for key in params if "rho" in key]).astype(float)))
    hills = [np.asarray(each.x, float) for each in picture.data if each.name == "q(w)"]
    expected = np.quantile(stds, [0, 0.5, 1], method="nearest")
    np.testing.assert_allclose([np.ptp(each) / 8 for each in hills], expected, rtol=1e-3)
    ground = next(each for each in picture.data if each.name == "Prior of a weight")
    w, heights = np.asarray(ground.x, float), np.asarray(ground.y, float)
    share = np.exp(-0.5 * (w / float(prior_std)) ** 2)
    np.testing.assert_allclose(heights - heights.min(), HILL * (share - share.min()), atol=1e-4)
    on_a_phone = views_functions.drawn(setting, replace(SCREEN, is_narrow=True), fits)
    assert "q(w)" not in names_in(figure_of(on_a_phone))


@pytest.mark.parametrize(("beside", "count"), [("map", 1), ("deep_ensemble", 5)])
@pytest.mark.parametrize("prior_std", ["0.0498", "1", "7.39"])
def test_a_few_weights_as_numbers_and_as_densities(beside: str, count: int, prior_std: str):
    """Every number is found in the files, at the place that the name of its row tells."""
    setting = Setting({"beside": beside, "prior_std": prior_std})
    other, fit = (need.shipped() for need in views_functions.needed(setting) if need.shipped)
    assert fit is not None and other is not None
    result = Result(views_weight.numbers_and_densities(setting, SCREEN, fit, other))
    picture: Any = result.figures[0].figure
    [means, values] = [each for each in picture.data if each.mode == "markers"]
    plain, rows = np.reshape(values.x, (count, -1)), [*picture.layout.yaxis.ticktext]
    stds = []
    for row, name in enumerate(rows):
        layer, source, target = re.fullmatch(r"layer (\d): (\w+) → (\d+)", name).groups()  # type: ignore[union-attr]
        key = f"{'bias' if source == 'bias' else 'weight'}{int(layer) - 1}"
        at = (..., 0 if source == "bias" else int(source) - 1, int(target) - 1)
        of = {each: params.reshape(-1, *params.shape[-2:]) for each, params in fit.params.items()}
        np.testing.assert_allclose(means.x[row], of[key][at][0], atol=1e-6)
        in_other = other.params[key].reshape(count, -1, other.params[key].shape[-1])
        np.testing.assert_allclose(plain[:, row], in_other[at], atol=1e-6)
        stds.append(float(np.log1p(np.exp(of[f"rho_{key}"][at][0].astype(float)))))
    assert stds == sorted(stds)
    told = numbers_in(result.says)
    assert told == [
        len(rows),
        *([count, count] if count > 1 else []),
        *(pytest.approx(stds[at], rel=0.05) for at in (0, -1)),
    ]


def test_one_weight_at_each_of_its_snapshots(small: Fit):
    values = {"weight_layer": "2", "weight_rank": "100"}
    first, last = (
        views_weight.one_weight(Setting(values | {"weight_snapshot": each}), SCREEN, small) for each in ("1", "20")
    )
    before, after = (trace(figure_of(each), "prior p(w)")[1] for each in (first, last))
    np.testing.assert_array_equal(before, after)
    assert 3 in numbers_in(reading(first, "Weight")) and reading(first, "Mean") != reading(last, "Mean")


def test_weights_are_ordered_by_their_standard_deviation(small: Fit):
    found = network.weights_of(small)
    _, std = found.flat()
    assert len(std) == found.num_weights == small.model.network.num_numbers
    certain, open_one = (views_weight.chosen_weight(found, "all", rank)[0] for rank in (0.0, 1.0))
    assert (std[certain], std[open_one]) == (std.min(), std.max())
    position, name = views_weight.chosen_weight(found, "1", 0.5)
    assert name.startswith("layer 2: ")
    assert np.isin(std[position], np.concatenate([found.std["weight1"].ravel(), found.std["bias1"].ravel()]))


def test_the_order_of_weights_is_that_of_the_network_whatever_the_file_says(small: Fit):
    turned = replace(small, params=dict(sorted(small.params.items(), reverse=True)))
    for ours, theirs in zip(*(network.weights_of(fit).flat() for fit in (small, turned)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_average_and_parts_are_densities(small: Fit):
    w = np.linspace(-30, 30, 60_001)
    average = views_prior.average_density(w, *network.weights_of(small).flat())
    assert np.trapezoid(average, w) == pytest.approx(1, abs=2e-3)
    mixture = description.Prior(0.5, 0.05, 0.25)
    parts = views_prior.part_densities(w, mixture)
    np.testing.assert_allclose(np.trapezoid(parts, w), [0.25, 0.75], atol=1e-6)
    np.testing.assert_allclose(parts.sum(0), np.exp(mixture.log_density(w)), atol=1e-12)
    assert views_prior.part_densities(w, description.Prior()).shape == (0, len(w))


# Costs and gradients --------------------------------------------------------------------------------------------------


def test_the_costs_are_those_of_the_objective(small: Fit):
    """In nats and per point, error plus complexity is the loss that training minimises, up to a constant."""
    error, complexity = views_costs.costs(small, DATA)
    found = network.weights_of(small)
    kl = description.kl_to_prior(found.mean, found.std, found.prior)
    assert complexity == pytest.approx(kl / np.log(2))
    outputs = small.draw_outputs(DATA.x, views_costs.NUM_SAMPLES)
    misfit = 0.5 * small.precision * np.square(outputs - small.scaling.standardise_y(DATA.y)).sum((1, 2)).mean()
    constant = 200 * (0.5 * np.log(2 * np.pi / small.precision) - np.log(description.ACCURACY))
    assert error * np.log(2) == pytest.approx(misfit + constant, rel=1e-5)


def test_bits_in_total_are_those_per_point_times_their_number(there: dict[str, Fit]):
    results = [views_costs.bits(Setting({"bits": each}), SCREEN, there["grid"]) for each in ("point", "all")]
    per_point, in_total = (float(reading(each, "Together").replace(",", "")) for each in results)
    assert in_total == pytest.approx(200 * per_point, rel=0.01)


def test_the_noise_of_the_kl_is_that_of_drawn_gradients():
    """By automatic differentiation of log q - log p at many draws; the mean is the gradient of the closed form."""
    prior_std, noise = 0.7, torch.from_numpy(np.random.default_rng(0).standard_normal(100_000))

    def log_density(w: torch.Tensor, mean: torch.Tensor | float, std: torch.Tensor) -> torch.Tensor:
        return -0.5 * ((w - mean) / std) ** 2 - std.log()

    def estimate(params: torch.Tensor, epsilon: torch.Tensor, has_score: bool) -> torch.Tensor:
        mean, std = params[0], torch.log1p(params[1].exp())
        w = mean + std * epsilon
        q = (mean, std) if has_score else (mean.detach(), std.detach())
        return log_density(w, *q) - log_density(w, 0.0, torch.tensor(prior_std))

    for mean, rho in ([0.3, -0.01], [-0.2, 0.75], [0.0, -2.0], [0.4, 0.02]):
        params, std = torch.tensor([mean, rho], dtype=torch.float64), np.log1p(np.exp(rho))
        exact = [mean / prior_std**2, (std / prior_std**2 - 1 / std) * (1 - np.exp(-std))]
        for has_score, rule in ((True, kl_noise.with_score), (False, kl_noise.without_score)):
            slope = torch.func.grad(partial(estimate, has_score=has_score))
            drawn = torch.func.vmap(slope, (None, 0))(params, noise).numpy()
            found = rule(np.array([mean]), np.array([std]), prior_std)
            np.testing.assert_allclose(drawn.var(0), [found["mean"][0], found["rho"][0]], rtol=0.03)
            np.testing.assert_allclose(drawn.mean(0), exact, atol=5 * float(drawn.std(0).max()) / len(noise) ** 0.5)


@pytest.mark.parametrize("group", ["mean", "rho"])
def test_the_sentence_on_the_kl_from_one_draw_sums_over_the_dots(group: str):
    result = result_of(PAGE, {"look": "gradients", "gradient_by": group})
    parts = Result(result.tabs["KL from one draw"]())
    one, other = (trace(figure_of(parts), name) for name in ("log q − log p", "without the score of q"))
    share = 100 * float((one[0] > 0.5**0.5).mean())
    expected = [one[1].sum(), other[1].sum(), share, 0]
    assert numbers_in(parts.says) == [pytest.approx(each, rel=0.06) for each in expected]


@pytest.mark.usefixtures("quick")
def test_a_stopped_measurement_can_be_taken_up_again():
    query = {"start_rho": "-3"}
    app = open_page(PAGE, query)  # the network is trained now
    app.session_state["stopped"] = {"gradients": (("gradient noise", network.needed(Setting(query)).config), None)}
    app.session_state["look"] = "gradients"
    app.run()
    assert app.button(key="train_again") and not figures(app)
    assert_works(press(app, "train_again"))
    assert len(app.metric) == 4


def test_the_measurement_is_that_of_the_library(small: Fit):
    course = study.gradient_noise(small, DATA)
    params = small.single()
    layers = weight_gradients.layers_of(small.model.network, params, bayes_by_backprop.standard_deviations(params))
    again = weight_gradients.variance_course(
        small.model.network,
        layers,
        small.scaling.standardise_x(DATA.x),
        small.scaling.standardise_y(DATA.y),
        small.precision,
        np.random.Generator(np.random.SFC64(study.GRADIENT_SEED)),
    )
    np.testing.assert_allclose(course.noise["sums", "mean"], again.noise["sums", "mean"], rtol=1e-4)


def test_a_cancelled_measurement_stops(small: Fit):
    cancel = threading.Event()
    cancel.set()
    looks: list[Any] = []
    need = views_gradients.measurement(small, DATA)
    assert need.work is not None
    with pytest.raises(InvalidInput, match="stopped"):
        need.work(lambda progress: bool(looks.append(progress)) or True, cancel)
    assert len(looks) == 1 and 0 < looks[0].fraction <= 1
