"""The page on sparse weights: its numbers are those of the networks, and missing or damaged files get a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from bdlviz.errors import InvalidInput
from bdlviz.fits import configure, fit
from bdlviz.fitted import checkpoints, shelf
from bdlviz.methods import sparse_variational_dropout as sparse
from bdlviz.models import divergences
from bdlviz.topics.weights.sparsity import one_weight, study, views, views_one, views_size, views_table
from bdlviz.topics.weights.sparsity import run as runs
from bdlviz.types import Dataset
from bdlviz.ui.model import Result, Setting, Table
from tests.told import numbers_in
from tests.topics.shared.page_results import percent, reading
from tests.topics.weights.results import SCREEN, layout_of
from tests.ui.harness import assert_works, drawn, figures, move, open_page, open_working

PAGE = "sparsity"
NAME = study.name_of("sparse_variational_dropout", "digits")
WITH_A_RUN = {name: getattr(views, name) for name in ("noise", "pixels", "histograms", "training", "signal")}
DIGITS = {"images": "digits"}


def shown(view: str, **values: str) -> Result:
    """The result of a view of a shipped network."""
    setting = Setting(DIGITS | values)
    need = runs.run_needed(setting)
    assert need.shipped is not None
    return WITH_A_RUN[view](setting, SCREEN, need.shipped())


@pytest.fixture(scope="module")
def made_up() -> dict[str, tuple[bytes, dict[str, Any]]]:
    """Networks on made-up images of MNIST's size: as many inputs and weights, hardly trained."""
    rng = np.random.default_rng(0)
    x, y = rng.random((30, 784), np.float32), np.arange(30) % 10
    shape = (28, 28)
    images_of = Dataset("made_up", "Made up", x=x, y=y, x_test=x, y_test=y, task="classification", image_shape=shape)
    found = {}
    for warm_up, images in ((None, "mnist"), (None, "mnist1000"), (0.5, "mnist1000")):
        changed: dict[str, Any] = {"num_epochs": 2} | ({} if warm_up is None else {"kl_warm_up": warm_up})
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(study, "load", lambda name: images_of)
            trained, extra = study.prunable("sparse_variational_dropout", images, (0, 1), **changed)
        if images == "mnist":
            extra |= study.by_shift(trained, images_of)
        entry = {"config": checkpoints.config_to_json(trained.config)}
        name = study.name_of("sparse_variational_dropout", images, warm_up)
        found[name] = checkpoints.to_bytes(trained, half=True, extra=extra), entry
    return found


@pytest.fixture
def mnist(own_shelf: Path, made_up: dict[str, tuple[bytes, dict[str, Any]]]) -> Path:
    """A shelf with the made-up networks in place of those on MNIST."""
    for name, (content, entry) in made_up.items():
        shelf.put(name, content, dict(entry), own_shelf)
    return own_shelf


# Shipped runs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", ["-8", "0", "3", "8"])
@pytest.mark.parametrize("view", ["histograms", "signal"])
def test_the_numbers_are_those_of_the_network_pruned_there(view: str, threshold: str):
    result = shown(view, threshold=threshold)
    trained, extra = shelf.shipped(NAME)
    at = int(np.abs(study.THRESHOLDS - float(threshold)).argmin())
    assert reading(result, "Held-out") == percent(extra["threshold_accuracy"][at])
    assert reading(result, "Compression") == runs.times(sparse.PRUNER.compression(trained.single(), float(threshold)))
    shares = sparse.PRUNER.sparsity(trained.single(), float(threshold))
    left = reading(result, "Left").removesuffix(" %").split(" · ")
    for layer, said in enumerate(left):
        assert float(said) == pytest.approx(100 * (1 - shares[f"weight{layer}"]), abs=0.051 if "." in said else 0.51)


