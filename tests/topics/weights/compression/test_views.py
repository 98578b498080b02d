"""The page on compression: numbers that follow from the network shown, both ends of the threshold, and the file."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import expon, laplace, norm

from bdlviz import data
from bdlviz.errors import InvalidInput
from bdlviz.fitted import shelf
from bdlviz.methods import METHODS, prunable
from bdlviz.predictive import compression
from bdlviz.topics.weights.compression import controls as c
from bdlviz.topics.weights.compression import network as networks
from bdlviz.topics.weights.compression import shrinkage, views, views_priors, views_speed, views_table
from bdlviz.topics.weights.sparsity import study as sparsity_study
from bdlviz.ui.model import Result, Setting
from tests.told import numbers_in
from tests.topics.shared.page_results import percent
from tests.topics.weights.results import SCREEN, layout_of, run_call, values_of
from tests.ui.harness import assert_works, figures, move, open_working

PAGE = "compression"
DIGITS = {"compressed_images": "digits"}
SPARSE = DIGITS | {"compressed_by": "sparse_variational_dropout"}
DRAWN = {"network": views.network, "bits": views.bits, "speed": views_speed.speed}
FEW = 30  # steps of a network that a snippet trains


def drawn(view: str, **values: str) -> Result:
    """The result of a view of a shipped network, on small digits if `values` names no images."""
    setting = Setting(DIGITS | values)
    need = networks.needed(setting)
    assert need.shipped is not None
    found = need.shipped()
    assert found is not None, "This network is not shipped."
    return DRAWN[view](setting, SCREEN, found)


# Priors ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prior", shrinkage.PRIORS)
@pytest.mark.parametrize("aspect", c.ASPECT.options)
def test_every_prior_and_aspect_at_both_ends_of_the_scale(prior: str, aspect: str):
    ranges = set()
    for scale in ("0.01", "1", "10"):
        setting = Setting({"shrinking_prior": prior, "aspect": aspect, "prior_scale": scale})
        result = views_priors.priors(setting, SCREEN, None)
        ranges.add((layout_of(result).xaxis.range, layout_of(result).yaxis.range))
        means = shrinkage.posterior_mean(prior, np.array([1.0, 6.0]), float(scale), 0.1)
        assert values_of(result)[:2] == [f"{value:.2f}" for value in means]
    assert len(ranges) == 1


def test_the_snippet_of_the_gallery(monkeypatch: pytest.MonkeyPatch):
    setting = Setting({"shrinking_prior": "laplace", "prior_scale": "3"})
    names = run_call(views_priors.priors(setting, SCREEN, None), monkeypatch)
    np.testing.assert_allclose(names["mean"], shrinkage.posterior_mean("laplace", names["y"], 3.0))


# The network ----------------------------------------------------------------------------------------------------------


def test_pruning_everything_leaves_one_answer():
    result = drawn("network", prune_at="all", **SPARSE)
    left, ratio, _, after = values_of(result)
    assert (left, ratio) == ("0", "∞")
    shares = np.bincount(data.load("digits").y_test.astype(int)) / 360
    assert after in {percent(share) for share in shares}, "The accuracy is the share of one class."


@pytest.mark.parametrize("images", c.IMAGES.options)
@pytest.mark.parametrize("method", prunable.PRUNERS)
def test_removing_nothing_leaves_everything(method: str, images: str):
    """Also weights that half precision makes 0."""
    setting = {"compressed_images": images, "compressed_by": method, "prune_at": "nothing"}
    result = drawn("network", **setting)
    left, ratio, before, after = values_of(result)
    sizes = (784, 300, 100, 10) if images == "mnist" else (64, 64, 32, 10)
    every = sum(a * b for a, b in pairwise(sizes))
    assert (left, ratio, before) == (f"{every:,}", "×1", after)
    assert numbers_in(result.says)[0] == 100
    traces: Any = result.figures[0].figure.data
    cells = [trace.z for trace in traces]
    assert [int(np.nansum(each)) for each in cells] == [*sizes]
    assert values_of(drawn("bits", **setting))[1] == "×1"


@pytest.mark.parametrize("shift", ["-4", "0", "3", "6"])
def test_the_sentence_counts_what_is_left(shift: str):
    """The units and weights are counted here from the parameters of the file."""
    fit, extra = shelf.shipped("pruned_mnist_group_normal_jeffreys")
    pruner = prunable.pruner("group_normal_jeffreys")
    weights = [
        each for name, each in pruner.pruned(fit.single(), pruner.threshold + float(shift)).items() if "weight" in name
    ]
    paths = np.ones(784, bool)
    from_left = [paths := (weight[paths] != 0).any(0) for weight in weights]
    ends = np.ones(10, bool)
    to_right = [ends := (weight[:, ends] != 0).any(1) for weight in reversed(weights)][::-1]
    pixels, hidden = int(to_right[0].sum()), [a & b for a, b in zip(from_left[:2], to_right[1:], strict=True)]
    units = [to_right[0], *hidden, np.ones(10, bool)]
    left = sum(int(a.sum()) * int(b.sum()) for a, b in pairwise(units))  # also means that half precision makes 0
    result = drawn("network", compressed_images="mnist", prune_at=shift)
    (times, *told), title = numbers_in(result.says), numbers_in(result.figures[0].figure.layout.annotations[0].text)
    at = sparsity_study.SHIFTS.index(float(shift))
    whole, pruned = 100 * extra["compressed_accuracy"][at, :2]
    counts = [note.text for note in result.figures[0].figure.layout.annotations[1:] if "weights" not in note.text]
    assert [numbers_in(text)[-2] for text in counts] == [pixels, *(int(each.sum()) for each in hidden), 10]
    assert times == pytest.approx(np.exp(float(shift) / 2), rel=0.005)
    assert told[0] == pytest.approx(100 * np.exp((pruner.threshold + float(shift)) / 2), rel=0.02)
    assert {left, 266_200, told[1]} <= {*title}
    for value in (100 * left / 266_200, whole, pruned):
        assert min(abs(value - each) for each in told) <= 0.05 * min(value, abs(100 - value)) + 0.05


def test_the_sentence_of_the_bits(on_digits: networks.Network):
    pruned, variances = on_digits.pruned, prunable.pruner(on_digits.method).variances(on_digits.params)
    found = compression.precisions(pruned, variances)
    told = numbers_in(drawn("bits", **SPARSE).says)
    assert told[:3] == [each.bits for each in found.values()]
    assert told[-1] == pytest.approx(compression.compression_rates(pruned, found)[1], rel=0.05)


@pytest.mark.parametrize("prior", shrinkage.PRIORS)
def test_the_sentence_of_a_prior_tells_what_is_drawn(prior: str):
    """The posterior mean by Bayes' rule on a grid of weights, where the prior has a density."""
    setting = Setting({"shrinking_prior": prior, "prior_scale": "1"})
    told = numbers_in(views_priors.priors(setting, SCREEN, None).says)
    if prior in ("gaussian", "laplace"):
        w = np.linspace(-40, 40, 400_001)
        for y, said in zip(told[::2], told[1::2], strict=True):
            weight = shrinkage.density(prior, w, 1.0) * np.exp(-((y - w) ** 2) / 2)
            assert said == pytest.approx((w * weight).sum() / weight.sum(), rel=0.05)
    assert told[::2] == [1, 6] and 0 <= told[1] < 1 and told[1] < told[3] < 6


