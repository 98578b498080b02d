"""The page on compression: numbers that follow from the network shown, both ends of the threshold, and the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from bdlviz import data
from bdlviz.fitted import shelf
from bdlviz.methods import prunable
from bdlviz.predictive import compression
from bdlviz.topics.weights.compression import shrinkage
from bdlviz.topics.weights.compression import views_results as compression_views_results
from bdlviz.topics.weights.compression import views_runs as compression_views_runs
from bdlviz.topics.weights.sparsity import study as sparsity_study
from tests.ui.harness import assert_works, figures, move, open_page

PAGE = "compression"
SHIPPED = {"compressed_by": "sparse_variational_dropout"}
FEW = 30  # steps of a network that a snippet trains


def said(app: Any) -> str:
    return " ".join(caption.value for caption in app.caption)


def run_snippet(app: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that the page's snippet leaves behind."""
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    names: dict[str, Any] = {}
    app.session_state["tabs"] = "Reproduce"
    exec(compile(app.run().code[0].value, "snippet", "exec"), names)
    return names


@pytest.mark.parametrize("prior", shrinkage.PRIORS)
@pytest.mark.parametrize("aspect", ["density", "tails", "kappa", "mean"])
def test_every_prior_and_aspect_at_both_ends_of_the_scale(prior: str, aspect: str):
    app = open_page(PAGE, {"shrinking_prior": prior, "aspect": aspect})
    ranges = [figures(app)[0]["layout"][name]["range"] for name in ("xaxis", "yaxis")]
    for scale in ("0.01", "10"):
        assert_works(move(app, "prior_scale", scale))
        assert [figures(app)[0]["layout"][name]["range"] for name in ("xaxis", "yaxis")] == ranges
        believed = shrinkage.posterior_mean(prior, np.array([1.0, 6.0]), float(scale), 0.1)
        assert [each.value for each in app.metric][:2] == [f"{value:.2f}" for value in believed]


def test_the_snippet_of_the_gallery(monkeypatch: pytest.MonkeyPatch):
    app = open_page(PAGE, {"shrinking_prior": "laplace", "prior_scale": "3"})
    names = run_snippet(app, monkeypatch)
    np.testing.assert_allclose(names["believed"], shrinkage.posterior_mean("laplace", names["y"], 3.0))


def test_pruning_everything_leaves_one_answer():
    app = open_page(PAGE, {"look": "network", "prune_at": "all", **SHIPPED})
    assert_works(app)
    assert "No pixel is read any more" in said(app) and "same answer" in said(app)
    left, ratio, _, after = (each.value for each in app.metric)
    assert (left, ratio) == ("0", "∞")
    shares = np.bincount(data.load("digits").y_test.astype(int)) / 360
    assert after in {f"{share:.1%}" for share in shares}, "The accuracy is the share of one class."


def test_pruning_nothing_changes_nothing():
    app = open_page(PAGE, {"look": "network", "prune_at": "nothing", **SHIPPED})
    assert_works(app)
    left, ratio, before, after = (each.value for each in app.metric)
    assert before == after and "Nothing is pruned" in said(app)
    assert 1 <= float(ratio.removesuffix("×")) < 1.2, "Some weights are 0 by themselves in half precision."
    move(app, "prune_at", "0")
    assert app.metric[0].value != left and app.metric[2].value == before


@pytest.mark.parametrize("look", ["network", "bits", "speed"])
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("method", prunable.PRUNERS)
def test_every_method_in_every_view(method: str, look: str):
    app = open_page(PAGE, {"look": look, "compressed_by": method})
    for shift in ("all", "nothing"):
        assert_works(move(app, "prune_at", shift))


def test_bits_are_those_of_the_rule():
    app = open_page(PAGE, {"look": "bits", **SHIPPED})
    assert_works(app)
    config = compression_views_runs.digits_config("sparse_variational_dropout")
    fit = compression_views_runs.shelf.find(config)
    assert fit is not None
    source = compression_views_runs.Source("digits", fit, compression_views_runs.loaded("digits"), 0.0)
    found = compression.precisions(source.pruned, prunable.pruner(source.method).variances(source.params))
    rates = compression.compression_rates(source.pruned, found)
    bits, without, fewer, _ = (each.value for each in app.metric)
    assert bits == "-".join(str(each.bits) for each in found.values())
    assert (without, fewer) == (f"{rates[0]:.1f}×", f"{rates[1]:.1f}×")