@pytest.mark.parametrize("done", ["0", "50", "100"])
def test_the_picture_of_the_pixels_is_that_of_the_moment(done: str):
    result = shown("pixels", done=done)
    _, extra = shelf.shipped(NAME)
    at = int(np.abs(extra["step"] - float(done) / 100 * extra["step"][-1]).argmin())
    assert {(extra["alive"][at] == 0).sum(), 64} <= set(numbers_in(reading(result, "Pixels")))
    assert reading(result, "Held-out") == percent(extra["accuracy"][at])


def test_without_any_weight_there_is_one_answer_from_the_last_bias():
    run = runs.Run(shelf.shipped(NAME)[0], "digits", shelf.shipped(NAME)[1])
    answer = softmax(run.params["bias2"])
    label, probability = views.constant_answer(run, sparse.PRUNER.pruned(run.params, -100))
    assert (label, probability) == (answer.argmax(), pytest.approx(answer.max(), rel=1e-5))
    result = shown("histograms", threshold="-8")
    assert f"{label}, " in result.words[0] and percent(probability, 0) in result.words[0]
    assert reading(result, "Compression") == "∞"


def test_the_largest_threshold_names_the_clip():
    assert set(numbers_in(shown("histograms", threshold="8").words[0])) >= {-8, 8}


def test_without_a_warm_up_another_network_is_shown():
    usual, other = (shown("training", warm_up=each) for each in ("0.1", "0"))
    assert usual.numbers != other.numbers
    assert [len(layout_of(each).shapes) for each in (usual, other)] == [4, 0]


# MNIST ----------------------------------------------------------------------------------------------------------------