@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
def test_the_laplace_density_is_a_mixture_of_gaussians_with_exponential_variances(scale: float):
    """The integral over the variance by quadrature, and the variances as equally likely values of that distribution."""
    found, width = shrinkage.exponential_variances(10), 2 * scale**2
    for w in (0.2, 1.0, 4.0):
        mixed, _ = quad(lambda v, w: norm.pdf(w, 0, np.sqrt(v)) * expon.pdf(v, scale=width), 0, np.inf, args=(w,))
        assert mixed == pytest.approx(float(shrinkage.density("laplace", np.array(w), scale)), rel=1e-5)
    np.testing.assert_allclose(expon.cdf(found * scale**2, scale=width), (np.arange(10) + 0.5) / 10)


def test_the_sentence_of_the_mixture():
    """The overlap is 1 minus half the absolute difference of both densities, here on another grid."""
    variances, w = expon.ppf((np.arange(10) + 0.5) / 10, scale=2), np.linspace(-30, 30, 60_001)
    drawn_mean = norm.pdf(w[:, None], 0, np.sqrt(variances)).mean(1)
    shared = 1 - np.trapezoid(np.abs(drawn_mean - laplace.pdf(w)), w) / 2
    result = Result(views_priors.laplace_mixture(SCREEN))
    count, low, high, overlap = numbers_in(result.says)
    assert (count, low, high) == (10, *(pytest.approx(np.sqrt(each), rel=0.02) for each in variances[[0, -1]]))
    assert overlap == pytest.approx(100 * shared, abs=0.2)
    traces: Any = result.figures[0].figure.data
    [total] = [trace.y for trace in traces if trace.name == "their sum"]
    assert max(total) == pytest.approx(drawn_mean.max(), rel=1e-3)