def test_the_file_holds_the_network_that_is_shown(monkeypatch: pytest.MonkeyPatch):
    offered = []
    monkeypatch.setattr(
        compression_views_results.st, "download_button", lambda *given, **options: offered.append(given), raising=True
    )
    assert_works(open_page(PAGE, {"look": "speed", **SHIPPED}))
    _, content, name = offered[-1]
    small = compression.from_bytes(content)
    assert name == "compact_digits_sparse_variational_dropout.safetensors"
    assert small.source["method"] == "sparse_variational_dropout" and small.num_inputs == 64
    fit = compression_views_runs.shelf.find(compression_views_runs.digits_config("sparse_variational_dropout"))
    assert fit is not None
    source = compression_views_runs.Source("digits", fit, compression_views_runs.loaded("digits"), 0.0)
    x = source.dataset.x_test.astype(np.float32)
    expected = compression.dense_outputs(source.pruned, fit.config.activation, x)
    np.testing.assert_allclose(small.outputs(x), expected, rtol=1e-3, atol=1e-4)


def test_the_table_has_the_published_rows_and_what_is_shipped():
    app = open_page(PAGE, {"look": "table"})
    assert_works(app)
    table = app.dataframe[0].value
    assert {"BC-GNJ", "BC-GHS", "Pruning", "Sparse variational dropout"} <= set(table["Method"])
    assert list(table[table["Method"] == "BC-GHS"]["With fewer bits"]) == ["419"]


@pytest.mark.parametrize("look", ["network", "bits", "speed"])
def test_where_mnist_is_not_shipped_a_sentence_stands_in_its_place(look: str, own_shelf: Path):
    (own_shelf / "pruned_mnist_ard.safetensors").unlink()
    app = open_page(PAGE, {"look": look, "compressed_images": "mnist", "compressed_by": "ard"})
    assert not app.exception and not figures(app)
    assert "python -m bdlviz train pruned_mnist_ard" in app.warning[0].value


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
    source, problem = compression_views_runs.mnist(method)
    assert source is not None and not problem
    measured = sparsity_study.Accuracies.of(source.fit, source.dataset, source.threshold)
    assert source.accuracies.pruned == pytest.approx(measured.pruned, abs=0.03)
    assert source.accuracies.rounded == pytest.approx(measured.rounded, abs=0.03)
    app = open_page(PAGE, {"look": "network", "compressed_images": "mnist", "compressed_by": method})
    assert_works(app)
    assert [each.value for each in app.metric][2:] == [
        f"{source.accuracies.whole:.1%}",
        f"{source.accuracies.pruned:.1%}",
    ]


def test_every_threshold_of_the_slider_is_shipped():
    assert compression_views_runs.SHIFT.options == (
        compression_views_runs.ALL,
        *(f"{shift:g}" for shift in sparsity_study.SHIFTS[1:-1]),
        compression_views_runs.NOTHING,
    )


@pytest.mark.parametrize("look", ["network", "bits", "speed", "table"])
def test_snippets_give_the_numbers_of_the_page(look: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """With a short training instead of the page's own, which takes a while."""
    settings = compression_views_runs.recipes_pruned.SETTINGS
    short = {key: value for key, value in settings["digits"].items() if key != "num_epochs"} | {"num_steps": FEW}
    monkeypatch.setitem(settings, "digits", short)
    app = open_page(PAGE, {"look": look, "prune_at": "nothing"})
    metrics = [each.value for each in app.metric]
    monkeypatch.chdir(tmp_path)
    names = run_snippet(app, monkeypatch)
    if look == "network":
        assert metrics[0] == f"{sum(int(np.count_nonzero(a)) for n, a in names['pruned'].items() if 'weight' in n):,}"
    elif look == "bits":
        assert metrics[0] == "-".join(str(each.bits) for each in names["found"].values())
        assert metrics[2] == f"{names['rates'][1]:.1f}×"
    elif look == "speed":
        assert metrics[3] == "-".join(map(str, names["small"].sizes))
        assert compression.from_bytes((tmp_path / "compact.safetensors").read_bytes()).sizes == names["small"].sizes
        assert set(names["times"]) == set(compression_views_results.WAYS)