def test_a_shipped_lenet_is_shown_without_the_files_of_mnist(mnist: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BDLVIZ_DATA", str(mnist))
    monkeypatch.setenv("XDG_CACHE_HOME", str(mnist))
    app = open_working(PAGE)
    assert "warm_up" not in drawn(app)
    for view in WITH_A_RUN:
        assert shown(view, images="mnist").figures
    assert numbers_in(reading(shown("pixels", images="mnist"), "Pixels"))[1] == 784


def test_networks_on_few_images_of_mnist_stand_beside_that_on_all(mnist: Path):
    def size() -> Result:
        need = views_size.needed(Setting())
        assert need.shipped is not None
        return views_size.size(Setting(), SCREEN, need.shipped() or [])

    whole = size()
    assert [numbers_in(label) for label in whole.numbers] == [[1000], [1000], [30]]
    (mnist / "pruned_mnist1000_sparse_variational_dropout.safetensors").unlink()
    damaged = size()
    assert len(damaged.numbers) == 2 and len(damaged.words) == len(whole.words) + 1
    assert_works(open_page(PAGE, {"look": "size"}), warnings=1)


def test_what_is_not_shipped_gets_one_sentence_and_the_digits(own_shelf: Path):
    path = own_shelf / "manifest.json"
    path.write_text(path.read_text().replace('"pruned_mnist', '"gone_mnist'))
    result = shown("pixels", images="mnist")
    assert "bdlviz train pruned_mnist_sparse_variational_dropout" in result.words[0]
    assert numbers_in(reading(result, "Pixels"))[1] == 64
    assert not numbers_in(views_table.our_row("ard").error)


@pytest.mark.usefixtures("mnist")
def test_the_table_has_published_rows_and_ours():
    _, extra = shelf.shipped("pruned_mnist_sparse_variational_dropout")
    row = views_table.our_row("sparse_variational_dropout")
    assert row.error.startswith(f"{100 * (1 - extra['seed_accuracy'].mean()):.2f} ± ")
    assert "2 seeds" in row.source
    [table] = [part for part in views_table.table() if isinstance(part, Table)]
    assert [tuple(each) for each in table.rows][: len(views_table.PUBLISHED)] == [*map(tuple, views_table.PUBLISHED)]


# Trained here ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick")
def test_a_damaged_network_on_digits_is_trained_again(own_shelf: Path):
    (own_shelf / f"{NAME}.safetensors").unlink()
    app = open_working(PAGE, DIGITS | {"look": "pixels"})
    assert app.info


def test_a_network_trained_here_has_the_history_of_a_shipped_one():
    settings: dict[str, Any] = study.SETTINGS["digits"] | {"num_epochs": 4, "num_snapshots": 4}
    watch = study.Watch("ard", study.load("digits"), num_moments=4)
    trained = fit("ard", study.load("digits"), on_snapshot=watch, **settings)
    params, snapshots = (dict(reversed(sorted(each.items()))) for each in (trained.params, trained.snapshots))
    run, expected = runs.recorded(replace(trained, params=params, snapshots=snapshots)), watch.arrays()
    np.testing.assert_array_equal(run.extra["step"], expected["step"])
    np.testing.assert_allclose(run.extra["sparsity"], expected["sparsity"], atol=2e-3)  # snapshots have half precision
    np.testing.assert_allclose(run.extra["accuracy"], expected["accuracy"], atol=1e-2)
    assert list(run.extra["histograms"][-1].sum(-1)) == [64 * 64, 64 * 32, 32 * 10]


def test_a_diverged_network_says_so():
    trained, _ = shelf.shipped(NAME)
    broken = replace(trained, params={name: np.full_like(a, np.nan) for name, a in trained.params.items()})
    for use in (runs.recorded, lambda each: views_size.outcome(each, 1437)):
        with pytest.raises(InvalidInput, match="diverged"):
            use(broken)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("beta", ["0", "0.1", "1"])
def test_every_n_that_was_trained_stays_in_the_picture(beta: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shelf, "find", lambda config: None)  # some of these networks are shipped
    app = open_working(PAGE, DIGITS | {"look": "size", "beta": beta, "n_pruned": "100"})
    before = len(figures(app)[0]["layout"]["annotations"])
    move(app, "n_pruned", "200")
    assert_works(app)
    assert len(figures(app)[0]["layout"]["annotations"]) == before + 1
    assert any(461 in numbers_in(each.value) for each in app.caption) == (beta != "0")


def test_the_cost_of_a_network_is_its_likelihood_and_its_divergence():
    trained, extra = shelf.shipped(NAME)
    found = views_size.outcome(trained, 1437)
    noise = sparse.log_alphas(trained.single())
    kl = sum(float(divergences.sparse_variational(each).sum()) for each in noise.values())
    assert found.kl == pytest.approx(kl / 1437)
    assert found.kl == pytest.approx(float(extra["kl"][-1]) / 1437, rel=0.01)  # stored in half precision
    assert found.accuracy == pytest.approx(float(extra["accuracy"][-1]), abs=0.01)
    assert found.misfit + found.kl < views_size.NOTHING


# One weight -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["sparse_variational_dropout", "ard"])
@pytest.mark.parametrize("strength", ["0", "1", "1.1", "10"])
def test_one_weight(method: str, strength: str):
    result = views_one.one(Setting({"method": method, "strength": strength}), SCREEN, None)
    best = one_weight.best_log_alpha(float(strength), study.DIVERGENCES[method])
    expected = f"{best:.2f}".replace("-", "−") if np.isfinite(best) else "∞"
    assert reading(result, "Best") == expected


@pytest.mark.parametrize("warm_up", ["0.1", "0"])
@pytest.mark.parametrize("method", ["sparse_variational_dropout", "ard"])
def test_the_snippet_asks_for_the_network_of_the_page(method: str, warm_up: str, monkeypatch: pytest.MonkeyPatch):
    class Asked(Exception):
        pass

    def ask(method: str, data: Any, **settings: Any) -> None:
        raise Asked(configure(method, data, **settings))

    call = shown("pixels", method=method, warm_up=warm_up).call
    monkeypatch.setattr("bdlviz.fit", ask)
    with pytest.raises(Asked) as raised:
        exec(compile(call, "snippet", "exec"), {})
    shipped = shelf.shipped(study.name_of(method, "digits", None if warm_up == "0.1" else 0.0))[0]
    assert replace(raised.value.args[0], num_snapshots=0) == replace(shipped.config, num_snapshots=0)