@pytest.mark.parametrize("images", c.IMAGES.options)
def test_the_smallest_network_is_named(images: str):
    ours = [row for method in prunable.PRUNERS if (row := views_table.our_row(method, images)) is not None]
    smallest = max(row.compression for row in ours)
    told = numbers_in(views_table.table(Setting({"compressed_images": images}), SCREEN, None).says)
    assert any(each == pytest.approx(smallest, rel=0.05) for each in told)


@pytest.mark.parametrize("look", DRAWN)
@pytest.mark.parametrize("method", prunable.PRUNERS)
def test_every_method_in_every_view_at_both_ends(method: str, look: str):
    for shift in ("all", "nothing"):
        result = drawn(look, compressed_by=method, prune_at=shift)
        assert len(result.figures) == 1 and len(result.numbers) == 4


def test_bits_are_those_of_the_rule(on_digits: networks.Network):
    found = compression.precisions(on_digits.pruned, prunable.pruner(on_digits.method).variances(on_digits.params))
    rates = compression.compression_rates(on_digits.pruned, found)
    bits, without, fewer, _ = values_of(drawn("bits", **SPARSE))
    assert bits == "-".join(str(each.bits) for each in found.values())
    assert (without, fewer) == (views.times(rates[0]), views.times(rates[1]))


@pytest.fixture
def on_digits() -> networks.Network:
    """The shipped network of sparse variational dropout on digits."""
    fit = shelf.find(networks.digits_config("sparse_variational_dropout"))
    assert fit is not None
    return networks.on_digits(fit)


def test_the_file_holds_the_network_that_is_shown(on_digits: networks.Network):
    assert views_speed.file_name(on_digits) == "compact_digits_sparse_variational_dropout.safetensors"
    small = compression.from_bytes(compression.to_bytes(views_speed.compact(on_digits)))
    assert small.source["method"] == "sparse_variational_dropout" and small.num_inputs == 64
    x = on_digits.dataset.x_test.astype(np.float32)
    expected = compression.dense_outputs(on_digits.pruned, on_digits.fit.config.activation, x)
    np.testing.assert_allclose(small.outputs(x), expected, rtol=1e-3, atol=1e-4)


def test_times_are_measured_again_only_when_asked():
    app = open_working(PAGE, {"look": "speed", **SPARSE})
    [told] = [figures(app)[0]["data"]]
    assert figures(app.run())[0]["data"] == told
    app.button(key="measure_again").click()
    assert figures(app.run())[0]["data"] != told


def test_a_diverged_network_says_so(on_digits: networks.Network):
    params = {name: array * np.nan for name, array in on_digits.fit.params.items()}
    with pytest.raises(InvalidInput, match="diverged"):
        networks.on_digits(replace(on_digits.fit, params=params))


# Shipped and published ------------------------------------------------------------------------------------------------


def test_the_table_has_the_published_rows_and_what_is_shipped():
    app = open_working(PAGE, {"look": "table"})
    table = app.dataframe[0].value
    methods, *others = (table[head] for head in table)
    assert len(methods) > len(prunable.PRUNERS)
    assert any("×419" in list(column[methods == "BC-GHS"]) for column in others)


def test_networks_of_other_images_are_in_the_table_and_not_in_the_picture():
    """VGG is on CIFAR-10: an error of 8.6 % there says nothing beside one on MNIST."""
    table = open_working(PAGE, {"look": "table"}).dataframe[0].value
    vgg = table[table["Network"] == views_table.VGG]
    assert [*zip(vgg["Held-out error"], vgg["All / left"], vgg["With fewer bits"], strict=True)] == [
        ("8.60 %", "×14", "×56"),
        ("9.00 %", "×18", "×59"),
    ]
    [picture] = views_table.table(Setting(), SCREEN, None).figures
    traces: Any = picture.figure.data
    published = [trace for trace in traces if "published" in trace.name]
    assert sum(len(trace.x) for trace in published) == len(views_table.PUBLISHED) - len(vgg)
    assert max(max(trace.y) for trace in published) < 2


def test_a_network_on_mnist_that_is_not_shipped_is_named_below_the_table(own_shelf: Path):
    (own_shelf / "pruned_mnist_ard.safetensors").unlink()
    result = views_table.table(Setting({"compressed_images": "mnist"}), SCREEN, None)
    assert any(METHODS["ard"].title in words for words in result.words)


@pytest.mark.usefixtures("quick")
def test_a_damaged_network_on_digits_is_trained_again(own_shelf: Path):
    (own_shelf / f"{sparsity_study.name_of('ard', 'digits')}.safetensors").unlink()
    app = open_working(PAGE, DIGITS | {"look": "bits", "compressed_by": "ard"})
    assert app.info
    assert_works(move(app, "prune_at", "all"))


@pytest.mark.skipif(not data.available("mnist"), reason="MNIST's files are not here")
@pytest.mark.parametrize("method", prunable.PRUNERS)
def test_shipped_accuracies_are_those_of_the_shipped_weights(method: str):
    fit, extra = shelf.shipped(sparsity_study.name_of(method, "mnist"))
    whole = data.load("mnist")
    for shift in (sparsity_study.SHIFTS[0], 0.0, 3.0):
        measured = sparsity_study.Accuracies.of(fit, whole, prunable.pruner(method).threshold + shift)
        shipped = sparsity_study.Accuracies.shipped(extra, shift)
        assert measured.num_images == shipped.num_images == 10_000
        for name in ("whole", "pruned", "rounded", "by_places"):
            np.testing.assert_allclose(getattr(shipped, name), getattr(measured, name), atol=1e-3)


@pytest.mark.parametrize("method", prunable.PRUNERS)
def test_accuracies_on_mnist_are_those_of_the_network_shown(method: str):
    """The held-out images of MNIST-1000 were trained on: there the network is at least about as good."""
    source = networks.on_mnist(method)
    measured = sparsity_study.Accuracies.of(source.fit, source.dataset, source.threshold)
    assert source.accuracies.pruned == pytest.approx(measured.pruned, abs=0.03)
    assert source.accuracies.rounded == pytest.approx(measured.rounded, abs=0.03)
    result = drawn("network", compressed_images="mnist", compressed_by=method)
    assert values_of(result)[2:] == [percent(source.accuracies.whole), percent(source.accuracies.pruned)]


def test_every_threshold_of_the_slider_is_shipped():
    found = [networks.shift_of(Setting({"prune_at": option})) for option in c.SHIFT.options]
    assert found == [*sparsity_study.SHIFTS]


@pytest.mark.parametrize("look", [*DRAWN, "table"])
def test_snippets_give_the_numbers_of_the_page(look: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """With a short training instead of the page's own, which takes a while."""
    settings = sparsity_study.SETTINGS
    short = {key: value for key, value in settings["digits"].items() if key != "num_epochs"} | {"num_steps": FEW}
    monkeypatch.setitem(settings, "digits", short)
    monkeypatch.chdir(tmp_path)
    setting = Setting(DIGITS | {"prune_at": "nothing"})
    if look == "table":
        run_call(views_table.table(setting, SCREEN, None), monkeypatch)
        return
    need = networks.needed(setting)
    assert need.work is not None
    result = DRAWN[look](setting, SCREEN, need.read(need.work(lambda snapshot: True, Event())))
    names, values = run_call(result, monkeypatch), values_of(result)
    if look == "network":
        assert values[0] == f"{sum(int(np.count_nonzero(a)) for n, a in names['pruned'].items() if 'weight' in n):,}"
    elif look == "bits":
        assert values[0] == "-".join(str(each.bits) for each in names["found"].values())
        assert values[2] == views.times(names["rates"][1])
    else:
        assert values[3] == "-".join(map(str, names["small"].sizes))
        assert compression.from_bytes((tmp_path / "compact.safetensors").read_bytes()).sizes == names["small"].sizes
        assert set(names["times"]) == set(views_speed.WAYS)
